"""Runs for other tools, read back by their own readers: equal arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.core.errors import InputError


@pytest.fixture(scope="module")
def run() -> ll.Result:
    return ll.run("eel-planar", {"duration": 0.3, "record_every": 0.05})


def test_matlab(tmp_path: Path, run: ll.Result) -> None:
    from scipy.io import loadmat

    found = loadmat(run.export(tmp_path / "run.mat"), squeeze_me=True, simplify_cells=True)
    for name in ("joint_position", "position", "base_twist", "actuator_work"):
        assert (found[name] == run.dataset[name].values).all()
    assert (found["time"] == run.dataset.time.values).all()
    assert list(found["joint"]) == list(run.dataset.joint.values)
    assert found["about"]["joint_torque"]["units"] == run.dataset.joint_torque.attrs["units"]
    assert found["about"]["position"]["dims"] == "time, section, axis" and "eel-planar" in found["limbless_scenario"]


def test_ros_bag(tmp_path: Path, run: ll.Result) -> None:
    pytest.importorskip("rosbags")
    from rosbags.rosbag2 import Reader
    from rosbags.typesys import Stores, get_typestore

    store, data = get_typestore(Stores.ROS2_HUMBLE), run.dataset
    path = run.export(tmp_path / "bag")
    seen: dict[str, list] = {}
    with Reader(path) as bag:
        for link, when, raw in bag.messages():
            seen.setdefault(link.topic, []).append((when, store.deserialize_cdr(raw, link.msgtype)))
    joints = [message for _, message in seen["/joint_states"]]
    assert [when for when, _ in seen["/joint_states"]] == [round(t * 1e9) for t in data.time.values]
    assert joints[0].name == list(data.joint.values)
    assert (np.array([joint.position for joint in joints]) == data.joint_position.values).all()
    assert (np.array([joint.effort for joint in joints]) == data.joint_torque.values).all()
    frame = seen["/tf"][-1][1].transforms[3]
    place, turn = frame.transform.translation, frame.transform.rotation
    assert frame.header.frame_id == "world"
    assert (place.x, place.y, place.z) == tuple(data.position.values[-1, 3])
    assert (turn.w, turn.x, turn.y, turn.z) == tuple(data.orientation.values[-1, 3])
    force = seen["/limbless/fluid_force"][2][1]
    assert [dim.label for dim in force.layout.dim] == ["section", "axis"]
    sizes = data.fluid_force.shape[1:]  # a stride is that of its dimension and all behind it (MultiArrayDimension)
    assert [(dim.size, dim.stride) for dim in force.layout.dim] == [(sizes[0], 3 * sizes[0]), (3, 3)]
    assert (force.data.reshape(data.fluid_force.shape[1:]) == data.fluid_force.values[2]).all()
    with pytest.raises(InputError, match="is there already"):
        run.export(path)


def test_export_at_the_command_line(tmp_path: Path, run: ll.Result) -> None:
    run.save(tmp_path / "run")
    answer = CliRunner().invoke(main, ["export", str(tmp_path / "run"), "--to", "mat", "-o", str(tmp_path / "a.mat")])
    assert answer.exit_code == 0 and (tmp_path / "a.mat").is_file(), answer.output
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "scenario.yaml").write_text(run.scenario.to_yaml())
    answer = CliRunner().invoke(main, ["export", str(tmp_path / "made"), "--to", "mjcf", "-o", str(tmp_path / "a.xml")])
    assert answer.exit_code == 0 and ll.load_robot(tmp_path / "a.xml").total_mass == pytest.approx(
        ll.Scenario.load("eel-planar").robot.build().total_mass
    ), answer.output
    with pytest.raises(InputError, match=r"a run is exported as name.mat"):
        run.export(tmp_path / "a.csv")
