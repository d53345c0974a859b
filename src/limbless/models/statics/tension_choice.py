"""Of all tensions that bring the tip to its target those that an aim prefers: least tension or
work, a wanted stiffness.

Tendons in groups of antagonists, one of each always slack, and what can be asked of a tip.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array, InputError, SimulationError
from limbless.mechanics.statics.inverse_statics import share_tensions
from limbless.mechanics.statics.tables import TipTarget
from limbless.models.statics.equilibrium import Equilibrium
from limbless.robots.tendon_spine import TendonSpine

if TYPE_CHECKING:
    from limbless.models.statics.tip_following import TipFollower


REACHED = 1e-9  # m, rad: nearer than this a target counts as reached
MET = 0.01  # of a wanted stiffness: nearer than this it counts as met
_SMALL = 1e-6  # weight of the squared tensions (per N²) that makes a choice unique where the aim leaves it open
_TAUT = 1e-3  # of the largest tension: the least one of a tendon that is to stiffen the tip
_RIGID = 1e-9  # m/N: the least compliance that is told apart from none (a spine on all of its stops)
_MOST_TRIES = 24  # sets of taut tendons that are tried for a wanted stiffness


class Chooser:
    """Chooses tensions for one target after the other."""

    def __init__(self, follower: TipFollower, wanted: float | None, direction: ArrayLike | None) -> None:
        self.follower, self.model, self.prefer, self.largest = (
            follower,
            follower.model,
            follower.prefer,
            follower.largest,
        )
        if self.prefer == "stiffness" and (wanted is None or not wanted > 0.0):
            raise InputError(f"prefer 'stiffness' needs a wanted tip stiffness greater than 0 N/m; got {wanted}")
        self.wanted = wanted if self.prefer == "stiffness" else None
        self.elastic = self.wanted is not None and self.model._elastic is not None
        self._last: tuple[int, ...] | None = None
        along = [row for row in follower.rows if row < 3]
        if self.wanted is not None and direction is None and not along:
            raise InputError("prefer 'stiffness' needs a `direction` where no place of the tip is followed")
        axis = np.eye(3)[along[0] if along else 0] if direction is None else np.asarray(direction, dtype=np.float64)
        if axis.shape != (3,) or not np.isfinite(axis).all() or not axis.any():
            raise InputError(f"direction must be three finite numbers, not all 0; got {axis.tolist()}")
        self.direction = self.model.base_rotation @ (axis / np.linalg.norm(axis))

    def stiffness_of(self, found: Equilibrium) -> float:
        """Of the tip along the wanted direction, N/m: lengths held where tendons are elastic, else tensions."""
        return float(1.0 / max(self.direction @ found.tip_compliance @ self.direction, _RIGID))

    def choose(
        self, target: Array, tension: Array, q: Array, previous: Equilibrium | None
    ) -> tuple[Equilibrium, Array]:
        """The equilibrium and its tensions; the nearest tip where the target is out of reach."""
        m, tried = self.model.tendons, []
        starts = [tension] if self.wanted is None else [tension, np.full(m, 0.5 * self.largest)]
        for taut, begin in product(self._sets(), starts):
            low, high = np.zeros(m), np.full(m, self.largest)
            if taut is not None:
                low[list(taut)] = _TAUT * self.largest
                high[[c for c in range(m) if c not in taut]] = 0.0
            found = self._optimum(
                target, np.clip(begin, np.maximum(low, np.minimum(0.01, high)), high), low, high, q, previous
            )
            if found is not None:
                tried.append((*found, taut))
                if self.wanted is not None and self._amiss(found[0]) <= 0.1 * MET:
                    break
        if tried:
            there, answer, self._last = min(tried, key=lambda one: self._aim(one[0], one[1], previous))
            return there, answer
        there, answer = self.follower.within(
            target, np.clip(tension, 0.01, self.largest), q, np.ones(m), np.arange(m, dtype=np.int64)
        )
        return self._held(there), answer

    def _sets(self) -> Iterator[tuple[int, ...] | None]:
        """Which tendons are taut: those of the point before, all, then fewer. It matters for elastic ones, which
        stiffen as they pull.
        """
        if not self.elastic:
            yield None
            return
        m, least = self.model.tendons, len(self.follower.rows)
        every = (taut for size in range(m, least - 1, -1) for taut in combinations(range(m), size))
        if self._last is not None:
            yield self._last
        for number, taut in enumerate(every):
            if number < _MOST_TRIES and taut != self._last:
                yield taut

    def _held(self, found: Equilibrium) -> Equilibrium:
        return self.model.holding(found) if self.elastic else found

    def _optimum(
        self, target: Array, begin: Array, low: Array, high: Array, q: Array, previous: Equilibrium | None
    ) -> tuple[Equilibrium, Array] | None:
        """Best tensions within bounds that put the tip on its target; None if none were found."""
        from scipy.optimize import minimize

        follower = self.follower

        def at(t: Array) -> Equilibrium:
            return self.model.solve(np.clip(t, low, high), start=q)

        def aim(t: Array) -> float:
            return self._aim(self._held(at(t)), t, previous)

        kept = {
            "type": "eq",
            "fun": lambda t: 1e3 * follower.miss(at(t), target),
            "jac": lambda t: 1e3 * follower.rates(at(t)),
        }
        gradient = (lambda t: self._aim_gradient(at(t), t, previous)) if self.wanted is None else "3-point"
        try:
            found = minimize(
                aim,
                begin,
                jac=gradient,
                bounds=list(zip(low, high, strict=True)),
                constraints=[kept],
                method="SLSQP",
                options={"maxiter": 200, "ftol": 1e-14} if self.wanted is None else {"maxiter": 60, "ftol": 1e-9},
            )
            answer = np.clip(found.x, low, high)
            there = at(answer)
        except SimulationError:
            return None
        return (self._held(there), answer) if np.linalg.norm(follower.miss(there, target)) < 1e-7 else None

    def _amiss(self, found: Equilibrium) -> float:
        """How far the stiffness is from the wanted one, as the logarithm of their ratio: near
        0 the relative difference.
        """
        return float(abs(np.log(self.stiffness_of(found) / (self.wanted or 1.0))))

    def _aim(self, found: Equilibrium, t: Array, previous: Equilibrium | None) -> float:
        small = float(t @ t)
        if self.prefer == "tension":
            return small
        if self.prefer == "work":
            return 1e3 * float(self._positive_work(found, previous).sum()) + _SMALL * small
        return self._amiss(found) ** 2 + _SMALL * small

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
            slope = slope + 1e3 * (
                np.where(paid, 0.5 * pulled, 0.0) - found.length_per_tension.T @ np.where(paid, mean, 0.0)
            )
        return np.asarray(slope)


class Antagonists:
    """The pairs and triples of a robot; a group of g tendons has g - 1 unknowns, its tensions
    less that of its last tendon.
    """

    def __init__(self, robot: TendonSpine) -> None:
        self.groups = robot.antagonists
        self.tendons, self.unknowns = len(robot.tendons), robot.signed_tensions
        self.first = np.cumsum([0, *(len(group) for group in self.groups)]).astype(np.int64)
        self.member = np.array([tendon for group in self.groups for tendon in group], dtype=np.int64)

    def signed(self, tension: Array) -> Array:
        """Unknowns (unknowns,) of given tensions, N."""
        return np.concatenate([np.zeros(0), *(tension[list(group[:-1])] - tension[group[-1]] for group in self.groups)])

    def shared(self, u: Array) -> tuple[Array, Array]:
        """Tensions (tendons,), N, and their derivatives (tendons, unknowns) by the unknowns."""
        tension, rate = np.zeros(self.tendons), np.zeros((self.tendons, self.unknowns))
        share_tensions(self.aim([], np.inf), u, tension, rate)
        return tension, rate

    def aim(self, rows: Sequence[int], largest: float) -> TipTarget:
        """What kernels are asked for: these components of the tip, with tensions up to the largest (N)."""
        return TipTarget(self.first, self.member, np.array(rows, dtype=np.int64), largest)

    def faces(self, tension: Array) -> Iterator[NDArray[np.int64]]:
        """For every choice of one slack tendon in each group: the tendons that may pull. The choice nearest to
        `tension` comes first.
        """
        orders = [sorted(group, key=lambda tendon: (tension[tendon], -group.index(tendon))) for group in self.groups]
        for slack in product(*orders):
            yield np.array([tendon for tendon in self.member if tendon not in slack], dtype=np.int64)


def difference(values: Array, target: Array, rows: list[int]) -> Array:
    """values - target of the components `rows` (.., rows); angles by the shorter way round."""
    apart = np.asarray(values - target)
    angles = np.array([COMPONENTS[row] not in "xyz" for row in rows])
    return np.where(angles, apart - 2.0 * np.pi * np.rint(apart / (2.0 * np.pi)), apart)
