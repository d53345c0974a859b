"""SDFormat 1.4 to 1.11 -> tree."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.body_shapes import add_solid
from limbless.interop.robots.file_shapes import shape_of
from limbless.interop.robots.tree import Connection, FilePart, Tree
from limbless.interop.robots.xml_text import Array, Element, keeping, limit, number, numbers, pose, rpy_matrix, unit
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.robots.links import symmetric_matrix

_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "spherical",
    "universal": "universal",
}
_WORLD, _MODEL = "world", "__model__"
_LONGEST = 500
"""Frames that hang on each other."""
_DENSITY = 1000.0
"""kg/m3: of `<inertial auto="true">` where the file has none."""
_OF_LINKS = (
    "pose",
    "inertial",
    "collision",
    "visual",
    "gravity",
    "self_collide",
    "kinematic",
    "enable_wind",
    "must_be_base_link",
)
_READ = ("link", "joint", "pose", "frame", "static", "self_collide", "enable_wind", "allow_auto_disable")


def read_sdf(root: Element, beside: Path) -> Tree:
    """The first `<model>` that has joints, wherever it stands: worlds often begin with a ground."""
    models = [root] if root.tag == "model" else root.findall(".//model")
    model = next((item for item in models if item.find("joint") is not None), models[0] if models else None)
    outside = model is None or model.find("joint") is None or model.find(".//include") is not None
    if root.find(".//include") is not None and outside:
        raise InputError("it takes in other files by <include>; put the model itself into the file")
    if model is None:
        raise InputError("it holds no <model>")
    if model.find("model") is not None:
        raise InputError("it holds models inside models; write their links and joints into one <model>")
    tree = Tree(model.get("name") or "robot", {}, [])
    others = len(models) - 1 + len(root.findall(".//include"))
    if others > 0:
        tree.notes.append(f"not read: {others} other <model> or <include>; {tree.name!r} is")
    frames = _Frames(model, _version(root))
    twice = [name for name, count in Counter(link.get("name") for link in model.findall("link")).items() if count > 1]
    tree.problems += [f"two links are called {name!r}" for name in twice]
    for link in model.findall("link"):
        with keeping(tree.problems):
            part = _part(link, frames, beside)
            tree.parts[part.name] = part
    for joint in model.findall("joint"):
        with keeping(tree.problems):
            tree.connections.append(_connection(joint, frames))
    if any(joint.parent == _WORLD for joint in tree.connections) and _WORLD not in tree.parts:
        tree.parts[_WORLD], tree.grounded = FilePart(_WORLD, np.zeros(3)), _WORLD
    elif _is_true(model.findtext("static")):
        tree.notes.append("the model is static in the file; here it moves (base: fixed holds it)")
    with keeping(tree.problems):
        tree.notes += _lost(model)
    return tree


def _version(root: Element) -> tuple[int, ...]:
    words = (root.get("version") or "1.7").split(".")
    return tuple(int(word) if word.isdigit() else 0 for word in words)


class _Frames:
    """Poses of links, joints and frames in the frame of the model, each found through those that it is relative to."""

    def __init__(self, model: Element, version: tuple[int, ...]) -> None:
        self.version = version
        first = model.find("link")
        self.canonical = str(model.get("canonical_link") or ("" if first is None else first.get("name", "")))
        self.named = {item.get("name", ""): item for tag in ("frame", "joint", "link") for item in model.findall(tag)}
        self.known: dict[str, Array] = {_MODEL: np.eye(4), _WORLD: np.eye(4), "": np.eye(4)}

    def of(self, name: str, seen: tuple[str, ...] = ()) -> Array:
        if name in seen or len(seen) > _LONGEST:
            raise InputError(f"frame {name!r} is relative to itself")
        if name not in self.known:
            if name not in self.named:
                raise InputError(f"there is no frame {name!r}")
            item = self.named[name]
            self.known[name] = self.within(item, self._usual(item), (*seen, name))
        return self.known[name]

    def carrier(self, name: str) -> str:
        """The link that a frame is attached to, where one stands in the place of a link."""
        for _ in range(_LONGEST):
            item = self.named.get(name)
            if item is None or item.tag == "link":
                return self.canonical if name == _MODEL else name
            name = item.get("attached_to") or _MODEL if item.tag == "frame" else (item.findtext("child") or "").strip()
        raise InputError(f"frame {name!r} is attached to itself")

    def _usual(self, item: Element) -> str:
        """What a pose is relative to where it does not say it."""
        if item.tag == "joint":
            return (item.findtext("child") or "").strip()
        return item.get("attached_to", "") if item.tag == "frame" else ""

    def within(self, item: Element, usual: str, seen: tuple[str, ...] = ()) -> Array:
        """The pose of an element that has a `<pose>`, in the frame of the model."""
        found = item.find("pose")
        relative = usual if found is None else found.get("relative_to") or found.get("frame") or usual
        return self.of(relative, seen) @ _pose(found, f"pose of {item.tag} {item.get('name', '')!r}")


def _pose(element: Element | None, what: str) -> Array:
    if element is None:
        return np.eye(4)
    if element.get("rotation_format") == "quat_xyzw":
        x, y, z, i, j, k, w = numbers(element.text, 7, what, (0.0,) * 6 + (1.0,))
        if math.hypot(i, j, k, w) < 1e-9:
            raise InputError(f"{what} has a quaternion without length")
        return pose(np.array([x, y, z]), quaternion_to_matrix(np.array([w, i, j, k]) / math.hypot(i, j, k, w)))
    six = numbers(element.text, 6, what, (0.0,) * 6)
    degrees = element.get("degrees", "") in ("true", "1")
    return pose(six[:3], rpy_matrix(np.radians(six[3:]) if degrees else six[3:]))


def _part(link: Element, frames: _Frames, beside: Path) -> FilePart:
    name = link.get("name", "")
    what, place = f"link {name!r}", frames.of(name)
    part, inertial = FilePart(name, place[:3, 3]), link.find("inertial")
    for tag in ("collision", "visual"):
        for item in link.findall(tag):
            shape = shape_of(
                item.find("geometry"), frames.within(item, name), tag == "collision", beside, f"{what}: {tag}"
            )
            mu = item.findtext("surface/friction/ode/mu")
            if shape and mu:
                shape = replace(shape, friction=number(mu, f"{what}: mu"))
            part.shapes += [shape] if shape else []
            if shape and tag == "collision" and inertial is not None and _is_true(inertial.get("auto")):
                own = item.findtext("density") or inertial.findtext("density")
                add_solid(part, shape, number(own, f"{what}: density", _DENSITY))
    if inertial is not None and not _is_true(inertial.get("auto")):
        kilograms, inertia = number(inertial.findtext("mass"), f"{what}: mass", 1.0), inertial.find("inertia")
        if kilograms < 0:
            raise InputError(f"{what}: mass is {kilograms:g}; it must be zero or positive")
        six = [
            number(
                None if inertia is None else inertia.findtext(key),
                f"{what}: {key}",
                1.0 if key in ("ixx", "iyy", "izz") else 0.0,
            )
            for key in _SIX
        ]
        full = place @ _pose(inertial.find("pose"), f"{what}: pose of inertial")
        part.add_mass(kilograms, full[:3, 3], full[:3, :3] @ symmetric_matrix(six) @ full[:3, :3].T)
    return part


def _is_true(word: str | None) -> bool:
    return (word or "").strip() in ("1", "true")


def _lost(model: Element) -> list[str]:
    """Notes on what is not read."""
    links = model.findall("link")
    counts = Counter(child.tag for child in model if child.tag not in _READ)
    counts += Counter(child.tag for link in links for child in link if child.tag not in _OF_LINKS)
    notes = ["not read: " + ", ".join(f"{count} <{tag}>" for tag, count in sorted(counts.items()))] if counts else []
    bare = [link.get("name", "") for link in links if link.find("inertial") is None]
    if bare:
        notes.append(
            f"{len(bare)} links without <inertial> have no mass here ({', '.join(bare[:3])}); Gazebo gives each 1 kg"
        )
    light = [link.get("name", "") for link in links if (link.findtext("gravity") or "1").strip() in ("0", "false")]
    if light:
        notes.append(f"gravity is off for {len(light)} links of the file ({', '.join(light[:3])}); here they weigh")
    pose = _pose(model.find("pose"), "pose of the model")
    if pose[2, 2] < 1.0 - 1e-9:
        notes.append("the model's own pose, which tilts it, is not read: up is its own z")
    return notes


def _connection(joint: Element, frames: _Frames) -> Connection:
    name, word = joint.get("name") or "joint", joint.get("type", "")
    parent, child = ((joint.findtext(tag) or "").strip() for tag in ("parent", "child"))
    what = f"joint {name!r}"
    if word not in _KINDS:
        raise InputError(f"{what} is of type {word!r}, which is not modelled; known: {', '.join(_KINDS)}")
    place = frames.within(joint, child)
    made = Connection(name, _KINDS[word], frames.carrier(parent), frames.carrier(child), place[:3, 3])
    axis = joint.find("axis")
    if made.kind in ("revolute", "prismatic", "universal"):
        made.axis = _axis(axis, place, frames, f"{what}: axis")
    if made.kind == "universal":
        made.second_axis = _axis(joint.find("axis2"), place, frames, f"{what}: axis2")
        made.second = _numbers(joint.find("axis2"), f"{what}: axis2")
    for word, value in _numbers(axis, what).items():
        setattr(made, word, value)
    mimic = None if axis is None else axis.find("mimic")
    made.mimic = None if mimic is None else mimic.get("joint", "")
    return made


def _numbers(axis: Element | None, what: str) -> dict[str, float | None]:
    """Limits and dynamics of one axis, by the fields of a `Connection`."""
    bounds, dynamics = (None, None) if axis is None else (axis.find("limit"), axis.find("dynamics"))
    found: dict[str, float | None] = dict.fromkeys(("effort", "velocity", "lower", "upper"))
    if bounds is not None:
        found = {
            word: limit(bounds.findtext(word), f"{what}: {word}", 0.0 if word in ("effort", "velocity") else -1e9)
            for word in found
        }
    keys = {"damping": "damping", "friction": "friction", "stiffness": "spring_stiffness", "rest": "spring_reference"}
    return found | {
        word: number(None if dynamics is None else dynamics.findtext(key), f"{what}: {key}", 0.0)
        for word, key in keys.items()
    }


def _axis(axis: Element | None, place: Array, frames: _Frames, what: str) -> Array:
    """Direction of an axis in the frame of the model: given in the joint's frame unless it says another;
    before 1.5 in the model's.
    """
    xyz = None if axis is None else axis.find("xyz")
    direction = unit(numbers(None if xyz is None else xyz.text, 3, what, (0.0, 0.0, 1.0)), what)
    stated = "" if axis is None else (axis.findtext("use_parent_model_frame") or "").strip()
    if _is_true(stated) or (not stated and frames.version < (1, 5)):
        return direction
    expressed = None if xyz is None else xyz.get("expressed_in")
    return (frames.of(expressed) if expressed else place)[:3, :3] @ direction
