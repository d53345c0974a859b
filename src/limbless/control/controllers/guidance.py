"""`guidance`: a gait that is steered to a heading or along a path, and held to a speed."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.controllers.base import Array, Lesion, LoopLayout, chosen_joints
from limbless.control.controllers.gait_cycle import gait_cycle
from limbless.control.controllers.recorded_law import Instant, Outcome, RecordedLaw, beside_path, kinks, ramp
from limbless.control.controllers.senses import Sense
from limbless.control.controllers.signals import signals, wrapped
from limbless.core import Angle, Description, Field, Listed, Nested, Quantity, checked, quantity


class Steering(Description):
    """How joints are bent aside."""

    joints: Listed[Literal["head", "all"] | tuple[int, ...]] = Field(
        "head", description="joints that are bent: the one beside the head, all, or these numbers"
    )
    rate: Quantity[float] = quantity(
        20.0, "1/s", "1/ε: how hard the offset is drawn to what the heading asks for", gt=0
    )
    damping: Listed[tuple[float, float]] = quantity((1.0, 1.0), "1/s2 and 1/s", "k1 and k2: what draws the offset back")
    largest: Quantity[Angle | None] = quantity(None, "rad", "offsets go no further; any if absent", gt=0)


class GaitClock(Description):
    """How the clock of the gait answers to the speed."""

    gain: Quantity[float] = quantity(10.0, "rad/m", "rate of the clock per lack of speed", gt=0)
    rate: Quantity[float] = quantity(20.0, "1/s", "how fast it takes that rate", gt=0)
    integral: Quantity[float] = quantity(0.0, "rad/(m s)", "that takes the rest of a lack of speed away", ge=0)


class Guidance(RecordedLaw):
    """Heading and speed by feedback on a gait: φ'' = -(ψ' + k_n (ψ - ψ_ref)) / ε - k1 φ - k2 φ' bends joints aside, and
    λ'' = -k_z (λ' + k_λ (v - v_ref)) is the clock of the gait (Rezapour et al. 2014). On a path
    ψ_ref = path heading - atan(cross track / lookahead).
    """

    kind: Literal["guidance"] = "guidance"
    cuts: ClassVar[tuple[str, ...]] = ("senses",)
    heading: Listed[float | tuple[tuple[float, float], ...] | None] = quantity(
        None, "rad", "where to go: a number, or [[time, number], ..] with straight lines in between"
    )
    path: Listed[tuple[tuple[float, float], ...]] = quantity(
        (), "m", "points [x, y] of a path to follow, in place of a heading; it goes on straight"
    )
    lookahead: Quantity[float] = quantity(1.0, "m", "how far ahead on the path it aims; longer than the body", gt=0)
    heading_of: Literal["head", "all"] = Field("head", description="ψ: heading of the head, or mean of all links")
    heading_gain: Quantity[float] = quantity(2.5, "1/s", "k_n: rate of turning per error of heading", gt=0)
    steering: Nested[Steering] = Field(Steering(), description="how joints are bent aside")
    speed: Quantity[float | None] = quantity(None, "m/s", "of the centre of mass along the head; free if absent")
    clock: Nested[GaitClock] = Field(GaitClock(), description="how the clock answers to the speed")
    output: Literal["gait"] = Field("gait", description="the gait of the scenario, at its own clock and with offsets")
    noise: Quantity[float] = quantity(0.0, "rad", "standard deviation of the noise of the heading", ge=0)
    seed: int = Field(0, description="of that noise", ge=0)
    lesion: Nested[Lesion] = Field(Lesion(), description="what is cut: `senses` 0 (heading) and 1 (speed)")

    @checked
    def _one_aim(self) -> None:
        if (self.heading is None) == (not self.path):
            raise ValueError("heading: give a heading or a path, one of both")
        if len(self.path) == 1:
            raise ValueError("path: give two points or more")

    def notes(self) -> tuple[str, ...]:
        idle = {"lookahead": not self.path, "clock": self.speed is None}
        why = {
            "lookahead": "lookahead: has no effect without a path",
            "clock": "clock: gain, rate and integral have no effect without a speed",
        }
        return (*super().notes(), *(f"controller.{why[name]}" for name in self.given(*idle) if idle[name]))

    def breakpoints(self, start: float, end: float) -> list[float]:
        return kinks(self.heading, start, end)

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        return max(
            (self.steering.rate + self.steering.damping[1], "the steering (controller.steering.rate)"),
            (self.clock.rate if self.speed is not None else 0.0, "the clock of the gait (controller.clock.rate)"),
        )

    def sensed(self, layout: LoopLayout) -> list[Sense]:
        whole: Any = "all" if self.heading_of == "all" else "own"
        track = [Sense(kind="com_position", axis=axis) for axis in ("x", "y")]
        return [
            Sense(kind="heading", of=whole, noise=self.noise),
            Sense(kind="turn_rate"),
            Sense(kind="speed", of=whole),
            *track,
        ]

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        own = 2.0 * np.pi / gait_cycle(layout).period
        return {
            "clock": np.zeros(1),
            "clock rate": np.array([own]),
            "offset": np.zeros(1),
            "offset rate": np.zeros(1),
            "lack": np.zeros(1),
        }

    def wanted(self, t: float, place: Any) -> Any:
        """The heading that it asks for at a time (s), where the centre of mass is at a place (x, y)."""
        if self.heading is not None:
            return ramp(self.heading, t)[0]
        beside, ahead = beside_path(self.path, place)
        return ahead - np.arctan(beside / self.lookahead)

    def _bent(self, layout: LoopLayout) -> Array:
        """(joints,) 1 and -1 where the offset bends, to the left for those ahead."""
        mask, side = np.zeros(layout.freedoms), layout.head[1]
        wanted = self.steering.joints
        chosen = (
            [layout.freedoms - 1 if side > 0 else 0] if wanted == "head" else chosen_joints(wanted, layout.freedoms)
        )
        mask[chosen] = side
        return mask

    def answer(self, now: Instant) -> Outcome:
        cycle, mask, own = gait_cycle(now.layout), self._bent(now.layout), self.steering
        (clock,), (pace,), (aside,), (bending,), (lack,) = now.z.values()
        (heading,), (turning,), (speed,), *track = now.senses
        cut = self.lesion.cut("senses", 2, "senses")
        asked = self.heading_gain * wrapped(heading - self.wanted(now.t, [place[0] for place in track]))
        if self.heading_of == "head":
            asked = asked + turning
        bend = -asked * (own.rate * (0 not in cut)) - own.damping[0] * aside - own.damping[1] * bending
        short = 0.0 if self.speed is None else speed - self.speed
        hurry: Any = 0.0
        if self.speed is not None:
            hurry = -self.clock.rate * (pace + (self.clock.gain * short + self.clock.integral * lack) * (1 not in cut))
        shown = aside if own.largest is None else own.largest * np.tanh(aside / own.largest)
        slope = 1.0 if own.largest is None else 1.0 - (shown / own.largest) ** 2
        curve = 0.0 if own.largest is None else shown * slope * (-2.0 / own.largest**2)
        value, rate, second = cycle.at(clock)
        q = value + signals(list(mask)) * shown
        v = rate * pace + signals(list(mask)) * (slope * bending)
        a = second * (pace * pace) + rate * hurry + signals(list(mask)) * (slope * bend + curve * bending * bending)
        rates = {"clock": pace, "clock rate": hurry, "offset": bending, "offset rate": bend, "lack": short}
        return Outcome(rates, driven(now, cycle, q, v, a))


def driven(now: Instant, cycle: Any, q: Any, v: Any, a: Any = None) -> list[tuple[str, int, Any]]:
    """Outputs that move all joints as q: given, or added to what a feedback follows, less the gait that it has."""
    n = now.layout.freedoms
    if now.layout.given:
        named = (("position", q), ("velocity", v), ("acceleration", a))
        return [(what, joint, values[joint]) for what, values in named for joint in range(n)]
    clock = now.t * (2.0 * np.pi / cycle.period)
    value, rate, _ = cycle.at(clock)
    more, faster = q - value, v - rate * (2.0 * np.pi / cycle.period)
    return [("target", k, more[k]) for k in range(n)] + [("target rate", k, faster[k]) for k in range(n)]
