"""SDFormat 1.4 to 1.11 -> tree."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.body_shapes import add_solid
from limbless.interop.robots.file_shapes import shapes_of
from limbless.interop.robots.tree import Connection, FilePart, Tree
from limbless.interop.robots.xml_text import (
    SIX,
    Array,
    Element,
    called_twice,
    keeping,
    limit,
    not_read,
    number,
    numbers,
    pose,
    rpy_matrix,
    stated,
    unit,
)
from limbless.mechanics.algebra import quaternion_to_matrix

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
    tree.problems += called_twice(model.findall("link"))
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
            name = item.get("attached_to") or _MODEL if item.tag == "frame" else _text(item, "child")
        raise InputError(f"frame {name!r} is attached to itself")

    def _usual(self, item: Element) -> str:
        """What a pose is relative to where it does not say it."""
        return _text(item, "child") if item.tag == "joint" else item.get("attached_to", "")

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
    degrees = _is_true(element.get("degrees"))
    return pose(six[:3], rpy_matrix(np.radians(six[3:]) if degrees else six[3:]))


def _part(link: Element, frames: _Frames, beside: Path) -> FilePart:
    name = link.get("name", "")
    what, place = f"link {name!r}", frames.of(name)
    part, inertial = FilePart(name, place[:3, 3]), link.find("inertial")
    auto = inertial is not None and _is_true(inertial.get("auto"))
    for item, shape in shapes_of(link, lambda item: frames.within(item, name), beside, what):
        mu = item.findtext("surface/friction/ode/mu")
        part.shapes.append(replace(shape, friction=number(mu, f"{what}: mu")) if mu else shape)
        if inertial is not None and auto and shape.collides:
            own = item.findtext("density") or inertial.findtext("density")
            add_solid(part, shape, number(own, f"{what}: density", _DENSITY))
    if inertial is not None and not auto:
        mass = number(inertial.findtext("mass"), f"{what}: mass", 1.0)
        unstated = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
        six = [
            number(inertial.findtext(f"inertia/{key}"), f"{what}: {key}", none)
            for key, none in zip(SIX, unstated, strict=True)
        ]
        part.add_inertia(what, mass, six, place @ _pose(inertial.find("pose"), f"{what}: pose of inertial"))
    return part


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()


def _is_true(word: str | None) -> bool:
    return (word or "").strip() in ("1", "true")


def _lost(model: Element) -> list[str]:
    """Notes on what is not read."""
    links = model.findall("link")
    others = [child.tag for child in model if child.tag not in _READ]
    notes = not_read([*others, *(child.tag for link in links for child in link if child.tag not in _OF_LINKS)])
    bare = [link.get("name", "") for link in links if link.find("inertial") is None]
    light = [link.get("name", "") for link in links if (link.findtext("gravity") or "1").strip() in ("0", "false")]
    tilted = _pose(model.find("pose"), "pose of the model")[2, 2] < 1.0 - 1e-9
    lost = {
        f"{len(bare)} links without <inertial> have no mass here ({', '.join(bare[:3])}); Gazebo gives each 1 kg": bare,
        f"gravity is off for {len(light)} links of the file ({', '.join(light[:3])}); here they weigh": light,
        "the model's own pose, which tilts it, is not read: up is its own z": tilted,
    }
    return [*notes, *(note for note, there in lost.items() if there)]


def _connection(joint: Element, frames: _Frames) -> Connection:
    name, word = joint.get("name") or "joint", joint.get("type", "")
    parent, child = (_text(joint, tag) for tag in ("parent", "child"))
    what = f"joint {name!r}"
    if word not in _KINDS:
        raise InputError(f"{what} is of type {word!r}, which is not modelled; known: {', '.join(_KINDS)}")
    place = frames.within(joint, child)
    made = Connection(name, _KINDS[word], frames.carrier(parent), frames.carrier(child), place[:3, 3])
    if made.kind in ("revolute", "prismatic", "universal"):
        made.axis = _axis(joint, "axis", place, frames, what)
    if made.kind == "universal":
        made.second_axis = _axis(joint, "axis2", place, frames, what)
        made.second = _numbers(joint, "axis2", f"{what}: axis2")
    mimic, own = joint.find("axis/mimic"), _numbers(joint, "axis", what)
    for word, value in own.items():
        setattr(made, word, value)
    made.mimic = None if mimic is None else mimic.get("joint", "")
    return made


def _numbers(joint: Element, axis: str, what: str) -> dict[str, float | None]:
    """Limits and dynamics of one axis, by the fields of a `Connection`."""
    least = {"effort": 0.0, "velocity": 0.0, "lower": -1e9, "upper": -1e9}
    keys = {"damping": "damping", "friction": "friction", "stiffness": "spring_stiffness", "rest": "spring_reference"}
    bounds = {
        word: limit(joint.findtext(f"{axis}/limit/{word}"), f"{what}: {word}", low) for word, low in least.items()
    }
    return bounds | {
        word: number(joint.findtext(f"{axis}/dynamics/{key}"), f"{what}: {key}", 0.0) for word, key in keys.items()
    }


def _axis(joint: Element, axis: str, place: Array, frames: _Frames, what: str) -> Array:
    """Direction of an axis in the frame of the model: given in the joint's frame unless it says another;
    before 1.5 in the model's.
    """
    direction = unit(numbers(joint.findtext(f"{axis}/xyz"), 3, f"{what}: {axis}", (0.0, 0.0, 1.0)), f"{what}: {axis}")
    of_model = _text(joint, f"{axis}/use_parent_model_frame")
    if _is_true(of_model) or (not of_model and frames.version < (1, 5)):
        return direction
    expressed = stated(joint, f"{axis}/xyz", "expressed_in")
    return (frames.of(expressed) if expressed else place)[:3, :3] @ direction
