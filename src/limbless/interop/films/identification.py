"""Coefficients of the medium from a film: what it determines, with intervals, and what it does not.

The model swims the filmed shape over windows of two beats, each with a start of its own (place, direction and
velocity are free: with the film's own start velocity, which is noisy, the answer is precise and wrong), and the
coefficients are those with which it stays nearest to the film. Steady motion fixes ratios of coefficients, hardly their
scale: directions that a film does not determine get no interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.sampled_curvature import SampledCurvature
from limbless.core import InputError, SimulationError, stage_times
from limbless.environments.base import Environment
from limbless.environments.water import Water
from limbless.interop.films.experiment import (
    body_shape,
    curvature_rows,
    head_motion,
    mean_of_film,
    mean_point,
    scenario_of,
)
from limbless.interop.films.film_smoothing import SmoothFilm
from limbless.interop.films.fitted_model import Identified
from limbless.interop.films.midline_kinematics import REFITS
from limbless.interop.films.weak_form import ForceBalance, force_balance
from limbless.mechanics.rod.tables import HeadState
from limbless.models.base import State

if TYPE_CHECKING:
    from limbless.interop.films.film import Film, Width

Array = NDArray[np.float64]

BEATS = 2.0  # of a window
LOOKS = 8  # times per window at which film and model are compared
ANGLE = 0.25  # weight of the head's angle (rad) beside places in lengths
STEPS = 40  # of a beat: twice as many change the answer by 0.03 %
ROUNDS = 12  # of Gauss-Newton steps
SMALL = 1e-4  # change of the logarithms at which they end
PROBE = 0.01  # change for derivatives
LONGEST = 1.0  # step of a logarithm
BLIND = 1e-9  # of the largest information: below, a film shows nothing
ENDLESS = 1e4  # variance of a logarithm of which nothing is known
MANY = 20  # windows from which on their own scatter is asked


# The medium with other coefficients


def _placed(environment: Environment, path: str) -> tuple[str, int | None, float]:
    """Field, entry and value of a path such as `drag.0`, `along` or `environment.water.drag.0`."""
    words = path.split(".")
    if words[0] == "environment":
        words = words[2:]
    field = words[0] if words else ""
    if field not in type(environment).model_fields:
        numbers = [name for name in type(environment).model_fields if name not in ("kind", "active", "points")]
        raise InputError(f"identify: {environment.kind!r} has no field {path!r}; known: {', '.join(numbers)}")
    value = getattr(environment, field)
    entry = None
    if isinstance(value, tuple):
        if len(words) != 2 or not words[1].isdigit() or int(words[1]) >= len(value):
            raise InputError(
                f"identify: {field} has {len(value)} entries; name one, {field}.0 to {field}.{len(value) - 1}"
            )
        entry, value = int(words[1]), value[int(words[1])]
    if not isinstance(value, float | int) or isinstance(value, bool) or not value > 0.0:
        raise InputError(f"identify: {path} must be a positive number in the medium to begin with; it is {value!r}")
    return field, entry, float(value)


def _with(environment: Environment, paths: Sequence[str], values: Array) -> Environment:
    changed: dict[str, Any] = {}
    for path, value in zip(paths, values, strict=True):
        field, entry, _ = _placed(environment, path)
        if entry is None:
            changed[field] = float(value)
        else:
            several = list(changed.get(field, getattr(environment, field)))
            several[entry] = float(value)
            changed[field] = tuple(several)
    return environment.changed(**changed)


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
        self.length = L
        self.start = np.array([*head.position[first], head.angle[first]])
        self.twist = head.twist(t)[first]
        self.scale = np.array([L / beat, L / beat, 1.0 / beat])  # of velocities
        self.centres = mean_point(body_shape(smooth))[looks]
        self.film = np.column_stack([mean_of_film(smooth)[looks] / L, ANGLE * head.angle[looks]])
        self.angle = head.angle[looks]
        self.free = model.settings.inertia

    def residual(self, model: Any, twist: Array) -> Array:
        """(LOOKS, 3): model minus film, of the mean point in lengths and of the head's angle."""
        x = np.zeros(HeadState.width)
        state = HeadState.of(x)
        a = self.start[2]
        state.position[:2], state.turn[:] = self.start[:2], (np.cos(0.5 * a), 0.0, 0.0, np.sin(0.5 * a))
        if self.free:
            state.motion[[0, 1, 5]] = twist
        _, records, status = model.advance(State(float(self.knots[0]), x), self.knots, self.record, self.drive)
        if status.failure or not np.isfinite(records["instant_x"]).all():
            raise SimulationError(
                f"identify: a window's run was lost ({status.failure or 'it diverged'}); the "
                "medium may be far from the animal's"
            )
        head = HeadState.of(records["instant_x"])
        turn = 2.0 * np.arctan2(head.turn[:, 3], head.turn[:, 0])
        turn = self.angle + np.angle(np.exp(1j * (turn - self.angle)))
        c, s = np.cos(turn), np.sin(turn)
        mean = head.position[:, :2] + np.stack(
            [c * self.centres[:, 0] - s * self.centres[:, 1], s * self.centres[:, 0] + c * self.centres[:, 1]], axis=1
        )
        return np.column_stack([mean / self.length, ANGLE * turn]) - self.film

    def pose_columns(self) -> Array:
        """(LOOKS, 3, 3): what a start a little to the side, or turned, changes: the whole motion moves with it."""
        place = self.film[:, :2] - self.start[:2] / self.length
        columns = np.zeros((len(place), 3, 3))
        columns[:, 0, 0] = columns[:, 1, 1] = 1.0
        columns[:, 0, 2], columns[:, 1, 2], columns[:, 2, 2] = -place[:, 1], place[:, 0], ANGLE
        return columns


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
    if not film.placed:
        raise InputError("identify: a kymogram does not show where the animal went")
    if not paths or len(set(paths)) < len(paths):
        raise InputError("identify: name one or more coefficients, each once, such as drag.0,drag.1")
    scenario = scenario_of(film.smooth, film.name, film.period, medium, width, changes=changes)
    # the cells of a prediction: half of them make coefficients a hundredth too large, or too small on a thick tail
    environment, settings = scenario.environment[0], scenario.model
    rod: Any = scenario.robot.build()

    def model_of(logs: Array) -> Any:
        return settings.assemble(rod, (_with(environment, paths, np.exp(logs)),), scenario.actuation)

    logs = np.log([_placed(environment, path)[2] for path in paths])
    balance = _start(film, rod, environment, paths, logs)
    windows = _windows(film.smooth, film.period, scenario.gait, model_of(logs))
    shot = _shoot(windows, model_of, logs)
    judged = _judged(tuple(paths), shot, balance)
    return _with_noise(film, judged, shot, windows, model_of(shot.logs))


def _start(film: Film, rod: Any, environment: Environment, paths: Sequence[str], logs: Array) -> ForceBalance | None:
    """The force balance of the film itself, where the medium is water, put into the first guess."""
    if not isinstance(environment, Water):
        return None
    found = force_balance(film.smooth, rod, environment, film.period)
    for k, path in enumerate(paths):
        field, entry, value = _placed(environment, path)
        guess = {0: found.along, 1: found.across}.get(entry if entry is not None else -1) if field == "drag" else None
        if guess is not None and 0.1 * value < guess < 10.0 * value:
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


class _Shot(NamedTuple):
    """Where shooting ended: logarithms and start velocities, and per window residuals and their derivatives."""

    logs: Array
    twists: list[Array]
    residuals: list[Array]
    J: list[Array]
    Z: list[Array]

    @property
    def free(self) -> list[Array]:
        """Residuals without what the windows' own starts explain."""
        return [_without(z, r) for r, z in zip(self.residuals, self.Z, strict=True)]

    @property
    def reduced(self) -> list[Array]:
        """Derivatives in the logarithms, in the same way."""
        return [_without(z, j) for j, z in zip(self.J, self.Z, strict=True)]


def _without(z: Array, values: Array) -> Array:
    return np.asarray(values - z @ np.linalg.lstsq(z, values, rcond=None)[0])


def _linearised(
    windows: list[_Window], model_of: Any, logs: Array, twists: list[Array]
) -> tuple[list[Array], list[Array], list[Array]]:
    """Residuals of every window, their derivatives in the logarithms, and in the window's own start."""
    here = model_of(logs)
    beside = [model_of(logs + PROBE * np.eye(len(logs))[k]) for k in range(len(logs))]
    residuals, J, Z = [], [], []
    for window, twist in zip(windows, twists, strict=True):
        r = window.residual(here, twist)
        changed = [(window.residual(other, twist) - r) / PROBE for other in beside]
        J.append(np.stack(changed, axis=-1).reshape(r.size, -1))
        own = [window.pose_columns()]
        if window.free:
            moved = [(window.residual(here, twist + PROBE * window.scale * axis) - r) / PROBE for axis in np.eye(3)]
            own.append(np.stack(moved, axis=-1))
        residuals.append(r.ravel())
        Z.append(np.concatenate(own, axis=-1).reshape(r.size, -1))
    return residuals, J, Z


def _shoot(windows: list[_Window], model_of: Any, logs: Array) -> _Shot:
    """Gauss-Newton: the windows' own starts are eliminated one by one."""
    twists, damping, best = [window.twist.copy() for window in windows], 1e-6, np.inf
    kept: tuple[Array, list[Array], list[Array]] | None = None
    for _ in range(ROUNDS):
        shot = _Shot(logs, twists, *_linearised(windows, model_of, logs, twists))
        cost = float(sum(r @ r for r in shot.free))
        if kept is not None and cost > 1.05 * best:  # too far: half of the way back
            logs, twists = 0.5 * (logs + kept[0]), [0.5 * (a + b) for a, b in zip(twists, kept[1], strict=True)]
            for window, start in zip(windows, kept[2], strict=True):
                window.start = 0.5 * (window.start + start)
            damping, best = 10.0 * damping, max(cost, best)
            continue
        best, kept = min(best, cost), (logs, twists, [window.start for window in windows])
        A = sum(j.T @ j for j in shot.reduced)
        g = sum(j.T @ r for j, r in zip(shot.reduced, shot.free, strict=True))
        step = -np.linalg.solve(A + max(damping, 1e-9) * np.trace(A) * np.eye(len(logs)), g)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-300))
        moved = []
        for window, twist, r, j, z in zip(windows, *shot[1:], strict=True):
            own = -np.linalg.lstsq(z, r + j @ step, rcond=None)[0]
            _move(window, own[:3])
            moved.append(twist + window.scale * own[3:] if window.free else twist)
        logs, twists = logs + step, moved
        if float(np.abs(step).max()) < SMALL:
            break
    return _Shot(logs, twists, *_linearised(windows, model_of, logs, twists))


def _move(window: _Window, pose: Any) -> None:
    """Start a little aside: places in lengths, angle in rad about where it started."""
    window.start = window.start + np.array([window.length * pose[0], window.length * pose[1], pose[2]])


def _judged(paths: tuple[str, ...], shot: _Shot, balance: ForceBalance | None) -> Identified:
    """Intervals from the residual variance with the effective number of residuals, or from the windows' scatter where
    there are many: the wider."""
    reduced, free, windows = shot.reduced, shot.free, len(shot.Z)
    inverse = _inverse(sum(j.T @ j for j in reduced))
    total, alike = float(sum(r @ r for r in free)), _alike(free)
    number = sum(len(r) - z.shape[1] for r, z in zip(free, shot.Z, strict=True))
    freedom = max(number / alike - len(paths), 1.0)
    covariance = inverse * (total / freedom) + _unseen(sum(j.T @ j for j in reduced))
    if windows > MANY:
        scores = [j.T @ r for j, r in zip(reduced, free, strict=True)]
        scatter = inverse @ sum(np.outer(g, g) for g in scores) @ inverse * windows / (windows - len(paths))
        covariance = scatter if np.trace(scatter) > np.trace(covariance) else covariance
    size = float(np.sqrt(3.0 * total / max(sum(len(r) for r in free), 1)))
    return Identified(paths, np.exp(shot.logs), covariance, _quantile(freedom), size, windows, balance)


def _inverse(information: Any) -> Array:
    """Inverse in the directions that the film shows anything of."""
    return np.linalg.pinv(information, rcond=BLIND, hermitian=True)


def _unseen(information: Any) -> Array:
    """Variance without end in the others."""
    values, vectors = np.linalg.eigh(information)
    return np.asarray((vectors * np.where(values > BLIND * values.max(), 0.0, ENDLESS)) @ vectors.T)


def _quantile(freedom: float) -> float:
    from scipy.stats import t as student

    return float(student.ppf(0.975, freedom))


def _with_noise(film: Film, found: Identified, shot: _Shot, windows: list[_Window], model: Any) -> Identified:
    """What noise of the points does to the answer, which residuals do not show, because the shape that the model swims
    has it too: refits of the smooth film with simulated noise, each a step of Newton's method away. Their mean is a
    bias, which is taken off; their scatter is added to the intervals."""
    A = _inverse(sum(j.T @ j for j in shot.reduced))
    rng, surface = np.random.default_rng(0), film.smooth.surface

    def moved(smooth: SmoothFilm) -> Array:
        gait = SampledCurvature(table=tuple(map(tuple, curvature_rows(smooth).tolist())), noise=0.0)
        # the body has its length whatever the noise does to that of the midline
        again = _windows(smooth, film.period, gait, model)
        total = np.zeros(len(shot.logs))
        for other, window, twist, j, z in zip(again, windows, shot.twists, shot.reduced, shot.Z, strict=True):
            other.start = window.start
            total -= A @ (j.T @ _without(z, other.residual(model, twist).ravel()))
        return total

    here = moved(film.smooth)
    several = []
    for _ in range(REFITS):
        samples = surface.values + surface.noise * rng.normal(size=surface.values.shape)
        noisy = film.smooth.resampled(samples)
        several.append(moved(noisy.scaled(film.length / noisy.length)) - here)
    bias, scatter = np.mean(several, axis=0), np.atleast_2d(np.cov(np.array(several).T))
    covariance = found.covariance + (1.0 + 1.0 / REFITS) * scatter
    quantile = (
        max(found.quantile, _quantile(REFITS - 1)) if np.trace(scatter) > np.trace(found.covariance) else found.quantile
    )
    return replace(found, values=np.exp(shot.logs - bias), covariance=covariance, quantile=quantile)


def _alike(residuals: list[Array]) -> float:
    """How many neighbouring residuals say the same: one plus twice their correlations in time."""
    series = [r.reshape(-1, 3) for r in residuals]
    power = sum(float((r**2).sum()) for r in series) / sum(r.size for r in series)
    total = 1.0
    for lag in range(1, LOOKS // 2):
        pairs = [r[lag:] * r[:-lag] for r in series if len(r) > lag]
        rho = sum(float(p.sum()) for p in pairs) / max(sum(p.size for p in pairs), 1) / max(power, 1e-300)
        if rho <= 0.0:
            break
        total += 2.0 * rho
    return total
