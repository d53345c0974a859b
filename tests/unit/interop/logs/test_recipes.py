"""The recipes for C programs and ROS 2 nodes in the documents work as they stand: the robot is the library's."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.interop.logs.fmu import write_fmu

PAGE = (Path(__file__).parents[4] / "docs" / "logs.md").read_text()


@pytest.mark.long
def test_a_c_program_steps_the_robot_of_the_library(tmp_path: Path) -> None:
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    block = re.search(r"^```c\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert block
    (tmp_path / "steps.c").write_text(block[1])
    words = [compiler, "-Wall", "-Werror", "steps.c", "-ldl", "-o", "steps"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    with zipfile.ZipFile(write_fmu(ll.Scenario.load("eel-planar"), tmp_path / "eel.fmu")) as archive:
        archive.extractall(tmp_path / "eel")
        about = archive.read("modelDescription.xml").decode()
    guid = re.search(r'guid="([^"]+)"', about)
    reference = re.search(r'name="base_position\[1\]" valueReference="(\d+)"', about)
    assert guid and reference
    (binary,) = (tmp_path / "eel" / "binaries").rglob("limbless.*")
    resources = f"file:{tmp_path}/eel/resources"  # as the page writes it
    said = subprocess.run(
        [tmp_path / "steps", binary, resources, guid[1], reference[1]], check=True, capture_output=True, text=True
    ).stdout
    run = ll.run("eel-planar", {"duration": 1.0, "record_every": 0.1}).dataset
    assert np.array_equal([float(word) for word in said.split()], run.base_position.values[1:, 0])


class Node:
    """As much of a node of ROS 2 as the recipe asks for."""

    def __init__(self, name: str) -> None:
        self.sent: list[Any] = []

    def create_publisher(self, kind: Any, topic: str, depth: int) -> Any:
        return SimpleNamespace(publish=self.sent.append)

    def create_subscription(self, kind: Any, topic: str, callback: Any, depth: int) -> None:
        self.heard = callback

    def create_timer(self, period: float, callback: Any) -> None:
        assert period == 0.05
        self.due = callback

    def get_clock(self) -> Any:
        return SimpleNamespace(now=lambda: SimpleNamespace(to_msg=lambda: "now"))


def test_a_ros_node_swims_and_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes: list[Any] = []

    def spin(node: Any) -> None:
        nodes.append(node)
        node.due()
        node.heard(SimpleNamespace(angular=SimpleNamespace(z=0.1)))
        node.due()

    def joint_state() -> Any:
        return SimpleNamespace(header=SimpleNamespace(stamp=None))

    for name, holds in {
        "rclpy": {"init": lambda: None, "spin": spin},
        "rclpy.node": {"Node": Node},
        "geometry_msgs": {},
        "geometry_msgs.msg": {"Twist": SimpleNamespace},
        "sensor_msgs": {},
        "sensor_msgs.msg": {"JointState": joint_state},
    }.items():
        module = ModuleType(name)
        vars(module).update(holds)
        monkeypatch.setitem(sys.modules, name, module)
    block = re.search(r"^(    import limbless as ll\n    import rclpy\n.*?)^(?=\S)", PAGE, re.MULTILINE | re.DOTALL)
    assert block
    exec(compile(textwrap.dedent(block[1]), "logs.md", "exec"), {"__name__": "node"})

    (node,) = nodes
    live = ll.Session("eel-planar", period=0.05)
    live.step()
    live.command({"turn": 0.1})
    seen = live.step()
    first, last = node.sent
    assert last.position == seen["joint_position"].tolist() and last.velocity == seen["joint_velocity"].tolist()
    assert first.position != last.position and len(last.name) == 36 and last.header.stamp == "now"
