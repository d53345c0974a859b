"""A run as a ROS 2 bag with MCAP storage: joint states, frames, and every variable that changes with time."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError

if TYPE_CHECKING:
    from limbless.simulation.result import Result

JOINTS, FRAMES, OTHERS = "/joint_states", "/tf", "/limbless/"
WORLD = "world"


def write_bag(result: Result, path: Path) -> Path:
    """`/joint_states`, `/tf` (a frame for every section, in the world) and `/limbless/NAME`, as
    arrays with their dimensions.
    """
    try:
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise InputError("ROS 2 bags need the extra logs: pip install 'limbless[logs]'") from None
    if path.exists():
        raise InputError(f"{path} is there already; a bag is a new folder")
    if "time" not in result.dataset.dims:
        raise InputError("this run has no time: only motions become bags (name.mat takes any run)")
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    try:
        with Writer(half, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
            _Bag(result, writer, get_typestore(Stores.ROS2_HUMBLE)).write()
        _renamed(half, path)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return path


def _renamed(half: Path, path: Path) -> None:
    """The finished folder under its own name, which its files and their list bear too."""
    for file in half.glob("*.mcap"):
        file.rename(half / file.name.replace(half.name, path.name))
    listed = half / "metadata.yaml"
    listed.write_text(listed.read_text(encoding="utf-8").replace(half.name, path.name), encoding="utf-8")
    half.rename(path)


class _Bag:
    """Messages of a run, in the order of time."""

    def __init__(self, result: Result, writer: Any, store: Any) -> None:
        self.data, self.writer, self.store = result.dataset, writer, store
        self.times = self.data.time.values
        self.links: dict[str, Any] = {}

    def message(self, kind: str, **fields: Any) -> Any:
        return self.store.types[kind](**fields)

    def stamp(self, row: int) -> tuple[int, Any]:
        """Nanoseconds, and the same as a message."""
        whole = round(float(self.times[row]) * 1e9)
        return whole, self.message("builtin_interfaces/msg/Time", sec=whole // 10**9, nanosec=whole % 10**9)

    def put(self, topic: str, kind: str, when: int, message: Any) -> None:
        if topic not in self.links:
            self.links[topic] = self.writer.add_connection(topic, kind, typestore=self.store)
        self.writer.write(self.links[topic], when, self.store.serialize_cdr(message, kind))

    def write(self) -> None:
        others = {
            str(name): np.ascontiguousarray(variable.values, dtype=np.float64)
            for name, variable in self.data.data_vars.items()
            if variable.dims[:1] == ("time",) and variable.dtype.kind in "fiub"
        }
        layouts = {name: self._layout(name, values) for name, values in others.items()}
        for row in range(len(self.times)):
            when, stamp = self.stamp(row)
            if "joint_position" in self.data:
                self.put(JOINTS, "sensor_msgs/msg/JointState", when, self._joints(row, stamp, others))
            if "position" in self.data and "orientation" in self.data:
                self.put(FRAMES, "tf2_msgs/msg/TFMessage", when, self._frames(row, stamp, others))
            for name, values in others.items():
                array = self.message("std_msgs/msg/Float64MultiArray", layout=layouts[name], data=values[row].ravel())
                self.put(OTHERS + name, "std_msgs/msg/Float64MultiArray", when, array)

    def _joints(self, row: int, stamp: Any, others: dict[str, Any]) -> Any:
        names = {"position": "joint_position", "velocity": "joint_velocity", "effort": "joint_torque"}
        return self.message(
            "sensor_msgs/msg/JointState",
            header=self._header(stamp),
            name=[str(name) for name in self.data.joint.values],
            **{field: others[name][row] if name in others else np.zeros(0) for field, name in names.items()},
        )

    def _frames(self, row: int, stamp: Any, others: dict[str, Any]) -> Any:
        names = [str(name) for name in self.data.section.values] if "section" in self.data.coords else []
        places, turns = others["position"][row], others["orientation"][row]
        made = []
        for number, (place, turn) in enumerate(zip(places, turns, strict=True)):
            x, y, z = map(float, place)
            w, i, j, k = map(float, turn)
            move = self.message(
                "geometry_msgs/msg/Transform",
                translation=self.message("geometry_msgs/msg/Vector3", x=x, y=y, z=z),
                rotation=self.message("geometry_msgs/msg/Quaternion", x=i, y=j, z=k, w=w),
            )
            child = names[number] if number < len(names) else f"section {number}"
            made.append(
                self.message(
                    "geometry_msgs/msg/TransformStamped",
                    header=self._header(stamp),
                    child_frame_id=child.replace(" ", "_"),
                    transform=move,
                )
            )
        return self.message("tf2_msgs/msg/TFMessage", transforms=made)

    def _header(self, stamp: Any) -> Any:
        return self.message("std_msgs/msg/Header", stamp=stamp, frame_id=WORLD)

    def _layout(self, name: str, values: Any) -> Any:
        """Dimensions of one instant, by name."""
        sizes = values.shape[1:]
        dims = [
            self.message(
                "std_msgs/msg/MultiArrayDimension", label=str(label), size=int(size), stride=int(np.prod(sizes[place:]))
            )
            for place, (label, size) in enumerate(zip(self.data[name].dims[1:], sizes, strict=True))
        ]
        return self.message("std_msgs/msg/MultiArrayLayout", dim=dims, data_offset=0)
