"""`body-wave`: a wave of heading that grows from head to tail, with steady turning and
diving (paper 001, (63)-(66)).
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.core import Angle, Quantity, quantity
from limbless.mechanics.compiled import (
    array_kernel,
    exponential,
    func,
    kernel_array,
    minimum,
    sincos,
    unpack_duals,
    unpack_lanes,
    where_positive,
)


@func
def smooth_start(t, end):
    """f(t) = 10 u³ - 15 u⁴ + 6 u⁵, u = t / end, then 1 (64), and its first two derivatives; 1
    from the start if `end` is 0.
    """
    one = 1.0 + 0.0 * end
    whole = where_positive(end, end, one)
    u = where_positive(end, minimum(t / whole, one), one)
    f = u * u * u * (10.0 + u * (6.0 * u - 15.0))
    rate = 30.0 * u * u * (1.0 + u * (u - 2.0)) / whole
    acceleration = 60.0 * u * (1.0 + u * (2.0 * u - 3.0)) / (whole * whole)
    return f, rate, acceleration


@array_kernel
def sample_start(times, end, out):
    """`smooth_start` and its derivatives (3, T) at all times."""
    for i in range(times.shape[0]):
        out[0, i], out[1, i], out[2, i] = smooth_start(times[i], end)


def smooth_steps(times: Array, duration: float) -> Array:
    """`smooth_start` and its derivatives (3, T), 0 before time 0."""
    out = np.empty((3, len(times)))
    sample_start(kernel_array(np.maximum(times, 0.0)), duration, out)
    return out


@array_kernel
def sample_body_wave(parameters, times, stations, value, rate, acceleration):
    """Heading and elevation at all times and stations: Q(s, t) = f A exp(α s) sin(2π (s/λ - t/T)) (63), plus steady
    offsets.

    Generic in the scalar of `parameters` and of the outputs (T, S, 2).
    """
    amplitude, growth, wavelength, period, ramp = (
        parameters[0],
        parameters[1],
        parameters[2],
        parameters[3],
        parameters[4],
    )
    turn, dive, spacing, first = parameters[5], parameters[6], parameters[7], parameters[8]
    omega = 2.0 * np.pi / period
    for j in range(stations.shape[0]):
        s, links = first + stations[j], stations[j] / spacing
        phase, swell = 2.0 * np.pi * (s / wavelength), amplitude * exponential(growth * s)
        for i in range(times.shape[0]):
            f, fd, fdd = smooth_start(times[i], ramp)
            sine, cosine = sincos(phase - omega * times[i])
            wave, wave_rate, wave_acceleration = swell * sine, -omega * swell * cosine, -omega * omega * swell * sine
            value[i, j, 0] = f * wave + turn * links
            rate[i, j, 0] = fd * wave + f * wave_rate
            acceleration[i, j, 0] = fdd * wave + 2.0 * fd * wave_rate + f * wave_acceleration
            value[i, j, 1], rate[i, j, 1], acceleration[i, j, 1] = (
                f * dive * links,
                fd * dive * links,
                fdd * dive * links,
            )


@array_kernel
def sample_dual_body_wave(parameters, times, stations, value, rate, acceleration):
    """`sample_body_wave` on arrays of duals."""
    sample_body_wave(
        unpack_duals(parameters), times, stations, unpack_duals(value), unpack_duals(rate), unpack_duals(acceleration)
    )


@array_kernel
def sample_lane_body_wave(parameters, times, stations, value, rate, acceleration):
    """`sample_body_wave` on arrays of lanes: eight gaits, each at its own times and stations."""
    sample_body_wave(
        unpack_lanes(parameters),
        unpack_lanes(times),
        unpack_lanes(stations),
        unpack_lanes(value),
        unpack_lanes(rate),
        unpack_lanes(acceleration),
    )


class BodyWave(Gait):
    """A travelling wave of heading from base to tip, as eels swim.

    The heading is Q(s, t) = f(t) A exp(α s) sin(2π (s/λ - t/T)). Here s is the arc length behind the first joint plus
    `x_first`, and f is a smooth start. The body also bends steadily over each length `spacing`: sideways by `turn` and,
    with the smooth start, downwards by `dive`.
    """

    kind: Literal["body-wave"] = "body-wave"
    amplitude: Quantity[Angle] = quantity(0.06, "rad", "heading amplitude A at s = 0")
    growth: Quantity[float] = quantity(1.2, "1/m", "growth α of the amplitude along the body")
    wavelength: Quantity[float] = quantity(1.8, "m", "wavelength λ", gt=0)
    period: Quantity[float] = quantity(2.0, "s", "period T", gt=0)
    ramp: Quantity[float] = quantity(2.0, "s", "duration of the smooth start; 0: none", ge=0)
    turn: Quantity[Angle] = quantity(
        0.0, "rad", "steady bend to the side over each `spacing`; positive bends the tip to +y"
    )
    dive: Quantity[Angle] = quantity(
        0.0, "rad", "steady bend downwards over each `spacing`; positive bends the tip to -z"
    )
    spacing: Quantity[float] = quantity(
        0.14, "m", "length of body over which it bends by `turn` and `dive`: a link", gt=0
    )
    x_first: Quantity[float] = quantity(0.0, "m", "arc length s of the wave at the first joint", ge=0)

    drives: ClassVar[str] = "shape"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)
    compiled_duals: ClassVar = staticmethod(sample_dual_body_wave)
    compiled_lanes: ClassVar = staticmethod(sample_lane_body_wave)
    parameter_fields: ClassVar[tuple[str, ...]] = (
        "amplitude",
        "growth",
        "wavelength",
        "period",
        "ramp",
        "turn",
        "dive",
        "spacing",
        "x_first",
    )

    def sample(self, times: Array, stations: Array) -> Drive:
        """Heading and elevation (T, S, 2) in rad."""
        found = Drive(*np.empty((3, len(times), len(stations), 2)))
        sample_body_wave(self.parameters(), kernel_array(times), kernel_array(stations), *found)
        return found

    def slope(self, times: Array, stations: Array) -> Drive:
        """d/ds of heading and elevation; stations (S,), or (T, S) where each time has its own.

        With k = 2π/λ, φ = k s and ω = 2π/T, dQ/ds = f A exp(α s) (α sin(φ - ωt) + k cos(φ - ωt)), plus what bends
        steadily.
        """
        s, k, omega, t = (
            self.x_first + stations,
            2.0 * np.pi / self.wavelength,
            2.0 * np.pi / self.period,
            times[:, None],
        )
        swell, sine, cosine = self.amplitude * np.exp(self.growth * s), np.sin(k * s), np.cos(k * s)
        along, behind = swell * (self.growth * sine + k * cosine), swell * (k * sine - self.growth * cosine)
        start = smooth_steps(times, self.ramp)[..., None]
        f, fd, fdd = start
        c, d = np.cos(omega * t), np.sin(omega * t)  # dQ/ds = f (c along + d behind), and its rates in time
        faster, slower = fdd - omega * omega * f, 2.0 * omega * fd
        slopes = [np.empty((len(times), s.shape[-1], 2)) for _ in range(3)]
        slopes[0][..., 0] = (f * c) * along + (f * d) * behind + self.turn / self.spacing
        slopes[1][..., 0] = (fd * c - omega * f * d) * along + (fd * d + omega * f * c) * behind
        slopes[2][..., 0] = (faster * c - slower * d) * along + (faster * d + slower * c) * behind
        for slope, part in zip(slopes, start, strict=True):
            slope[..., 1] = part * (self.dive / self.spacing)
        return Drive(*slopes)
