"""A run as animated glTF, read back by a reader written here from the standard, and by trimesh."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.scene.frames import frames_of
from limbless.view.scene.moving_parts import MovingParts
from limbless.view.scene.palette import theme_of

WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KIND = {5126: "<f4", 5125: "<u4", 5123: "<u2"}


class Read:
    """A GLB file as its standard describes it."""

    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        magic, version, length = struct.unpack("<4sII", data[:12])
        assert (magic, version, length) == (b"glTF", 2, len(data))
        size, word = struct.unpack("<I4s", data[12:20])
        assert word == b"JSON" and size % 4 == 0
        self.told = json.loads(data[20 : 20 + size])
        assert data[24 + size : 28 + size] == b"BIN\0"
        self.blob = data[28 + size :]
        assert len(self.blob) == self.told["buffers"][0]["byteLength"]

    def array(self, number: int) -> np.ndarray:
        told = self.told["accessors"][number]
        place = self.told["bufferViews"][told["bufferView"]]
        assert place["byteOffset"] % 4 == 0
        flat = np.frombuffer(
            self.blob, KIND[told["componentType"]], told["count"] * WIDTH[told["type"]], place["byteOffset"]
        )
        return flat.reshape(told["count"], -1)

    def node(self, name: str) -> int:
        return [entry.get("name") for entry in self.told["nodes"]].index(name)

    def keys(self, node: int, what: str, count: int) -> np.ndarray:
        """Values of a node at all keys."""
        motion = self.told["animations"][0]
        for channel in motion["channels"]:
            if channel["target"] == {"node": node, "path": what}:
                return self.array(motion["samplers"][channel["sampler"]]["output"])
        still = {"translation": [0.0] * 3, "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0] * 3}
        return np.tile(self.told["nodes"][node].get(what, still[what]), (count, 1))

    def times(self) -> np.ndarray:
        return self.array(self.told["animations"][0]["samplers"][0]["input"])[:, 0]

    def skinned(self, node: int, key: int) -> np.ndarray:
        """Vertices of a skinned mesh at a key: the blend of the poses that hold each."""
        told = self.told["nodes"][node]
        skin = self.told["skins"][told["skin"]]
        attributes = self.told["meshes"][told["mesh"]]["primitives"][0]["attributes"]
        back = self.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        poses = np.zeros_like(back)
        count = len(self.times())
        for number, joint in enumerate(skin["joints"]):
            turn = np.roll(self.keys(joint, "rotation", count)[key], 1)
            poses[number, :3, :3] = quaternion_to_matrix(turn.astype(float)) * self.keys(joint, "scale", count)[key]
            poses[number, :3, 3] = self.keys(joint, "translation", count)[key]
            poses[number, 3, 3] = 1.0
        points = np.pad(self.array(attributes["POSITION"]), ((0, 0), (0, 1)), constant_values=1.0)
        of_vertex = np.einsum(
            "vk,vkij->vij", self.array(attributes["WEIGHTS_0"]), (poses @ back)[self.array(attributes["JOINTS_0"])]
        )
        return np.einsum("vij,vj->vi", of_vertex, points)[:, :3]


@pytest.fixture(scope="module")
def swim() -> ll.Result:
    return ll.run("eel-planar", {"duration": 0.5})


def test_poses_of_the_file_are_those_of_the_run(swim: ll.Result, tmp_path: Path) -> None:
    file = Read(swim.export(tmp_path / "eel.glb"))
    data, count = swim.dataset, len(file.times())
    records = [int(np.abs(data["time"].values - time).argmin()) for time in file.times()]
    assert count > 10 and np.allclose(data["time"].values[records], file.times(), atol=1e-6)
    for section in (0, 7, 12):
        node = file.node(f"section {section}")
        place = data["position"].values[records, section]
        assert np.allclose(file.keys(node, "translation", count), place, atol=1e-6)
        turned = quaternion_to_matrix(np.roll(file.keys(node, "rotation", count), 1, axis=1).astype(float))
        assert np.allclose(turned, quaternion_to_matrix(data["orientation"].values[records, section]), atol=1e-6)


def test_the_robot_in_the_file_is_the_robot_of_the_studio(swim: ll.Result, tmp_path: Path) -> None:
    """Modules to rounding; joints, which a skin bends between their neighbours, within a few per cent of a radius."""
    file, frames = Read(swim.export(tmp_path / "eel.glb")), frames_of(swim)
    last = len(file.times()) - 1
    parts = MovingParts(frames, theme_of(frames))
    skinned, start = file.skinned(file.node("skin"), last), 0
    for key, placed in parts.at(frames.at(float(file.times()[last]))).items():
        own = parts.shapes[key].vertices
        for place, axes, scale in zip(*placed, strict=True):
            apart = np.abs(skinned[start : start + len(own)] - (own * scale @ axes.T + place)).max()
            assert apart < (0.06 if key == "joints" else 1e-4) * float(frames.radius.max()), key
            start += len(own)
    assert start == len(skinned)


def test_world_up_is_up_in_gltf(swim: ll.Result, tmp_path: Path) -> None:
    file = Read(swim.export(tmp_path / "eel.glb"))
    (root,) = file.told["scenes"][0]["nodes"]
    turn = quaternion_to_matrix(np.roll(file.told["nodes"][root]["rotation"], 1))
    assert np.allclose(turn @ [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]) and np.allclose(turn @ [1.0, 0.0, 0.0], [1.0, 0.0, 0.0])


BLENDER = """
import json, sys
import numpy
numpy.bool = bool  # the importer of 2022 asks for it
import bpy
bpy.ops.import_scene.gltf(filepath=sys.argv[-2])
scene, (robot,) = bpy.context.scene, (one for one in bpy.data.objects if one.type == "ARMATURE")
keys = sorted({point.co[0] for curve in robot.animation_data.action.fcurves for point in curve.keyframe_points})
found = {}
for key in keys:
    scene.frame_set(int(key), subframe=key - int(key))
    bones = robot.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    poses = {bone.name: robot.matrix_world @ bone.matrix for bone in bones}
    found[key / scene.render.fps] = {name: [list(row) for row in pose] for name, pose in poses.items()}
json.dump(found, open(sys.argv[-1], "w"))
"""
"""Poses (4, 4) of every section in the world, by time."""


@pytest.mark.long
def test_blender_moves_every_section_as_the_run_does(swim: ll.Result, tmp_path: Path) -> None:
    """Its bones have axes of their own, so that turns are counted from the first record."""
    blender = shutil.which("blender") or pytest.skip("Blender is not installed")
    run, script, answer = swim.export(tmp_path / "eel.glb"), tmp_path / "read.py", tmp_path / "read.json"
    script.write_text(BLENDER)
    options = ["-b", "--factory-startup", "--python-exit-code", "1", "--python", script]
    subprocess.run([blender, *options, "--", run, answer], check=True, capture_output=True)
    found, data = json.loads(answer.read_text()), swim.dataset
    time = data["time"].values
    records = [int(np.abs(time - float(key)).argmin()) for key in found]
    assert len(records) > 10 and np.allclose(time[records], [float(key) for key in found], atol=1e-5)
    for section in range(data.sizes["section"]):
        poses = np.array([bones[f"section {section}"] for bones in found.values()])
        assert np.allclose(poses[:, :3, 3], data["position"].values[records, section], atol=1e-6)
        wanted = quaternion_to_matrix(data["orientation"].values[records, section])
        turned, told = (turns @ turns[0].T for turns in (poses[:, :3, :3], wanted))
        assert np.allclose(turned, told, atol=1e-5) and np.ptp(told, axis=0).max() > 1e-3


@pytest.mark.parametrize(
    ("scenario", "changes", "names"),
    [
        ("neck-swing-air", {"duration": 0.05}, {"tendons", "section 8"}),
        ("neck-planar", {}, {"section 3", "skin", "tendons"}),
        ("snake-push", {"duration": 0.05}, {"skin", "ground"}),
    ],
)
def test_tendons_disks_and_surroundings_are_in_it(
    scenario: str, changes: dict[str, Any], names: set[str], tmp_path: Path
) -> None:
    trimesh = pytest.importorskip("trimesh")
    path = ll.run(scenario, changes).export(tmp_path / "run.glb")
    file = Read(path)
    assert names <= {entry["name"] for entry in file.told["nodes"]}
    assert len(trimesh.load(path).geometry) >= 3  # another reader takes it


def test_an_ending_that_there_is_not_is_refused(swim: ll.Result, tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match=r"eel\.fbx: a run is exported as name\.mat, as name\.glb"):
        swim.export(tmp_path / "eel.fbx")
