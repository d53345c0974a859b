"""Coefficients of the medium from a film: what it determines, with intervals, and what it does not.

The model swims the filmed shape over windows of two beats, each with a start of its own (place, direction and
velocity are free: with the film's own start velocity, which is noisy, the answer is precise and wrong), and the
coefficients are those with which it stays nearest to the film. Steady motion fixes ratios of coefficients, hardly their
scale, and in a medium without inertia not at all: directions that a film does not determine get no interval.

Coefficients of drag from the force balance of the film itself: linear, without a run.

Momentum of body and added mass against drag, both from the filmed motion, multiplied with bumps (1 - z²)² of one beat
that overlap by half and integrated over time, so that no acceleration is needed. Noise in the velocities makes
coefficients too small (errors in variables): a start for shooting, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError, SimulationError, stage_times
from limbless.environments import Environment, Water
from limbless.interop.films.experiment import (
    body_shape,
    curvature_gait,
    head_motion,
    mean_of_film,
    mean_point,
    scenario_of,
)
from limbless.interop.films.film_smoothing import PLACES, SmoothFilm
from limbless.interop.films.midline_kinematics import REFITS
from limbless.interop.identification.free_parameters import FreeParameter, value_of
from limbless.interop.identification.identified import Identified
from limbless.interop.identification.least_squares import (
    Fit,
    alike,
    bootstrapped,
    inverse,
    solve_from,
    student,
    uncertainty,
    without,
)
from limbless.interop.log_files.marker_track import turned
from limbless.mechanics.rod.tables import HeadState
from limbless.models.base import State
from limbless.robots.rod import Rod
from limbless.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from limbless.interop.films.film import Film, Width


TRUSTED = 0.7  # R² below which a start is only that


class ForceBalance(NamedTuple):
    """Coefficients along and across that balance the filmed momentum best."""

    along: float
    across: float
    errors: tuple[float, float]
    quality: float  # R²


def force_balance(film: SmoothFilm, rod: Rod, water: Water, period: float) -> ForceBalance:
    """C1 and C2 of `water` from a film, by least squares over bumps."""
    s = film.abscissae
    weight = np.full(PLACES, s[1] - s[0])
    weight[[0, -1]] *= 0.5
    a, b = rod.half_axes(np.clip(s, 0.0, rod.length)).T
    tangent = np.stack([np.cos(film.heading), np.sin(film.heading)], axis=2)
    normal = np.stack([-tangent[..., 1], tangent[..., 0]], axis=2)
    U = film.velocity - np.asarray(water.current)[:2]
    along, across = (U * tangent).sum(axis=2), (U * normal).sum(axis=2)
    own = rod.inertia(np.clip(s, 0.0, rod.length))[:, 0]
    added = np.array([water.added_coefficients(x, y)[1] for x, y in zip(a, b, strict=True)])
    momentum = np.einsum("s,tsc->tc", weight * own, film.velocity) + np.einsum(
        "s,ts,tsc->tc", weight * added, across, normal
    )
    one = water.changed(drag=(1.0, 1.0, *water.drag[2:]))
    unit = np.array([one.drag_coefficients(x, y) for x, y in zip(a, b, strict=True)])
    forces = [
        -np.einsum("s,ts,tsc->tc", weight * unit[:, 0], np.abs(along) * along, tangent),
        -np.einsum("s,ts,tsc->tc", weight * unit[:, 1], np.abs(across) * across, normal),
    ]
    left, right = [], []
    step = film.time[1] - film.time[0]
    for centre in np.arange(film.time[0] + 0.5 * period, film.time[-1] - 0.5 * period + 1e-12, 0.5 * period):
        z = np.clip(2.0 * (film.time - centre) / period, -1.0, 1.0)
        bump, slope = (1.0 - z**2) ** 2, -8.0 * z * (1.0 - z**2) / period
        left.append(-step * slope @ momentum)
        right.append(np.stack([step * bump @ force for force in forces], axis=1))
    y, X = np.concatenate(left), np.concatenate(right)
    solution, *_ = np.linalg.lstsq(X, y, rcond=None)
    residual = y - X @ solution
    square = float(residual @ residual)
    errors = np.sqrt(np.maximum(np.diag(square / max(len(y) - 2, 1) * np.linalg.pinv(X.T @ X)), 0.0))
    quality = 1.0 - square / max(float(y @ y), 1e-300)
    return ForceBalance(float(solution[0]), float(solution[1]), (float(errors[0]), float(errors[1])), quality)


BEATS = 2.0  # of a window
LOOKS = 8  # times per window at which film and model are compared
ANGLE = 0.25  # weight of the head's angle (rad) beside places in lengths
STEPS = 40  # of a beat: twice as many change the answer by 0.03 %
PROBE = 1e-3  # change of a logarithm for derivatives
NUDGE = 0.01  # change of a start velocity, in lengths per beat
APART = np.log(6.0)  # between the starts of one coefficient
SMALLEST = 1e-300  # of a coefficient: it has no bounds
MANY = 21  # windows from which on their own scatter counts


# Shooting


class _Window:
    """One stretch of film: strains, the film's own motion, and what the model makes of a start."""

    def __init__(self, smooth: SmoothFilm, beat: float, gait: Any, model: Any, first: int, last: int) -> None:
        t, spacing = smooth.time, smooth.time[1] - smooth.time[0]
        per_frame = max(int(np.ceil(spacing * STEPS / beat)), 1)
        self.knots = np.linspace(t[first], t[last], (last - first) * per_frame + 1)
        looks = np.unique(np.linspace(first, last, LOOKS + 1).round().astype(int))[1:]
        self.record = np.zeros(len(self.knots), dtype=bool)
        self.record[(looks - first) * per_frame] = True
        self.drive = model.drive(gait, stage_times(self.knots))
        head, L = head_motion(smooth), smooth.length
        self.length, self.free = L, model.settings.inertia
        self.scale = np.array([L / beat, L / beat, 1.0 / beat])
        speeds = head.twist(t)[first] / self.scale if self.free else ()
        self.start = np.array([*head.position[first] / L, head.angle[first], *speeds])
        """Of its own: place in lengths, angle in rad, velocities in lengths (and rad) per beat."""
        self.centres = mean_point(body_shape(smooth))[looks]
        self.film = np.column_stack([mean_of_film(smooth)[looks] / L, ANGLE * head.angle[looks]])
        self.angle = head.angle[looks]

    def residual(self, model: Any, own: Array) -> Array:
        """(LOOKS * 3,): model minus film, of the mean point in lengths and of the head's angle."""
        x, a = np.zeros(HeadState.width), own[2]
        state = HeadState.of(x)
        state.position[:2], state.turn[:] = self.length * own[:2], (np.cos(0.5 * a), 0.0, 0.0, np.sin(0.5 * a))
        if self.free:
            state.motion[[0, 1, 5]] = self.scale * own[3:]
        _, records, status = model.advance(State(float(self.knots[0]), x), self.knots, self.record, self.drive)
        if status.failure or not np.isfinite(records["instant_x"]).all():
            raise SimulationError(
                f"identify: a window's run was lost ({status.failure or 'it diverged'}); the "
                "medium may be far from the animal's"
            )
        head = HeadState.of(records["instant_x"])
        turn = 2.0 * np.arctan2(head.turn[:, 3], head.turn[:, 0])
        turn = self.angle + np.angle(np.exp(1j * (turn - self.angle)))  # the whole turns of the film
        mean = head.position[:, :2] + turned(self.centres, turn)
        return np.asarray((np.column_stack([mean / self.length, ANGLE * turn]) - self.film).ravel())

    def slopes(self, model: Any, own: Array, residual: Array) -> Array:
        """(LOOKS * 3, 3 or 6): what a start a little to the side, turned or faster changes; with the first two the
        whole motion moves along."""
        place = self.film[:, :2] - own[:2]
        columns = np.zeros((len(place), 3, 3))
        columns[:, 0, 0] = columns[:, 1, 1] = 1.0
        columns[:, 0, 2], columns[:, 1, 2], columns[:, 2, 2] = -place[:, 1], place[:, 0], ANGLE
        sped = own + NUDGE * np.eye(6)[3:] if self.free else ()
        faster = [(self.residual(model, start) - residual) / NUDGE for start in sped]
        return np.column_stack([columns.reshape(-1, 3), *faster])


class _Windows:
    """The windows of a film, and the model for any logarithms of the coefficients."""

    def __init__(self, windows: list[_Window], model_of: Any) -> None:
        self.windows, self.model_of = windows, model_of
        self.own = [window.start.copy() for window in windows]

    def residuals(self, several: Sequence[Array]) -> list[list[Array]]:
        pairs = list(zip(self.windows, self.own, strict=True))
        return [[window.residual(model, own) for window, own in pairs] for model in map(self.model_of, several)]

    def own_slopes(self, parameters: Array, residuals: list[Array]) -> list[Array]:
        model, every = self.model_of(parameters), zip(self.windows, self.own, residuals, strict=True)
        return [window.slopes(model, own, r) for window, own, r in every]


def checked_scenario(
    film: Film, paths: Sequence[str], medium: str, width: Width, changes: Mapping[str, Any] | None
) -> tuple[Scenario, list[FreeParameter], Array]:
    """The scenario in which these coefficients are to be found, and their logarithms in it; refused before anything
    runs where there are none."""
    if not film.placed:
        raise InputError("identify: a kymogram does not show where the animal went")
    if not paths or len(set(paths)) < len(paths):
        raise InputError("identify: name one or more coefficients, each once, such as drag.0,drag.1")
    scenario = scenario_of(
        film.smooth, film.name, film.period, film.medium(medium, width, changes), width, changes=changes
    )
    kind = scenario.environment[0].kind
    free = [
        FreeParameter(path if path.startswith("environment.") else f"environment.{kind}.{path}", SMALLEST, np.inf)
        for path in paths
    ]
    values = [value_of(scenario, each.path) for each in free]
    for path, value in zip(paths, values, strict=True):
        if not isinstance(value, float | int) or isinstance(value, bool) or not value > 0.0:
            raise InputError(f"identify: {path} must be a positive number in the medium to begin with; it is {value!r}")
    return scenario, free, np.log(values)


def identify(
    film: Film,
    paths: Sequence[str],
    medium: str = "water",
    width: Width = None,
    changes: Mapping[str, Any] | None = None,
) -> Identified:
    """Coefficients of a medium from a film.

    Parameters
    ----------
    film : the film; it must show where the animal went.
    paths : fields of the medium, such as `drag.0` (along) and `drag.1` (across) of water.
    medium, width, changes : as for `Film.predict`.
    """
    scenario, free, logs = checked_scenario(film, paths, medium, width, changes)
    # the cells of a prediction: half of them make coefficients a hundredth too large, or too small on a thick tail
    rod: Any = scenario.robot.build()

    def model_of(logs: Array) -> Any:
        changed = Scenario.load(scenario, {each.path: each.value(x) for each, x in zip(free, logs, strict=True)})
        return changed.model.assemble(rod, changed.environment, changed.actuation)

    balance = _start(film, rod, scenario.environment[0], paths, logs)
    data = _Windows(_windows(film.smooth, film.period, scenario.gait, model_of(logs)), model_of)
    starts = [logs, *(logs + sign * APART * axis for axis in np.eye(len(paths)) for sign in (1.0, -1.0))]
    fit, others = solve_from(data, starts, np.full(len(paths), PROBE))
    covariance, freedom, _ = uncertainty(fit, alike([r.reshape(-1, 3) for r in fit.free], LOOKS // 2))
    off = float(np.sqrt(3.0 * fit.cost / sum(len(r) for r in fit.free)))
    found = Identified(
        tuple(paths),
        np.exp(fit.parameters),
        bootstrapped(fit, covariance, MANY),
        student(freedom),
        off,
        len(data.windows),
        about=tuple(_told(len(data.windows), off, balance)),
        also=tuple(np.exp(other.parameters) for other in others),
        more={"force_balance": None if balance is None else balance._asdict()},
    )
    return _with_noise(film, found, fit, model_of(fit.parameters))


def _told(windows: int, off: float, balance: ForceBalance | None) -> list[str]:
    told = [
        f"{windows} windows of two beats, each with its own start; film and model differ by {100.0 * off:.2g} % of the "
        "length"
    ]
    if balance is not None and balance.quality < TRUSTED:
        told.append(
            f"the force balance of the film itself explains {100.0 * max(balance.quality, 0.0):.0f} % of it: it was "
            "only used as a start"
        )
    return told


def _start(film: Film, rod: Any, environment: Environment, paths: Sequence[str], logs: Array) -> ForceBalance | None:
    """The force balance of the film itself, where the medium is water, put into the first guess."""
    if not isinstance(environment, Water):
        return None
    found = force_balance(film.smooth, rod, environment, film.period)
    for k, path in enumerate(paths):
        guess = found.along if path.endswith("drag.0") else found.across if path.endswith("drag.1") else 0.0
        if 0.1 < guess / np.exp(logs[k]) < 10.0:
            logs[k] = np.log(guess)
    return found


def _windows(smooth: SmoothFilm, beat: float, gait: Any, model: Any) -> list[_Window]:
    frames = len(smooth.time)
    span = max(round(BEATS * beat / (smooth.time[1] - smooth.time[0])), LOOKS)
    if frames <= span:
        raise InputError(
            f"identify: windows of {BEATS:g} beats are compared, and the film has {frames / span * BEATS:.2g}"
        )
    starts = np.linspace(0, frames - 1 - span, max((frames - 1) // span, 1)).round().astype(int)
    return [_Window(smooth, beat, gait, model, int(first), int(first) + span) for first in starts]


def _with_noise(film: Film, found: Identified, fit: Fit, model: Any) -> Identified:
    """What noise of the points does to the answer, which residuals do not show, because the shape that the model swims
    has it too: refits of the smooth film with simulated noise, each a step of Newton's method away. Bias of the
    smoothing and of the noise is taken off; the scatter of the refits is added to the intervals."""
    A, reduced = inverse(fit.information), fit.reduced

    def moved(refit: SmoothFilm) -> Array:
        # the body has its length whatever the noise does to that of the midline
        smooth = refit.scaled(film.length / refit.length)
        again = _windows(smooth, film.period, curvature_gait(smooth), model)
        total = np.zeros(len(fit.parameters))
        for other, own, j, z in zip(again, fit.own, reduced, fit.Z, strict=True):
            # noise turns the start by more than a step of Newton's method in all numbers at once bears: it goes first
            start = own - np.linalg.lstsq(z, other.residual(model, own), rcond=None)[0]
            total -= A @ (j.T @ without(z, other.residual(model, start)))
        return total

    here, again = moved(film.smooth), moved(film.smooth.resampled(film.smooth.surface.values))
    several = [moved(noisy) for noisy in film.smooth.refits(REFITS)]
    # the film that is smoothed again has lost the noise that it had: what noise does counts twice
    bias, scatter = 2.0 * np.mean(several, axis=0) - again - here, np.atleast_2d(np.cov(np.array(several).T))
    covariance = found.covariance + (1.0 + 4.0 / REFITS) * scatter
    few = np.trace(scatter) > np.trace(found.covariance)
    quantile = max(found.quantile, student(REFITS - 1)) if few else found.quantile
    return replace(found, values=np.exp(fit.parameters - bias), covariance=covariance, quantile=quantile)
