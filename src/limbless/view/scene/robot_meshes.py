"""Meshes that a robot file names, drawn where its links are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.robots.chain import Chain

if TYPE_CHECKING:
    from limbless.view.scene.frames import Frames

_MOST = 200_000
"""Triangles of all meshes together: a page draws no more in time."""


@dataclass(frozen=True)
class DrawnMesh:
    """A mesh, fixed to a section of the body."""

    vertices: Any  # (V, 3) float32, m
    faces: Any  # (F, 3) uint32
    section: int
    position: Array  # (3,) in the section's frame, m
    rotation: Array  # (3, 3)


def meshes_of(frames: Frames) -> list[DrawnMesh]:
    """The meshes of a chain's links; none where a file is gone or cannot be read: the skin is drawn then."""
    robot = getattr(frames.result.scenario, "robot", None)
    try:
        chain = robot.build() if robot is not None else None
    except InputError:  # a saved run whose robot file is gone
        return []
    if not isinstance(chain, Chain) or not any(link.mesh for link in chain.links):
        return []
    found: list[DrawnMesh] = []
    pieces = chain.segments()
    if frames.position.shape[1] != len(pieces):
        return []
    for section, piece in enumerate(pieces):
        row = chain.rows[piece.body]
        middle = piece.start + 0.5 * piece.length * piece.frame[:, 0]
        for mesh in chain.links[row.link].mesh:
            shape = _loaded(Path(mesh.file), np.array(mesh.scale))
            if shape is None:
                return []
            # from the link's frame to that of its section, both turned as the link stands at home
            place = piece.frame.T @ (row.home @ np.array(mesh.position) - middle)
            turn = piece.frame.T @ row.home @ quaternion_to_matrix(np.array(mesh.orientation))
            found.append(DrawnMesh(*shape, section, place, turn))
    return found if sum(len(mesh.faces) for mesh in found) <= _MOST else []


def _loaded(path: Path, scale: Array) -> tuple[Any, Any] | None:
    """Vertices (m) and triangles of a file."""
    try:
        import trimesh

        made: Any = trimesh.load(path, force="mesh", process=False)
        return (np.asarray(made.vertices) * scale).astype(np.float32), np.asarray(made.faces).astype(np.uint32)
    except Exception:  # whatever a stranger's mesh makes its reader raise
        return None
