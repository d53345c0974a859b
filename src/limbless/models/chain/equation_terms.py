"""A chain at one state: its inverse, forward and hybrid dynamics, and the terms of its equations of motion one by one,
under the names of textbooks: mass matrix, bias, wrenches in the joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation
from limbless.core import Array, InputError, SimulationError
from limbless.environments.base import Environment
from limbless.mechanics.algebra import quaternion_to_matrix, rotation_vector_to_quaternion
from limbless.mechanics.chain import BASES, Body, LinkRow, Prismatic, Revolute, Spherical, passive_torques
from limbless.models import numbers, refuse_law_failure, unit_quaternion
from limbless.models.chain import chain_problem
from limbless.models.chain.chain_evaluation import ChainEvaluator, ChainSolution
from limbless.models.chain.chain_model import ChainModel
from limbless.models.recording.body_recorder import BodyMotion, inertial_wrench, turn
from limbless.models.recording.water_recorder import across
from limbless.robots.base import Preset, Robot

AT_REST = (0.0,) * 6
SINGULAR = (
    "the accelerations are not determined: the base or a spherical joint has no inertia to move; "
    "give the links mass and inertia, or the joint a rotor_inertia"
)
_BASE_ROWS: dict[str, Any] = {"free": slice(0, 6), "planar": np.array([0, 1, 5]), "fixed": slice(0, 0)}


class ChainInstants(ChainModel):
    """What a chain does at one state.

        M a + h = (0, torque)

    a holds the rates of the components of the base twist (base axes; free: 6, planar: along x and y and about z, fixed:
    none) and the joint accelerations. The classical acceleration of `ChainSolution` has ω x v more.
    """

    def __init__(
        self, robot: Robot | Preset, environment: Sequence[Environment] | Environment, actuation: Actuation | None
    ) -> None:
        super().__init__(robot, environment, actuation)
        self._base = getattr(BASES, self.chain.base)
        self._evaluations: dict[bytes, ChainEvaluator] = {}
        self._held_still: dict[bool, ChainEvaluator] = {}

    def inverse(
        self,
        joint_position: ArrayLike,
        joint_velocity: ArrayLike,
        joint_acceleration: ArrayLike,
        base_twist: ArrayLike = AT_REST,
        **instant: Any,
    ) -> ChainSolution:
        """Joint motion given: base acceleration and joint torques (paper 001, (17)-(28)). Arguments as `hybrid`."""
        return self.hybrid(
            np.ones(self.chain.freedoms, dtype=bool),
            joint_position,
            joint_velocity,
            joint_acceleration,
            None,
            base_twist,
            **instant,
        )

    def forward(
        self,
        joint_position: ArrayLike,
        joint_velocity: ArrayLike,
        joint_torque: ArrayLike,
        base_twist: ArrayLike = AT_REST,
        **instant: Any,
    ) -> ChainSolution:
        """Joint torques given: accelerations of base and joints (paper 001, (32)-(43)). Arguments as `hybrid`."""
        return self.hybrid(
            np.zeros(self.chain.freedoms, dtype=bool),
            joint_position,
            joint_velocity,
            None,
            joint_torque,
            base_twist,
            **instant,
        )

    def hybrid(
        self,
        motion_given: ArrayLike,
        joint_position: ArrayLike,
        joint_velocity: ArrayLike,
        joint_acceleration: ArrayLike | None,
        joint_torque: ArrayLike | None,
        base_twist: ArrayLike = AT_REST,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        time: float = 0.0,
    ) -> ChainSolution:
        """Each degree of freedom either motion-given or torque-given.

        Parameters
        ----------
        motion_given : (freedoms,) which ones follow `joint_acceleration`; the others get `joint_torque`.
        joint_position : (freedoms,) rad or m; a spherical joint's three are a rotation vector.
        joint_velocity, joint_acceleration : (freedoms,); a spherical joint's three are along axes fixed to the child
            that are parallel to the base's when all joints are at zero.
        joint_torque : (freedoms,) what the actuators give, N m or N.
        base_twist : (6,) linear and angular velocity in the base frame.
        base_position, base_orientation, time : pose of the base in the world (quaternion scalar first) and time, where
            they matter.
        """
        n = self.chain.freedoms
        mask = np.asarray(motion_given, dtype=bool)
        if mask.shape != (n,):
            raise InputError(f"motion_given must have {n} entries, one per degree of freedom; got shape {mask.shape}")
        now = self.evaluation(mask)
        self._place(now, joint_position, joint_velocity, base_twist, base_position, base_orientation)
        now.acceleration[6:] = (
            0.0 if joint_acceleration is None else numbers("joint_acceleration", joint_acceleration, n)
        )
        torque = np.zeros(n) if joint_torque is None else numbers("joint_torque", joint_torque, n)
        passive = self._passive(now)
        now.torque[:] = torque + passive
        now(time)
        self._refuse_failure(now, time)
        base, R = now.acceleration[:6].copy(), Body.of(now.bodies).rotation[0].reshape(3, 3)
        base[:3] += np.cross(now.velocity[3:6], now.velocity[:3])
        hold = np.concatenate([R.T @ now.held[:3], R.T @ now.held[3:]])
        return ChainSolution(base, now.acceleration[6:].copy(), np.where(mask, now.torque - passive, torque), hold)

    def _place(
        self,
        now: ChainEvaluator,
        joint_position: ArrayLike,
        joint_velocity: ArrayLike,
        base_twist: ArrayLike,
        base_position: ArrayLike,
        base_orientation: ArrayLike,
    ) -> None:
        """Put a checked state into an evaluation."""
        n = self.chain.freedoms
        now.position[:3] = numbers("base_position", base_position, 3)
        now.position[3:7] = unit_quaternion(base_orientation)
        now.position[7:] = self._position_columns(numbers("joint_position", joint_position, n))
        now.velocity[:6] = numbers("base_twist", base_twist, 6)
        now.velocity[6:] = numbers("joint_velocity", joint_velocity, n)
        chain_problem.check_twist(self.chain.base, "base_twist", now.velocity[:6])

    def evaluation(self, motion_given: NDArray[np.bool_]) -> ChainEvaluator:
        """The lean door: arrays to fill, one call without checks, arrays to read. One per
        choice of motion-given joints.
        """
        key = motion_given.tobytes()
        if key not in self._evaluations:
            self._evaluations[key] = ChainEvaluator(
                chain_problem.mark_given(self._plain, motion_given), self._base, self._forces
            )
        return self._evaluations[key]

    def _passive(self, now: ChainEvaluator) -> Array:
        """Torques of springs, dampers and friction in the joints."""
        passive = np.zeros(self.chain.freedoms)
        if self._has_passive:
            passive_torques(now.robot, np.concatenate([now.position, now.velocity]), passive)
        return passive

    def _refuse_failure(self, now: ChainEvaluator, time: float) -> None:
        """A law that raised, a joint without inertia, or a body without any."""
        refuse_law_failure(self.asked)
        row = now.locked()
        if row:
            raise SimulationError(self._locked_sentence(row), time=time, place=self._joint_of_row(row))
        if not (np.isfinite(now.acceleration).all() and np.isfinite(now.torque).all()):
            raise SimulationError(SINGULAR, time=time)

    def _joint_of_row(self, row: int) -> str:
        return self.chain.joint_names[int(LinkRow.of(self._plain.links).column[row])]

    def _locked_sentence(self, row: int) -> str:
        return (
            f"joint {self._joint_of_row(row)!r} has no inertia to move (gimbal lock of massless links, or a link "
            "without inertia about its axis); give it a rotor_inertia, use a spherical joint, or keep away from "
            "this posture"
        )

    # The terms one by one

    def mass_matrix(
        self,
        joint_position: ArrayLike,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        time: float = 0.0,
    ) -> Array:
        """(N, N): inertia of the whole robot, N = base + joints; rotors and the added mass of the water are part of it.

        Columns of joints are the efforts (28) that a unit acceleration of the joint needs with the base held; the part
        of the base is the composite inertia (23). The pose of the base matters, and under waves the time, where the
        water has a surface: what is dry carries no water along. Elsewhere they may be left out.
        """
        n, afloat = self.chain.freedoms, self._recorder.water.floats is not None
        now = self._held(afloat)
        self._place(now, joint_position, np.zeros(n), AT_REST, base_position, base_orientation)
        M = np.zeros((6 + n, 6 + n))
        now.acceleration[6:] = 0.0
        now(time)
        still = np.concatenate([self._hold(now), now.torque])  # weight and lift; nothing in free space
        for j in range(n):
            now.acceleration[6:] = np.arange(n) == j
            now(time)
            M[:6, 6 + j], M[6:, 6 + j] = self._hold(now) - still[:6], now.torque - still[6:]
        M[:6, :6], M[6:, :6] = self._composite(now, time), M[:6, 6:].T
        return self._kept(self._kept(M).T).T

    def bias(
        self,
        joint_position: ArrayLike,
        joint_velocity: ArrayLike,
        base_twist: ArrayLike = AT_REST,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        time: float = 0.0,
    ) -> Array:
        """(N,): h, what base and actuators would have to give without any acceleration.

        Velocity terms, less what the environment does (weight, fluid), less springs, dampers and friction in the
        joints. Arguments as those of `hybrid`.
        """
        now = self._held(True)
        self._place(now, joint_position, joint_velocity, base_twist, base_position, base_orientation)
        now.acceleration[6:] = 0.0
        now(time)
        self._refuse_failure(now, time)
        return self._kept(np.concatenate([self._hold(now), now.torque - self._passive(now)]))

    def joint_wrenches(
        self,
        joint_position: ArrayLike,
        joint_velocity: ArrayLike,
        joint_acceleration: ArrayLike,
        base_twist: ArrayLike = AT_REST,
        **instant: Any,
    ) -> Array:
        """(links - 1, 6): f_j of (27), force and moment that each link receives from the one before, about its own
        origin and axes.

        All that holds and drives the part from link j on: the torque of a joint is f_j along its axis, with rotor and
        friction besides (28); what is across the axis loads its bearings. Arguments as those of `inverse`; the base
        moves as it must.
        """
        self.inverse(joint_position, joint_velocity, joint_acceleration, base_twist, **instant)
        now = self.evaluation(np.ones(self.chain.freedoms, dtype=bool))
        keep, rows = self._recorder, self._recorder.rows
        R, origin = self._frames(now)
        body = Body.of(now.bodies)
        back = R[rows].swapaxes(1, 2)
        rates = body.known[rows] + body.delta[rows]
        twist = body.velocity[rows]
        inertia = keep.rigid + self._carried(now, float(instant.get("time", 0.0)))
        need = turn(R[rows], inertial_wrench(inertia, turn(back, twist), turn(back, rates)))
        need -= now.wrench[rows]
        found = []
        for link in range(1, len(self.chain.links)):
            last = max(k for k, row in enumerate(self.chain.rows) if row.link == link)
            here, axes, beyond = origin[last], R[last] @ self.chain.rows[last].home, rows >= last
            force, arms = need[beyond, :3], origin[rows[beyond]] - here
            moment = need[beyond, 3:] + np.cross(arms, force)
            found.append(np.concatenate([force.sum(axis=0) @ axes, moment.sum(axis=0) @ axes]))
        return np.array(found).reshape(-1, 6)

    def _frames(self, now: ChainEvaluator) -> tuple[Array, Array]:
        """Rotations (rows, 3, 3) and origins (rows, 3) of all rows, also of those that carry
        nothing, which kernels pass over.
        """
        arrays, position = self.chain.arrays(), now.position
        R, origin = [quaternion_to_matrix(position[3:7])], [position[:3]]
        for kind, axis, arm, p in zip(
            arrays.joint_kind[1:], arrays.axis[1:], arrays.arm[1:], 7 + arrays.position_column[1:], strict=True
        ):
            origin.append(origin[-1] + R[-1] @ (arm + (position[p] * axis if kind == Prismatic.code else 0.0)))
            turned = np.eye(3)
            if kind == Revolute.code:
                turned = quaternion_to_matrix(rotation_vector_to_quaternion(position[p] * axis))
            elif kind == Spherical.code:
                turned = quaternion_to_matrix(position[p : p + 4])
            R.append(R[-1] @ turned)
        return np.array(R), np.array(origin)

    def _carried(self, now: ChainEvaluator, time: float) -> Array:
        """(bodies, 6, 6): added inertia of the bodies; at a surface, of what is under water."""
        keep, body = self._recorder, Body.of(now.bodies)
        R, origin = body.rotation.reshape(-1, 3, 3)[keep.rows], body.origin[keep.rows]
        still = np.zeros((1, len(R), 6))
        wet = keep.immersed(np.array([time]), BodyMotion(R[None], origin[None], still, still, still))
        return (keep.added if wet is None else keep.added_to(wet))[0]

    def _held(self, among: bool) -> ChainEvaluator:
        """The dynamics with the base held still and all joints motion-given; in free space, or
        among what acts on the robot.
        """
        if among not in self._held_still:
            given = chain_problem.mark_given(self._plain, np.ones(self.chain.freedoms, dtype=bool))
            self._held_still[among] = ChainEvaluator(given, BASES.fixed, self._forces if among else ())
        return self._held_still[among]

    def _hold(self, now: ChainEvaluator) -> Array:
        """(6,): the wrench that holds the base, in its axes."""
        return turn(Body.of(now.bodies).rotation[0].reshape(3, 3).T, now.held)

    def _composite(self, now: ChainEvaluator, time: float) -> Array:
        """(6, 6): inertia of the robot with its joints locked, about the base origin in the base axes."""
        body = Body.of(now.bodies)
        R, origin = body.rotation.reshape(-1, 3, 3), body.origin
        total = np.zeros((6, 6))
        for row, inertia in zip(self._recorder.rows, self._recorder.rigid + self._carried(now, time), strict=True):
            turned, lever = R[row].T @ R[0], across(R[0].T @ (origin[0] - origin[row]))  # ω -> ω x r
            carry = np.block([[turned, turned @ lever], [np.zeros((3, 3)), turned]])
            total += carry.T @ inertia @ carry
        return total

    def _kept(self, rows: Array) -> Array:
        """Without the rows of the base that it cannot move along."""
        return np.concatenate([rows[:6][_BASE_ROWS[self.chain.base]], rows[6:]])
