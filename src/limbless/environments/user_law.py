"""`force-law`: your own force on a slice of body, as a plain Python (or compiled) function."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.core import Field, Function, Nested, name_of
from limbless.core.functions.function_arguments import WithArguments
from limbless.environments import (
    MOST_POINTS,
    Environment,
    Pack,
    in_windows,
    links_of,
    put_force,
    segment_rows,
    segments_of,
    stations,
)
from limbless.mechanics.compiled import PythonCallback, compiled_callback, compiled_pointer
from limbless.mechanics.forces import Buffer, UserLaw, law_on_buffer
from limbless.robots.base import Robot


class ForceLaw(Environment, WithArguments):
    """Your own force law, as a function that returns the force per length on a slice of body.

    The function is `law(t, position, axes, velocity, rotation_rate)`:

    - position (3): centre of the slice in the world;
    - axes (3, 3): rows are the slice's axes (along the body, lateral, vertical) in world components;
    - velocity, rotation_rate (3 each): motion of the slice along its axes.

    It returns the force per length (3, N/m), or (force, moment per length (3, N)), along the same axes, as the
    environment acts on the body. A law with seven arguments also gets the number of the link (0 on a rod) and the arc
    length along the body (m, from its base end).

    limbless compiles the law if it uses only numbers, arrays and modules such as NumPy; numbers from outside the
    function are read once. Otherwise limbless calls Python at every point of every stage, which takes about ten
    microseconds each. `limbless.compiled_law` compiles a law that reads and writes a buffer, whose entries
    `ForceLaw.columns` names.

    Further arguments with numbers as defaults are the law's `arguments`: `def law(t, position, axes, velocity,
    rotation_rate, mu: Annotated[float, "1"] = 0.3)`.
    """

    kind: Literal["force-law"] = "force-law"
    law: Nested[Function] = Field(description="the function, or `package.module:name`, or `file.py:name`")
    arguments: dict[str, Any] = Field(
        {}, description="numbers for further arguments of the law, by their names; its defaults if absent"
    )
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment")
    columns: ClassVar[Mapping[str, int]] = {name: place.column for name, place in Buffer.fields.items()}
    """Where the buffer of a compiled law has `time`, `position`, .. and takes `force` and `moment`, by their names."""

    takes: ClassVar[tuple[str, int]] = ("law", 5)

    @cached_property
    def slot(self) -> Any:
        """The address behind which compiled code finds the law; also keeps an exception that the law raised."""
        if hasattr(self.law, "address"):
            return self.law
        numbers = {name: argument.default for name, argument in self.declared().items()} | self.arguments
        answer = partial(law_on_buffer, self.law, self._asks_where, numbers)
        plainly = len(inspect.signature(self.law).parameters) == len(numbers) + (7 if self._asks_where else 5)
        return compiled_callback(self._call, Buffer.width, self.law if plainly else None, answer)

    @cached_property
    def _asks_where(self) -> bool:
        """Whether the law takes the number of the link and the abscissa too."""
        try:
            taken = inspect.signature(self.law).parameters.values()
        except (TypeError, ValueError):
            return False
        positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        return sum(part.kind in positional and part.default is part.empty for part in taken) >= 7

    def _call(self, buffer: np.ndarray) -> None:
        given = Buffer.of(buffer)
        where = (int(given.link), float(given.abscissa)) if self._asks_where else ()
        answer = self.law(
            float(given.time),
            given.position,
            given.axes.reshape(3, 3),
            given.velocity,
            given.rotation_rate,
            *where,
            **self.arguments,
        )
        put_force(given, answer, f"force law {name_of(self.law)}", "moment")

    def notes(self) -> tuple[str, ...]:
        slow = type(self.slot) is PythonCallback
        told = (
            f"environment.force-law: {name_of(self.law)} could not be compiled, and Python is asked at every point, "
            "which takes most of a run; limbless.compiled_law takes a law that writes into a buffer"
        )
        return (*super().notes(), *((told,) if slow else ()))

    def varies(self, level: bool) -> str | None:
        return "a user's law may depend on place and time"

    def pack(self, robot: Robot) -> Pack:
        pieces = segments_of(robot, "a force law acts")
        return Pack(
            in_windows(
                self,
                segment_rows(
                    UserLaw(Buffer.zeros(1)),
                    pieces,
                    self.points,
                    address=self.slot.address,
                    behind=stations(robot, pieces),
                    link=links_of(robot, pieces),
                ),
            )
        )


def compiled_law(function: Any) -> Any:
    """Compile a law `function(buffer)` of the raw buffer (see `ForceLaw.columns`) for use in `ForceLaw`."""
    return compiled_pointer(function, Buffer.width, Buffer.fields["force"].column, 3)
