"""Tensions for given tip positions: antagonist pairs by one Newton iteration on posture and tensions, everything else by optimisation."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.errors import InputError, SimulationError
from limbless.mechanics import spine_following
from limbless.models.tendon_statics.nearest import Miss, approach
from limbless.models.tendon_statics.packing import PAPER_AXIS, PAPER_SIGN
from limbless.models.tendon_statics.solution import Equilibrium

if TYPE_CHECKING:
    from limbless.models.tendon_statics.model import TendonStatics

Array = NDArray[np.float64]
Prefer = Literal["antagonists", "tension", "work", "stiffness"]

_STEPS = 100           # Newton iterations per point
_SUBSTEPS = 16         # of a first target that cannot be reached at once from rest
REACHED = 1e-9         # m: nearer than this a target counts as reached
_SMALL = 1e-6          # weight of the squared tensions (per N²) that makes a choice unique where the aim leaves it open


@dataclass(frozen=True)
class Following:
    """Tensions along a trajectory of the tip.

    Attributes
    ----------
    equilibria : one per point.
    tension : (points, tendons) N, at the place that the model's `tension_at` says.
    target, tip : (points, followed components), m, frame of the clamped disk.
    error : (points,) distance between them, m; at points out of reach the smallest that the bounds allow.
    reached : (points,) whether the error is rounding.
    """

    equilibria: list[Equilibrium] = field(repr=False)
    tension: Array = field(repr=False)
    target: Array = field(repr=False)
    tip: Array = field(repr=False)
    error: Array = field(repr=False)
    reached: NDArray[np.bool_] = field(repr=False)


class Follower:
    """Follows a trajectory, point after point, from rest or from given tensions."""

    def __init__(self, model: TendonStatics, rows: list[int], largest: float, prefer: Prefer, stiffness: float | None,
                 direction: ArrayLike | None) -> None:
        self.model, self.rows, self.prefer = model, rows, prefer
        if not np.isfinite(largest) or largest <= 0.0:
            raise InputError(f"largest_tension must be greater than 0 N; got {largest}")
        if prefer not in ("antagonists", "tension", "work", "stiffness"):
            raise InputError(f"prefer must be antagonists, tension, work or stiffness; got {prefer!r}")
        if prefer == "stiffness" and (stiffness is None or not stiffness > 0.0):
            raise InputError(f"prefer 'stiffness' needs a wanted tip stiffness greater than 0 N/m; got {stiffness}")
        self.largest, self.stiffness = float(largest), stiffness
        along = np.eye(3)[rows[0]] if direction is None else np.asarray(direction, dtype=np.float64)
        self.direction = model.base_rotation @ (along / np.linalg.norm(along))
        self.pairs = np.array(model.robot.pairs, dtype=np.int64).reshape(-1, 2)
        if prefer == "antagonists" and len(self.pairs) != len(rows):
            raise InputError(f"{len(rows)} tip components need as many antagonist pairs; the robot has {len(self.pairs)}: "
                             "choose other components (`follow`), or prefer 'tension', 'work' or 'stiffness'")
        self.smooth = model.form == "energy" and not model.friction_law and not model._dead[2].any() and not model._at_tip
        if prefer != "antagonists" and not self.smooth:
            raise InputError("prefer 'tension', 'work' and 'stiffness' need the energy form without friction and without a tip moment")

    def follow(self, targets: Array, start: ArrayLike | None, kept: list[Equilibrium]) -> Following:
        """All points; `kept` receives the equilibria as they are found."""
        tensions: list[Array] = []
        q, u, held = self._beginning(start)
        rest, previous, point = (q, u), None, 0
        guess = None if self.smooth else self._guess(targets, start)
        while point < len(targets):
            if self.prefer == "antagonists" and self.smooth:
                done = self._quickly(targets[point:], q, u, kept, tensions) or self._quickly(targets[point:], *rest, kept, tensions)
                point += done
                if done:
                    q, u = kept[-1].q, self._signed(tensions[-1])
                    continue                                       # the next one is out of reach from here: from rest, perhaps not
            if guess is not None:
                near = guess.equilibria[point]
                q, u, slip = near.q, self._signed(guess.tension[point]), np.sign(held - near.tendon_length)
                found, u = self._nearest(targets[point], u, q, slip, signed=True)
                given = self._unsigned(u)
            elif self.prefer == "antagonists":
                found, u = self._nearest(targets[point], u, q, np.ones(self.model.tendons), signed=True)
                given = self._unsigned(u)
            else:
                found, given = self._chosen(targets[point], u, q, previous)
                u = given
            kept.append(found)
            tensions.append(given)
            q, previous, held = found.q, found, found.tendon_length
            point += 1
        tip = np.array([one.tip_in_base[self.rows] for one in kept])
        error = np.linalg.norm(tip - targets, axis=1)
        return Following(kept, np.array(tensions), targets, tip, error, error < REACHED)

    def _guess(self, targets: Array, start: ArrayLike | None) -> Following | None:
        """The same trajectory without friction, in the energy form: near enough to tell which tendons are pulled and which released."""
        model = self.model
        if model._dead[2].any():
            return None
        names = ["xyz"[row] for row in self.rows]
        return model.changed(form="energy", friction=None, drop_axial=False, tension_at="base").inverse(
            targets, names, largest_tension=self.largest, start=start)

    def _beginning(self, start: ArrayLike | None) -> tuple[Array, Array, Array]:
        """Posture, unknown tensions and lengths from which to go on: at rest, or at given tensions reached in steps."""
        model, m = self.model, self.model.tendons
        rest = model.solve(np.zeros(m), slip=0.0)
        if start is None:
            unknowns = len(self.pairs) if self.prefer == "antagonists" else m
            return rest.q, np.zeros(unknowns), rest.tendon_length
        tension = model.command(start, None)
        last = model.path(np.linspace(0.0, 1.0, _SUBSTEPS)[:, None] * tension, start=rest.q)[-1]
        return last.q, self._signed(tension) if self.prefer == "antagonists" else tension, last.tendon_length

    def _signed(self, tension: Array) -> Array:
        return np.asarray(tension[self.pairs[:, 0]] - tension[self.pairs[:, 1]])

    def _unsigned(self, u: Array) -> Array:
        tension = np.zeros(self.model.tendons)
        tension[self.pairs[:, 0]], tension[self.pairs[:, 1]] = np.maximum(u, 0.0), np.maximum(-u, 0.0)
        return tension

    def _quickly(self, targets: Array, q: Array, u: Array, kept: list[Equilibrium], tensions: list[Array]) -> int:
        """As many points as the compiled Newton iteration answers; a first target that is too far is approached in steps."""
        model, points = self.model, len(targets)
        rows = np.array([PAPER_AXIS[row] for row in self.rows], dtype=np.int64)
        signs = np.array([PAPER_SIGN[row] for row in self.rows])
        loads = model.loads(np.zeros(model.tendons))
        bound = np.full((len(self.pairs), 2), self.largest)
        J, v = np.zeros((3, q.size)), len(q)

        def go(wanted: Array, q: Array, u: Array) -> tuple[int, Array, Array]:
            code = np.zeros(len(wanted), dtype=np.int64)
            posture, pull = np.zeros((len(wanted), v, q.shape[1])), np.zeros((len(wanted), len(self.pairs)))
            posture[0], pull[0] = q, u
            done = spine_following.follow(model.spine, loads, model.stops, self.pairs, rows, np.ascontiguousarray(wanted * signs), bound,
                                          posture, pull, code, model.work, model._r, model._H, model._L, J, _STEPS)
            return int(done), posture, pull

        done, posture, pull = go(targets, q, u)
        if done == 0:
            model.levers(q)
            here = model.work.origin[-1][rows] * signs
            way = here + np.linspace(0.0, 1.0, _SUBSTEPS + 1)[1:, None] * (targets[0] - here)
            reached, stepped, stepped_pull = go(way, q, u)
            if reached == len(way):
                done, posture, pull = go(targets, stepped[-1], stepped_pull[-1])
        for point in range(done):
            tension = self._unsigned(pull[point])
            kept.append(model.equilibrium(loads._replace(command=tension), posture[point], 0))
            tensions.append(tension)
        return min(done, points)

    def _tip(self, found: Equilibrium) -> Array:
        return found.tip_in_base[self.rows]

    def _nearest(self, target: Array, u: Array, q: Array, slip: Array, signed: bool) -> tuple[Equilibrium, Array]:
        """The tensions within bounds whose tip is nearest to the target (first-order optimal); the target itself if it can be reached."""
        from scipy.optimize import least_squares

        def at(u: Array) -> Equilibrium:
            return self.model.solve(self._unsigned(u) if signed else u, start=q, slip=slip)

        def miss(u: Array) -> Array:
            return np.asarray(1e3 * (self._tip(at(u)) - target))

        def rate(u: Array) -> Array:
            return np.asarray(1e3 * self._rates(at(u), u, signed))

        low = -self.largest if signed else 0.0
        jac: Callable[[Array], Array] | str = rate if self.smooth else "3-point"
        inside = np.clip(u, low + 1e-9, self.largest - 1e-9)
        found = least_squares(miss, inside, jac=jac, bounds=(low, self.largest), xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=200,
                              **({} if self.smooth else {"diff_step": 1e-6}))
        best = found.x
        if self.smooth and np.linalg.norm(found.fun) > 1e3 * REACHED:
            best = approach(lambda u: self._miss(at(u), target, u, signed), best, low, self.largest)
        return at(best), best

    def _miss(self, found: Equilibrium, target: Array, u: Array, signed: bool) -> Miss:
        """Way to the target and its rates on both sides of u: where a pair is slack, one tendon pulls above and the other below."""
        up, down = (self._rates(found, np.where(u == 0.0, side, u), signed) for side in (1.0, -1.0))
        return Miss(self._tip(found) - target, up, down)

    def _rates(self, found: Equilibrium, u: Array, signed: bool) -> Array:
        """d tip components / d unknown tensions."""
        per_tension = (self.model.base_rotation.T @ found.tip_per_tension)[self.rows]
        if not signed:
            return np.asarray(per_tension)
        side = (u < 0.0).astype(int)
        return np.asarray(per_tension[:, self.pairs[np.arange(len(u)), side]] * (1.0 - 2.0 * side))

    def _chosen(self, target: Array, tension: Array, q: Array, previous: Equilibrium | None) -> tuple[Equilibrium, Array]:
        """Of all tensions that reach the target, those that the aim prefers."""
        from scipy.optimize import minimize

        def at(t: Array) -> Equilibrium:
            return self.model.solve(np.clip(t, 0.0, self.largest), start=q)

        def aim(t: Array) -> float:
            return self._aim(at(t), t, previous)

        begin = np.clip(tension, 0.01, self.largest)
        kept = {"type": "eq", "fun": lambda t: 1e3 * (self._tip(at(t)) - target), "jac": lambda t: 1e3 * self._rates(at(t), t, False)}
        gradient = (lambda t: self._aim_gradient(at(t), t, previous)) if self.prefer != "stiffness" else "3-point"
        try:
            found = minimize(aim, begin, jac=gradient, bounds=[(0.0, self.largest)] * len(begin), constraints=[kept], method="SLSQP",
                             options={"maxiter": 200, "ftol": 1e-14})
            answer = np.clip(found.x, 0.0, self.largest)
            there = at(answer)
            if np.linalg.norm(self._tip(there) - target) < 1e-7:
                return there, answer
        except SimulationError:
            pass
        return self._nearest(target, begin, q, np.ones(len(begin)), signed=False)

    def _aim(self, found: Equilibrium, t: Array, previous: Equilibrium | None) -> float:
        small = float(t @ t)
        if self.prefer == "tension":
            return small
        if self.prefer == "work":
            return 1e3 * float(self._positive_work(found, previous).sum()) + _SMALL * small
        compliance = float(self.direction @ found.tip_compliance @ self.direction)
        return (1.0 / (compliance * (self.stiffness or 1.0)) - 1.0) ** 2 + _SMALL * small

    def _positive_work(self, found: Equilibrium, previous: Equilibrium | None) -> Array:
        """What each actuator gives from the point before to this one, where it is positive, J."""
        if previous is None:
            return np.zeros(self.model.tendons)
        pulled = previous.tendon_length - found.tendon_length
        return np.maximum(0.5 * (previous.proximal_tension + found.proximal_tension) * pulled, 0.0)

    def _aim_gradient(self, found: Equilibrium, t: Array, previous: Equilibrium | None) -> Array:
        if self.prefer == "tension":
            return 2.0 * t
        slope = 2.0 * _SMALL * t
        if previous is not None:
            pulled = previous.tendon_length - found.tendon_length
            mean = 0.5 * (previous.proximal_tension + found.proximal_tension)
            paid = mean * pulled > 0.0
            slope = slope + 1e3 * (np.where(paid, 0.5 * pulled, 0.0) - found.length_per_tension.T @ np.where(paid, mean, 0.0))
        return np.asarray(slope)
