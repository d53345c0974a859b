"""One step of contact against the ADMM solver of Pinocchio: another formulation (Delassus matrix, second-order cones),
another method.

Pinocchio solves the law for equal friction both ways and no rolling friction. The compliance of the ground, which makes
the forces unique (four normal forces have three independent effects here), is a multiple of the identity added to the
Delassus matrix: from rest the friction memory is zero, and the elastic law of friction has the same compliance as the
normal one.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import limbless as ll
from limbless.control.actuation import Torque
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from limbless.models.nonsmooth import NonSmoothSettings
from limbless.scenarios.scenario import Initial

MU, STEP, RADIUS = 0.3, 1e-3, 0.0525
SHARE = 1e-3
YIELD = SHARE * (11 / 7.5 + 0.0393**2 / 9.63e-4)  # e = compliance G0, 1/kg
Array = np.ndarray


def snake_in_pinocchio() -> tuple[pin.Model, list[tuple[int, float]]]:
    """Two links of the paper's robot on a universal joint; where their spheres are: joint and distance along x."""
    model, m, across, along = pin.Model(), 7.5 / 11, 9.63e-4, 2.35e-4
    inertia = np.diag([along, across, across])
    base = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    model.appendBodyToJoint(base, pin.Inertia(m, np.zeros(3), inertia), pin.SE3.Identity())
    yaw = model.addJoint(base, pin.JointModelRZ(), pin.SE3(np.eye(3), np.array([0.061, 0.0, 0.0])), "yaw")
    pitch = model.addJoint(yaw, pin.JointModelRY(), pin.SE3.Identity(), "pitch")
    model.appendBodyToJoint(pitch, pin.Inertia(m, np.array([0.061, 0.0, 0.0]), inertia), pin.SE3.Identity())
    return model, [(base, -0.0393), (base, 0.0393), (pitch, 0.061 - 0.0393), (pitch, 0.061 + 0.0393)]


def by_admm(angle: float, torque: Array) -> tuple[Array, Array]:
    """Velocities and impulses (4, 3) of the contacts after a step from rest, world axes, normal last."""
    model, spheres = snake_in_pinocchio()
    data = model.createData()
    q = np.concatenate([[0.0, 0.0, RADIUS], [0.0, 0.0, 0.0, 1.0], [angle, 0.0]])
    pin.computeJointJacobians(model, data, q)
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    rows = []
    for joint, x in spheres:
        point = data.oMi[joint].act(np.array([x, 0.0, 0.0])) - [0.0, 0.0, RADIUS]
        twist = pin.getJointJacobian(model, data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        arm = point - data.oMi[joint].translation
        rows.append(twist[:3] - pin.skew(arm) @ twist[3:])
    J = np.concatenate(rows)
    free = np.linalg.solve(
        mass, STEP * (np.concatenate([np.zeros(6), torque]) - pin.computeGeneralizedGravity(model, data, q))
    )
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for joint, _ in spheres:
        contact = pin.PointContactConstraintModel(model, joint)
        contact.setFriction(MU)
        wrapped = pin.ConstraintModel(contact)
        models.append(wrapped)
        datas.append(wrapped.createData())
    settings, result = pin.ADMMSolverSettings(), pin.ADMMSolverResult()
    settings.max_iterations, settings.absolute_feasibility_tol, settings.absolute_complementarity_tol = (
        100_000,
        1e-13,
        1e-13,
    )
    settings.relative_feasibility_tol = settings.relative_complementarity_tol = 0.0
    delassus = J @ np.linalg.solve(mass, J.T)
    pin.ADMMConstraintSolver().solve(
        pin.DelassusOperatorDense(delassus + YIELD * np.eye(12)), J @ free, models, datas, settings, result
    )
    assert result.converged
    impulse = np.asarray(result.retrieveConstraintImpulses())
    return (delassus @ impulse + J @ free).reshape(4, 3), impulse.reshape(4, 3)


@pytest.mark.parametrize(
    ("angle", "torque", "expected"),
    [(0.7, (0.0, 0.0), 0), (0.7, (0.25, 0.0), 4), (-1.0, (0.1, 0.0), 3), (-1.0, (0.4, 0.05), 4), (0.5, (0.3, 2.0), 2)],
)
def test_a_step_of_contact_is_that_of_admm(angle: float, torque: tuple[float, float], expected: int) -> None:
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to(torque, (len(t), 2)), drives="torque")
    model = NonSmooth(
        ll.Aiko(links=2),
        [ll.Ground(forward=MU, lateral=MU, rolling=0.0), ll.Gravity()],
        Torque(),
        NonSmoothSettings(compliance=SHARE, tolerance=1e-11),
    )
    step = model.step(
        model.initial_state(Initial(position=(0.0, 0.0, RADIUS), joint_position=(angle, 0.0)), gait), STEP, gait
    )
    speed, impulse = by_admm(angle, np.array(torque))
    n, t = step.normal, step.tangent
    ours = step.velocity[:, :1] * n + step.velocity[:, 1:2] * t + step.velocity[:, 2:] * np.cross(n, t)
    assert ours == pytest.approx(speed, abs=1e-8)
    assert step.force * STEP == pytest.approx(impulse, abs=1e-8)
    slips = np.linalg.norm(impulse[:, :2], axis=1) > (1 - 1e-6) * MU * impulse[:, 2]
    assert slips.sum() == expected
