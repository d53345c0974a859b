"""`joint-wave`: two waves of joint angles, yaw and pitch, along a chain (paper 002, (70)-(71))."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.body_wave import smooth_steps
from limbless.control.gaits.sines import Sines, sampled
from limbless.core import Angle, InputError, Quantity, quantity
from limbless.mechanics.compiled import array_kernel, kernel_array, sincos


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


class JointWave(Gait):
    """Two waves of joint angles: yaw A sin(ω t + i δ + δ1) + ψ and pitch A' sin(ω' t + i δ' + δ0) + ψ', i = 0, 1, ..
    from the base.

    Lateral undulation has no pitch; sidewinding has both waves a quarter apart; rolling has equal amplitudes, δ = 0 and
    a quarter apart; sinus-lifting has pitch at twice the rate and twice the phase. An offset ψ turns. With `release`
    above 0 the start is soft: each angle stays 0 until its wave first comes within `release` of 0, and follows it from
    then on; with `ramp` all angles grow together. i counts the joints that yaw, and those that pitch, each from 0;
    joints that only roll or slide stay at 0. A joint about an axis between y and z counts as one of both, and turns by
    what the two waves have along its axis.
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

    drives: ClassVar[str] = "joint"
    start_fields: ClassVar[tuple[str, ...]] = ("release", "ramp")

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint angles (T, joints), rad, and their derivatives, of joints that yaw and pitch in turn."""
        return self.sample_joints(times, [("pitch" if number % 2 else "yaw", 1.0) for number in range(len(stations))])

    def _waves(self, turns: Sequence[tuple[str, float]]) -> Sines:
        """The sine of every joint, from its first instant on."""
        kinds = [turn for turn, _ in turns]
        waves = {
            "yaw": (self.yaw_amplitude, self.yaw_rate, self.yaw_phase, self.yaw_offset, self.yaw_lead),
            "pitch": (self.pitch_amplitude, self.pitch_rate, self.pitch_phase, self.pitch_offset, self.pitch_lead),
        }
        sign = np.array([way for _, way in turns])
        number = np.array([kinds[:column].count(turn) for column, turn in enumerate(kinds)])
        columns = np.array([waves.get(turn, (0.0,) * 5) for turn in kinds], dtype=np.float64).reshape(-1, 5)
        amplitude, rate, phase, offset, lead = (np.ascontiguousarray(column) for column in columns.T)
        return Sines(sign * amplitude, rate, number * phase + lead, sign * offset, np.zeros(len(kinds)), self.ramp)

    def _refuse(self, kinds: set[str]) -> None:
        """A wave that no joint can follow."""
        for turn, axis in (("yaw", "z"), ("pitch", "y")):
            moves = getattr(self, f"{turn}_amplitude") or getattr(self, f"{turn}_offset")
            if moves and not {turn, "skew"} & kinds:
                raise InputError(
                    f"gait.{turn}_amplitude: this robot has no joint that can {turn} (about {axis} at home); set "
                    f"{turn}_amplitude and {turn}_offset to 0, or give it such joints"
                )

    def sines(self, turns: Sequence[tuple[str, float]]) -> Sines | None:
        kinds = {turn for turn, _ in turns}
        self._refuse(kinds)
        return None if self.release > 0.0 or "skew" in kinds else self._waves(turns)

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
        value, first, second = (np.empty((len(times), len(waves.amplitude))) for _ in range(3))
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

    def breakpoints(self, start: float, end: float) -> list[float]:
        """The end of the smooth start."""
        return [self.ramp] if start < self.ramp < end else []

    def _releases(self, amplitude: Array, rate: Array, start: Array, offset: Array) -> Array:
        """When each angle is first within `release` of 0 (s); infinite where it never is. The wave
        enters the band at its edges.
        """
        when = np.zeros(len(amplitude))
        if self.release <= 0.0:
            return when
        for j, (A, w, s, psi) in enumerate(zip(amplitude, rate, start, offset, strict=True)):
            if abs(A * math.sin(s) + psi) <= self.release:
                continue
            edges = [side * self.release - psi for side in (1.0, -1.0)]
            roots = [
                root
                for edge in edges
                if A != 0.0 and abs(edge / A) <= 1.0
                for root in (math.asin(edge / A), math.pi - math.asin(edge / A))
            ]
            turns = [((root - s) * math.copysign(1.0, w)) % (2.0 * math.pi) for root in roots] if w != 0.0 else []
            when[j] = min(turns) / abs(w) if turns else math.inf
        return when

    @property
    def cycle(self) -> float | None:
        rate = self.pitch_rate if self.pitch_amplitude and not self.yaw_amplitude else self.yaw_rate
        return 2.0 * math.pi / abs(rate) if rate else None
