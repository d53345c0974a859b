"""Robot files: read, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.interop.robots import xml_text
from limbless.interop.robots.body_shapes import add_density
from limbless.interop.robots.chain_assembly import body_axes, chain_of, frictions
from limbless.interop.robots.sdf import read_sdf
from limbless.interop.robots.serial_trunk import Trunk, names, several, trunk_of
from limbless.interop.robots.tree import Tree
from limbless.interop.robots.urdf import read_urdf
from limbless.robots import FREEDOMS, Chain
from limbless.robots.presets.from_file import FromFile

SUFFIXES = (".urdf", ".sdf", ".xml", ".mjcf", ".xacro", ".world")
"""Ends of names by which a robot file is known."""


def is_robot_file(name: str | Path) -> bool:
    return Path(name).suffix.lower() in SUFFIXES


class RobotFile:
    """A robot file as it was read.

    Attributes
    ----------
    path, format : where it is, and what it is: URDF, SDF or MJCF.
    options : how it was asked to be read.
    notes : what was changed or lost on the way, a sentence each.
    actuation : the actuation that the file's actuators ask for, as an entry of a scenario; None without any.
    servo : the same as a servo that follows a gait: gains of the file where it has some, and the limits of its motors.
    environment : entries of a scenario for what the file says of its surroundings (a fluid, wheels, friction).
    """

    def __init__(self, options: FromFile) -> None:
        self.options, self.path = options, Path(options.file)
        try:
            self.format, tree = _tree(self.path, options)
            if options.density is not None:
                for part in tree.parts.values():
                    if not part.mass:
                        add_density(part, options.density)
            trunk = trunk_of(tree, options)
            self._chain = chain_of(trunk, tree.name or self.path.stem, options)
        except InputError as error:
            told = str(error)
            raise (error if told.startswith(str(self.path.name)) else InputError(f"{self.path.name}: {told}")) from None
        except (ArithmeticError, ValueError) as error:  # numbers that no robot has: their products overflow
            raise InputError(f"{self.path.name}: cannot be made a chain: {error}") from None
        self.notes = tuple(dict.fromkeys([*tree.notes, *trunk.notes, *_missing(tree), *_boxed(trunk)]))
        gains, limits = _gains(tree, trunk), _limits(self._chain)
        driven = any(joint.name in tree.drives for joint in trunk.joints)
        self.actuation = {"kind": "pd", **gains, **limits} if gains else {"kind": "torque"} if driven else None
        self.servo = {"kind": "servo", **gains, **limits}
        self.environment = _environment(tree, trunk, self._chain)
        self._tell_surroundings(trunk)
        if not {"yaw", "pitch", "revolute"} & set(self._chain.joint_labels):
            self.notes += (
                "no joint can yaw or pitch: no wave drives it, and its first scenario holds it still (gait: "
                "recorded moves every joint by a table)",
            )

    def chain(self) -> Chain:
        """The robot."""
        return self._chain

    def _tell_surroundings(self, trunk: Trunk) -> None:
        """What the file says of friction and wheels, and where it goes."""
        rubs = frictions(trunk)
        if rubs:
            told = f"{rubs[0]:g}" if len(set(rubs)) == 1 else f"{min(rubs):g} to {max(rubs):g}, link by link"
            self.notes += (f"friction {told}: the robot's skin, which every ground takes that states none of its own",)
        if trunk.wheels:
            count = sum(map(len, trunk.wheels.values()))
            self.notes += (
                f"passive wheels: {count} on {len(trunk.wheels)} links, mass kept; on ground (--medium ground) they "
                "roll freely along the body and bear what lies on them, a pair at the middle of each link",
            )

    def __str__(self) -> str:
        return f"{self.format} {self.path.name}\n{self._chain}\n" + "\n".join(f"note: {note}" for note in self.notes)


def read_robot(path: str | Path, **options: Any) -> RobotFile:
    """Read a robot file: URDF, SDF, MJCF or xacro.

    Parameters
    ----------
    path : the file.
    options : fields of the preset `file` (`limbless describe file`): branches, trunk, freeze, reverse, head, base,
        density, base_armature.
    """
    try:
        return FromFile(file=str(path), **options).read
    except InputError as error:
        raise InputError(str(error).removeprefix("FromFile: ")) from None


def load_robot(path: str | Path, **options: Any) -> Chain:
    """The robot of a file as a `Chain`; arguments as those of `read_robot`, whose notes say what was changed."""
    return read_robot(path, **options).chain()


def _tree(path: Path, options: FromFile) -> tuple[str, Tree]:
    """The file's format and its tree."""
    if path.suffix.lower() == ".xacro":
        from limbless.interop.robots.xacro import expanded

        source = expanded(path)
    else:
        source = xml_text.read(path)
    root = xml_text.parse(source, path.name)
    if root.tag == "robot":
        if any(str(item.tag).startswith("{") and "xacro" in str(item.tag) for item in root.iter()):
            raise InputError("it holds xacro commands: give it a name that ends in .xacro, and they are carried out")
        return "URDF", read_urdf(root, path.parent)
    if root.tag in ("sdf", "gazebo", "world", "model"):
        return "SDF", read_sdf(root, path.parent)
    if root.tag == "mujoco":
        from limbless.interop.robots.mjcf import read_mjcf

        return "MJCF", read_mjcf(root, path.parent, options.density is not None)
    raise InputError(f"its root is <{root.tag}>; robots are described by <robot> (URDF), <sdf> or <mujoco>")


def _missing(tree: Tree) -> list[str]:
    lost = {
        shape.mesh_name
        for part in tree.parts.values()
        for shape in part.shapes
        if shape.kind == "mesh" and shape.mesh is None
    }
    shown = ", ".join(sorted(lost)[:3]) + (", .." if len(lost) > 3 else "")
    return [f"{len(lost)} meshes are not here ({shown})"] if lost else []


def _boxed(trunk: Trunk) -> list[str]:
    found = [part.name for part in trunk.parts if part.boxed]
    told = f"mass of {len(found)} links from the boxes around their meshes ({names(found)}): more than they have"
    return [told] if found else []


def _gains(tree: Tree, trunk: Trunk) -> dict[str, Any]:
    """Position and rate gains of the file's actuators for each degree of freedom; empty where none holds a position or
    a velocity."""
    driven = [tree.drives.get(joint.name, {}) for joint in trunk.joints for _ in range(FREEDOMS[joint.kind])]
    if not any(drive.get("kind") == "pd" for drive in driven):
        return {}
    return {word: [drive.get(gain, 0.0) for drive in driven] for word, gain in (("stiffness", "kp"), ("damping", "kv"))}


def _limits(chain: Chain) -> dict[str, Any]:
    """What the motors can give, for each degree of freedom; empty where nothing limits any."""
    limits = [limit for link in chain.links if link.joint for limit in link.joint.per_freedom("torque_limit")]
    return {"saturation": limits} if any(limit is not None for limit in limits) else {}


def _environment(tree: Tree, trunk: Trunk, chain: Chain) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if tree.fluid is not None:
        axes = body_axes(trunk)  # of the robot at its start, along the world's: so is the wind
        wind = (axes @ np.array(tree.fluid["wind"]) + 0.0).tolist()
        entry = {"kind": "body-drag", "rule": "inertia-box", **tree.fluid, "wind": wind}
        if trunk.armature is not None and trunk.base != "fixed":
            along, about, where = trunk.armature
            at = (axes @ (where - trunk.parts[0].origin)).tolist()
            entry |= {"folded_mass": along, "folded_inertia": about, "folded_at": at}
        found.append(entry)
    rubs = frictions(trunk)
    if len(set(rubs)) > 1:
        found.append({"kind": "ground", "link_factors": [round(share / max(rubs), 9) for share in rubs]})
    if trunk.wheels:
        sections = [chain.rows[piece.body].link for piece in chain.segments()]
        carrying = [number for number, part in enumerate(trunk.parts) if part.name in trunk.wheels]
        modules = [sections.index(link) for link in carrying if link in sections]
        entry = {"kind": "wheels", "modules": modules, "load": "solved", "wheel_radius": _reach(trunk, chain)}
        found.append(entry | ({"normal": max(rubs)} if rubs else {}))
    return found


def _reach(trunk: Trunk, chain: Chain) -> float:
    """How far below the middle of its module a wheel touches the ground, m: the mean over all modules with wheels."""
    up, origins = body_axes(trunk)[2], [trunk.parts[0].origin, *(joint.anchor for joint in trunk.joints)]
    below = [
        float(up @ origin) + link.body.position[2] - min(shape.extent(up)[0] for shape in part.wheels)
        for link, part, origin in zip(chain.links, trunk.parts, origins, strict=True)
        if part.name in trunk.wheels and link.body is not None
    ]
    return round(float(np.mean(below)), 9)


def options_in(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Options for reading among changes of a scenario: `robot.branches` and the like."""
    known = set(FromFile.model_fields) - {"kind", "preset", "file"}
    return {
        path.removeprefix("robot."): value
        for path, value in changes.items()
        if path.startswith("robot.") and path.removeprefix("robot.") in known
    }


__all__ = ["RobotFile", "is_robot_file", "load_robot", "options_in", "read_robot", "several"]
