"""Meshes of a robot file stand where its links are, and the skin steps aside."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.view.scene.frames import frames_of
from limbless.view.scene.moving_parts import MovingParts
from limbless.view.scene.palette import theme_of
from limbless.view.scene.robot_meshes import meshes_of
from tests.unit.interop.robots.descriptions import urdf, written

pytest.importorskip("trimesh")


def tetrahedron(path: Path) -> np.ndarray:
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces)
    path.write_bytes(b" " * 80 + struct.pack("<I", len(faces)) + body)
    return corners


def run_of(path: Path) -> Any:
    gait = {"kind": "joint-wave", "yaw_amplitude": 0.5, "pitch_amplitude": 0.3}
    return ll.run(
        {
            "robot": {"preset": "file", "file": str(path)},
            "gait": gait,
            "environment": [{"kind": "water"}],
            "duration": 0.05,
        }
    )


def test_a_mesh_moves_with_its_link(tmp_path: Path) -> None:
    corners = tetrahedron(tmp_path / "link.stl") * 0.01
    visual = (
        '<visual><origin xyz="0.02 0.01 0" rpy="0.3 0 0.5"/><geometry><mesh filename="link.stl" '
        'scale="0.01 0.01 0.01"/></geometry></visual>'
    )
    result = run_of(written(tmp_path, "s.urdf", urdf().replace("</inertial>", "</inertial>" + visual)))
    frames = frames_of(result)
    meshes = meshes_of(frames)
    assert len(meshes) == 4 and meshes[1].vertices.max() == pytest.approx(0.01)
    # link 0 is the base: its frame is recorded
    data, last = result.dataset, frames.count - 1
    R, origin = quaternion_to_matrix(data.base_orientation.values[-1]), data.base_position.values[-1]
    c, s, d, e = np.cos(0.5), np.sin(0.5), np.cos(0.3), np.sin(0.3)
    own = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, d, -e], [0, e, d]])
    expected = origin + (corners @ own.T + np.array([0.02, 0.01, 0.0])) @ R.T
    placed = MovingParts(frames, theme_of(frames)).at(last)["mesh 0"]
    assert corners @ placed.axes[0].T + placed.position[0] == pytest.approx(expected, abs=1e-9)
    modules_give_way(frames)
    (tmp_path / "link.stl").unlink()
    assert meshes_of(frames) == []  # gone: the skin is drawn


def modules_give_way(frames: Any) -> None:
    """The studio switches modules on at first: meshes stay in place of them until they are switched off."""
    from limbless.view.scene.palette import theme_of
    from limbless.view.scene.scene import Display
    from limbless.view.scene.world import World
    from limbless.view.studio.server import quiet_server, stop

    server = quiet_server()
    try:
        display = Display(server.scene, frames, World([frames], theme_of(frames)))
        assert [key for key, *_ in display.switches()][:2] == ["meshes", "trail"]
        display.switch("modules", True)
        assert {"mesh 0", "mesh 3"} <= set(display._body) and "modules" not in display._body
        display.switch("meshes", False)
        assert {"modules", "joints", "head"} <= set(display._body) and "mesh 3" not in display._body
    finally:
        stop(server)
