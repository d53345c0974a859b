"""Logs of robots and tracks of markers in: CSV, MATLAB, XLSX, ROS bags, npz, results."""

from __future__ import annotations

from limbless.core.lazy import lazy_names

__getattr__ = lazy_names(__name__, {"joint_log": "JointLog read_log", "marker_track": "MarkerTrack read_track"})
