"""Design: the stiffness profile and tendon routing that spend least along a trajectory of the tip, by adjoint
gradients.

Variables: factors on the lateral and vertical stiffness of every vertebra and, if asked for, on the distance from the
axis of every hole of every disk. The consumption (sum of the positive actuator steps along the path, tensions solved so
that the tip stays on the trajectory) is differentiated through the equilibria: at each point the residual r(q, u, p)
and the tip equations are linear in small changes, so one linear solve with the transposed matrix gives the change of
anything that depends on posture and tensions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array, InputError, SimulationError
from limbless.models.statics.equilibrium import Equilibrium
from limbless.robots.tendon_spine import Tendon, TendonSpine

if TYPE_CHECKING:
    from limbless.models.statics.statics_model import TendonStatics
    from limbless.models.statics.tip_following import FollowedPath

# relative, of a hole's distance: chords are cheap and smooth, their derivative by routing is taken by differences
_DIFFERENCE = 1e-6


@dataclass(frozen=True)
class Design:
    """The best design found.

    Attributes
    ----------
    robot : the spine with its new stiffnesses and holes.
    factors : (variables,) by which stiffnesses (lateral of all vertebrae, then vertical) and hole distances (disk by
        disk) were multiplied.
    before, after : consumption along the trajectory, J.
    evaluations : consumptions computed on the way.
    """

    robot: TendonSpine = field(repr=False)
    factors: Array
    before: float
    after: float
    evaluations: int

    @property
    def saved(self) -> float:
        """Part of the consumption that is saved, 0 to 1."""
        return 1.0 - self.after / self.before


def spending(found: FollowedPath) -> tuple[float, Array, Array]:
    """Positive work of the actuators along a trajectory (J), and its derivatives by the tensions and by the lengths of
    all tendons at each point (points, tendons).
    """
    tension, length = found.tension, np.array([one.tendon_length for one in found.equilibria])
    mean, change = 0.5 * (tension[1:] + tension[:-1]), np.diff(length, axis=0)
    steps = -(mean * change).sum(axis=1)
    paid = (steps > 0.0)[:, None]
    by_tension, by_length = np.zeros_like(tension), np.zeros_like(length)
    by_tension[1:] -= 0.5 * paid * change
    by_tension[:-1] -= 0.5 * paid * change
    by_length[1:] -= paid * mean
    by_length[:-1] += paid * mean
    return float(np.maximum(steps, 0.0).sum()), by_tension, by_length


def multipliers(
    model: TendonStatics, one: Equilibrium, tension: Array, by_tension: Array, by_length: Array, follow: Sequence[str]
) -> Array:
    """By how much by_tension . tension + by_length . length changes per unit of each equation of an equilibrium whose
    tip is held on its target: first the balance of every unknown (a stop: its angle), then the followed components.
    """
    _, J, lever = model.levers(one.q)
    n, k = one.q.size, len(follow)
    per_unknown = model.antagonists.shared(model.antagonists.signed(tension))[1]
    A = np.zeros((n + k, n + k))  # d (residual, tip) / d (q, u)
    A[:n, :n], A[:n, n:], A[n:, :n] = (
        one.hessian,
        lever @ per_unknown,
        J[[COMPONENTS.index(name) for name in follow]],
    )
    held = one.held.ravel()
    A[:n][held] = 0.0
    A[:n, :n][held, held] = 1.0
    right = np.concatenate([lever @ by_length, by_tension @ per_unknown])
    return np.asarray(np.linalg.solve(A.T, right))


class Consumption:
    """Consumption along a trajectory as a function of the design factors, with its gradient.

    Parameters
    ----------
    model : the spine as it is; energy form, no friction, antagonists, tensions at the base.
    targets : (points, components) what `follow` names of the tip, frame of the clamped disk, m and rad.
    routing : whether the holes are variables too; all tendons of a disk share one factor.
    follow : components of the tip, as many as the antagonists have signed tensions.
    """

    def __init__(
        self,
        model: TendonStatics,
        targets: ArrayLike,
        routing: bool = True,
        largest_tension: float = 2.5,
        follow: Sequence[str] = ("y", "z"),
    ) -> None:
        if model.form != "energy" or model.friction_law or model.robot.signed_tensions != len(follow):
            raise InputError(
                "design needs the energy form, no friction and as many signed tensions of antagonists as followed "
                f"components; the robot has {model.robot.signed_tensions} (one per pair, two per triple), "
                f"{len(follow)} are followed"
            )
        self.model, self.targets, self.follow = model, np.atleast_2d(np.array(targets, dtype=np.float64)), tuple(follow)
        self.routing, self.largest = routing, largest_tension
        self.vertebrae = len(model.robot.vertebrae)
        self.size = 2 * self.vertebrae + ((self.vertebrae + 1) if routing else 0)
        self.evaluations = 0

    def robot(self, factors: Array) -> TendonSpine:
        """The spine with these factors."""
        v, base = self.vertebrae, self.model.robot
        lateral, vertical, holes = factors[:v], factors[v : 2 * v], factors[2 * v :]
        stiffer = tuple(
            one.changed(lateral_stiffness=one.lateral_stiffness * a, vertical_stiffness=one.vertical_stiffness * b)
            for one, a, b in zip(base.vertebrae, lateral, vertical, strict=True)
        )
        if not self.routing:
            return base.changed(vertebrae=stiffer)
        moved = [(np.array(tendon.holes) * holes[:, None]).tolist() for tendon in base.tendons]
        tendons = [
            Tendon(name=one.name, anchor=one.anchor, holes=at) for one, at in zip(base.tendons, moved, strict=True)
        ]
        return base.changed(vertebrae=stiffer, tendons=tuple(tendons))

    def __call__(self, factors: Array) -> tuple[float, Array]:
        """Consumption, J, and its gradient (variables,)."""
        self.evaluations += 1
        model = self.model.changed(robot=self.robot(factors))
        found = model.inverse(self.targets, self.follow, largest_tension=self.largest)
        if not found.reached.all():
            raise SimulationError(
                f"point {int(np.argmin(found.reached))} of the trajectory is out of reach of this design"
            )
        value, by_tension, by_length = spending(found)
        gradient = np.zeros(self.size)
        for one, pull, t, l in zip(found.equilibria, found.tension, by_tension, by_length, strict=True):
            gradient += self._adjoint(model, one, pull, t, l, factors)
        return value, gradient

    def _adjoint(
        self,
        model: TendonStatics,
        one: Equilibrium,
        tension: Array,
        by_tension: Array,
        by_length: Array,
        factors: Array,
    ) -> Array:
        """Gradient of by_tension . tension + by_length . length at one point, with the tip held on its target."""
        n, v = one.q.size, self.vertebrae
        multiplier = multipliers(model, one, tension, by_tension, by_length, self.follow)[:n]
        multiplier[one.held.ravel()] = 0.0
        gradient = np.zeros(self.size)
        strain = model.spine.stiffness * (one.q - model.spine.rest)  # d residual / d ln K
        bends = -multiplier.reshape(one.q.shape)[:, :2] * strain[:, :2]
        gradient[: 2 * v] = bends.T.ravel() / factors[: 2 * v]
        if self.routing:
            gradient[2 * v :] = self._by_routing(model, one, tension, by_length, multiplier) / factors[2 * v :]
        return gradient

    def _by_routing(
        self, model: TendonStatics, one: Equilibrium, tension: Array, by_length: Array, multiplier: Array
    ) -> Array:
        """d / d ln(hole distance) of each disk at fixed posture: lengths directly, and the
        residual through the multiplier.
        """

        def value(holes: Array) -> float:
            posture = model.posture_at(one.q, model.spine._replace(holes=holes))
            return float(by_length @ posture.total - multiplier @ (posture.lever @ tension))

        change = np.zeros(self.vertebrae + 1)
        for disk in range(len(change)):
            above, below = model.spine.holes.copy(), model.spine.holes.copy()
            above[disk] *= 1.0 + _DIFFERENCE
            below[disk] *= 1.0 - _DIFFERENCE
            change[disk] = (value(above) - value(below)) / (2.0 * _DIFFERENCE)
        return change


def improve(
    model: TendonStatics,
    targets: ArrayLike,
    *,
    routing: bool = True,
    least: float = 0.5,
    most: float = 1.2,
    keep_compliance: bool = True,
    largest_tension: float = 2.5,
    steps: int = 60,
    follow: Sequence[str] = ("y", "z"),
) -> Design:
    """The design that spends least along a trajectory.

    Parameters
    ----------
    targets : (points, components) what `follow` names of the tip, frame of the clamped disk, m and rad.
    routing : whether tendons may run nearer to or farther from the axis at each disk (within the disks).
    least, most : bounds on the factors of stiffness and of hole distance.
    keep_compliance : hold the sums of the stiffnesses (lateral and vertical) as they are: a softer spine is always
        cheaper to bend.
    steps : iterations at most.
    """
    from scipy.optimize import minimize

    consumption = Consumption(model, targets, routing, largest_tension, follow)
    ones, v = np.ones(consumption.size), consumption.vertebrae
    before, _ = consumption(ones)
    scale = max(before, 1e-12)
    reach = max(np.hypot(*place) for tendon in model.robot.tendons for place in tendon.holes)
    widest = min(most, model.robot.disk_radius / reach) if reach > 0.0 else most
    bounds = [(least, most)] * (2 * v) + [(least, widest)] * (consumption.size - 2 * v)
    constraints = []
    if keep_compliance:
        for number, name in enumerate(("lateral_stiffness", "vertical_stiffness")):
            share = np.zeros(consumption.size)
            share[number * v : (number + 1) * v] = model.robot.values(name) / model.robot.values(name).sum()
            constraints.append(
                {"type": "eq", "fun": lambda x, share=share: share @ x - 1.0, "jac": lambda x, share=share: share}
            )

    def scaled(x: Array) -> tuple[float, Array]:
        value, gradient = consumption(x)
        return value / scale, gradient / scale

    found = minimize(
        scaled,
        ones,
        jac=True,
        bounds=bounds,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": steps, "ftol": 1e-9},
    )
    best = np.clip(found.x, [low for low, _ in bounds], [high for _, high in bounds])
    after, _ = consumption(best)
    if after > before:
        best, after = ones, before
    return Design(consumption.robot(best), best, before, after, consumption.evaluations)
