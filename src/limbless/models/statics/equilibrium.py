"""`Equilibrium`: where a spine comes to rest, with the sensitivities that follow from its stiffness there."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.models.statics.spine_problem import BEND_SIGN, FROM_PAPER, dense

if TYPE_CHECKING:
    from limbless.mechanics.statics.tables import Loads
    from limbless.models.statics.statics_model import TendonStatics


@dataclass(frozen=True)
class Equilibrium:
    """A posture in which all forces balance. Positions and forces in the world; bends towards y and z of the inner
    disk.

    Attributes
    ----------
    q : (v, 2 or 3) the unknowns as kernels hold them (b, g and twist of the paper), rad.
    origin : (v + 1, 3) centres of the disks along the paper's axes of disk 0, m.
    rotation : (v + 1, 3, 3) their axes.
    tension : (v, tendons) tension in every chord, N.
    tendon_length : (tendons,) m.
    moment : (v, 2 or 3) minus the residual: the moment that stops carry, and rounding elsewhere, N m.
    matrix : block, near and far of the Hessian, see `mechanics.statics.tables.ChainMatrix`.
    potential_energy : elastic, weight, buoyancy, tip force; without the tendons, J.
    residual : largest generalised force that is not balanced, N m.
    slip : (tendons,) +1 pulled, -1 released, in between stuck (with friction).
    command_length : (tendons,) unstretched lengths that elastic tendons are given, m; None where tensions are.
    """

    model: TendonStatics = field(repr=False)
    q: Array
    origin: Array = field(repr=False)
    rotation: Array = field(repr=False)
    tension: Array = field(repr=False)
    tendon_length: Array
    moment: Array = field(repr=False)
    matrix: tuple[Array, ...] = field(repr=False)
    potential_energy: float
    residual: float
    iterations: int
    slip: Array
    command_length: Array | None = field(default=None, repr=False)

    @property
    def bend(self) -> Array:
        """(v, 2) lateral bend towards +y and vertical bend towards +z, rad."""
        return np.asarray(self.q[:, :2] * BEND_SIGN[:2])

    @property
    def twist(self) -> Array:
        """(v,) twist about the body, rad; zero if the spine cannot twist."""
        return self.q[:, 2].copy() if self.q.shape[1] == 3 else np.zeros(len(self.q))

    @cached_property
    def hessian(self) -> Array:
        """(unknowns, unknowns) of the energy (with friction: of frozen tensions), N m/rad."""
        return dense(*self.matrix)

    @cached_property
    def held(self) -> NDArray[np.bool_]:
        """(v, 2 or 3) which unknowns rest against a stop."""
        spine = self.model.spine
        return np.asarray(self.model.stops and True) & ((self.q <= spine.low) | (self.q >= spine.high))

    @property
    def stop_moment(self) -> Array:
        """(v, 2) moment of the stops on the outer disk, in the sense of `bend`, N m: against the
        bend; zero away from a stop.
        """
        return np.where(self.held[:, :2], -self.moment[:, :2] * BEND_SIGN[:2], 0.0) + 0.0

    @property
    def position(self) -> Array:
        """(v + 1, 3) centres of the disks, the clamped one first, world, m."""
        return self.model.to_world(self.origin)

    @property
    def orientation(self) -> Array:
        """(v + 1, 4) axes of the disks (x along the body), quaternions, world."""
        return matrix_to_quaternion(self.model.base_rotation @ FROM_PAPER @ self.rotation @ FROM_PAPER.T)

    @property
    def tip_position(self) -> Array:
        """(3,) centre of the last disk, world, m."""
        return self.model.to_world(self.origin[-1])

    @property
    def tip_in_base(self) -> Array:
        """(3,) the same along the axes of the clamped disk and from its centre: x along the unbent body."""
        return FROM_PAPER @ self.origin[-1]

    @cached_property
    def tip_components(self) -> Array:
        """(6,) x, y, z of the tip (m) and heading, elevation, roll of the last disk (rad), both in the frame of the
        clamped one.

        Its axis points to (cos e cos h, cos e sin h, sin e): heading h to the left, elevation e up. Roll turns it about
        that axis.
        """
        return self._lever[0]

    @property
    def proximal_tension(self) -> Array:
        """(tendons,) at the clamped disk, N."""
        return self.tension[0].copy()

    @property
    def distal_tension(self) -> Array:
        """(tendons,) at the anchor, N."""
        return self.tension[self.model.spine.end - 1, np.arange(self.tension.shape[1])].copy()

    @cached_property
    def _free(self) -> NDArray[np.intp]:
        return np.flatnonzero(~self.held.ravel())

    @cached_property
    def min_eigenvalue(self) -> float:
        """Smallest eigenvalue of the Hessian over what can move, N m/rad: positive means stable."""
        free = self._free
        return (
            float(np.linalg.eigvalsh(self.hessian[np.ix_(free, free)])[0])
            if len(free)
            else float(np.max(self.model.spine.stiffness))
        )

    def _response(self, load: Array) -> Array:
        """-H⁻¹ load on the unknowns that can move: how the posture answers a change of residual (unknowns, ..)."""
        if self.model.friction_law or self.model.form != "energy":
            raise InputError(
                "sensitivities belong to the energy form without friction; use differences of `solve` otherwise"
            )
        free, answer = self._free, np.zeros_like(load)
        if len(free):
            answer[free] = -np.linalg.solve(self.hessian[np.ix_(free, free)], load[free])
        return answer

    @cached_property
    def _lever(self) -> tuple[Array, Array, Array]:
        """The tip's components (6,), their derivatives by q (6, unknowns) and d length/dq (unknowns, tendons)."""
        return self.model.levers(self.q)

    @cached_property
    def tip_compliance(self) -> Array:
        """(3, 3) d tip / d tip force, world, m/N; symmetric. Actuators hold tensions, or the lengths of elastic
        tendons where given.
        """
        J, turn = self._lever[1][:3], self.model.base_rotation
        return np.asarray(turn @ J @ -self._response(J.T) @ turn.T)

    @cached_property
    def components_per_tension(self) -> Array:
        """(6, tendons) d `tip_components` / d tension, m/N and rad/N."""
        _, J, lever = self._lever
        return np.asarray(J @ self._response(lever))

    @property
    def tip_per_tension(self) -> Array:
        """(3, tendons) d tip / d tension, world, m/N."""
        return np.asarray(self.model.base_rotation @ self.components_per_tension[:3])

    @cached_property
    def length_per_tension(self) -> Array:
        """(tendons, tendons) d length / d tension, m/N; symmetric."""
        lever = self._lever[2]
        return np.asarray(lever.T @ self._response(lever))

    @cached_property
    def length_per_tip_force(self) -> Array:
        """(tendons, 3) d length / d tip force, world, m/N: minus the transpose of `tip_per_tension`."""
        _, J, lever = self._lever
        return np.asarray(-(lever.T @ self._response(J[:3].T)) @ self.model.base_rotation.T)

    @cached_property
    def tip_per_stiffness(self) -> Array:
        """(3, v, 2 or 3) d tip / d stiffness of each unknown, world, m rad/(N m)."""
        spine = self.model.spine
        J, load = self._lever[1][:3], np.diag((self.q - spine.rest).ravel())
        change = self.model.base_rotation @ J @ self._response(load)
        return np.asarray(change.reshape(3, *self.q.shape))


def equilibrium_of(
    model: TendonStatics, loads: Loads, q: Array, iterations: int, stored: float, residual: float
) -> Equilibrium:
    """From what the kernels have just left in the model's memory."""
    now, found = model._problem.posture, model._problem.iteration
    return Equilibrium(
        model,
        q,
        now.origin.copy(),
        now.rotation.copy(),
        now.tension.copy(),
        now.total.copy(),
        -found.residual.reshape(q.shape),
        tuple(part.copy() for part in found.hessian[:3]),
        stored,
        residual,
        iterations,
        loads.slip,
        loads.command if loads.elastic.any() else None,
    )
