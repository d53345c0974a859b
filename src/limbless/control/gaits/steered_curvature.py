"""`steered-curvature`: a snake that is steered by its head, like a car (paper 000, after (53)).

Each section does what the one before it did: the head draws a curve, and the body runs along it. So a change can only
begin at the head: the curvature K_o that the head draws steers, the speed V_o drives, and what the body has taken on
already stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, refuse_changes, strain_drive
from limbless.control.gaits.body_wave import smooth_steps
from limbless.core import (
    Field,
    Function,
    InputError,
    Listed,
    Nested,
    Quantity,
    call,
    checked,
    differences,
    quantity,
    span,
)

_DRAWN = ("amplitude", "wavelength", "steer", "climb")


def growth(x: Array) -> tuple[Array, Array, Array, Array]:
    """A step that grows from 0 to 1 within 0 < x < 1: its integral, itself, and its first two derivatives.

    Of degree nine, with four continuous derivatives: a kink in a lower one would run along the body and cost the
    quadrature its order.
    """
    u, beyond = np.clip(x, 0.0, 1.0), np.maximum(x - 1.0, 0.0)
    v = u * (1.0 - u)
    integral = u**6 * (21.0 + u * (-60.0 + u * (67.5 + u * (-35.0 + 7.0 * u)))) + beyond
    value = u**5 * (126.0 + u * (-420.0 + u * (540.0 + u * (-315.0 + 70.0 * u))))
    return integral, value, 630.0 * v**4, 2520.0 * v**3 * (1.0 - 2.0 * u)


class SteeredCurvature(Gait):
    """A snake-like rod that follows its head, which steers.

    The curvatures are K(X, t) = F(p(t) - X): the head draws F(u) at the distance u, and has run by p at the speed -V_o.
    For yaw F = b + a cos(∫ 2π/λ du), and for pitch F = b_y. `steer` b steers. Without undulation the head runs along a
    circle of radius 1/b, to its right if b > 0. With undulation it does so on average.

    A controller may change amplitude, wavelength, steer, climb and speed at any time. The curve that the head draws
    grows to its new form over the length `transition` of the path. The speed passes smoothly to its new value until the
    next command. The body follows without slip. V_o > 0 moves the body back along its own path, and V_o = 0 lets it
    rest. A straight or circular body has no thrust, so limbless refuses it. `route` and `pace` keep the changes, and
    you may give them too.
    """

    kind: Literal["steered-curvature"] = "steered-curvature"
    amplitude: Quantity[float] = quantity(10.0, "1/m", "amplitude a of the undulation at the start")
    wavelength: Quantity[float] = quantity(0.6, "m", "wavelength λ along the body at the start", gt=0)
    steer: Quantity[float] = quantity(
        0.0, "1/m", "mean yaw curvature b that the head draws at the start; positive turns right"
    )
    climb: Quantity[float] = quantity(
        0.0, "1/m", "mean pitch curvature b_y drawn by the head at the start; positive bends to -z"
    )
    speed: Quantity[float] = quantity(
        -0.5, "m/s", "velocity V_o along the body at the start; negative: head first, positive: back"
    )
    transition: Quantity[float] = quantity(0.3, "m", "length of path over which a change of the curvature grows", gt=0)
    route: Listed[tuple[tuple[float, float, float, float, float], ...]] = quantity(
        (),
        "m; 1/m, m, 1/m, 1/m",
        "changes of the curve: rows of distance run by the head, then amplitude, wavelength, steer, climb",
    )
    pace: Listed[tuple[tuple[float, float, float], ...]] = quantity(
        (), "s, s, m/s", "changes of the speed: rows of time, duration of the passage, and new velocity V_o"
    )
    distance: Nested[Function | None] = Field(
        None,
        description="own law of the distance that the head has run, of times (T,) in "
        "s: (T,) in m; in place of speed and pace",
    )

    drives: ClassVar[str] = "strain"

    @checked
    def _in_order(self) -> None:
        for name, begins in (("route", [row[0] for row in self.route]), ("pace", [row[0] for row in self.pace])):
            if not (np.diff(begins) >= 0.0).all():
                raise ValueError(f"{name}: rows must come in order; got {begins}")
        for row in self.route:
            if row[0] < 0.0 or not row[2] > 0.0:
                raise ValueError(f"route: distance must not be negative and wavelength must be positive; got {row}")
        for time, duration, speed in self.pace:
            if time < 0.0 or not duration > 0.0:
                raise ValueError(
                    f"pace: time must not be negative and duration must be positive; got {(time, duration, speed)}"
                )
        if self.distance is not None and self.pace:
            raise ValueError("distance: the law takes the place of `pace`; give one of them")

    def notes(self) -> tuple[str, ...]:
        idle = self.given("speed") if self.distance is not None else ()
        return tuple(f"gait.{name} has no effect: gait.distance says how far the head has run" for name in idle)

    # How far the head has run

    def travelled(self, times: Array) -> tuple[Array, Array, Array]:
        """Distance p run by the head (T,), its rate -V_o and its acceleration."""
        if self.distance is not None:
            law = partial(self._asked, self.distance)
            return law(times), *differences(law, times)
        run, rate, change = -self.speed * times, np.full(len(times), -self.speed), np.zeros(len(times))
        before = self.speed
        for start, duration, speed in self.pace:
            w, wd, _ = smooth_steps(times - start, duration)
            u, beyond = np.clip((times - start) / duration, 0.0, 1.0), np.maximum(times - start - duration, 0.0)
            run += (before - speed) * (duration * u**4 * (2.5 + u * (u - 3.0)) + beyond)
            rate += (before - speed) * w
            change += (before - speed) * wd
            before = speed
        return run, rate, change

    @staticmethod
    def _asked(law: Callable[[Array], Any], times: Array) -> Array:
        answer = np.asarray(call(law, "gait.distance", "(t)", span(times), times), dtype=np.float64)
        if answer.shape != times.shape or not np.isfinite(answer).all():
            raise InputError(
                f"gait.distance must return one finite number for each of {len(times)} times; it returned an array of "
                f"shape {answer.shape}"
            )
        return answer

    # What it draws

    @cached_property
    def _changes(self) -> tuple[Array, Array, Array, Array]:
        """Steps of what the head draws (amplitude, wave number, steer and climb): (J,) distances where they begin; (J,
        4) by how much each changes there; (J + 1, 4) their values after the first j steps; (J + 1,) what is added to
        wave number times distance in the integral of the wave number.
        """
        rows = np.array([(self.amplitude, self.wavelength, self.steer, self.climb), *(row[1:] for row in self.route)])
        rows[:, 1] = 2.0 * np.pi / rows[:, 1]
        step, begin = np.diff(rows, axis=0), np.array([row[0] for row in self.route])
        turned = np.concatenate([[0.0], -np.cumsum(step[:, 1] * (begin + 0.5 * self.transition))])
        return begin, step, rows, turned

    def drawn(self, u: Array) -> tuple[Array, Array, Array]:
        """Yaw and pitch curvature (.., 2) at distances u along the path, and their first two derivatives along it."""
        begin, step, reached, turned = self._changes
        L = self.transition
        done, begun = np.searchsorted(begin, u - L, side="right"), np.searchsorted(begin, u, side="left")
        value, slope, bend = reached[done], np.zeros((*u.shape, 4)), np.zeros((*u.shape, 4))
        phase = turned[done] + value[..., 1] * u
        for more in range(int((begun - done).max(initial=0))):  # changes that overlap are added
            j = np.minimum(done + more, len(begin) - 1)
            part = np.where(done + more < begun, 1.0, 0.0)[..., None] * step[j]
            whole, w, wd, wdd = growth((u - begin[j]) / L)
            phase = phase + part[..., 1] * L * whole
            value = value + part * w[..., None]
            slope, bend = slope + part * (wd / L)[..., None], bend + part * (wdd / L**2)[..., None]
        c, s = np.cos(phase), np.sin(phase)
        (a, k, b, y), (a1, k1, b1, y1), (a2, _, b2, y2) = (np.moveaxis(part, -1, 0) for part in (value, slope, bend))
        return (
            np.stack([b + a * c, y], axis=-1),
            np.stack([b1 + a1 * c - a * k * s, y1], axis=-1),
            np.stack([b2 + (a2 - a * k * k) * c - (2.0 * a1 * k + a * k1) * s, y2], axis=-1),
        )

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own. In time, F(p - X) has the rates F' ṗ
        and F'' ṗ² + F' p̈."""
        run, rate, change = (part[:, None, None] for part in self.travelled(times))
        value, slope, bend = self.drawn(run[..., 0] - stations)
        bends = (value, slope * rate, bend * rate**2 + slope * change)
        return strain_drive([part[..., 0] for part in bends], [part[..., 1] for part in bends])

    # How it is steered

    def passage(self, fields: Mapping[str, Any], start: float, end: float) -> tuple[SteeredCurvature, SteeredCurvature]:
        """The same with a change that begins at the head: nothing that the body has taken on already is touched."""
        allowed = _DRAWN if self.distance is not None else (*_DRAWN, "speed")
        refuse_changes(self, fields, allowed, "what the body has taken on already stays as it is")
        self.changed(**fields)
        new = self
        start_curve = (self.amplitude, self.wavelength, self.steer, self.climb)
        curve = dict(zip(_DRAWN, self.route[-1][1:] if self.route else start_curve, strict=True))
        wanted = curve | {name: float(fields[name]) for name in _DRAWN if name in fields}
        if wanted != curve:
            here = max(float(self.travelled(np.array([start]))[0][0]), 0.0)
            # a body that has backed draws anew from here on
            kept = tuple(row for row in self.route if row[0] <= here)
            new = new.changed(route=(*kept, (here, *wanted.values())))
        speed = self.pace[-1][2] if self.pace else self.speed
        if float(fields.get("speed", speed)) != speed:
            new = new.changed(pace=(*new.pace, (start, end - start, float(fields["speed"]))))
        return new, new

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Where changes of the speed begin and end."""
        return sorted({t for begin, duration, _ in self.pace for t in (begin, begin + duration) if start < t < end})

    @property
    def cycle(self) -> float | None:
        if self.route or self.pace or self.distance is not None or not self.speed:
            return None
        return self.wavelength / abs(self.speed)
