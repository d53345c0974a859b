"""MJCF -> tree, through MuJoCo's own compiler."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.mjcf_text import prepared
from limbless.interop.robots.tree import Connection, FilePart, FileShape, Tree
from limbless.interop.robots.xml_text import LARGEST, Array, Element, pose

_SHAPES = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
_JOINTS = {0: "floating", 1: "spherical", 2: "prismatic", 3: "revolute"}
_NO_MASS = 1e-11
_TINY = 1e-12
_FAR = 1e8
"""rad or m: of a bound that stands for none."""


def read_mjcf(root: Element, beside: Path, density: bool) -> Tree:
    """A `<mujoco>` as its compiler has it: `qpos0` is joint zero."""
    try:
        import mujoco
    except ImportError:
        raise InputError("MJCF needs the extra robots: pip install 'limbless[robots]'") from None
    ready, notes = prepared(root, beside, density)
    model = _compiled(mujoco, ready, density)
    data = mujoco.MjData(model)
    data.qpos[:] = model.qpos0
    mujoco.mj_kinematics(model, data)
    for values in (
        data.xpos,
        data.xipos,
        data.xanchor,
        model.body_mass,
        model.body_inertia,
        model.geom_size,
        model.geom_aabb,
        model.dof_armature,
        model.dof_damping,
        model.dof_frictionloss,
        model.jnt_stiffness,
    ):
        if not np.isfinite(values).all() or np.abs(values).max(initial=0.0) > LARGEST:
            raise InputError(f"its numbers leave the range of what can be computed: finite, and not above {LARGEST:g}")
    tree = _Reader(mujoco, model, data).tree(root.get("model") or "robot")
    tree.notes = [*notes, *tree.notes]
    return tree


def _compiled(mujoco: Any, root: Element, density: bool) -> Any:
    if density:
        compiler = root.find("compiler")
        compiler = compiler if compiler is not None else ElementTree.SubElement(root, "compiler")
        compiler.attrib |= {"boundmass": str(_TINY), "boundinertia": str(_TINY)}
    if root.find("worldbody/body") is None or next(root.iter("joint"), next(root.iter("freejoint"), None)) is None:
        raise InputError(
            "the file describes no moving joint (a template, such as dm_control's swimmer.xml, is "
            "completed by a program)"
        )
    try:
        return mujoco.MjSpec.from_string(ElementTree.tostring(root, encoding="unicode")).compile()
    except Exception as error:  # ValueError, FatalError: whatever MuJoCo raises
        raise InputError(f"MuJoCo cannot compile it: {' '.join(str(error).split())}") from None


class _Reader:
    """A compiled model, read body by body."""

    def __init__(self, mujoco: Any, model: Any, data: Any) -> None:
        self.mujoco, self.model, self.data = mujoco, model, data
        self.names = [model.body(number).name or f"body {number}" for number in range(model.nbody)]
        self.joint_names = [model.joint(number).name or f"joint {number}" for number in range(model.njnt)]
        self.paired: dict[int, float] = {}  # geoms that a <pair> lets touch what stands still, and its friction
        self.friction = self._frictions()

    def _frictions(self) -> Array:
        """(geoms,) sliding friction of each with the floor: that of its <pair>, else of the geom of higher priority,
        else the larger of the two (MuJoCo's own rule)."""
        m = self.model
        still = m.body_weldid[m.geom_bodyid] == 0
        own, rank = m.geom_friction[:, 0].copy(), m.geom_priority
        floors = np.flatnonzero(still & ((m.geom_type == 0) | (m.geom_type == 1)) & (m.geom_contype > 0))
        for floor in floors[:1]:
            rubs = np.where(rank == rank[floor], np.maximum(own, own[floor]), own)
            own = np.where(rank < rank[floor], own[floor], rubs)
        for pair in range(m.npair):
            ends = [int(m.pair_geom1[pair]), int(m.pair_geom2[pair])]
            if still[ends[0]] != still[ends[1]]:
                self.paired[ends[0] if still[ends[1]] else ends[1]] = float(m.pair_friction[pair][0])
        own[list(self.paired)] = list(self.paired.values())
        return own

    def tree(self, name: str) -> Tree:
        chosen, others = self._moving()
        ground = int(self.model.body_parentid[chosen[0]])
        world = FilePart(self.names[ground], self.data.xpos[ground].copy())
        self._fill(world, ground) if ground else None
        tree = Tree(name, {world.name: world}, [], grounded=world.name)
        if others:
            shown = ", ".join(self.names[bodies[0]] for bodies in others[:3])
            tree.notes.append(f"not read: {len(others)} other moving trees of bodies ({shown})")
        for body in chosen:
            self._add(tree, body)
        self._actuators(tree)
        self._couplings(tree)
        self._fluid(tree)
        self._lost(tree, chosen)
        return tree

    def _moving(self) -> tuple[list[int], list[list[int]]]:
        """The bodies of the tree with the most joints, parents first, and those of the others."""
        m = self.model
        trees: dict[int, list[int]] = {}
        of: dict[int, int] = {}
        for body in range(1, m.nbody):
            if m.body_weldid[body] != 0 and m.body_mocapid[body] < 0:
                of[body] = of.get(int(m.body_parentid[body]), body)
                trees.setdefault(of[body], []).append(body)
        if not trees:
            raise InputError(
                "the file describes no moving joint (a template, such as dm_control's swimmer.xml, is "
                "completed by a program)"
            )
        order = sorted(trees.values(), key=lambda bodies: -int(sum(m.body_jntnum[body] for body in bodies)))
        return order[0], order[1:]

    def _fill(self, part: FilePart, body: int) -> None:
        m, d = self.model, self.data
        if m.body_mass[body] > _NO_MASS:
            R = d.ximat[body].reshape(3, 3)
            part.add_mass(float(m.body_mass[body]), d.xipos[body].copy(), (R * m.body_inertia[body]) @ R.T)
        for geom in np.flatnonzero(m.geom_bodyid == body):
            kind = _SHAPES.get(int(m.geom_type[geom]))
            if kind is None:
                continue
            place, half = self._geom_pose(int(geom)), m.geom_size[geom].copy()
            if kind == "sphere":
                half = np.full(3, half[0])
            elif kind in ("capsule", "cylinder"):
                half = np.array([half[0], half[0], half[1] + (half[0] if kind == "capsule" else 0.0)])
            elif kind == "mesh":
                place, half = place @ pose(m.geom_aabb[geom][:3], np.eye(3)), m.geom_aabb[geom][3:].copy()
            paired, rubs = int(geom) in self.paired, float(self.friction[geom])
            collides = bool(m.geom_contype[geom] or m.geom_conaffinity[geom] or paired)
            part.shapes.append(FileShape(kind, half, place, collides, friction=rubs, paired=paired))

    def _geom_pose(self, geom: int) -> Array:
        """In the world: a body's pose times the geom's in it."""
        body = int(self.model.geom_bodyid[geom])
        turn = np.zeros(9)
        self.mujoco.mju_quat2Mat(turn, self.model.geom_quat[geom])
        of_body = pose(self.data.xpos[body], self.data.xmat[body].reshape(3, 3))
        return of_body @ pose(self.model.geom_pos[geom], turn.reshape(3, 3))

    def _add(self, tree: Tree, body: int) -> None:
        """A body with its joints; between several joints stand parts without mass."""
        m, d = self.model, self.data
        part = FilePart(self.names[body], d.xpos[body].copy())
        self._fill(part, body)
        tree.parts[part.name] = part
        parent = self.names[int(m.body_parentid[body])]
        numbers = [int(m.body_jntadr[body]) + k for k in range(int(m.body_jntnum[body]))]
        if not numbers:
            tree.connections.append(Connection(f"{part.name} weld", "fixed", parent, part.name, part.origin))
        for place, joint in enumerate(numbers):
            child = part.name
            if place < len(numbers) - 1:
                child = f"{part.name} before {self.joint_names[numbers[place + 1]]}"
                tree.parts[child] = FilePart(child, d.xanchor[joint].copy())
            tree.connections.append(self._connection(joint, parent, child))
            parent = child

    def _connection(self, joint: int, parent: str, child: str) -> Connection:
        m, d = self.model, self.data
        kind, dof = _JOINTS[int(m.jnt_type[joint])], int(m.jnt_dofadr[joint])
        made = Connection(self.joint_names[joint], kind, parent, child, d.xanchor[joint].copy(), d.xaxis[joint].copy())
        made.damping, made.friction = float(m.dof_damping[dof]), float(m.dof_frictionloss[dof])
        made.armature, made.stiffness = float(m.dof_armature[dof]), float(m.jnt_stiffness[joint])
        if kind in ("revolute", "prismatic"):
            zero = float(m.qpos0[m.jnt_qposadr[joint]])
            made.rest = float(m.qpos_spring[m.jnt_qposadr[joint]]) - zero if made.stiffness else 0.0
            if m.jnt_limited[joint]:
                made.lower, made.upper = (
                    float(bound) - zero if abs(bound) < _FAR else None for bound in m.jnt_range[joint]
                )
        if m.jnt_actfrclimited[joint]:
            made.effort = float(np.abs(m.jnt_actfrcrange[joint]).max()) or None
        return made

    def _actuators(self, tree: Tree) -> None:
        m, joints = self.model, {joint.name: joint for joint in tree.connections}
        others: Counter[str] = Counter()
        for number in range(m.nu):
            name = self.joint_names[int(m.actuator_trnid[number][0])] if m.actuator_trntype[number] in (0, 1) else ""
            plain = (
                m.actuator_gaintype[number] == 0
                and m.actuator_biastype[number] in (0, 1)
                and m.actuator_dyntype[number] == 0
            )
            if name not in joints or not plain:
                others["actuators that act on no joint, or have dynamics of their own"] += 1
                continue
            gear = float(m.actuator_gear[number][0])
            bias = m.actuator_biasprm[number] * gear * gear
            limits = [joints[name].effort or math.inf]
            if m.actuator_forcelimited[number]:
                limits.append(abs(gear) * float(np.abs(m.actuator_forcerange[number]).max()))
            joints[name].actuated = True
            drive = tree.drives.setdefault(name, {"kind": "torque"})
            if m.actuator_biastype[number] == 1 and (bias[1] or bias[2]):
                # A servo is often two actuators of one joint, for its position and for its velocity: they add up.
                kp, kv = drive.get("kp", 0.0) - float(bias[1]), drive.get("kv", 0.0) - float(bias[2])
                drive |= {"kind": "pd", "kp": kp, "kv": kv}
            elif m.actuator_ctrllimited[number]:
                gain = abs(gear * float(m.actuator_gainprm[number][0]))
                limits.append(gain * float(np.abs(m.actuator_ctrlrange[number]).max()))
            least = min(limits)
            joints[name].effort = least if 0 < least < math.inf else None
        tree.notes += [f"not read: {count} {what}" for what, count in others.items()]

    def _couplings(self, tree: Tree) -> None:
        m, eq = self.model, self.mujoco.mjtEq
        idle = sum(not active for active in m.eq_active0)
        if idle:
            tree.notes.append(f"not read: {idle} equalities that are not active")
        for number in np.flatnonzero(m.eq_active0):
            kind, first, second = int(m.eq_type[number]), int(m.eq_obj1id[number]), int(m.eq_obj2id[number])
            if kind in (int(eq.mjEQ_CONNECT), int(eq.mjEQ_WELD)):
                tree.couplings.append(("an equality of bodies", (self.names[first], self.names[max(second, 0)])))
            elif kind == int(eq.mjEQ_JOINT):
                members = [self.joint_names[item] for item in (first, second) if item >= 0]
                tree.couplings.append(("an equality of joints", tuple(members)))
            else:
                tree.notes.append("not read: an equality of tendons or flexible bodies")
        if m.ntendon:
            stiff = bool(np.any(m.tendon_stiffness) or np.any(m.tendon_damping) or np.any(m.tendon_limited))
            tree.notes.append(f"not read: {m.ntendon} tendons" + (", which have springs or limits" if stiff else ""))

    def _fluid(self, tree: Tree) -> None:
        option = self.model.opt
        if option.density or option.viscosity:
            tree.fluid = {
                "density": float(option.density),
                "viscosity": float(option.viscosity),
                "wind": [float(number) for number in option.wind],
            }
            if np.any(self.model.geom_fluid[:, 0] > 0):
                tree.notes.append("fluidshape ellipsoid is read as inertia-box: the ellipsoid model is not here")

    def _lost(self, tree: Tree, bodies: list[int]) -> None:
        """What moves the robot in MuJoCo and has no place in a chain."""
        m = self.model
        skewed = int((m.pair_friction[:, 0] != m.pair_friction[:, 1]).sum())
        sites = int(np.isin(m.site_bodyid, bodies).sum())
        own = [int(m.body_jntadr[body]) + k for body in bodies for k in range(int(m.body_jntnum[body]))]
        balls = [self.joint_names[joint] for joint in own if m.jnt_limited[joint] and m.jnt_type[joint] == 1]
        light = [self.names[body] for body in bodies if m.body_gravcomp[body]]
        x, y, z = m.opt.gravity
        lost = {
            f"friction of {skewed} <pair>s differs between two directions of the world: the first is kept": skewed,
            f"not read: {sites} sites": sites,
            f"ranges of {len(balls)} ball joints are not kept ({', '.join(balls[:3])})": balls,
            f"gravcomp of {len(light)} bodies is not kept: here they weigh in full ({', '.join(light[:3])})": light,
            f"gravity ({x:g}, {y:g}, {z:g}) of the file is not along its z, and is not read: up is z here": (
                np.hypot(x, y) > 1e-6 * np.linalg.norm(m.opt.gravity)
            ),
        }
        tree.notes += [note for note, there in lost.items() if there]
