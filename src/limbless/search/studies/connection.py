"""`connection`: why a gait moves. The local connection of a robot, its height functions, and what loops of shapes do.

ξ = A(r) r' gives the velocity (vx, vy, ω) of a body frame from the rate of its shapes r, where no past decides: linear
drag without inertia, ideal wheels, a floating body. Hatton's papers and sysplotter write ξ = -A r': their A and their
DA are minus ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.actuation.shape_map import turns
from limbless.control.gaits.base import Gait
from limbless.control.gaits.shape_basis import Shapes
from limbless.core import InputError
from limbless.environments.base import Environment
from limbless.models.shape_response import ChainResponse, Response, RodResponse, wrong_environment
from limbless.robots.base import Preset, Robot
from limbless.robots.chain import Chain
from limbless.robots.rod import Rod
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.shape_frames import FRAMES, FramePose, MinimumFrame, body_frame, carried
from limbless.search.studies.strokes import Loop, Stroke, enclosed, exponential, loop_of, moved_along, pairs_of

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
STENCIL = ((1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0))
"""Differences of sixth order: steps, and weights of the two sides."""
COMPONENTS = ("x", "y", "turn")
_SAMPLES = 128


def bracket(a: Array, b: Array) -> Array:
    """[a, b] of twists (.., 3) in the plane, or (.., 6) in space."""
    if a.shape[-1] == 3:
        return np.stack(
            [
                b[..., 2] * a[..., 1] - a[..., 2] * b[..., 1],
                a[..., 2] * b[..., 0] - b[..., 2] * a[..., 0],
                0.0 * a[..., 0],
            ],
            axis=-1,
        )
    v = np.cross(a[..., 3:], b[..., :3]) - np.cross(b[..., 3:], a[..., :3])
    return np.concatenate([v, np.cross(a[..., 3:], b[..., 3:])], axis=-1)


class Connection:
    """The connection of one robot in one medium, along some shapes, told in one frame. Made by `ll.connection`.

    Attributes
    ----------
    shapes : `Shapes`, with the basis of this robot.
    region : (p, 2) the shapes that pictures, frames and areas are for.
    frame : base, middle, mean or minimum.
    medium : drag, momentum, wheels, or friction: what is not linear has no A, and a fitted one is shown for it.
    notes : what a reader must know besides.
    """

    def __init__(
        self,
        scenario: Scenario,
        shapes: Shapes,
        response: ChainResponse | RodResponse,
        region: Array,
        frame: str,
        plane: tuple[int, int] = (0, 1),
        at: Array | None = None,
        weight: Callable[[Array], Array] | None = None,
    ) -> None:
        self.scenario, self.shapes, self.region, self.frame = scenario, shapes, region, frame
        self.plane, self.weight, self._response = plane, weight, response
        self.at = region.mean(axis=1) if at is None else at
        self.medium, self.length, self.count = response.medium, response.length, len(region)
        self.planar = len(response.rows) == 3
        if not self.planar and frame != "base":
            self.frame = "base"
        self._made: dict[str, Any] = {}

    # What it answers

    def __call__(self, r: ArrayLike) -> Array:
        """A at postures (.., p): (.., 3, p), or (.., 6, p) on a free base; fitted where the medium is not linear."""
        points, shape = self._points(r)
        A, _ = self._told(points)
        return A.reshape(*shape, *A.shape[1:])

    def metric(self, r: ArrayLike) -> Array:
        """G at postures (.., p): (.., p, p). r'.G r' is the power (W) of linear drag, or twice the kinetic energy (J)
        of a floating body."""
        points, shape = self._points(r)
        G = self._response.at(points).metric
        if G is None:
            raise InputError(
                f"metric: with {self.medium} the power is no square of the rates, so that there is none; `around` gives "
                "the work of a stroke"
            )
        return G.reshape(*shape, *G.shape[1:])

    def curvature(self, r: ArrayLike) -> Array:
        """DA at postures (.., p): (.., pairs, 3), the height functions of every pair of shapes."""
        points, shape = self._points(r)
        if self.count < 2:
            raise InputError("curvature: one shape encloses no area; give two or more")
        DA = self._curved(points)
        return DA.reshape(*shape, *DA.shape[1:])

    def velocity(self, r: ArrayLike, rate: ArrayLike) -> Array:
        """Velocity (.., 3) of the frame at postures and rates (.., p); exact in all media."""
        points, shape = self._points(r)
        rates, _ = self._points(rate, "rate")
        points, rates = np.broadcast_arrays(points, rates)
        found = self._moved(points, rates)[0]
        return found.reshape(*shape, found.shape[-1])

    def misfit(self, r: ArrayLike) -> Array:
        """(..,) relative error of the fitted connection at postures; 0 where it is exact."""
        points, shape = self._points(r)
        return self._fitted(points)[1].reshape(shape) if self.medium == "friction" else np.zeros(shape)

    def denominator(self, r: ArrayLike) -> Array:
        """(..,) determinant of three ideal wheels at postures: 0 where they decide nothing, a singular posture."""
        points, shape = self._points(r)
        C = self._response.at(points).wheels
        if C is None or C.shape[1] != 3:
            raise InputError("denominator: three ideal wheels have one, and nothing else")
        return np.asarray(np.linalg.det(C[:, :, :3])).reshape(shape)

    def _points(self, r: ArrayLike, what: str = "r") -> tuple[Array, tuple[int, ...]]:
        try:
            given = np.asarray(r, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.full((1, 0), np.nan)
        if given.ndim == 0 and self.count == 1:
            given = given[None]
        if given.shape[-1] != self.count or not np.isfinite(given).all():
            raise InputError(
                f"{what}: give {self.count} finite numbers ({', '.join(self.shapes.names)}, {self.shapes.unit}) for each "
                f"posture; got {np.shape(r)}"
            )
        return np.ascontiguousarray(given.reshape(-1, self.count)), given.shape[:-1]

    # A in the base frame

    def _at(self, r: Array) -> tuple[Array, Response]:
        """A (S, 3 or 6, p) in the base frame, and the response."""
        answer = self._response.at(r)
        if self.medium == "friction":
            return self._fit_base(r)[0], answer
        if answer.wheels is None:
            return answer.A, answer
        numerator, d = self._wheeled(answer.wheels)
        if np.abs(d).min() == 0.0:
            raise InputError(
                f"r: at {np.round(r[np.abs(d).argmin()], 6).tolist()} the wheels decide nothing (a singular posture: "
                "their axles meet in one point or are parallel); keep away from it"
            )
        return numerator / d[:, None, None], answer

    def _wheeled(self, C: Array) -> tuple[Array, Array]:
        """Numerator (S, 3, p) and denominator (S,) of A: of three wheels as they are, of more by least side slip."""
        b, s = C[:, :, :3], C[:, :, 3:]
        if C.shape[1] < 3:
            raise InputError(
                f"wheels: {C.shape[1]} of them leave the motion undetermined, and three are needed; add wheels"
            )
        if C.shape[1] == 3:
            a, e, f = b[:, 0], b[:, 1], b[:, 2]
            adjugate = np.stack([np.cross(e, f), np.cross(f, a), np.cross(a, e)], axis=2)
            return -adjugate @ s, np.asarray(np.linalg.det(b))
        load = np.array([wheel[3] for wheel in self._response.wheels])
        weighed = b.swapaxes(1, 2) * (load / load.mean())
        return -np.linalg.solve(weighed @ b, weighed @ s), np.ones(len(C))

    @cached_property
    def odd(self) -> bool:
        """Whether going backwards along a loop undoes it."""
        if self.medium != "friction":
            return True
        r, u = self.at[None], np.ones((1, self.count))
        there, back = (self._response.velocity(r, side * u)[0] for side in (1.0, -1.0))
        return bool(np.abs(there + back).max() < 1e-6 * np.abs(there).max())

    @cached_property
    def _directions(self) -> Array:
        """Unit rates of the shapes to fit a connection to."""
        if self.count == 1:
            return np.array([[1.0], [-1.0]])
        if self.count == 2:
            angles = np.pi * np.arange(8) / 8.0 if self.odd else np.pi * np.arange(16) / 8.0
            return np.stack([np.cos(angles), np.sin(angles)], axis=1)
        spread = np.random.default_rng(2).standard_normal((8 * self.count, self.count))
        return np.asarray(spread / np.linalg.norm(spread, axis=1)[:, None])

    def _fit_base(self, r: Array) -> tuple[Array, Array]:
        """Least squares over directions: A (S, 3, p) in the base frame, and all velocities (S, K, 3)."""
        u = self._directions
        V = np.zeros((len(r), len(u), len(self._response.rows)))
        start = None
        for k, direction in enumerate(u):
            V[:, k], _ = self._response.velocity(r, np.tile(direction, (len(r), 1)), start)
            start = V[:, k]
        A = np.einsum("skc,kp->scp", V, u @ np.linalg.inv(u.T @ u))
        return A, V

    def _fitted(self, r: Array) -> tuple[Array, Array]:
        """The fitted A in the frame, and its relative misfit (S,), turning by the length of the body."""
        answer, u = self._response.at(r), self._directions
        A, V = self._fit_base(r)
        told = self._carry(r, answer, A) + self._follow(r, answer)
        frames = self._frames(r, answer)
        moving = V.swapaxes(1, 2)
        for frame in frames:
            moving = carried(frame, moving) + frame.J @ u.T
        scale = np.array([1.0, 1.0, self.length])[:, None]
        left = np.linalg.norm((moving - told @ u.T) * scale, axis=(1, 2))
        return told, left / np.maximum(np.linalg.norm(moving * scale, axis=(1, 2)), 1e-300)

    # Frames

    def _frames(self, r: Array, answer: Response) -> list[FramePose]:
        """The frames that lead from the base to the one that is told."""
        if self.frame == "base":
            return []
        kind = "middle" if self.frame == "minimum" else self.frame
        first = body_frame(kind, answer.place, answer.swing, self._response.lengths)
        return [first, self._minimum.at(r)] if self.frame == "minimum" else [first]

    @cached_property
    def _minimum(self) -> MinimumFrame:
        def of_middle(r: Array) -> tuple[Array, Array]:
            middle = self.in_frame("middle")
            A, answer = middle._told(r, True)
            mean = body_frame("mean", answer.place, answer.swing, self._response.lengths)
            own = body_frame("middle", answer.place, answer.swing, self._response.lengths)
            return A, mean.pose[:, 2] - own.pose[:, 2]

        weight = self.weight
        if weight is None and self.medium == "wheels" and len(self._response.wheels) == 3:

            def weight(r: Array) -> Array:
                return self.denominator(r) ** 2

        return MinimumFrame(self.region, of_middle, weight)

    def _carry(self, r: Array, answer: Response, twist: Array) -> Array:
        for frame in self._frames(r, answer):
            twist = carried(frame, twist)
        return twist

    def _follow(self, r: Array, answer: Response) -> Array:
        """What the frame's own motion adds to A."""
        total = np.zeros((len(r), len(self._response.rows), self.count))
        for frame in self._frames(r, answer):
            total = carried(frame, total) + frame.J
        return total

    def _told(self, r: Array, near: bool = False) -> tuple[Array, Response]:
        """A in the frame, and the response; `near`: a singular posture is passed by."""
        if near and self.medium == "wheels":
            answer = self._response.at(r)
            numerator, d = self._wheeled(np.asarray(answer.wheels))
            A = numerator / np.where(np.abs(d) < 1e-12, 1e-12, d)[:, None, None]
        else:
            A, answer = self._at(r)
        return self._carry(r, answer, A) + self._follow(r, answer), answer

    def in_frame(self, frame: str) -> Connection:
        """The same connection, told in another frame."""
        _refuse_frame(frame, self.planar)
        made = Connection(
            self.scenario, self.shapes, self._response, self.region, frame, self.plane, self.at, self.weight
        )
        for name in ("odd", "_directions", "_minimum", "_sheets"):
            if name in self.__dict__:
                made.__dict__[name] = self.__dict__[name]
        return made

    # Curvature

    def _curved(self, r: Array) -> Array:
        """DA (S, pairs, 3 or 6) in the frame."""
        if self.medium == "friction":
            return self._of_sheets(r)
        answer = self._response.at(r)
        A, slopes = self._slopes(r, answer)
        DA = np.stack(
            [
                slopes[:, i, :, j] - slopes[:, j, :, i] + bracket(A[:, :, i], A[:, :, j])
                for i, j in pairs_of(self.count)
            ],
            axis=2,
        )
        return np.ascontiguousarray(self._carry(r, answer, DA).swapaxes(1, 2))

    def _slopes(self, r: Array, answer: Response) -> tuple[Array, Array]:
        """A (S, 3, p) in the base frame and its slopes (S, p, 3, p) along the shapes."""
        steps = 1e-3 * (self.region[:, 1] - self.region[:, 0])
        moves = [
            (i, side * times, side * weight / steps[i])
            for i in range(self.count)
            for times, weight in STENCIL
            for side in (1.0, -1.0)
        ]
        shifted = np.concatenate([r + times * steps[i] * np.eye(self.count)[i] for i, times, _ in moves])
        around = self._response.at(shifted)
        weight = np.zeros((self.count, len(moves)))
        for k, (i, _, w) in enumerate(moves):
            weight[i, k] = w

        def along(values: Array) -> Array:
            parts = values.reshape(len(moves), len(r), *values.shape[1:])
            return np.asarray(np.einsum("ik,ks...->si...", weight, parts))

        if answer.wheels is None:
            return answer.A, along(around.A)
        numerator, d = self._wheeled(answer.wheels)
        wheels, other = self._wheeled(np.asarray(around.wheels))
        safe = np.where(np.abs(d) < 1e-12, 1e-12, d)[:, None, None]
        A = numerator / safe
        return A, (along(wheels) - along(other)[:, :, None, None] * A[:, None]) / safe[:, None]

    @cached_property
    def _sheets(self) -> list[list[Any]]:
        """The fitted A of the middle frame over the region as splines: what its curvature is taken from."""
        from scipy.interpolate import RectBivariateSpline

        if self.count != 2:
            raise InputError(f"curvature: a fitted connection has one for two shapes, and there are {self.count}")
        axes = [np.linspace(*bounds, 21) for bounds in self.region]
        grid = np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
        A = self.in_frame("middle")._told(grid)[0].reshape(21, 21, 3, 2)
        return [[RectBivariateSpline(*axes, A[:, :, c, j]) for j in range(2)] for c in range(3)]

    def _of_sheets(self, r: Array) -> Array:
        sheets = self._sheets
        A = np.array([[sheets[c][j].ev(*r.T) for j in range(2)] for c in range(3)])
        DA = np.stack([sheets[c][1].ev(*r.T, dx=1) - sheets[c][0].ev(*r.T, dy=1) for c in range(3)], axis=1)
        DA += bracket(A[:, 0].T, A[:, 1].T)
        if self.frame == "middle":
            return DA[:, None]
        answer = self._response.at(r)
        middle = body_frame("middle", answer.place, answer.swing, self._response.lengths)
        back = _inverse(middle.pose)
        base = carried(FramePose(back, middle.J), DA[:, :, None])
        return np.ascontiguousarray(self._carry(r, answer, base).swapaxes(1, 2))

    # Pictures and files

    @cached_property
    def field(self) -> xr.Dataset:
        """A, metric, curvature and the frame on a grid of postures (`r1`, `r2`), others held at `at`."""
        from limbless.search.studies.connection_field import field_of

        return field_of(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of it."""
        told = []
        if self.medium == "friction":
            told.append(
                "no connection is exact here: A is fitted to velocities, and heights tell signs and rough sizes "
                "alone; displacements by motion are exact"
            )
        if self.medium == "wheels":
            told.append("wheels are taken as ideal: they roll without friction and do not slip sideways")
            if len(self._response.wheels) > 3:
                told.append(
                    f"{len(self._response.wheels)} wheels ask for more than three motions: A slips sideways as little as "
                    "it can, see `slip`"
                )
        if self.shapes.share < 0.9:
            told.append(f"the shapes keep {100.0 * self.shapes.share:.0f} % of the motion's variance")
        size = np.linalg.norm(np.asarray(self.shapes.basis), axis=0)
        unit = np.asarray(self.shapes.basis) / size
        if np.abs(unit.T @ unit - np.eye(self.count)).max() > 0.05:
            told.append("the shapes are not at right angles to each other: equal lengths in the picture are not equal bends")
        return tuple(told)

    def plot(self, kind: str = "height", loop: Stroke | None = None, **options: Any) -> Any:
        """A picture: height, arrows, metric, stretched or frame; `sign="hatton"` turns A and DA."""
        from limbless.search.figure_door import figure_of

        return figure_of(self, kind, loop=loop, **options)

    def save(self, path: str | Path) -> Path:
        """The field as NetCDF, with all that makes it again."""
        from limbless.search.studies.connection_field import save

        return save(self, Path(path))

    @staticmethod
    def load(path: str | Path) -> Connection:
        """A saved connection."""
        from limbless.search.studies.connection_field import load

        return load(Path(path))

    # Loops

    def _moved(self, r: Array, rate: Array) -> tuple[Array, Array | None]:
        """Velocity (S, 3) of the frame, and the power (S,) that the medium takes, where it takes any."""
        if self.medium == "friction":
            answer = self._response.at(r)
            V, spent = self._response.velocity(r, rate)
            moving = self._carry(r, answer, V[:, :, None]) + self._follow(r, answer) @ rate[:, :, None]
            return moving[:, :, 0], spent
        A, answer = self._told(r)
        G = answer.metric
        spent = None if G is None or self.medium == "momentum" else np.einsum("si,sij,sj->s", rate, G, rate)
        return np.einsum("scp,sp->sc", A, rate), spent

    def loop(self, given: Any = "gait") -> Loop:
        """A loop from what a user gives: see `around`."""
        given = self.scenario.gait if isinstance(given, str) and given == "gait" else given
        if isinstance(given, (str, Path)):
            given = _table_of(Path(given), self.count)
        made = loop_of(given, self.shapes, lambda source: _bends(self.scenario, source))
        points, _ = made.at(_SAMPLES)
        low, high = self.region.T
        slack = 1e-6 * (high - low)
        if (points < low - slack).any() or (points > high + slack).any():
            j = int(np.argmax(np.maximum(low - points, points - high).max(axis=0)))
            raise InputError(
                f"loop: it goes from {points[:, j].min():.4g} to {points[:, j].max():.4g} along {self.shapes.names[j]}, "
                f"and the region from {low[j]:.4g} to {high[j]:.4g}; give a larger region"
            )
        return made

    def around(self, given: Any = "gait", area: bool = True) -> Stroke:
        """What one turn of a loop does, by motion and by area.

        Parameters
        ----------
        given : `gait` (the scenario's own), a gait, result or film; a Fourier table {mean, cos, sin}; points (N, p) at
            equal times; a function of the phase in [0, 1); the path of a text file of points.
        area : whether the surface integral is found too.
        """
        if not self.planar:
            raise InputError("around: loops are followed in the plane; set robot.base to planar")
        loop = self.loop(given)
        count, before = max(64, 2 * ((len(loop.table()[1]) + 1) // 2) * 4), None
        most = 128 if self.medium == "friction" else 1024
        while True:
            r, rate = loop.at(count)
            if self.medium == "wheels" and len(self._response.wheels) == 3:
                d = self.denominator(r)
                if d.min() * d.max() <= 0.0:
                    raise InputError(
                        "loop: it crosses postures at which the wheels decide nothing (denominator 0); keep it on one "
                        "side"
                    )
            twist, spent = self._moved(r, rate / loop.period)
            end, path = moved_along(twist * loop.period)
            error = np.inf if before is None else float(np.abs(end - before)[:2].max())
            if error < 1e-9 * self.length or 2 * count > most:
                break
            before, count = end, 2 * count
        z = None
        if area and self.count >= 2:
            z = exponential(enclosed(lambda points: self._curved(points), loop, min(count, 128)))
        work, length, best, timed = self._costs(loop, r, rate, spent, end)
        off = 0.0
        if self.medium == "friction":
            off = float(self._fitted(r[:: max(len(r) // 16, 1)])[1].mean())
        return Stroke(
            loop,
            self.shapes,
            end,
            z,
            work,
            length,
            best,
            timed,
            error if np.isfinite(error) else 0.0,
            self.frame,
            path,
            off,
            self.scenario,
        )

    def _costs(
        self, loop: Loop, r: Array, rate: Array, spent: Array | None, end: Array
    ) -> tuple[float | None, float | None, float | None, float | None]:
        """Work, metric length, and efficiency at constant power and as timed."""
        if spent is None:
            return None, None, None, None
        work, distance = float(spent.mean()) * loop.period, float(np.hypot(*end[:2]))
        force = self._towed(end)
        if self.medium == "friction":
            efficient = force * distance / work
            return work, None, efficient, efficient
        length = float(np.sqrt(np.maximum(spent, 0.0)).mean()) * loop.period
        towed = force * distance**2 / loop.period
        return work, length, towed * loop.period / length**2, towed / work

    def _towed(self, end: Array) -> float:
        """Force (N) of towing the body, held at the middle of the region, along the axis of the frame that it went
        along, at 1 m/s."""
        r = self.region.mean(axis=1)[None]
        angle = sum(float(frame.pose[0, 2]) for frame in self._frames(r, self._response.at(r)))
        angle += 0.5 * np.pi if abs(end[1]) > abs(end[0]) else 0.0
        return self._response.tow(r[0], np.array([np.cos(angle), np.sin(angle)]))

    def optimum(
        self,
        aim: str = "efficiency",
        harmonics: int = 5,
        within: float | Sequence[float] | None = None,
        starts: int = 4,
        seed: int | None = None,
    ) -> Stroke:
        """The best closed loop: see `best_loop.best_loop`."""
        from limbless.search.studies.best_loop import best_loop

        return best_loop(self, aim, harmonics, within, starts, seed)

    def __repr__(self) -> str:
        shapes = ", ".join(self.shapes.names)
        return f"<Connection of {self.scenario.robot.build().name}: {self.medium}, {shapes}, frame {self.frame}>"


def _inverse(pose: Array) -> Array:
    """Poses (S, 3) of the old frames in the new ones."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    x, y = pose[:, 0], pose[:, 1]
    return np.stack([-(c * x + s * y), s * x - c * y, -pose[:, 2]], axis=1)


def _table_of(path: Path, count: int) -> Array:
    """Points of a text file, one row each."""
    from limbless.control.gaits.gait_table import rows_of

    try:
        return rows_of((), str(path), "loop", "postures")[:, -count:]
    except ValueError as error:
        raise InputError(f"loop: {error}") from None


def _refuse_frame(frame: str, planar: bool) -> None:
    if frame not in FRAMES:
        raise InputError(f"frame: one of {', '.join(FRAMES)}; got {frame!r}")
    if not planar and frame != "base":
        raise InputError(f"frame: a free base is told in its own frame; set robot.base to planar for {frame!r}")


def _gait_of(source: Any) -> Any:
    """The gait of a film; of anything else itself."""
    if hasattr(source, "midline") and hasattr(source, "scenario"):
        return source.scenario().gait
    return source


def _bends(scenario: Scenario, source: Any) -> tuple[Array, float]:
    """Bends (N, stations) of a robot over one period of a gait, result or film, and the period (s)."""
    robot, source = scenario.robot.build(), _gait_of(source)
    if hasattr(source, "dataset") and hasattr(source, "scenario"):
        period = source.scenario.gait.cycle
        if not period or "joint_position" not in source.dataset:
            raise InputError("loop: this result has no joints that repeat themselves; give its gait, or points")
        time = source.dataset["time"].values
        wanted = time[-1] - period + period * np.arange(_SAMPLES) / _SAMPLES
        if wanted[0] < time[0] - 1e-9:
            raise InputError(f"loop: the result lasts {time[-1]:g} s, less than a period of {period:g} s; run it longer")
        from scipy.interpolate import make_interp_spline

        return make_interp_spline(time, source.dataset["joint_position"].values, k=5)(wanted), period
    if not isinstance(source, Gait):
        raise InputError(
            f"loop: give gait, points (N, p), a Fourier table, a function of the phase, a result or a film; got "
            f"{source!r:.60}"
        )
    steady = source.changed(**{name: 0.0 for name in source.start_fields if getattr(source, name)})
    period = steady.cycle
    if not period:
        raise InputError(f"loop: the gait {steady.kind!r} does not repeat itself; give its period, or points of a loop")
    times = period * np.arange(_SAMPLES + 1) / _SAMPLES
    if isinstance(robot, Rod):
        bends = rod_strain(robot, steady, times, _nodes(scenario, robot)).value[..., 5]
    else:
        bends = joint_motion(robot, steady, times).position
    gap = float(np.abs(bends[-1] - bends[0]).max())
    if gap > 1e-6 * max(float(np.abs(bends).max()), 1e-9):
        raise InputError(
            f"loop: after one period of {period:g} s the gait {steady.kind!r} is elsewhere (by {gap:.2g}), so that it "
            "is no loop"
        )
    return bends[:-1], period


def _nodes(scenario: Scenario, rod: Rod) -> Array:
    from limbless.models.rod.panel_mesh import make_mesh

    cells = getattr(scenario.model, "cells", 64)
    return make_mesh(rod.length, cells, getattr(scenario.model, "breaks", ())).X


def connection(
    source: str | Path | Scenario | Robot | Preset | Any,
    environment: Environment | Sequence[Environment] | None = None,
    *,
    shapes: Any = None,
    joints: Sequence[int] | None = None,
    region: Any = None,
    frame: str = "minimum",
    slice: tuple[int, int] = (0, 1),
    at: ArrayLike | None = None,
    weight: Callable[[Array], Array] | None = None,
    allow_code: bool = False,
) -> Connection:
    """The local connection of a robot: which velocity of its body a change of shape makes.

    Parameters
    ----------
    source : a scenario (name, file or description), or a robot beside an `environment`.
    shapes : `joints`, `waves N`, `Shapes`, or an array (stations, p); the principal components of the scenario's own
        gait if absent. `joints` names some joints by number.
    region : half width about 0, or (low, high) of each shape: where pictures, areas and frames are found. 1.25 times the
        gait's own loop if absent, else a quarter turn per joint.
    frame : base, middle, mean or minimum (coordinates of minimum perturbation).
    slice, at : of more than two shapes, the two that pictures show, and where the others stand.
    weight : how much a posture counts in the frame of minimum perturbation: a function of postures (S, p).
    """
    scenario = _scenario_of(source, environment, allow_code)
    robot = scenario.robot.build()
    if not isinstance(robot, Chain | Rod):
        raise InputError(f"a map is of a chain or a rod; {type(robot).__name__} has no shapes that a gait gives")
    _refuse_model(scenario, robot)
    planar = robot.base == "planar"
    _refuse_frame(frame, True)
    wrong_environment(scenario.environment, planar)
    made = _shapes_of(scenario, robot, shapes, joints)
    basis, rest, height = np.asarray(made.basis), np.asarray(made.rest), float(scenario.initial.position[2])
    answer: ChainResponse | RodResponse
    if isinstance(robot, Rod):
        settings = RodResponse.settings(scenario.model, bool(scenario.environment))
        answer = RodResponse(robot, scenario.environment, settings, basis, rest, height)
    else:
        answer = ChainResponse(robot, scenario.environment, basis, rest, height)
    if getattr(scenario.model, "inertia", True) and answer.medium in ("drag", "friction") and environment is None:
        raise InputError(
            "model.inertia: with inertia and drag a motion depends on its past, and has no map; set model.inertia to "
            "false (newton-euler, macro-continuous)"
        )
    where = _region_of(scenario, made, region, isinstance(robot, Rod))
    p = len(where)
    plane = tuple(int(k) for k in slice)
    if p >= 2 and (len(plane) != 2 or plane[0] == plane[1] or not all(0 <= k < p for k in plane)):
        raise InputError(f"slice: name two of the {p} shapes by number, from 0; got {slice}")
    if p > 3 and frame == "minimum":
        frame = "mean"
    held = None if at is None else np.asarray(at, dtype=np.float64)
    if held is not None and held.shape != (p,):
        raise InputError(f"at: give {p} numbers, one for each shape; got {at!r:.60}")
    return Connection(scenario, made, answer, where, frame if planar else "base", plane, held, weight)  # type: ignore[arg-type]


def _scenario_of(source: Any, environment: Any, allow_code: bool) -> Scenario:
    if isinstance(source, Robot | Preset):
        items = () if environment is None else environment
        items = (items,) if isinstance(items, Environment) else tuple(items)
        rod = isinstance(source.build(), Rod)
        still = not items or any(item.role == "friction" for item in items)
        return Scenario(
            name="map",
            robot=source,
            gait={"kind": "curvature-wave" if rod else "serpenoid", "amplitude": 0.0},
            environment=items,
            model={"kind": "macro-continuous" if rod else "newton-euler", "inertia": still},
        )
    if environment is not None:
        raise InputError("environment: a scenario has its own; give it beside a robot alone")
    if hasattr(source, "midline") and hasattr(source, "scenario"):
        source = source.scenario()
    return Scenario.load(source, allow_code=allow_code)


def _refuse_model(scenario: Scenario, robot: Chain | Rod) -> None:
    if scenario.model.kind in ("soft", "tendon-statics"):
        raise InputError(
            f"model.kind: in {scenario.model.kind!r} forces bend the body, so that no gait gives its shapes; set it to "
            "newton-euler or macro-continuous, with inertia: false"
        )
    if robot.base not in ("planar", "free"):
        raise InputError(f"robot.base: {robot.base!r} holds the base, so that nothing moves it; set it to planar")


def _shapes_of(scenario: Scenario, robot: Chain | Rod, shapes: Any, joints: Sequence[int] | None) -> Shapes:
    own = scenario.gait
    if joints is not None and shapes is None:
        shapes = "joints"
    if shapes is None:
        if getattr(own, "cycle", None) is None or scenario.name == "map":
            raise InputError(
                "shapes: there is no gait that repeats itself to take them from; write shapes: joints, waves 1, or "
                "give columns of your own"
            )
        shapes = Shapes.of(own.shapes) if own.kind == "shape-loop" else Shapes.principal(own)
    made = Shapes.of(shapes, joints)

    def postures(source: Any) -> Array:
        return source if isinstance(source, np.ndarray | list) else _bends(scenario, source)[0]

    if isinstance(robot, Rod):
        return made.resolved(_nodes(scenario, robot) / robot.length, "1/m", postures)
    count = robot.freedoms
    made = made.resolved(np.arange(1, count + 1) / (count + 1), "rad", postures)
    aside = [k for k, (turn, _) in enumerate(turns(robot)) if turn != "yaw"]
    bent = np.abs(np.asarray(made.basis)[aside]).sum() + np.abs(np.asarray(made.rest)[aside]).sum()
    if robot.base == "planar" and bent > 0.0:
        raise InputError(
            f"shapes: joint {robot.joint_names[aside[0]]!r} does not turn about the vertical, and a planar map has no "
            "place for it; leave it out of the shapes (joints=[..]), or set robot.base to free"
        )
    return made


def _region_of(scenario: Scenario, shapes: Shapes, region: Any, rod: bool) -> Array:
    p = np.asarray(shapes.basis).shape[1]
    if region is None:
        try:
            points = shapes.coordinates(_bends(scenario, scenario.gait)[0])[0]
            low, high = points.min(axis=0), points.max(axis=0)
            if (high - low).min() > 1e-9:
                return np.stack([0.5 * (low + high) + side * 0.625 * (high - low) for side in (-1.0, 1.0)], axis=1)
        except InputError:
            pass
        size = np.abs(np.asarray(shapes.basis)).max(axis=0)
        half = 0.5 * np.pi / size * (1.0 if not rod else 2.0 / scenario.robot.build().length)
        return np.stack([-half, half], axis=1)
    try:
        given = np.asarray(region, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.zeros(3)
    if given.ndim == 0:
        given = np.tile([-given, given], (p, 1))
    if given.shape != (p, 2) or not np.isfinite(given).all() or (given[:, 1] <= given[:, 0]).any():
        raise InputError(
            f"region: give a half width above 0, or (low, high) for each of the {p} shapes ({shapes.unit}); got {region!r:.60}"
        )
    return given
