"""`joint-wave`: two waves of joint angles, yaw and pitch, along a chain (paper 002, (70)-(71)).

Joints that each follow a sine: what `joint-wave` and `serpenoid` come down to, compiled, generic in the scalar.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.base import Array, Drive, JointGait
from limbless.control.gaits.body_wave import smooth_start, smooth_steps
from limbless.core import Angle, InputError, Quantity, quantity
from limbless.mechanics.compiled import array_kernel, kernel_array, sincos, unpack_lanes


class Sines(NamedTuple):
    """Of every joint: f(t) (amplitude sin(rate t + phase) + offset) + still, f a smooth start that lasts `ramp`."""

    amplitude: Array
    rate: Array
    phase: Array
    offset: Array
    still: Array
    ramp: float

    def table(self) -> Array:
        """(6, joints), as the samplers take it."""
        table = np.empty((6, len(self.amplitude)))
        table[0], table[1], table[2], table[3], table[4], table[5] = self
        return table


@array_kernel
def sample_sines(table, times, value, first, second):
    """Angles (T, joints) and their first two derivatives; generic in the scalar of all."""
    for i in range(times.shape[0]):
        t = times[i]
        for j in range(table.shape[1]):
            f, fd, fdd = smooth_start(t, table[5, j])
            amplitude, rate = table[0, j], table[1, j]
            sine, cosine = sincos(rate * t + table[2, j])
            wave = amplitude * sine + table[3, j]
            wave_rate, wave_acceleration = amplitude * rate * cosine, -amplitude * rate * rate * sine
            value[i, j] = f * wave + table[4, j]
            first[i, j] = fd * wave + f * wave_rate
            second[i, j] = fdd * wave + 2.0 * fd * wave_rate + f * wave_acceleration


@array_kernel
def sample_lane_sines(table, times, value, first, second):
    """`sample_sines` on arrays of lanes: eight gaits, each at its own times."""
    sample_sines(
        unpack_lanes(table), unpack_lanes(times), unpack_lanes(value), unpack_lanes(first), unpack_lanes(second)
    )


def sampled(sines: Sines, times: Array) -> Drive:
    """The drive of all joints at some times."""
    found = Drive(*np.empty((3, len(times), len(sines.amplitude))))
    sample_sines(sines.table(), kernel_array(times), *found)
    return found


@array_kernel
def sample_joint_wave(amplitude, rate, start, offset, release, times, value, first, second):
    """A sin(ω t + δ) + ψ of every column from its release on, and its first two derivatives; 0 before."""
    for i in range(times.shape[0]):
        for j in range(amplitude.shape[0]):
            on = 1.0 if times[i] >= release[j] else 0.0
            sine, cosine = sincos(rate[j] * times[i] + start[j])
            value[i, j] = on * (amplitude[j] * sine + offset[j])
            first[i, j] = on * amplitude[j] * rate[j] * cosine
            second[i, j] = -on * amplitude[j] * rate[j] * rate[j] * sine


@lru_cache
def _joints(turns: tuple[tuple[str, float], ...]) -> tuple[NDArray[np.intp], Array, Array]:
    """Of every joint the wave that it follows (yaw, pitch, none), its sign, and its number among those that do the same
    as it. Kept, because controllers ask for a drive at every call."""
    kinds = [turn for turn, _ in turns]
    wave = [{"yaw": 0, "pitch": 1}.get(turn, 2) for turn in kinds]
    number = [kinds[:column].count(turn) for column, turn in enumerate(kinds)]
    return np.array(wave, dtype=np.intp), np.array([way for _, way in turns]), np.array(number, dtype=np.float64)


class JointWave(JointGait):
    """Sinusoidal waves of joint angles, one for yaw joints and one for pitch joints.

    Yaw joint i has the angle A sin(ω t + i δ + δ1) + ψ, and pitch joint i has A' sin(ω' t + i δ' + δ0) + ψ'. Both are
    counted separately, from 0 at the base. Joints that only roll or slide stay at 0. A joint with an axis between y and
    z counts as both, and follows the components of the two waves along its axis.

    Lateral undulation has no pitch. Sidewinding has both waves a quarter of a period apart. Rolling has equal
    amplitudes, δ = 0, and a quarter of a period between the waves. Sinus-lifting has pitch at twice the rate and twice
    the phase. An offset ψ turns the robot.

    With `release` above 0 each angle stays 0 until its wave first comes within `release` of 0. With `ramp` all angles
    grow together.
    """

    kind: Literal["joint-wave"] = "joint-wave"
    yaw_amplitude: Quantity[Angle] = quantity(math.radians(30.0), "rad", "amplitude A of yaw")
    yaw_rate: Quantity[Angle] = quantity(math.radians(80.0), "rad/s", "angular frequency ω of yaw")
    yaw_phase: Quantity[Angle] = quantity(
        math.radians(-50.0), "rad", "phase δ from joint to joint; negative: the wave runs from base to tip"
    )
    yaw_offset: Quantity[Angle] = quantity(0.0, "rad", "steady yaw ψ of every joint; turns the robot")
    yaw_lead: Quantity[Angle] = quantity(0.0, "rad", "phase δ1 of yaw at the first joint when the gait begins")
    pitch_amplitude: Quantity[Angle] = quantity(0.0, "rad", "amplitude A' of pitch")
    pitch_rate: Quantity[Angle] = quantity(math.radians(80.0), "rad/s", "angular frequency ω' of pitch")
    pitch_phase: Quantity[Angle] = quantity(math.radians(-50.0), "rad", "phase δ' from joint to joint")
    pitch_offset: Quantity[Angle] = quantity(0.0, "rad", "steady pitch ψ' of every joint")
    pitch_lead: Quantity[Angle] = quantity(
        0.0, "rad", "phase δ0 of pitch at the first joint; 90 deg before yaw for sidewinding"
    )
    release: Quantity[Angle] = quantity(
        0.0, "rad", "soft start: an angle stays 0 until its wave comes this near to 0; 0: none", ge=0
    )
    ramp: Quantity[float] = quantity(
        0.0, "s", "soft start: all angles grow smoothly from 0 during this time; 0: none", ge=0
    )

    start_fields: ClassVar[tuple[str, ...]] = ("release", "ramp")

    def _waves(self, turns: Sequence[tuple[str, float]]) -> Sines:
        """The sine of every joint, from its first instant on."""
        waves = (
            (self.yaw_amplitude, self.yaw_rate, self.yaw_phase, self.yaw_offset, self.yaw_lead),
            (self.pitch_amplitude, self.pitch_rate, self.pitch_phase, self.pitch_offset, self.pitch_lead),
            (0.0,) * 5,
        )
        wave, sign, number = _joints(tuple(turns))
        amplitude, rate, phase, offset, lead = np.array(waves).T[:, wave]
        return Sines(sign * amplitude, rate, number * phase + lead, sign * offset, np.zeros(len(sign)), self.ramp)

    def _refuse(self, kinds: set[str]) -> None:
        """A wave that no joint can follow."""
        for turn, axis in (("yaw", "z"), ("pitch", "y")):
            moves = getattr(self, f"{turn}_amplitude") or getattr(self, f"{turn}_offset")
            if moves and not {turn, "skew"} & kinds:
                raise InputError(
                    f"gait.{turn}_amplitude: this robot has no joint that can {turn} (about {axis} at home); set "
                    f"{turn}_amplitude and {turn}_offset to 0, or give it such joints"
                )

    @cached_property
    def _known(self) -> dict[Any, Sines | None]:
        """`sines` that were asked for: a command to a robot blends the gait of the command before."""
        return {}

    def sines(self, turns: Sequence[tuple[str, float]]) -> Sines | None:
        asked, known = tuple(turns), self._known
        if asked not in known:
            kinds = {turn for turn, _ in turns}
            self._refuse(kinds)
            known[asked] = None if self.release > 0.0 or "skew" in kinds else self._waves(asked)
        return known[asked]

    def sample_joints(self, times: Array, turns: Sequence[tuple[str, float]]) -> Drive:
        """Joint angles (T, joints), rad, and their derivatives, of joints that yaw, pitch, both or neither."""
        kinds = {turn for turn, _ in turns}
        self._refuse(kinds)
        if "skew" not in kinds:
            return self._sampled(self._waves(turns), times)
        yaw = [("yaw", math.sin(way)) if turn == "skew" else (turn, way) for turn, way in turns]
        pitch = [("pitch", math.cos(way)) if turn == "skew" else (turn, 0.0) for turn, way in turns]
        both = [self._sampled(self._waves(part), times) for part in (yaw, pitch)]
        return Drive(*(first + second for first, second in zip(*both, strict=True)))

    def _sampled(self, waves: Sines, times: Array) -> Drive:
        if self.release <= 0.0:
            return sampled(waves, times)
        value, first, second = np.empty((3, len(times), len(waves.amplitude)))
        sample_joint_wave(*waves[:4], self._releases(*waves[:4]), kernel_array(times), value, first, second)
        f, fd, fdd = smooth_steps(times, self.ramp)[..., None]
        return Drive(f * value, fd * value + f * first, fdd * value + 2.0 * fd * first + f * second)

    def told_of(self, turns: Sequence[tuple[str, float]]) -> str:
        """Which joints follow which wave, of a chain whose joints each do one thing."""
        waves = {
            "yaw": bool(self.yaw_amplitude or self.yaw_offset),
            "pitch": bool(self.pitch_amplitude or self.pitch_offset),
        }
        parts = []
        for turn, moves in waves.items():
            numbers = [str(column + 1) for column, (what, _) in enumerate(turns) if what == turn]
            if numbers:
                shown = ", ".join(numbers if len(numbers) < 5 else [*numbers[:3], "..", numbers[-1]])
                parts.append(f"{turn} {'drives' if moves else 'is 0 and keeps straight'} joints {shown}")
        return "gait: of the two waves " + "; ".join(parts)

    def _releases(self, amplitude: Array, rate: Array, start: Array, offset: Array) -> Array:
        """When each angle is first within `release` of 0 (s); infinite where it never is. The wave
        enters the band at its edges.
        """
        with np.errstate(all="ignore"):  # not a number where it never comes to an edge
            first = np.arcsin((np.array([[self.release], [-self.release]]) - offset) / amplitude)
            turns = np.copysign(1.0, rate) * (np.concatenate([first, np.pi - first]) - start) % (2.0 * np.pi)
            when = np.fmin.reduce(turns) / np.abs(rate)
        inside = np.abs(amplitude * np.sin(start) + offset) <= self.release
        return np.where(inside, 0.0, np.where(np.isnan(when), np.inf, when))

    @property
    def cycle(self) -> float | None:
        rate = self.pitch_rate if self.pitch_amplitude and not self.yaw_amplitude else self.yaw_rate
        return 2.0 * math.pi / abs(rate) if rate else None
