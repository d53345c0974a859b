"""`feedback`: proportional, integral and derivative feedback of what is sensed, within bounds."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import field_validator

from limbless.control.controllers.base import Array, Lesion, LoopLayout, chosen_joints, chosen_tendons
from limbless.control.controllers.recorded_law import Instant, Outcome, RecordedLaw, kinks, ramp
from limbless.control.controllers.senses import RECORDED, Sense, places_of
from limbless.control.controllers.signals import clip, signals, where
from limbless.core import Field, InputError, Listed, Nested, Quantity, checked, quantity

Matrix = float | tuple[float, ...] | tuple[tuple[float, ...], ...]


class Feedback(RecordedLaw):
    """u = u0 + Kp (w - s) + Ki ∫(w - s) dt - Kd s', within bounds; an integral stops where its output is at a bound.

    Gains are matrices, a row for each output (joint or tendon) and a column for each number that is sensed; one number
    is a diagonal.
    """

    kind: Literal["feedback"] = "feedback"
    cuts: ClassVar[tuple[str, ...]] = ("senses", "outputs")
    joints: Listed[Literal["all"] | tuple[int, ...]] = Field("all", description="joints that it moves, from 0")
    tendons: Listed[tuple[int, ...]] = Field(
        (), description="tendons that it pulls, for `output: tendon`; all if empty"
    )
    senses: Listed[tuple[Sense, ...]] = Field(min_length=1, description="what is sensed, s")
    reference: Listed[float | tuple[float, ...] | tuple[tuple[float, float | tuple[float, ...]], ...]] = quantity(
        0.0, "1", "w, as what is sensed: a number, one each, or [[time, numbers], ..] with straight lines between"
    )
    proportional: Listed[Matrix] = quantity(0.0, "1", "Kp: N m, rad or N per unit of what is sensed")
    integral: Listed[Matrix] = quantity(0.0, "1/s", "Ki: the same per second")
    derivative: Listed[Matrix] = quantity(0.0, "s", "Kd: the same per unit and second")
    derivative_time: Quantity[float] = quantity(0.01, "s", "of the filter by which s' is found", gt=0)
    offset: Listed[float | tuple[float, ...]] = quantity(0.0, "1", "u0, one for all or one each: N m, rad or N")
    bounds: Listed[tuple[float, float] | None] = quantity(None, "1", "smallest and largest output; none if absent")
    output: Literal["torque", "target", "tendon", "effort"] = Field(
        "torque",
        description="what u is: N m, rad, as the tendons take it, or along the freedoms of a soft body (N m; of a "
        "rod a moment times the length of a cell, N m2)",
    )
    period: Quantity[float | None] = quantity(
        None,
        "s",
        "what it gives is held so long, whole steps, from 0 at the start on; at every instant if absent",
        gt=0,
    )
    seed: int = Field(0, description="of the noise of its senses", ge=0)
    lesion: Nested[Lesion] = Field(Lesion(), description="what is cut: `senses` and `outputs`, by their numbers")

    @field_validator("bounds")
    @classmethod
    def _in_order(cls, value: Any) -> Any:
        if value is not None and not value[0] < value[1]:
            raise ValueError("the smallest output comes first, and is less than the largest")
        return value

    @checked
    def _tendons_have_a_use(self) -> None:
        if self.tendons and self.output != "tendon":
            raise ValueError("tendons: has an effect only with `output: tendon`")

    def of_joints(self, layout: LoopLayout) -> Any:
        return chosen_joints(self.joints, layout.freedoms)

    def breakpoints(self, start: float, end: float) -> list[float]:
        return kinks(self.reference, start, end)

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        told = "the derivative of what is sensed (controller.derivative_time)"
        return (1.0 / self.derivative_time, told) if np.any(np.array(self.derivative)) else (0.0, "")

    def _sizes(self, layout: LoopLayout) -> tuple[list[int], int]:
        """Numbers of the outputs, and how many numbers are sensed."""
        joints = self.of_joints(layout)
        count = sum(1 if sense.kind in RECORDED else len(places_of(sense, layout, joints)) for sense in self.senses)
        moved = chosen_tendons(self.tendons, layout) if self.output == "tendon" else joints
        return [int(number) for number in moved], count

    def _matrix(self, name: str, layout: LoopLayout) -> Array:
        numbers, count = self._sizes(layout)
        given = np.array(getattr(self, name), dtype=np.float64)
        if given.ndim < 2:
            given = (
                np.diag(np.broadcast_to(given, len(numbers)))
                if len(numbers) == count
                else np.outer(np.broadcast_to(given, len(numbers)), np.ones(count))
            )
        if given.shape != (len(numbers), count):
            raise InputError(
                f"controller.{name}: {len(numbers)} outputs (joints or tendons) and {count} senses (by kind, of) need "
                f"as many rows and columns; got {given.shape}"
            )
        given[:, self.lesion.cut("senses", count, "senses")] = 0.0
        return given

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        numbers, count = self._sizes(layout)
        return {"integral": np.zeros(len(numbers)), "smoothed": np.zeros(count)}

    def answer(self, now: Instant) -> Outcome:
        numbers, count = self._sizes(now.layout)
        s = np.concatenate([np.asarray(row) for row in now.senses])
        wanted = ramp(self.reference, now.t)
        if len(wanted) not in (1, count):
            raise InputError(f"controller.reference: {count} numbers are sensed (senses: kind, of); got {len(wanted)}")
        error = np.broadcast_to(np.asarray(wanted), count) - s
        speed = (s - np.asarray(now.z["smoothed"])) / self.derivative_time
        gains = [self._matrix(name, now.layout) for name in ("proportional", "integral", "derivative")]
        grows = gains[1] @ error
        free = (
            np.broadcast_to(self.offset, len(numbers))
            + gains[0] @ error
            + np.asarray(now.z["integral"])
            - gains[2] @ speed
        )
        given = list(free)
        if self.bounds is not None:
            low, high = self.bounds
            given = [clip(u, low, high) for u in free]
            grows = [
                where(u - high, where(g, 0.0, g), where(low - u, where(g, g, 0.0), g))
                for u, g in zip(free, grows, strict=True)
            ]
        cut, pairs = self.lesion.cut("outputs", len(numbers), "outputs"), zip(numbers, given, strict=True)
        outputs = [(self.gives, v, u * float(k not in cut)) for k, (v, u) in enumerate(pairs)]
        return Outcome({"integral": signals(list(grows)), "smoothed": signals(list(speed))}, outputs)
