"""Robots in and out against other engines: Pinocchio's own reading of a URDF, MuJoCo's of MJCF, and
MuJoCo's swimmer in its fluid.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core import registry
from limbless.models.chain.newton_euler_model import NewtonEuler
from tests.unit.interop.robots.descriptions import plain_swimmer, urdf, written

pinocchio = pytest.importorskip("pinocchio")
mujoco = pytest.importorskip("mujoco")


def bare(chain: ll.Chain, **fields: Any) -> ll.Chain:
    """Without forces in its joints."""
    none = {"damping": 0.0, "coulomb_friction": 0.0, "stiffness": 0.0, "viscous_friction": 0.0, **fields}
    return chain.changed(
        links=tuple(
            link if link.joint is None else link.changed(joint=link.joint.changed(**none)) for link in chain.links
        )
    )


def state(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    k = np.arange(count)
    return 0.3 * np.sin(k + 1), 0.5 * np.cos(1.7 * k), 0.8 * np.sin(2.3 * k + 0.5)


def floating_torques(path: Path, q: np.ndarray, v: np.ndarray, a: np.ndarray, names: list[str]) -> np.ndarray:
    """Joint torques of a floating robot at rest, by Pinocchio's own reading: the base moves as nothing pushes on it."""
    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    model.gravity.linear[:] = 0.0
    data = model.createData()
    place = np.zeros(model.nq)
    place[6], speed = 1.0, np.zeros(model.nv)
    rows = [model.joints[model.getJointId(name)] for name in names]
    for joint, angle, rate in zip(rows, q, v, strict=True):
        turns = joint.nq == 2  # continuous: cosine and sine
        place[joint.idx_q : joint.idx_q + joint.nq] = [np.cos(angle), np.sin(angle)] if turns else angle
        speed[joint.idx_v] = rate
    M = pinocchio.crba(model, data, place)
    M = np.triu(M) + np.triu(M, 1).T
    h = pinocchio.rnea(model, data, place, speed, np.zeros(model.nv))
    return unsupported(M, h, [joint.idx_v for joint in rows], a)


def unsupported(M: np.ndarray, h: np.ndarray, columns: list[int], a: np.ndarray) -> np.ndarray:
    """Torques of M q'' + h with accelerations `a` of these columns, where nothing pushes on the others (the base)."""
    others = [column for column in range(len(h)) if column not in columns]
    rate = np.zeros(len(h))
    rate[columns] = a
    # least squares: a file that has a floating joint of its own has two bases in Pinocchio, one too many
    rate[others] = np.linalg.lstsq(M[np.ix_(others, others)], -h[others] - M[np.ix_(others, columns)] @ a)[0]
    return (M @ rate + h)[columns]


def mujoco_torques(path: Path, q: np.ndarray, v: np.ndarray, a: np.ndarray, names: list[str]) -> np.ndarray:
    """The same by MuJoCo: inertia by `mj_fullM`, bias by `mj_rne`; joints of the base have no name of the chain's."""
    spec = mujoco.MjSpec.from_file(str(path))
    for geom in list(spec.geoms):
        if geom.type == mujoco.mjtGeom.mjGEOM_MESH:  # of files that are not there
            spec.delete(geom)
    for mesh in list(spec.meshes):
        spec.delete(mesh)
    for joint in spec.joints:
        if joint.name not in names:
            joint.armature = 0.0  # of a base: the chain is read without
    model = spec.compile()
    model.opt.gravity[:] = 0.0
    data = mujoco.MjData(model)
    rows = [mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) for name in names]
    data.qpos[model.jnt_qposadr[rows]], data.qvel[model.jnt_dofadr[rows]] = q, v
    mujoco.mj_forward(model, data)
    M, h = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    mujoco.mj_fullM(model, data, M)
    mujoco.mj_rne(model, data, 0, h)
    return unsupported(M, h, model.jnt_dofadr[rows].tolist(), a)


def mujoco_mass_matrix(path: Path, q: np.ndarray) -> np.ndarray:
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    data.qpos[model.nq - len(q) :] = q
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    return M


@pytest.mark.parametrize("turned", [False, True])
def test_a_urdf_moves_as_in_pinocchio(tmp_path: Path, turned: bool) -> None:
    text = urdf(links=6)
    if turned:  # every second link frame turned, as CAD has it
        text = text.replace(
            '<origin xyz="0.1 0 0" rpy="0 0 0"/><axis xyz="0 -2 0"/>',
            '<origin xyz="0.1 0 0" rpy="0.4 -0.3 1.5708"/><axis xyz="0 -2 0"/>',
        )
    path = written(tmp_path, "s.urdf", text)
    chain = bare(ll.load_robot(path))
    q, v, a = state(5)
    expected = floating_torques(path, q, v, a, chain.joint_names)
    model = NewtonEuler(chain)
    solved = model.inverse(q, v, a)
    assert solved.joint_torque == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())
    again = model.forward(q, v, solved.joint_torque)
    assert again.joint_acceleration == pytest.approx(a, abs=1e-10)


@pytest.mark.parametrize("base", ["planar", "free", "fixed"])
def test_an_mjcf_has_mujocos_mass_matrix(tmp_path: Path, base: str) -> None:
    """Joints only, the base held: the robot's x runs against the file's, which a base would show."""
    path = written(tmp_path, "s.xml", plain_swimmer(4, base, option=""))
    chain = ll.load_robot(path, base="fixed")
    q = state(3)[0]
    expected = mujoco_mass_matrix(path, q)[-3:, -3:]
    assert NewtonEuler(chain).mass_matrix(q) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("base", ["planar", "free"])
def test_an_mjcf_moves_as_in_mujoco(tmp_path: Path, base: str) -> None:
    """The base floats: inertia and bias of all, at the reference's state."""
    path = written(tmp_path, "s.xml", plain_swimmer(4, base, option=""))
    chain = bare(ll.load_robot(path, base_armature="drop"))
    q, v, a = state(3)
    expected = mujoco_torques(path, q, v, a, chain.joint_names)
    solved = NewtonEuler(chain).inverse(q, v, a).joint_torque
    assert solved == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def chains() -> dict[str, ll.Chain]:
    made = {
        name: cls().build()
        for name, cls in registry.kinds("preset").items()
        if cls.model_fields["kind"].default == "chain" and name != "file"
    }
    made["aiko with offsets"] = ll.Aiko(links=4, joint_offset=0.02).build()
    return made


def spherical_moves_as_in_mujoco(chain: ll.Chain, back: ll.Chain, path: Path) -> None:
    """Balls of MuJoCo turn by quaternions, here joints by rotation vectors: the same turns give the same inertia of all
    joints, and read back the same chain."""
    q = state(chain.freedoms)[0]
    held = chain.changed(base="fixed")
    M = NewtonEuler(held).mass_matrix(q)
    assert NewtonEuler(back.changed(base="fixed")).mass_matrix(q) == pytest.approx(M, abs=1e-12 * np.abs(M).max())
    model = mujoco.MjModel.from_xml_path(str(path))
    data, place = mujoco.MjData(model), 0
    balls = [joint for joint in range(model.njnt) if model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_BALL]
    others = [
        joint
        for joint in range(model.njnt)
        if model.jnt_type[joint] in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
    ]
    for joint in sorted([*balls, *others]):
        at, width = model.jnt_qposadr[joint], 3 if joint in balls else 1
        own = q[place : place + width]
        data.qpos[at : at + (4 if width == 3 else 1)] = quaternion(own) if width == 3 else own
        place += width
    mujoco.mj_forward(model, data)
    whole = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, whole)
    # a ball's rates are along its own child's axes in both
    assert whole[-len(q) :, -len(q) :] == pytest.approx(M, abs=1e-10 * np.abs(M).max())


def quaternion(turn: np.ndarray) -> np.ndarray:
    """Of a rotation vector, scalar first."""
    angle = float(np.linalg.norm(turn))
    return np.array([np.cos(0.5 * angle), *(np.sin(0.5 * angle) * turn / angle)])


@pytest.mark.parametrize("name", list(chains()))
def test_export_moves_as_the_chain(tmp_path: Path, name: str) -> None:
    chain = chains()[name]
    path = ll.save_robot(chain, tmp_path / "robot.xml")
    back = ll.load_robot(path)
    assert back.base == chain.base and back.total_mass == pytest.approx(chain.total_mass, rel=1e-12)
    if any(link.joint and link.joint.kind == "spherical" for link in chain.links):
        spherical_moves_as_in_mujoco(chain, back, path)
        return
    q = state(chain.freedoms)[0]
    M = NewtonEuler(chain).mass_matrix(q)
    inverse, other = np.linalg.inv(M), np.linalg.inv(mujoco_mass_matrix(path, q))
    assert other == pytest.approx(inverse, abs=1e-10 * np.abs(inverse).max())
    assert NewtonEuler(back).mass_matrix(q) == pytest.approx(M, abs=1e-12 * np.abs(M).max())
    file = ll.save_robot(chain, tmp_path / "robot.urdf")
    plain = bare(chain, rotor_inertia=0.0)
    again = NewtonEuler(ll.load_robot(file, base=chain.base)).mass_matrix(q)
    assert again == pytest.approx(NewtonEuler(plain).mass_matrix(q), abs=1e-12 * np.abs(M).max())
    if chain.base == "free":
        q, v, a = state(chain.freedoms)
        expected = floating_torques(file, q, v, a, chain.joint_names)
        solved = NewtonEuler(plain).inverse(q, v, a).joint_torque
        assert solved == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def swimming(path: Path, step: float, amplitude: float = 20.0, duration: float = 2.0) -> tuple[float, float]:
    """Largest difference of joint angles (rad) and of the base's place (m) from MuJoCo after a while."""
    found = ll.read_robot(path)
    chain, count = found.chain(), found.chain().freedoms

    def torque(times: np.ndarray, stations: Any = None) -> np.ndarray:
        t = np.asarray(times)[..., None]
        return amplitude * np.sin(np.pi * t + 1.5 * np.arange(count)) * np.tanh(t) ** 3

    gait, fluid = ll.FunctionGait(function=torque, drives="torque"), ll.BodyDrag(**found.environment[0])
    result = ll.simulate(chain, gait, [fluid], actuation="torque", duration=duration, step=step)
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep, model.opt.integrator = step, mujoco.mjtIntegrator.mjINT_RK4
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= int(off.mjDSBL_CONTACT) | int(off.mjDSBL_LIMIT) | int(off.mjDSBL_GRAVITY)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    along, start = data.xanchor[-1] - data.xanchor[3], data.xpos[1].copy()  # of the body, in the file's axes
    along = along[:2] / np.linalg.norm(along)

    def control(model: Any, data: Any) -> None:
        data.qfrc_applied[3:] = torque(np.array(data.time))

    mujoco.set_mjcb_control(control)
    try:
        for _ in range(round(duration / step)):
            mujoco.mj_step(model, data)
    finally:
        mujoco.set_mjcb_control(None)
    assert result.proven
    angles = np.abs(result.dataset.joint_position.values[-1] - data.qpos[3:]).max()
    mujoco.mj_forward(model, data)
    way = (data.xpos[1] - start)[:2]
    own = result.dataset.base_position.values[-1] - result.dataset.base_position.values[0]
    return float(angles), float(np.hypot(own[0] - along @ way, own[1] - (along[0] * way[1] - along[1] * way[0])))


def test_a_swimmer_moves_as_in_mujoco(tmp_path: Path) -> None:
    """Gymnasium's kind of swimmer: in its fluid, with the armature of its base; at MuJoCo's own step, of order four."""
    path = written(tmp_path, "s.xml", plain_swimmer())
    coarse, fine = swimming(path, 0.02), swimming(path, 0.01)
    assert max(fine) < 1e-7
    assert np.log2(coarse[0] / fine[0]) > 3.7 and np.log2(coarse[1] / fine[1]) > 3.7
