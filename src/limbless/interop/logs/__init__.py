"""A run for other tools (ROS 2 bags, MATLAB files, animated glTF), and a scenario for them (FMU)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from limbless.core import InputError

if TYPE_CHECKING:
    from limbless.simulation.result import Result

FORMATS = ("rosbag", "mat", "glb")


def write_log(result: Result, path: str | Path, form: str | None = None) -> Path:
    """Write a run as a `.mat` file, as animated glTF (`.glb`), or as a ROS 2 bag (a folder with MCAP storage).

    Parameters
    ----------
    path : `name.mat`, `name.glb`, or the folder of a bag, which must not be there yet.
    form : `mat`, `glb` or `rosbag`; by the name of the path if absent.
    """
    target = Path(path)
    chosen = form or (target.suffix.lower().removeprefix(".") or "rosbag")
    if chosen == "mat":
        from limbless.interop.logs.matlab import write_mat

        return write_mat(result, target)
    if chosen == "rosbag":
        from limbless.interop.logs.rosbag import write_bag

        return write_bag(result, target)
    if chosen == "glb":
        from limbless.view.gltf import write_gltf

        return write_gltf(result, target)
    raise InputError(
        f"{target.name}: a run is exported as name.mat, as name.glb, or as a bag into a folder without an ending; or "
        f"say which: {', '.join(FORMATS)}"
    )
