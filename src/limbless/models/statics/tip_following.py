"""Tensions for given tips: antagonists by one Newton iteration on posture and tensions,
everything else by optimisation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array, InputError
from limbless.mechanics.statics import inverse_statics as spine_following
from limbless.models.statics.equilibrium import Equilibrium
from limbless.models.statics.nearest_reachable import Miss, approach
from limbless.models.statics.tension_choice import MET, REACHED, Chooser, difference
from limbless.models.tendon_statics import Prefer

if TYPE_CHECKING:
    from limbless.models.statics.statics_model import TendonStatics


_STEPS = 100  # Newton iterations per point
_SUBSTEPS = 16  # of a first target that cannot be reached at once from rest


@dataclass(frozen=True)
class FollowedPath:
    """Tensions along a trajectory of the tip.

    Attributes
    ----------
    equilibria : one per point.
    tension : (points, tendons) N, at the place that the model's `tension_at` says.
    target, tip : (points, followed components), m and rad, frame of the clamped disk.
    error : (points,) distance between their places, m; at points out of reach the smallest that the bounds allow.
    angle_error : (points,) and between their angles, rad; one radian counts there as much as the length of the spine.
    reached : (points,) whether the errors are rounding. It says nothing of a wanted stiffness: see `wish_met`.
    stiffness : (points,) stiffness of the tip along the wanted direction, N/m, where one was wanted; None elsewhere.
    wish_met : (points,) whether that is within 1 % of what was wanted (true where nothing was).
    """

    equilibria: list[Equilibrium] = field(repr=False)
    tension: Array = field(repr=False)
    target: Array = field(repr=False)
    tip: Array = field(repr=False)
    error: Array = field(repr=False)
    angle_error: Array = field(repr=False)
    reached: NDArray[np.bool_] = field(repr=False)
    stiffness: Array | None = field(repr=False)
    wish_met: NDArray[np.bool_] = field(repr=False)


def components_and_targets(follow: Sequence[str], targets: ArrayLike) -> tuple[list[int], Array]:
    """Numbers of the components that are followed, and where they are to go (points, components)."""
    names = list(follow)
    if not names or any(name not in COMPONENTS for name in names) or len(set(names)) < len(names):
        raise InputError(f"follow: name each of {', '.join(COMPONENTS)} at most once, and at least one; got {names}")
    wanted = np.atleast_2d(np.array(targets, dtype=np.float64))
    if wanted.ndim != 2 or wanted.shape[1] != len(names) or not np.isfinite(wanted).all():
        raise InputError(
            f"targets must be finite numbers of shape (points, {len(names)}) for components {names}; got {wanted.shape}"
        )
    return [COMPONENTS.index(name) for name in names], wanted


class TipFollower:
    """Follows a trajectory, point after point, from rest or from given tensions."""

    def __init__(
        self,
        model: TendonStatics,
        rows: list[int],
        largest: float,
        prefer: Prefer,
        stiffness: float | None,
        direction: ArrayLike | None,
    ) -> None:
        self.model, self.rows, self.prefer, self.antagonists = model, rows, prefer, model.antagonists
        if not np.isfinite(largest) or largest <= 0.0:
            raise InputError(f"largest_tension must be greater than 0 N; got {largest}")
        if prefer not in ("antagonists", "tension", "work", "stiffness"):
            raise InputError(f"prefer must be antagonists, tension, work or stiffness; got {prefer!r}")
        self.largest = float(largest)
        if prefer == "antagonists" and self.antagonists.unknowns != len(rows):
            raise InputError(
                f"{len(rows)} tip components need as many signed tensions, one per antagonist pair and two per triple; "
                f"the robot has {self.antagonists.unknowns}: choose other components (`follow`), or prefer 'tension', "
                "'work' or 'stiffness'"
            )
        self.smooth = (
            model.form == "energy" and not model.friction_law and not model._dead[2].any() and not model._at_tip
        )
        if prefer != "antagonists" and not self.smooth:
            raise InputError(
                "prefer 'tension', 'work' and 'stiffness' need the energy form without friction and without a tip "
                "moment"
            )
        self.angles = np.array([row >= 3 for row in rows])
        # m/rad: makes angles comparable with distances
        self.weight = np.where(self.angles, model.spine.length.sum(), 1.0)
        self.chooser = Chooser(self, stiffness, direction) if prefer != "antagonists" else None

    def follow(self, targets: Array, start: ArrayLike | None, kept: list[Equilibrium]) -> FollowedPath:
        """All points; `kept` receives the equilibria as they are found."""
        tensions: list[Array] = []
        q, tension, held = self._beginning(start)
        rest, previous = (q, tension), None
        guess = None if self.smooth else self._guess(targets, start)
        while len(tensions) < len(targets):
            point = len(tensions)
            if self.prefer == "antagonists" and self.smooth:
                left = targets[point:]
                # what is out of reach from here is perhaps not out of reach from rest
                if self._quickly(left, q, tension, kept, tensions) or self._quickly(left, *rest, kept, tensions):
                    q, tension = kept[-1].q, tensions[-1]
                    continue
            if self.chooser is not None:
                found, tension = self.chooser.choose(targets[point], tension, q, previous)
            elif guess is not None:
                near = guess.equilibria[point]
                found, tension = self.nearest(
                    targets[point], guess.tension[point], near.q, np.sign(held - near.tendon_length)
                )
            else:
                found, tension = self.nearest(targets[point], tension, q, np.ones(self.model.tendons))
            kept.append(found)
            tensions.append(tension)
            q, previous, held = found.q, found, found.tendon_length
        return self._following(targets, kept, np.array(tensions))

    def _following(self, targets: Array, kept: list[Equilibrium], tension: Array) -> FollowedPath:
        tip = np.array([self.tip(one) for one in kept])
        miss = difference(tip, targets, self.rows)
        error, angle = (np.linalg.norm(miss[:, which], axis=1) for which in (~self.angles, self.angles))
        stiffness, met = None, np.ones(len(kept), dtype=bool)
        if self.chooser is not None and self.chooser.wanted is not None:
            stiffness = np.array([self.chooser.stiffness_of(one) for one in kept])
            met = np.abs(stiffness / self.chooser.wanted - 1.0) <= MET
        return FollowedPath(
            kept, tension, targets, tip, error, angle, (error < REACHED) & (angle < REACHED), stiffness, met
        )

    def _guess(self, targets: Array, start: ArrayLike | None) -> FollowedPath | None:
        """The same trajectory without friction, in the energy form: near enough to tell which tendons are pulled and
        which released.
        """
        model = self.model
        if model._dead[2].any():
            return None
        return model.changed(form="energy", friction=0.0, drop_axial=False, tension_at="base").inverse(
            targets, [COMPONENTS[row] for row in self.rows], largest_tension=self.largest, start=start
        )

    def _beginning(self, start: ArrayLike | None) -> tuple[Array, Array, Array]:
        """Posture, tensions and lengths from which to go on: at rest, or at given tensions reached in steps."""
        model = self.model
        rest = model.solve(np.zeros(model.tendons), slip=0.0)
        if start is None:
            return rest.q, np.zeros(model.tendons), rest.tendon_length
        tension = model.command(start, None)
        last = model.path(np.linspace(0.0, 1.0, _SUBSTEPS)[:, None] * tension, start=rest.q)[-1]
        return last.q, tension, last.tendon_length

    def _quickly(self, targets: Array, q: Array, tension: Array, kept: list[Equilibrium], tensions: list[Array]) -> int:
        """As many points as the compiled Newton iteration answers; a first target that is too
        far is approached in steps.
        """
        model, group = self.model, self.antagonists
        loads, u = model.loads(np.zeros(model.tendons)), group.signed(tension)
        problem, aim = model.problem(loads, limit=_STEPS), group.aim(self.rows, self.largest)

        def go(wanted: Array, q: Array, u: Array) -> tuple[int, Array, Array]:
            posture, pull = np.zeros((len(wanted), *q.shape)), np.zeros((len(wanted), group.unknowns))
            posture[0], pull[0] = q, u
            done = spine_following.solve_inverse(problem, aim, np.ascontiguousarray(wanted), posture, pull)
            return int(done), posture, pull

        done, posture, pull = go(targets, q, u)
        if done == 0:
            here = model.levers(q)[0][self.rows]
            way = here + np.linspace(0.0, 1.0, _SUBSTEPS + 1)[1:, None] * -difference(here, targets[0], self.rows)
            reached, stepped, stepped_pull = go(way, q, u)
            if reached == len(way):
                done, posture, pull = go(targets, stepped[-1], stepped_pull[-1])
        for point in range(done):
            tension = group.shared(pull[point])[0]
            kept.append(model.equilibrium(loads._replace(command=tension), posture[point], 0))
            tensions.append(tension)
        return done

    def tip(self, found: Equilibrium) -> Array:
        """The followed components."""
        return found.tip_components[self.rows]

    def miss(self, found: Equilibrium, target: Array) -> Array:
        """What remains to the target, m: angles times the length of the spine."""
        return np.asarray(self.weight * difference(self.tip(found), target, self.rows))

    def rates(self, found: Equilibrium) -> Array:
        """d miss / d tension (components, tendons), m/N."""
        return np.asarray(self.weight[:, None] * found.components_per_tension[self.rows])

    def nearest(self, target: Array, tension: Array, q: Array, slip: Array) -> tuple[Equilibrium, Array]:
        """The tensions of antagonists within bounds whose tip is nearest to the target; the target
        itself if it can be reached.
        """
        group = self.antagonists
        if all(len(each) == 2 for each in group.groups):
            found, u = self._least(
                target,
                group.signed(tension),
                -self.largest,
                q,
                slip,
                lambda u: group.shared(u)[0],
                lambda u, side: group.shared(np.where(u == 0.0, side, u))[1],
            )
            return found, group.shared(u)[0]
        tried = []
        # a triple has kinks elsewhere than at 0: each face by itself
        for pulling in group.faces(tension):
            found, there = self.within(target, tension, q, slip, pulling)
            tried.append((float(np.linalg.norm(self.miss(found, target))), found, there))
            if tried[-1][0] < REACHED:
                break
        return min(tried, key=lambda one: one[0])[1:]

    def within(
        self, target: Array, tension: Array, q: Array, slip: Array, pulling: NDArray[np.int64]
    ) -> tuple[Equilibrium, Array]:
        """The same where the tendons `pulling` are free, from 0 to the bound, and all others are slack."""
        pick = np.eye(self.model.tendons)[:, pulling]
        found, t = self._least(target, tension[pulling], 0.0, q, slip, lambda t: pick @ t, lambda t, side: pick)
        return found, np.asarray(pick @ t)

    def _least(
        self,
        target: Array,
        x: Array,
        low: float,
        q: Array,
        slip: Array,
        tension: Callable[[Array], Array],
        per_unknown: Callable[[Array, float], Array],
    ) -> tuple[Equilibrium, Array]:
        """Unknowns x within bounds that make the miss least (first-order optimal), and their equilibrium.

        `tension`: of all tendons at x; `per_unknown`: its derivatives (tendons, unknowns) above (side 1) or below (side
        -1) x.
        """
        from scipy.optimize import least_squares

        def at(x: Array) -> Equilibrium:
            return self.model.solve(tension(x), start=q, slip=slip)

        def slope(x: Array) -> Array:
            return np.asarray(1e3 * self.rates(at(x)) @ per_unknown(x, 1.0))

        def whole(x: Array) -> Miss:
            found = at(x)
            up, down = (self.rates(found) @ per_unknown(x, side) for side in (1.0, -1.0))
            return Miss(self.miss(found, target), up, down)

        found = least_squares(
            lambda x: 1e3 * self.miss(at(x), target),
            np.clip(x, low + 1e-9, self.largest - 1e-9),
            jac=slope if self.smooth else "3-point",
            bounds=(low, self.largest),
            xtol=1e-14,
            ftol=1e-14,
            gtol=1e-14,
            max_nfev=200,
            **({} if self.smooth else {"diff_step": 1e-6}),
        )
        best = found.x
        if self.smooth and np.linalg.norm(found.fun) > 1e3 * REACHED:
            best = approach(whole, best, low, self.largest)
        return at(best), best
