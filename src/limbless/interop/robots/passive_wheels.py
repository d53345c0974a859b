"""Passive wheels: a round part that turns freely about its own axis."""

from __future__ import annotations

import numpy as np

from limbless.interop.robots.tree import SMALLEST, Connection, FilePart, FileShape

_NEAR = 0.05
"""Of a wheel's radius, and sine of an angle: how far off its hinge a wheel's shape may be."""


def is_wheel(part: FilePart, hinge: Connection) -> bool:
    """Whether a part is a cylinder, sphere or ellipsoid round a hinge that nothing limits or drives."""
    if hinge.kind != "revolute" or hinge.actuated or hinge.lower is not None or hinge.upper is not None:
        return False
    known = [shape for shape in part.shapes if shape.half is None or shape.half.max() > SMALLEST]
    shapes = [shape for shape in known if shape.collides] or known
    return bool(shapes) and all(_round(shape, hinge) for shape in shapes)


def _round(shape: FileShape, hinge: Connection) -> bool:
    if shape.half is None or shape.kind not in ("sphere", "cylinder", "ellipsoid"):
        return False
    offset = shape.pose[:3, 3] - hinge.anchor
    off = float(np.linalg.norm(np.cross(offset, hinge.axis)))
    axis = shape.pose[:3, :3].T @ hinge.axis
    across = int(np.argmax(np.abs(axis)))
    radii = np.delete(shape.half, across)
    if off > _NEAR * radii.max() or abs(radii[0] - radii[1]) > _NEAR * radii.max():
        return False
    aligned = np.linalg.norm(np.delete(axis, across)) < _NEAR
    return shape.kind == "sphere" or bool(aligned and (shape.kind == "ellipsoid" or across == 2))
