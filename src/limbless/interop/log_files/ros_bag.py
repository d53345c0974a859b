"""ROS bags in: joint states by name, and where a body was (odometry, poses, transforms)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError

PLACES = {
    "nav_msgs/msg/Odometry": lambda message: message.pose.pose.position,
    "geometry_msgs/msg/PoseStamped": lambda message: message.pose.position,
    "geometry_msgs/msg/TransformStamped": lambda message: message.transform.translation,
}


def read_bag(path: Path) -> dict[str, Any]:
    """`time`, `joint` (names), `position`, `velocity`, `effort` (T, joints) of the first topic of joint states, and
    `TOPIC.time`, `TOPIC.x`, .. of every topic of places."""
    try:
        from rosbags.highlevel import AnyReader
        from rosbags.typesys import Stores, get_typestore
    except ImportError:
        raise InputError(f"{path.name}: ROS bags need the extra logs: pip install 'limbless[logs]'") from None
    if not path.exists():
        raise InputError(f"there is no bag {str(path)!r}")
    joints: dict[str, list[tuple[float, Any]]] = {}
    places: dict[str, list[tuple[float, float, float, float]]] = {}
    # a single .mcap lies in the folder of its bag, beside metadata.yaml
    source = path.parent if path.suffix == ".mcap" and (path.parent / "metadata.yaml").is_file() else path
    try:
        with AnyReader([source], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as bag:
            wanted = [
                link for link in bag.connections if link.msgtype in PLACES or link.msgtype.endswith("/JointState")
            ]
            for link, when, raw in bag.messages(connections=wanted):
                message: Any = bag.deserialize(raw, link.msgtype)
                stamp = getattr(message, "header", None)
                time = stamp.stamp.sec + 1e-9 * stamp.stamp.nanosec if stamp is not None else 1e-9 * when
                if link.msgtype in PLACES:
                    at = PLACES[link.msgtype](message)
                    places.setdefault(link.topic.strip("/"), []).append((time, at.x, at.y, at.z))
                else:
                    joints.setdefault(link.topic, []).append((time, message))
    except Exception as error:  # rosbags raises many kinds; for the user they mean one thing
        raise InputError(f"{path.name}: cannot be read as a ROS bag ({type(error).__name__}: {error})") from None
    found: dict[str, Any] = {}
    for topic, rows in places.items():
        table = np.array(rows)
        found |= {f"{topic}.{name}": table[:, k] for k, name in enumerate(("time", "x", "y", "z"))}
    if joints:
        rows_of_joints = next(iter(joints.values()))
        names = list(rows_of_joints[0][1].name)
        found |= {"time": np.array([time for time, _ in rows_of_joints]), "joint": np.array(names)}
        for field in ("position", "velocity", "effort"):
            values = [getattr(message, field) for _, message in rows_of_joints]
            if all(len(row) == len(names) for row in values):
                found[field] = np.array(values, dtype=float)
    if not found:
        raise InputError(f"{path.name}: a bag without sensor_msgs/JointState, Odometry or PoseStamped")
    return found
