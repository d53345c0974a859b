"""`compliance`: a gait whose amplitude yields to what joints feel, in windows along the body."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.controllers.base import Array, Lesion, LoopLayout
from limbless.control.controllers.gait_cycle import gait_cycle
from limbless.control.controllers.guidance import driven
from limbless.control.controllers.recorded_law import Instant, Outcome, RecordedLaw
from limbless.control.controllers.senses import Sense
from limbless.control.controllers.signals import signals, where
from limbless.core import Field, InputError, Nested, Quantity, quantity


class ShapeCompliance(RecordedLaw):
    """Amplitudes of a gait that yield, in windows along the body, to what bends its joints.

    m σ'' = -Σ Q dead(τ) - k (σ - 1) - d σ': the amplitude σ of the gait Q in a window answers to the torques τ of its
    actuators beyond a dead band, as a mass on a spring (Travers, Whitman and Choset 2018).
    """

    kind: Literal["compliance"] = "compliance"
    cuts: ClassVar[tuple[str, ...]] = ("senses",)
    windows: int = Field(4, description="groups of neighbouring joints, each with an amplitude of its own", ge=1)
    inertia: Quantity[float] = quantity(0.1, "N m s2", "m, of an amplitude", gt=0)
    damping: Quantity[float] = quantity(3.0, "N m s", "d", ge=0)
    stiffness: Quantity[float] = quantity(3.0, "N m", "k, which draws it back to the gait", gt=0)
    dead_band: Quantity[float] = quantity(0.0, "N m", "torques below do nothing", ge=0)
    filter: Quantity[float] = quantity(0.01, "s", "of the torques", gt=0)
    noise: Quantity[float] = quantity(0.0, "N m", "standard deviation of their noise", ge=0)
    seed: int = Field(0, description="of that noise", ge=0)
    output: Literal["gait"] = Field("gait", description="the gait of the scenario, with these amplitudes")
    lesion: Nested[Lesion] = Field(Lesion(), description="what is cut: `senses`, by numbers of joints")

    def sensed(self, layout: LoopLayout) -> list[Sense]:
        return [Sense(kind="joint_torque", of="all", filter=self.filter, noise=self.noise)]

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        stiff = float(np.sqrt(self.stiffness / self.inertia))
        return max(
            (self.damping / self.inertia, "the amplitudes (controller.damping over inertia)"),
            (stiff, "the amplitudes (controller.stiffness over inertia)"),
        )

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        return {"amplitude": np.ones(self.windows), "amplitude rate": np.zeros(self.windows)}

    def neurons(self, layout: LoopLayout) -> list[str]:
        return [f"amplitude {k}" for k in range(self.windows)]

    def answer(self, now: Instant) -> Outcome:
        cycle, n = gait_cycle(now.layout), now.layout.freedoms
        if now.layout.given:
            raise InputError("controller.output: compliance needs joints that yield; choose actuation pd")
        if self.windows > n:
            raise InputError(f"controller.windows: {self.windows} are more than the {n} joints")
        window = np.arange(n) * self.windows // n
        size, speed = now.z["amplitude"], now.z["amplitude rate"]
        pace = 2.0 * np.pi / cycle.period
        value, rate, _ = cycle.at(now.t * pace)
        deaf = self.lesion.cut("senses", n, "joints")
        push: list[Any] = [0.0] * self.windows
        for joint, torque in enumerate(now.senses[0]):
            beyond = where(
                torque - self.dead_band,
                torque - self.dead_band,
                where(-torque - self.dead_band, torque + self.dead_band, 0.0),
            )
            push[window[joint]] = push[window[joint]] - value[joint] * beyond * float(joint not in deaf)
        yields = (signals(push) - (size - 1.0) * self.stiffness - speed * self.damping) / self.inertia
        sizes, speeds = signals([size[w] for w in window]), signals([speed[w] for w in window])
        q, v = value * sizes, rate * sizes * pace + value * speeds
        return Outcome({"amplitude": speed, "amplitude rate": yields}, driven(now, cycle, q, v))
