"""`Flow`: a velocity of the water at every place and time, with its rate and gradient."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import PlainValidator, SerializeAsAny

from limbless.core import Array, Description, Family, reader
from limbless.mechanics.compiled import Rows
from limbless.mechanics.forces import FlowRow as Row


class Flow(Description):
    """A part of the motion of the water; the velocities of all flows in a list add up."""

    family: ClassVar[str | None] = "flow"
    has_waves: ClassVar[bool] = False
    """Whether it lifts and lowers the surface."""

    def rows(self, level: float) -> Rows:
        """The table `mechanics.forces.stream.FlowRow` for compiled code; `level` of the still water, m."""
        raise NotImplementedError

    def under(self, gravity: float) -> Self:
        """The same where gravity has this size, m/s2: other waves."""
        return self

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        """(.., 3) m/s at times (..) and places (.., 3), world axes: for records and pictures."""
        raise NotImplementedError

    def height(self, time: Array, place: Array) -> Array:
        """(..) m by which it lifts the surface."""
        return np.zeros(np.broadcast_shapes(np.shape(time), np.shape(place)[:-1]))

    def slope(self, time: Array, place: Array) -> Array:
        """(.., 2) slopes of that along x and y."""
        return np.zeros((*np.broadcast_shapes(np.shape(time), np.shape(place)[:-1]), 2))

    @property
    def slot(self) -> Any:
        """Where compiled code finds a user's function, and an exception that it raised; None for other kinds."""
        return None


def filled(count: int, kind: int, **fields: Any) -> Rows:
    """Rows of one kind with these columns; all others are 0."""
    rows = Row.zeros(count)
    columns = Row.of(rows)
    columns.kind[:] = kind
    for name, values in fields.items():
        getattr(columns, name)[:] = values
    return rows


def joined(flows: tuple[Flow, ...], level: float) -> Rows:
    """The rows of one flow or more, one table."""
    parts = [flow.rows(level) for flow in flows]
    whole = Row.zeros(sum(len(part.codes) for part in parts))
    whole.numbers[:] = np.concatenate([part.numbers for part in parts])
    whole.codes[:] = np.concatenate([part.codes for part in parts])
    return whole


FlowEntry = Annotated[SerializeAsAny[Flow], PlainValidator(reader("flow", (Flow,))), Family("flow")]
