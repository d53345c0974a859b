"""URDF -> tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.file_shapes import shape_of
from limbless.interop.robots.tree import Connection, FilePart, Tree
from limbless.interop.robots.xml_text import Array, Element, keeping, limit, number, numbers, pose, rpy_matrix, unit
from limbless.robots.links import symmetric_matrix

_FAR = 1e8
"""rad or m: of a bound that stands for none."""
_READ = ("inertial", "collision", "visual", "origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "floating",
    "planar": "planar",
}


def read_urdf(root: Element, beside: Path) -> Tree:
    """A `<robot>`: only its own children are read, because `<transmission>` and `<gazebo>` hold
    joints of another meaning.
    """
    tree = Tree(root.get("name") or "robot", {}, [])
    links, joints = root.findall("link"), root.findall("joint")
    twice = [name for name, count in Counter(link.get("name") for link in links).items() if count > 1]
    tree.problems += [f"two links are called {name!r}" for name in twice]
    places = _places(links, joints, tree)
    for link in links:
        name = link.get("name", "")
        with keeping(tree.problems):
            tree.parts[name] = _part(link, name, places.get(name, np.eye(4)), beside)
    for joint in joints:
        with keeping(tree.problems):
            tree.connections.append(_connection(joint, places))
    others = Counter(child.tag for child in root if child.tag not in ("link", "joint", "material"))
    others += Counter(child.tag for item in (*links, *joints) for child in item if child.tag not in _READ)
    if others:
        told = ", ".join(f"{count} <{tag}>" for tag, count in sorted(others.items()))
        tree.notes.append(f"not read: {told}")
    return tree


def origin_of(element: Element, what: str) -> Array:
    """(4, 4) of an `<origin>`; none is no displacement."""
    origin = element.find("origin")
    xyz, rpy = (None, None) if origin is None else (origin.get("xyz"), origin.get("rpy"))
    return pose(
        numbers(xyz, 3, f"{what}: origin xyz", (0.0,) * 3),
        rpy_matrix(numbers(rpy, 3, f"{what}: origin rpy", (0.0,) * 3)),
    )


def _ends(joint: Element) -> tuple[str, str]:
    parent, child = joint.find("parent"), joint.find("child")
    return ("" if parent is None else parent.get("link", ""), "" if child is None else child.get("link", ""))


def _places(links: list[Element], joints: list[Element], tree: Tree) -> dict[str, Array]:
    """The pose of every link at zero, from the roots on; what no root leads to has none."""
    below: dict[str, list[tuple[str, Array]]] = {}
    children = set()
    for joint in joints:
        parent, child = _ends(joint)
        with keeping(tree.problems):
            below.setdefault(parent, []).append((child, origin_of(joint, f"joint {joint.get('name')!r}")))
        children.add(child)
    places = {link.get("name", ""): np.eye(4) for link in links if link.get("name", "") not in children}
    waiting = list(places)
    while waiting:
        name = waiting.pop()
        for child, origin in below.get(name, ()):
            if child not in places:
                places[child] = places[name] @ origin
                waiting.append(child)
    return places


def _part(link: Element, name: str, place: Array, beside: Path) -> FilePart:
    part, what = FilePart(name, place[:3, 3]), f"link {name!r}"
    inertial = link.find("inertial")
    if inertial is not None:
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        kilograms = number(None if mass is None else mass.get("value"), f"{what}: mass", 0.0)
        if kilograms < 0:
            raise InputError(f"{what}: mass is {kilograms:g}; it must be zero or positive")
        six = [number(None if inertia is None else inertia.get(key), f"{what}: inertia {key}", 0.0) for key in _SIX]
        full = place @ origin_of(inertial, f"{what}: inertial")
        part.add_mass(kilograms, full[:3, 3], full[:3, :3] @ symmetric_matrix(six) @ full[:3, :3].T)
    for tag in ("collision", "visual"):
        for item in link.findall(tag):
            shape = shape_of(
                item.find("geometry"),
                place @ origin_of(item, f"{what}: {tag}"),
                tag == "collision",
                beside,
                f"{what}: {tag}",
            )
            part.shapes += [shape] if shape else []
    return part


def _bound(bounds: Element, name: str, what: str) -> float | None:
    """An end of a range, 0 where the file leaves it out (as the format says); None beyond any motion."""
    value = number(bounds.get(name), f"{what}: {name}", 0.0)
    return value if abs(value) < _FAR else None


def _connection(joint: Element, places: dict[str, Array]) -> Connection:
    name, word = joint.get("name") or "joint", joint.get("type", "")
    what, (parent, child) = f"joint {name!r}", _ends(joint)
    if word not in _KINDS:
        raise InputError(f"{what} is of type {word!r}; known: {', '.join(_KINDS)}")
    place = places.get(parent, np.eye(4)) @ origin_of(joint, what)
    axis = joint.find("axis")
    direction = numbers(None if axis is None else axis.get("xyz"), 3, f"{what}: axis", (1.0, 0.0, 0.0))
    made = Connection(name, _KINDS[word], parent, child, place[:3, 3])
    if made.kind in ("revolute", "prismatic", "planar"):  # of a planar joint, the normal of its plane
        made.axis = place[:3, :3] @ unit(direction, f"{what}: axis")
    bounds, dynamics, mimic = joint.find("limit"), joint.find("dynamics"), joint.find("mimic")
    if bounds is not None:
        made.effort = limit(bounds.get("effort"), f"{what}: effort")
        made.velocity = limit(bounds.get("velocity"), f"{what}: velocity")
        if word != "continuous" and made.kind in ("revolute", "prismatic"):
            made.lower = _bound(bounds, "lower", what)
            made.upper = _bound(bounds, "upper", what)
    if dynamics is not None:
        made.damping = number(dynamics.get("damping"), f"{what}: damping", 0.0)
        made.friction = number(dynamics.get("friction"), f"{what}: friction", 0.0)
    made.mimic = None if mimic is None else mimic.get("joint", "")
    return made
