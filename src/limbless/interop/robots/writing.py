"""What both writers share: numbers as text, names, and a chain body by body at home."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from limbless.core import Array
from limbless.robots import Chain, Joint, JointColumns


class PlacedBody(NamedTuple):
    """A primitive row of a chain at home, in axes parallel to the base's."""

    row: JointColumns
    name: str  # of its link; of the first axis of a universal joint with a word more
    origin: Array  # (3,) m, from the base's origin
    mass: float
    centre: Array  # (3,) from its own origin, m
    central: Array  # (3, 3) about the centre of mass, kg m2
    joint: Joint | None
    freedoms: list[int]  # which of the joint's degrees of freedom it has


def text(*values: float) -> str:
    """Numbers as they are read back exactly (`repr` of a NumPy number would name its type)."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def placed_rows(chain: Chain) -> list[PlacedBody]:
    """The rows of a chain, the base first."""
    bodies, origins = chain.bodies(), np.cumsum(chain.arrays().arm, axis=0)
    found = []
    for k, row in enumerate(chain.rows):
        joint, mass = chain.links[row.link].joint, float(bodies.mass[k])
        centre = bodies.moment[k] / mass if mass else np.zeros(3)
        central = bodies.inertia[k] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        name = chain.link_names[row.link] + ("" if row.carries else " (first axis)")
        freedoms = [] if joint is None else list(range(joint.freedoms))
        if joint is not None and joint.kind == "universal":
            freedoms = [int(row.carries)]
        found.append(PlacedBody(row, name, origins[k], mass, centre, central, joint, freedoms))
    return found


def values(joint: Joint, freedoms: list[int], field: str) -> list[float]:
    """A field of a joint for some of its degrees of freedom; what is absent is 0."""
    return [float(joint.per_freedom(field)[freedom] or 0.0) for freedom in freedoms]


def bounds(joint: Joint, freedom: int) -> tuple[float | None, float | None]:
    """Range of one degree of freedom."""
    return joint.per_freedom("lower")[freedom], joint.per_freedom("upper")[freedom]


def losses(chain: Chain, fields: dict[str, str]) -> list[str]:
    """Which of some fields of joints are not zero, as sentences: they have no place in the format."""
    found = []
    for field, told in fields.items():
        names = [
            link.joint.name or f"joint {number}"
            for number, link in enumerate(chain.links)
            if link.joint is not None and any(link.joint.per_freedom(field))
        ]
        if names:
            found.append(f"{field} of {len(names)} joints: {told}")
    return found


def document(root: ElementTree.Element, comments: Iterable[str]) -> str:
    """The text of a file, with comments first."""
    ElementTree.indent(root)
    head = [f"<!-- {comment.replace('--', '- -')} -->" for comment in comments]
    return "\n".join([*head, ElementTree.tostring(root, encoding="unicode"), ""])
