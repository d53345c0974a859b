"""`pd`, `servo` and `motor`: the gait as the reference of a feedback.

What an actuation states, as numbers for each degree of freedom.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation.base import Actuation
from limbless.core import Angle, Array, Field, InputError, Listed, Quantity, checked, quantity

RATE = 30.0
"""rad/s: of feedback whose gains come from the robot's inertia; gaits of a second or so are far slower."""


class ProportionalDerivative(Actuation):
    """Torques follow the gait by proportional-derivative feedback, within `saturation`.

    The torque is stiffness (reference - position) + damping (reference rate - rate). If you set only one of the two
    gains, the other one makes the damping critical.

    If you set none, they come from the robot. With e = reference - position, every actuator gives J ë + 2J (2ω ė + ω²
    e). J is the inertia that the joint turns (the straight robot with its added mass, the other joints locked), and ω
    is `rate`. Then ë + 2ω ė + ω² e = 0, which is critical damping. Motions of joint against joint have less inertia and
    are damped more. They are stable in steps of up to half of 1/ω, because the actuator answers to acceleration as a
    rotor would.

    `feedforward` adds the torques of inverse dynamics at the present state, so that feedback only corrects
    disturbances. The total stays within `saturation`.
    """

    kind: Literal["pd"] = "pd"
    stiffness: Listed[float | tuple[float, ...] | None] = quantity(
        None, "N m/rad", "position gain: one, one each, or a pattern that repeats; from the robot's inertia if absent"
    )
    damping: Listed[float | tuple[float, ...] | None] = quantity(
        None, "N m s/rad", "rate gain: one for all joints, one each, or a pattern that repeats; critical if absent"
    )
    rate: Quantity[float | None] = quantity(
        None, "rad/s", f"rate ω of gains that come from the inertia; {RATE:g} if absent", gt=0
    )
    saturation: Listed[float | tuple[float | None, ...] | None] = quantity(
        None,
        "N m",
        "largest torque the actuators give: one, one each (null: no limit), or a pattern that repeats; none if absent",
    )
    feedforward: bool = Field(False, description="whether torques of inverse dynamics are added (newton-euler)")
    motion_joints: Listed[tuple[int, ...]] = Field(
        (), description="numbers of the joints (from 0) that are motion-given"
    )

    @property
    def bandwidth(self) -> float:
        """ω of gains that come from the inertia, rad/s."""
        return RATE if self.rate is None else self.rate

    @checked
    def _acts(self) -> None:
        if self.rate is not None and not (self.stiffness is None and self.damping is None):
            raise ValueError(
                "rate: it makes gains of the robot's inertia, and here a gain is stated; leave out `rate`, or both "
                "gains"
            )
        if self.saturation is not None and not np.min(self.limits, initial=np.inf) > 0.0:
            raise ValueError(f"saturation: must be positive; got {self.saturation}")

    @property
    def limits(self) -> NDArray[np.float64]:
        """`saturation` as numbers, one or several; infinite where there is none, N m."""
        stated = self.saturation if isinstance(self.saturation, tuple) else (self.saturation,)
        return np.array([np.inf if limit is None else limit for limit in stated])


class SampledReference(Actuation):
    """A reference that comes over a bus, late, and renewed a few times a second, to a gear with play."""

    refresh: Quantity[float | None] = quantity(
        None, "1/s", "how often the reference is renewed, held in between; continuously if absent", gt=0
    )
    delay: Quantity[float] = quantity(
        0.0, "s", "from the gait to the actuator; until then it has the reference of the start", ge=0
    )

    backlash: Quantity[Angle] = quantity(
        0.0, "rad", "play: an error within half of it either way makes no torque (non-smooth)", ge=0
    )

    def arrivals(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which a reference arrives: the first one, or every one that is held."""
        if self.refresh is None:
            return [self.delay] if start < self.delay < end else []
        first, last = ((when - self.delay) * self.refresh for when in (start, end))
        arrivals = (self.delay + number / self.refresh for number in range(max(math.ceil(first), 0), math.ceil(last)))
        return [when for when in arrivals if start < when < end]

    def read(self, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The times of the gait that are the reference at these times, and whether it moves there."""
        sent = times - self.delay
        if self.refresh is None:
            return np.maximum(sent, 0.0), sent >= 0.0
        return np.maximum(np.floor(sent * self.refresh + 1e-9) / self.refresh, 0.0), np.zeros(len(times), dtype=bool)


class Servo(SampledReference, ProportionalDerivative):
    """A `pd` actuator with backlash and a low reference rate, as in real servos."""

    kind: Literal["servo"] = "servo"  # type: ignore[assignment]


class Motor(SampledReference):
    """A geared motor behind a voltage, by the numbers of its data sheet, which hold at the joint.

    Voltage = `voltage` (gain e + rate_gain e'), within `voltage` either way, of the error e of the motor's angle. The
    torque falls with speed: at full voltage from `stall_torque` to none at `no_load_speed`. Gear friction and the
    inertia of the rotor are those of the joints (`coulomb_friction`, `viscous_friction`, `rotor_inertia`).
    """

    kind: Literal["motor"] = "motor"
    stall_torque: Listed[float | tuple[float, ...]] = quantity(
        ..., "N m", "at full voltage; one, one each, or a pattern"
    )
    stall_current: Listed[float | tuple[float, ...]] = quantity(
        ..., "A", "at full voltage; one, one each, or a pattern"
    )
    no_load_speed: Listed[float | tuple[float, ...]] = quantity(
        ..., "rad/s", "at full voltage, without friction; one, one each, or a pattern"
    )
    voltage: Quantity[float] = quantity(12.0, "V", "full voltage, at which the three above hold", gt=0)
    gain: Quantity[float] = quantity(10.0, "1/rad", "share of the full voltage for an error of the angle", ge=0)
    rate_gain: Quantity[float] = quantity(0.0, "s/rad", "share of the full voltage for an error of the rate", ge=0)
    largest_current: Quantity[float | None] = quantity(
        None, "A", "to which the driver limits it, by the voltage; none if absent", gt=0
    )
    electrical_time: Quantity[float | None] = quantity(
        None, "s", "inductance over resistance, with which the current follows; it follows at once if absent", gt=0
    )
    series_stiffness: Quantity[float | None] = quantity(
        None, "N m/rad", "of a spring between motor and link, which is stiff if absent; needs `rotor_inertia`", gt=0
    )
    series_damping: Quantity[float] = quantity(0.0, "N m s/rad", "of that spring", ge=0)

    @checked
    def _spring_has_a_use(self) -> None:
        for name in ("stall_torque", "stall_current", "no_load_speed"):
            if not np.min(getattr(self, name)) > 0.0:
                raise ValueError(f"{name}: must be positive; got {getattr(self, name)}")
        sheet = (self.stall_torque, self.no_load_speed, self.stall_current)
        given, taken = float(np.max(sheet[0]) * np.max(sheet[1])), float(self.voltage * np.min(sheet[2]))
        if given > taken and not any(isinstance(number, tuple) for number in sheet):
            raise ValueError(
                f"stall_torque: times no_load_speed it is {given:.3g} W, more than voltage times stall_current, "
                f"{taken:.3g} W, and no motor gives more than it takes; look at the units"
            )
        if self.backlash and self.series_stiffness is not None:
            raise ValueError("backlash: there is none behind a spring; leave it or `series_stiffness` out")
        if self.series_damping and self.series_stiffness is None:
            raise ValueError("series_damping: belongs to a spring; give `series_stiffness` too, or leave it out")


def feedback_gains(
    actuation: ProportionalDerivative, freedoms: int, inertia: Callable[[], Array]
) -> tuple[Array, Array, Array]:
    """Gains on position, rate and acceleration, as stated; what is not stated follows from the inertia J of each joint.

    Neither stated: 2ω²J, 4ωJ and J, so that a joint that has its J to turn obeys ë + 2ω ė + ω² e = 0. One of the two
    stated: the other makes the damping critical, K J = (D/2)².
    """
    stiffness, damping = actuation.stiffness, actuation.damping
    K = None if stiffness is None else one_each(stiffness, freedoms, "stiffness")
    D = None if damping is None else one_each(damping, freedoms, "damping")
    if K is not None and D is not None:
        return K, D, np.zeros(freedoms)
    J = inertia()
    if K is not None:
        return K, 2.0 * np.sqrt(K * J), np.zeros(freedoms)
    if D is not None:
        return np.divide(0.25 * D**2, J, out=np.zeros(freedoms), where=J > 0.0), D, np.zeros(freedoms)
    return 2.0 * actuation.bandwidth**2 * J, 4.0 * actuation.bandwidth * J, J


def refuse_feedforward(actuation: Actuation, model: str) -> None:
    """Inverse dynamics within a step are at hand in one model only."""
    if getattr(actuation, "feedforward", False):
        raise InputError(
            f"actuation.feedforward: the {model} model adds no torques of inverse dynamics; leave it out, or set "
            "model.kind to newton-euler"
        )


def one_each(values: float | tuple[float, ...], count: int, name: str) -> Array:
    gains = np.atleast_1d(np.array(values, dtype=np.float64))
    if len(gains) == 0 or count % len(gains):
        raise InputError(
            f"actuation.{name}: give one number, {count} (one per joint), or a pattern that repeats along them; got "
            f"{len(gains)}"
        )
    if ((gains < 0).any() and name != "rest") or (name == "saturation" and (gains == 0).any()):
        must = "must be positive" if name == "saturation" else "gains must not be negative"
        raise InputError(f"actuation.{name}: {must}; got {gains.min():g}")
    return np.tile(gains, count // len(gains))
