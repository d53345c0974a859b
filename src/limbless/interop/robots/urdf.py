"""URDF -> tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from limbless.core import InputError
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

_FAR = 1e8
"""rad or m: of a bound that stands for none."""
_READ = ("inertial", "collision", "visual", "origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
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
    tree.problems += called_twice(links)
    places = _places(links, joints, tree)
    for link in links:
        name = link.get("name", "")
        with keeping(tree.problems):
            tree.parts[name] = _part(link, name, places.get(name, np.eye(4)), beside)
    for joint in joints:
        with keeping(tree.problems):
            tree.connections.append(_connection(joint, places))
    others = [child.tag for child in root if child.tag not in ("link", "joint", "material")]
    others += [child.tag for item in (*links, *joints) for child in item if child.tag not in _READ]
    tree.notes += not_read(others)
    return tree


def origin_of(element: Element, what: str) -> Array:
    """(4, 4) of an `<origin>`; none is no displacement."""
    xyz, rpy = (
        numbers(stated(element, "origin", name), 3, f"{what}: origin {name}", (0.0,) * 3) for name in ("xyz", "rpy")
    )
    return pose(xyz, rpy_matrix(rpy))


def _ends(joint: Element) -> tuple[str, str]:
    return stated(joint, "parent", "link") or "", stated(joint, "child", "link") or ""


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
        mass = number(stated(inertial, "mass", "value"), f"{what}: mass", 0.0)
        six = [number(stated(inertial, "inertia", key), f"{what}: inertia {key}", 0.0) for key in SIX]
        part.add_inertia(what, mass, six, place @ origin_of(inertial, f"{what}: inertial"))

    def place_of(item: Element) -> Array:
        return place @ origin_of(item, f"{what}: {item.tag}")

    part.shapes = [shape for _, shape in shapes_of(link, place_of, beside, what)]
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
    direction = numbers(stated(joint, "axis", "xyz"), 3, f"{what}: axis", (1.0, 0.0, 0.0))
    made = Connection(name, _KINDS[word], parent, child, place[:3, 3])
    if made.kind in ("revolute", "prismatic", "planar"):  # of a planar joint, the normal of its plane
        made.axis = place[:3, :3] @ unit(direction, f"{what}: axis")
    made.effort = limit(stated(joint, "limit", "effort"), f"{what}: effort")
    made.velocity = limit(stated(joint, "limit", "velocity"), f"{what}: velocity")
    bounds, mimic = joint.find("limit"), joint.find("mimic")
    if bounds is not None and word != "continuous" and made.kind in ("revolute", "prismatic"):
        made.lower, made.upper = (_bound(bounds, end, what) for end in ("lower", "upper"))
    made.damping = number(stated(joint, "dynamics", "damping"), f"{what}: damping", 0.0)
    made.friction = number(stated(joint, "dynamics", "friction"), f"{what}: friction", 0.0)
    made.mimic = None if mimic is None else mimic.get("joint", "")
    return made
