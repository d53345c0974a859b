"""The best closed loop of shapes for an aim: SLSQP on Fourier coefficients, with exact slopes.

The first variation of holonomy is dg g⁻¹ = ∫ Ad_g DA(dr, r') dt + Ad_g(T) A(r0) dr0 - A(r0) dr0: one pass along the
loop, no adjoint equation. Three bounds keep the answer meaningful: joints stay `within`, there is no net turn (with
one, distance would depend on the frame) unless turning is the aim, and a loop for distance winds once about its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.search.studies.strokes import Loop, Stroke, carried_to_start, moved_along, pairs_of, way_of

if TYPE_CHECKING:
    from limbless.search.studies.connection import Connection

AIMS = ("efficiency", "distance", "x", "y", "turn")
POINTS = 64
LEGS = 4
"""How often a search may begin anew where it got to: twice, and where it crossed a bound that was not held."""
FINE = 32
"""Points for each harmonic at which bounds are kept: between them a loop exceeds no more than 1/cos(π/32) of them."""
WITHIN = 2.5
"""Largest bend of a joint, rad: beyond it links overlap."""


def fourier_basis(harmonics: int, points: int) -> Array:
    """(points, 1 + 2 harmonics) columns at equal times: mean, cos, sin; the same for every shape."""
    phase = 2.0 * np.pi * np.outer(np.arange(points) / points, np.arange(1, harmonics + 1))
    return np.hstack([np.ones((points, 1)), np.cos(phase), np.sin(phase)])


class LoopProblem:
    """Displacement and metric length of a loop, and their slopes along its Fourier coefficients."""

    def __init__(self, connection: Connection, harmonics: int, points: int = POINTS) -> None:
        self.connection, self.count, self.harmonics = connection, connection.count, harmonics
        k = 2.0 * np.pi * np.arange(1, harmonics + 1)
        self.basis = fourier_basis(harmonics, points)
        _, cos, sin = np.split(self.basis, [1, 1 + harmonics], axis=1)
        self.slope = np.hstack([np.zeros((points, 1)), -k * sin, k * cos])
        self._last: tuple[bytes, Any] | None = None

    def coefficients(self, loop: Loop) -> Array:
        """A loop as a row of numbers."""
        mean, cos, sin = loop.table(self.harmonics)
        full = np.zeros((1 + 2 * self.harmonics, self.count))
        full[0], full[1 : 1 + len(cos)], full[1 + self.harmonics : 1 + self.harmonics + len(sin)] = mean, cos, sin
        return full.ravel()

    def loop(self, x: Array) -> Loop:
        table = x.reshape(-1, self.count)
        return Loop.of_table(table[0], table[1 : 1 + self.harmonics], table[1 + self.harmonics :])

    def postures(self, x: Array) -> tuple[Array, Array]:
        """r and r' (N, p) at equal times."""
        table = x.reshape(-1, self.count)
        return self.basis @ table, self.slope @ table

    def evaluate(self, x: Array) -> tuple[Array, Array, float, Array]:
        """Pose (3,) after one turn, its slopes (3, n), metric length and its slopes (n,)."""
        key = x.tobytes()
        if self._last is None or self._last[0] != key:
            self._last = (key, self._evaluate(x))
        return self._last[1]  # type: ignore[no-any-return]

    def _evaluate(self, x: Array) -> tuple[Array, Array, float, Array]:
        r, rate = self.postures(x)
        A, DA, G, dG = self.connection.local(np.ascontiguousarray(r))
        twist = np.einsum("scp,sp->sc", A, rate)
        end, _ = moved_along(twist)
        count, n = len(r), len(x)
        # DA(dr, r') for a change of one shape alone: (N, 3, p)
        swept = np.zeros((count, 3, self.count))
        for pair, (i, j) in enumerate(pairs_of(self.count)):
            swept[:, :, i] += DA[:, pair] * rate[:, j, None]
            swept[:, :, j] -= DA[:, pair] * rate[:, i, None]
        weights, values = carried_to_start(way_of(twist), swept)
        plane = np.einsum("ws,sk,swp->kp", weights, self.basis, values).ravel()
        turn = np.einsum("sk,sp->kp", self.basis, swept[:, 2]).ravel() / count
        change = np.stack([np.real(plane), np.imag(plane), turn])
        at_start = np.einsum("cp,k->ckp", A[0], self.basis[0]).reshape(3, n)
        ce, se = np.cos(end[2]), np.sin(end[2])
        change += (
            np.stack(
                [
                    ce * at_start[0] - se * at_start[1] + end[1] * at_start[2],
                    se * at_start[0] + ce * at_start[1] - end[0] * at_start[2],
                    at_start[2],
                ]
            )
            - at_start
        )
        slopes = np.stack([change[0] - change[2] * end[1], change[1] + change[2] * end[0], change[2]])
        if G is None or dG is None:
            return end, slopes, 0.0, np.zeros(n)
        power = np.sqrt(np.maximum(np.einsum("si,sij,sj->s", rate, G, rate), 1e-300))
        pull = np.einsum("sij,sj->si", G, rate) / power[:, None]
        lean = 0.5 * np.einsum("sk,sikl,sl->si", rate, dG, rate) / power[:, None]
        growth = (self.slope.T @ pull + self.basis.T @ lean) / count
        return end, slopes, float(power.mean()), growth.ravel()


def best_loop(
    connection: Connection,
    aim: str = "efficiency",
    harmonics: int = 5,
    within: float | Sequence[float] | None = None,
    starts: int = 4,
    seed: int | None = None,
) -> Stroke:
    """The loop of largest `aim` (efficiency, distance, x, y or turn) among those of so many harmonics.

    Parameters
    ----------
    within : largest bend of every station, one number or one each (2.5 rad for joints; for a rod those of the region if
        absent). The region bounds the shapes besides.
    starts : loops to begin with; the best of what they lead to is the answer.
    seed : begin with random loops; without it with ellipses about the middle of the region and the peak of the heights.

    It is the best of the loops found, and no proof that there is no better one.
    """
    _refuse(connection, aim, harmonics, starts)
    # a stroke without net turn goes as far in every frame, and the middle of the body is the quickest one
    told = connection if aim in ("x", "y") else connection.in_frame("middle")
    problem = LoopProblem(told, harmonics)
    limit = _limit(connection, within)
    some = np.random.default_rng(seed)
    begun = (_start(connection, number, None if seed is None else some) for number in range(starts))
    ends = (_climb(problem, aim, problem.coefficients(start), limit) for start in begun)
    found = [best for best in ends if best is not None]
    if not found:
        raise InputError(
            f"optimum: none of {starts} starts led to a loop for {aim!r} that keeps its bounds; widen region or within"
        )
    return connection.around(max(found, key=lambda pair: pair[0])[1])


def _refuse(connection: Connection, aim: str, harmonics: int, starts: int) -> None:
    if aim not in AIMS:
        raise InputError(f"optimum: the aim is one of {', '.join(AIMS)}; got {aim!r}")
    if connection.count < 2 or not connection.planar:
        raise InputError("optimum: a loop needs two shapes or more, of a robot whose base is planar")
    if connection.medium == "friction":
        raise InputError(
            "optimum: what is not linear has no exact slopes; search the gait shape-loop by `ll.optimise`, by runs"
        )
    if aim == "efficiency" and connection.medium != "drag":
        raise InputError(f"optimum: with {connection.medium} a stroke costs no work, so that there is no efficiency")
    if not 1 <= harmonics <= 20 or starts < 1:
        raise InputError(f"optimum: give 1 to 20 harmonics and a start or more; got {harmonics} and {starts}")


def _limit(connection: Connection, within: Any) -> Array:
    """Largest bend (stations,)."""
    basis = np.abs(np.asarray(connection.shapes.basis))
    if within is None:
        most = basis @ np.abs(connection.region).max(axis=1)
        return most if connection.shapes.unit == "1/m" else np.full(len(basis), WITHIN)
    try:
        limit = np.broadcast_to(np.asarray(within, dtype=np.float64), (len(basis),)).copy()
    except (TypeError, ValueError):
        limit = np.zeros(1)
    if not (limit > 0.0).all() or not np.isfinite(limit).all():
        raise InputError(f"within: give the largest bend, above 0, for all or for each of {len(basis)}; got {within!r}")
    return limit


def _start(connection: Connection, number: int, some: np.random.Generator | None) -> Loop:
    """An ellipse to begin with: random, or about the middle and about the peak of the heights, either way."""
    low, high = connection.region.T
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    p = connection.count
    if some is not None:
        size = some.uniform(0.2, 0.6) * half
        cos, sin = some.standard_normal((2, p))
        return Loop.of_table(
            middle + 0.1 * half * some.standard_normal(p), [size * np.tanh(cos)], [size * np.tanh(sin)]
        )
    if number % 4 >= 2:
        trial = np.random.default_rng(number).uniform(-0.5, 0.5, (64, p)) * half + middle
        heights = np.abs(connection.curvature(trial)[:, 0, :2]).max(axis=1)
        middle = trial[int(heights.argmax())]
    turned = 0.25 * np.pi * (1.0 + 2.0 * (number % 2))
    cos, sin = np.zeros(p), np.zeros(p)
    cos[:2], sin[:2] = (np.cos(turned), np.sin(turned)), (-np.sin(turned), np.cos(turned))
    return Loop.of_table(middle, [0.45 * half * cos], [(0.3 + 0.05 * number) * half * sin])


def _climb(problem: LoopProblem, aim: str, x: Array, limit: Array) -> tuple[float, Loop] | None:
    """The value and the loop that a start leads to; None where it keeps no bounds."""
    from scipy.optimize import minimize

    end, _, _, _ = problem.evaluate(x)
    which = {"x": 0, "y": 1, "turn": 2}.get(aim)
    sign = 1.0 if which is None or end[which] >= 0.0 else -1.0
    scale = problem.connection.length

    def value(x: Array) -> tuple[float, Array]:
        end, slopes, length, growth = problem.evaluate(x)
        if which is not None:
            return -sign * float(end[which]) / scale, -sign * slopes[which] / scale
        distance = max(float(np.hypot(end[0], end[1])), 1e-12 * scale)
        along = (end[0] * slopes[0] + end[1] * slopes[1]) / distance
        if aim == "distance":
            return -distance / scale, -along / scale
        return -np.log(distance / length), growth / length - along / distance

    lines, room = _lines(problem, limit)
    held = np.zeros(len(room), dtype=bool)
    held[:: max(len(room) // 64, 1)] = True  # few bounds are met: most of them would cost time alone
    curved = _bounds(problem, aim, x)
    for leg in range(LEGS):
        # loops are flat along their timing, and what the search has learned of their bends misleads it there: it begins
        # anew where it got to, with the bounds that it crossed
        some, own = lines[held], room[held]
        bounds = [{"type": "ineq", "fun": lambda x, a=some, b=own: b + a @ x, "jac": lambda x, a=some: a}, *curved]
        made = minimize(value, x, jac=True, method="SLSQP", constraints=bounds, options={"maxiter": 100, "ftol": 1e-9})
        x, crossed = made.x, room + lines @ made.x < -1e-9
        if (made.success or leg > 0) and not crossed.any():
            break
        held |= crossed
    left = max(
        float(-(room + lines @ x).min()),
        *(float(np.max(np.abs(b["fun"](x)) if b["type"] == "eq" else -b["fun"](x))) for b in curved),
        0.0,
    )
    if left > 1e-6 or not np.isfinite(made.fun) or (aim in ("distance", "x", "y") and _windings(problem, made.x) != 1):
        return None
    return -float(made.fun), problem.loop(made.x)


def _windings(problem: LoopProblem, x: Array) -> int:
    """How often a loop of two shapes goes about its mean in a period: 1, where there are more shapes."""
    if problem.count != 2:
        return 1
    r, _ = problem.postures(x)
    out = r - r.mean(axis=0)
    angle = np.unwrap(np.arctan2(*np.concatenate([out, out[:1]]).T[::-1]))
    return round(abs(angle[-1] - angle[0]) / (2.0 * np.pi))


def _lines(problem: LoopProblem, limit: Array) -> tuple[Array, Array]:
    """Bends within their limits and shapes within the region: room + lines x is not negative."""
    connection, p = problem.connection, problem.count
    B, tight = fourier_basis(problem.harmonics, FINE * problem.harmonics), np.cos(np.pi / FINE)
    shape, rest = np.asarray(connection.shapes.basis), np.asarray(connection.shapes.rest)
    middle, half = connection.region.mean(axis=1), 0.5 * tight * np.ptp(connection.region, axis=1)
    limit = tight * limit
    bends = np.einsum("sk,jp->sjkp", B, shape).reshape(-1, B.shape[1] * p)
    shapes = np.einsum("sk,ip->sikp", B, np.eye(p)).reshape(-1, B.shape[1] * p)
    lines = np.concatenate([-bends, bends, -shapes, shapes])
    rooms = (limit - rest, limit + rest, middle + half, half - middle)
    room = np.concatenate([np.tile(one, len(B)) for one in rooms])
    _, kept = np.unique(np.column_stack([lines, room]), axis=0, return_index=True)  # joints are shapes of their own
    return lines[np.sort(kept)], room[np.sort(kept)]


def _bounds(problem: LoopProblem, aim: str, x: Array) -> list[dict[str, Any]]:
    """No net turn, one winding."""
    p, B, S = problem.count, problem.basis[::2], problem.slope[::2]
    made: list[dict[str, Any]] = []
    if aim != "turn":
        made.append(
            {"type": "eq", "fun": lambda x: problem.evaluate(x)[0][2:3], "jac": lambda x: problem.evaluate(x)[1][2:3]}
        )
    if aim in ("distance", "x", "y") and p == 2:
        r, rate = problem.postures(x)
        out = r - r.mean(axis=0)
        way = 1.0 if float((out[:, 0] * rate[:, 1] - out[:, 1] * rate[:, 0]).mean()) >= 0.0 else -1.0
        inner = B.copy()
        inner[:, 0] = 0.0

        def winding(x: Array) -> Array:
            table = x.reshape(-1, p)
            out, rate = inner @ table, S @ table
            return np.asarray(way * (out[:, 0] * rate[:, 1] - out[:, 1] * rate[:, 0]))

        def winding_slopes(x: Array) -> Array:
            table = x.reshape(-1, p)
            out, rate = inner @ table, S @ table
            first = inner * rate[:, 1:2] - out[:, 1:2] * S
            second = out[:, 0:1] * S - inner * rate[:, 0:1]
            return np.asarray(way * np.stack([first, second], axis=2).reshape(len(B), -1))

        made.append({"type": "ineq", "fun": winding, "jac": winding_slopes})
    return made
