"""Impacts by our step and by Pinocchio's solver."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
import validation.engines  # noqa: F401
from validation.runner.convergence_orders import fitted_order

MU, STEPS = 0.3, (1e-3, 1e-4, 1e-5, 1e-6)
FREE = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
CASES = {
    "one end": (4, 0.3, 0.1, (0.2, 0.1, -0.5, 0.0, 0.1, 0.3)),
    "both ends": (4, 0.3, 0.0, (0.2, 0.1, -0.5, 0.0, 0.1, 0.3)),
    "one link": (1, 0.0, 0.0, (0.4, 0.3, -0.5, 0.2, 0.3, 0.3)),
}
"""Links, pitch and yaw of every joint (rad), twist of the base."""


class Impact:
    """An arched snake that just touches the ground with its lowest spheres, moving."""

    def __init__(self, links: int, pitch: float, yaw: float, twist: tuple[float, ...]) -> None:
        from pinocchio_peer import Peer
        from random_chains import Instant

        self.robot, self.twist = ll.Aiko(links=links), twist
        chain, joints = self.robot.build(), 2 * (links - 1)
        self.q, self.qd = np.tile([yaw, pitch], links - 1), 0.3 * np.random.default_rng(0).normal(size=joints)
        tilt = -0.25 * pitch * (links - 1)
        self.turn = np.array([np.cos(tilt), 0.0, np.sin(tilt), 0.0])
        lowest = min(
            place[2] - radius for place, _, _, radius in self._spheres(Peer(chain, self._instant(Instant, 0.0), "free"))
        )
        self.height = -lowest
        self.peer = Peer(chain, self._instant(Instant, self.height), "free")

    def _instant(self, kind: Any, height: float) -> Any:
        return kind(self.q, self.qd, np.array(self.twist), np.array([0.0, 0.0, height]), self.turn)

    @staticmethod
    def _spheres(peer: Any) -> list[tuple[np.ndarray, int, np.ndarray, float]]:
        """Centre in the world, joint of Pinocchio, centre in its frame, radius."""
        import pinocchio as pin

        pin.forwardKinematics(peer.model, peer.data, peer.configuration())
        found = []
        for link, joint, mount in zip(peer.chain.links, peer.joints, peer.mounts, strict=True):
            for sphere in link.contact_shapes:
                local = mount.act(np.array(sphere.centre))
                found.append((peer.data.oMi[joint].act(local), joint, local, sphere.radius))
        return found

    def theirs(self, step: float) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Velocity after the step, impulses (contacts, 3) and which spheres touch, by Pinocchio."""
        import pinocchio as pin

        model, data = self.peer.model, self.peer.data
        model.gravity = pin.Motion(np.array([0.0, 0.0, -9.81]), np.zeros(3))
        q, v = self.peer.configuration(), self.peer.velocity()
        spheres = self._spheres(self.peer)
        pin.computeAllTerms(model, data, q, v)
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        free = v - step * np.linalg.solve(M, pin.rnea(model, data, q, v, np.zeros(model.nv)))
        models, datas, rows, touching = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData(), [], []
        for number, (place, joint, _, radius) in enumerate(spheres):
            if place[2] - radius < 1e-9:
                frame, point = data.oMi[joint], place - np.array([0.0, 0.0, radius])
                contact = pin.PointContactConstraintModel(
                    model,
                    0,
                    pin.SE3(np.eye(3), point),
                    joint,
                    pin.SE3(frame.rotation.T, frame.rotation.T @ (point - frame.translation)),
                )
                contact.setFriction(MU)
                contact.setCompliance(np.zeros(3))
                state = contact.createData()
                contact.calc(model, data, state)
                rows.append(contact.jacobian(model, data, state))
                models.append(pin.ConstraintModel(contact))
                datas.append(pin.ConstraintData(state))
                touching.append(number)
        J = np.vstack(rows)
        settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
        settings.max_iterations, settings.solve_ncp = 20000, True
        for kind in ("absolute", "relative"):
            for what in ("complementarity", "feasibility"):
                setattr(settings, f"{kind}_{what}_tol", 1e-12)
        solver = pin.ADMMConstraintSolver(len(J))
        if not solver.solve(
            pin.DelassusOperatorDense(J @ np.linalg.solve(M, J.T)), J @ free, models, datas, settings, result
        ):
            raise ArithmeticError("Pinocchio's solver did not converge")
        impulse = result.retrieveConstraintImpulses()
        return free + np.linalg.solve(M, J.T @ impulse), impulse.reshape(-1, 3), touching

    def ours(self, step: float) -> tuple[np.ndarray, Any]:
        """Velocity after the step, and what the step says of its contacts."""
        ground, settings = (
            ll.Ground(forward=MU, lateral=MU, rolling=0.0),
            ll.NonSmoothSettings(compliance=1e-9, recovery=0.0),
        )
        model = ll.NonSmooth(self.robot, [ground, ll.Gravity()], ll.Torque(), settings)
        start = ll.Initial(
            position=(0.0, 0.0, self.height),
            orientation=tuple(self.turn),
            twist=self.twist,
            joint_position=tuple(self.q),
            joint_velocity=tuple(self.qd),
        )
        found = model.step(model.initial_state(start, FREE), step, FREE)
        after = model.observe(found.state)
        return np.concatenate([after["base_twist"], after["joint_velocity"]]), found


def check(case: Any, sheet: Any) -> dict[str, float]:
    axes, velocity, impulse, orders, kinds = sheet.subplots(), 0.0, 0.0, [], set()
    for name, entries in CASES.items():
        impact, errors = Impact(*entries), []
        for step in STEPS:
            (u, contacts), (v, pushes, touching) = impact.ours(step), impact.theirs(step)
            errors.append(float(np.abs(u - v).max() / np.abs(v).max()))
        own = contacts.force[touching] * STEPS[-1]
        impulse = max(impulse, float(np.abs(own - pushes).max() / np.abs(pushes).max()))
        kinds |= set((np.linalg.norm(contacts.velocity[touching, 1:], axis=1) > 1e-6).tolist())
        velocity = max(velocity, errors[-1])
        orders.append(-fitted_order(STEPS, errors))
        axes.loglog(STEPS, errors, "o-", markersize=3, label=name)
    axes.set(xlabel="step (s)", ylabel="relative difference of velocities")
    axes.legend()
    worst = max(orders, key=lambda order: abs(order - 1.0))
    return {"velocity": velocity, "impulse": impulse, "order": worst, "kinds": float(len(kinds))}
