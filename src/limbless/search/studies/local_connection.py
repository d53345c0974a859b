"""The connection at postures: in the base frame by what the robot answers, then carried to the frame that is told.

Where a medium is not linear there is no connection: one is fitted to velocities along some directions, with its misfit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from limbless.control.gaits.shape_basis import Shapes
from limbless.core import Array, InputError
from limbless.models.shape_response import ChainResponse, Response, RodResponse
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.shape_frames import FRAMES, FramePose, MinimumFrame, body_frame, carried
from limbless.search.studies.strokes import pairs_of

STENCIL = ((1.0, 0.75), (2.0, -0.15), (3.0, 1.0 / 60.0))
"""Differences of sixth order: steps, and weights of the two sides."""
SINGULAR = 1e-12
"""Denominator of three wheels below which they decide nothing: rounding."""


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


class LocalConnection:
    """What a `Connection` knows of single postures."""

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

    def _points(self, r: ArrayLike, what: str = "r") -> tuple[Array, tuple[int, ...]]:
        try:
            given = np.asarray(r, dtype=np.float64)
        except (TypeError, ValueError):
            given = np.full((1, 0), np.nan)
        given = given[None] if given.ndim == 0 else given
        if given.shape[-1] != self.count or not np.isfinite(given).all():
            raise InputError(
                f"{what}: give {self.count} finite numbers ({', '.join(self.shapes.names)}, {self.shapes.unit}) for "
                f"each posture; got {r!r:.60}"
            )
        return np.ascontiguousarray(given.reshape(-1, self.count)), given.shape[:-1]

    def _at(self, r: Array, near: bool = False) -> tuple[Array, Response]:
        """A (S, 3 or 6, p) in the base frame, and the response; `near`: something large at singular postures."""
        answer = self._response.at(r)
        if self.medium == "friction":
            return self._fit_base(r)[0], answer
        if answer.wheels is None:
            return answer.A, answer
        numerator, d = self._wheeled(answer.wheels)
        if not near and np.abs(d).min() < SINGULAR:
            raise InputError(
                f"r: at {np.round(r[np.abs(d).argmin()], 6).tolist()} the wheels decide nothing (a singular posture: "
                "their axles meet in one point or are parallel); keep away from it"
            )
        return numerator / np.where(np.abs(d) < SINGULAR, SINGULAR, d)[:, None, None], answer

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
        whole = weighed @ b
        size = np.sqrt(np.maximum(np.einsum("sii->si", whole), 1e-300))
        lost = np.abs(np.linalg.det(whole / (size[:, :, None] * size[:, None, :]))) < SINGULAR
        A = -np.linalg.pinv(whole, hermitian=True) @ (weighed @ s)
        return A * np.where(lost, SINGULAR, 1.0)[:, None, None], np.where(lost, 0.0, 1.0)

    def _determinant(self, r: Array) -> Array:
        """(S,) of three ideal wheels: 0 where they decide nothing."""
        C = self._response.at(r).wheels
        if C is None or C.shape[1] != 3:
            raise InputError("denominator: three ideal wheels have one, and nothing else")
        return np.asarray(np.linalg.det(C[:, :, :3]))

    @cached_property
    def odd(self) -> bool:
        """Whether going backwards along a loop undoes it."""
        if self.medium != "friction":
            return True
        # at a posture and a rate without symmetry: a straight body answers alike to both sides
        slant = np.cos(1.0 + 1.7 * np.arange(self.count))
        r, u = (self.region.mean(axis=1) + 0.2 * slant * np.ptp(self.region, axis=1))[None], slant[None, ::-1].copy()
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
        return np.einsum("skc,kp->scp", V, u @ np.linalg.inv(u.T @ u)), V

    def _fitted(self, r: Array) -> tuple[Array, Array]:
        """The fitted A in the frame, and its relative misfit (S,), turning by the length of the body. The misfit is
        that of the middle of the body: a frame of least perturbation leaves little motion to compare with."""
        answer, u = self._response.at(r), self._directions
        A, V = self._fit_base(r)
        moving, fit, scale = V.swapaxes(1, 2), A, np.repeat([1.0, self.length], 3)
        if self.planar:
            middle = body_frame("middle", answer.place, answer.swing, self._response.lengths)
            moving, fit = carried(middle, moving) + middle.J @ u.T, carried(middle, A) + middle.J
            scale = scale[1:4]
        left = np.linalg.norm((moving - fit @ u.T) * scale[:, None], axis=(1, 2))
        size = np.linalg.norm(moving * scale[:, None], axis=(1, 2))
        return self._carry(r, answer, A) + self._follow(r, answer), left / np.maximum(size, 1e-300)

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
                return self._determinant(r) ** 2

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
        A, answer = self._at(r, near)
        return self._carry(r, answer, A) + self._follow(r, answer), answer

    def in_frame(self, frame: str) -> Self:
        """The same connection, told in another frame."""
        refuse_frame(frame, self.planar)
        made = type(self)(
            self.scenario, self.shapes, self._response, self.region, frame, self.plane, self.at, self.weight
        )
        for name in ("odd", "_directions", "_minimum", "_sheets"):
            if name in self.__dict__:
                made.__dict__[name] = self.__dict__[name]
        return made

    def _curved(self, r: Array) -> Array:
        """DA (S, pairs, 3 or 6) in the frame."""
        if self.medium == "friction":
            return self._of_sheets(r)
        answer = self._response.at(r)
        return np.ascontiguousarray(self._carry(r, answer, self._bent(*self._slopes(r, answer)[:2])).swapaxes(1, 2))

    def _brackets(self, r: Array) -> Array:
        """[A_i, A_j] (S, pairs, 3) in the frame."""
        A = self._told(r, True)[0]
        return np.stack([bracket(A[:, :, i], A[:, :, j]) for i, j in pairs_of(self.count)], axis=1)

    def _bent(self, A: Array, slopes: Array) -> Array:
        """DA (S, 3 or 6, pairs) in the base frame."""
        return np.stack(
            [
                slopes[:, i, :, j] - slopes[:, j, :, i] + bracket(A[:, :, i], A[:, :, j])
                for i, j in pairs_of(self.count)
            ],
            axis=2,
        )

    def local(self, r: Array) -> tuple[Array, Array, Array | None, Array | None]:
        """A (S, 3, p) and DA (S, pairs, 3) in the frame, the metric (S, p, p) and its slopes (S, p, p, p): all that a
        search needs of S postures, from one set of differences."""
        answer = self._response.at(r)
        A, slopes, metric = self._slopes(r, answer)
        DA = self._carry(r, answer, self._bent(A, slopes)).swapaxes(1, 2)
        return self._carry(r, answer, A) + self._follow(r, answer), DA, answer.metric, metric

    def _slopes(self, r: Array, answer: Response) -> tuple[Array, Array, Array | None]:
        """A (S, 3, p) in the base frame, its slopes (S, p, 3, p) along the shapes and those of the metric."""
        steps = 1e-3 * (self.region[:, 1] - self.region[:, 0])
        moves = [
            (i, side * times, side * weight / steps[i])
            for i in range(self.count)
            for times, weight in STENCIL
            for side in (1.0, -1.0)
        ]
        shifted = np.concatenate([r + times * steps[i] * np.eye(self.count)[i] for i, times, _ in moves])
        around = self._response.at(shifted)
        weight = np.array([[w if own == i else 0.0 for own, _, w in moves] for i in range(self.count)])

        def along(values: Array) -> Array:
            parts = values.reshape(len(moves), len(r), *values.shape[1:])
            return np.asarray(np.einsum("ik,ks...->si...", weight, parts))

        if answer.wheels is None:
            return answer.A, along(around.A), None if around.metric is None else along(around.metric)
        numerator, d = self._wheeled(answer.wheels)
        wheels, other = self._wheeled(np.asarray(around.wheels))
        safe = np.where(np.abs(d) < SINGULAR, SINGULAR, d)[:, None, None]
        A = numerator / safe
        return A, (along(wheels) - along(other)[:, :, None, None] * A[:, None]) / safe[:, None], None

    @cached_property
    def _sheets(self) -> list[list[Any]]:
        """The fitted A of the middle frame over the region as splines: what its curvature is taken from."""
        from scipy.interpolate import RectBivariateSpline

        if self.count != 2:
            raise InputError(f"curvature: a fitted connection has one for two shapes, and there are {self.count}")
        axes = [np.linspace(low, high, 21) for low, high in self.region]
        grid = np.stack([part.ravel() for part in np.meshgrid(*axes, indexing="ij")], axis=1)
        A = self.in_frame("middle")._told(grid)[0].reshape(21, 21, 3, 2)
        return [[RectBivariateSpline(*axes, A[:, :, c, j]) for j in range(2)] for c in range(3)]

    def _of_sheets(self, r: Array) -> Array:
        A = np.array([[sheet.ev(*r.T) for sheet in pair] for pair in self._sheets])
        DA = np.stack([second.ev(*r.T, dx=1) - first.ev(*r.T, dy=1) for first, second in self._sheets], axis=1)
        DA += bracket(A[:, 0].T, A[:, 1].T)
        if self.frame == "middle":
            return DA[:, None]
        answer = self._response.at(r)
        middle = body_frame("middle", answer.place, answer.swing, self._response.lengths)
        base = carried(FramePose(_inverse(middle.pose), middle.J), DA[:, :, None])
        return np.ascontiguousarray(self._carry(r, answer, base).swapaxes(1, 2))

    def _moved(self, r: Array, rate: Array) -> tuple[Array, Array | None]:
        """Velocity (S, 3) of the frame, and the power (S,) that the medium takes, where it takes any."""
        if self.medium == "friction":
            answer = self._response.at(r)
            V, spent = self._response.velocity(r, rate)
            moving = self._carry(r, answer, V[:, :, None]) + self._follow(r, answer) @ rate[:, :, None]
            return moving[:, :, 0], spent
        A, answer = self._told(r)
        moving, G = np.einsum("scp,sp->sc", A, rate), answer.metric
        if G is None or self.medium == "momentum":
            return moving, None
        return moving, np.asarray(np.einsum("si,sij,sj->s", rate, G, rate))


def _inverse(pose: Array) -> Array:
    """Poses (S, 3) of the old frames in the new ones."""
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    x, y = pose[:, 0], pose[:, 1]
    return np.stack([-(c * x + s * y), s * x - c * y, -pose[:, 2]], axis=1)


def refuse_frame(frame: str, planar: bool) -> None:
    if frame not in FRAMES:
        raise InputError(f"frame: one of {', '.join(FRAMES)}; got {frame!r}")
    if not planar and frame != "base":
        raise InputError(f"frame: a free base is told in its own frame; set robot.base to planar for {frame!r}")
