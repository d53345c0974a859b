"""Small results with the variables of models that need not be there: contacts, supports, swelling, tendons."""

from __future__ import annotations

import numpy as np
import xarray as xr

from limbless.simulation.result import Result

SECTIONS, FRAMES = 5, 8


def straight(frames: int = FRAMES, sections: int = SECTIONS, length: float = 0.1) -> xr.Dataset:
    """A straight body along x that moves along x at 1 m/s, five records a second."""
    time = 0.2 * np.arange(frames)
    position = np.zeros((frames, sections, 3))
    position[..., 0] = length * (np.arange(sections) + 0.5) + time[:, None]
    orientation = np.zeros((frames, sections, 4))
    orientation[..., 0] = 1.0
    return xr.Dataset(
        {
            "position": (("time", "section", "axis"), position, {"units": "m"}),
            "orientation": (("time", "section", "quaternion"), orientation, {"units": "1"}),
            "head_position": (("time", "axis"), position[:, 0] - [0.5 * length, 0.0, 0.0], {"units": "m"}),
            "com_position": (("time", "axis"), position.mean(axis=1), {"units": "m"}),
            "radius": (("section", "transverse"), np.tile([0.02, 0.03], (sections, 1)), {"units": "m"}),
            "section_length": (("section",), np.full(sections, length), {"units": "m"}),
        },
        coords={"time": ("time", time, {"units": "s"}), "axis": list("xyz")},
    )


def on_ground() -> Result:
    """Two contacts in the world: one sticks and one slips; a third is never closed."""
    data = straight()
    force = np.zeros((FRAMES, 3, 3))
    force[:, 0], force[:, 1], force[:, 2] = [0, 0, 10.0], [3.0, 0, 4.0], [99.0, 0, 0]
    data["contact_force"] = (("time", "contact", "axis"), force, {"units": "N", "frame": "world"})
    data["contact_position"] = (("time", "contact", "axis"), data["position"].values[:, :3], {"units": "m"})
    data["contact_state"] = (("time", "contact"), np.tile([1.0, 2.0, 0.0], (FRAMES, 1)), {"units": "1"})
    return Result(data)


def anchored() -> Result:
    """One support, beside a section that is turned by 90 degrees about z: its force is along
    the world axes all the same.
    """
    data = straight()
    data["orientation"].values[:] = [np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]
    force = np.zeros((FRAMES, 1, 3))
    force[..., 0] = 2.0
    data["contact_force"] = (("time", "contact", "axis"), force, {"units": "N", "frame": "world"})
    data["contact_position"] = (("time", "contact", "axis"), data["position"].values[:, 2:3], {"units": "m"})
    data["contact_state"] = (("time", "contact"), np.ones((FRAMES, 1)), {"units": "1"})
    data["support_abscissa"] = (("time", "contact"), np.full((FRAMES, 1), 0.25), {"units": "m"})
    return Result(data)


def swelling() -> Result:
    """A body that doubles its thickness during the run, and carries a growing internal torque."""
    data = straight()
    grown = data["radius"].values * np.linspace(1.0, 2.0, FRAMES)[:, None, None]
    data = data.drop_vars("radius").assign(radius=(("time", "section", "transverse"), grown, {"units": "m"}))
    wrench = np.zeros((FRAMES, SECTIONS, 6))
    wrench[..., 5] = np.linspace(0.0, 4.0, FRAMES)[:, None]
    data["internal_wrench"] = (("time", "section", "screw"), wrench, {"units": "N, N m"})
    return Result(data)


def statics() -> Result:
    """Disks of a spine over a path of loads: no time, no section lengths."""
    body = straight().rename(time="point").drop_vars(["head_position", "com_position", "section_length", "point"])
    body["tip_position"] = (("point", "axis"), body["position"].values[:, -1], {"units": "m"})
    body["tension"] = (("point", "tendon"), np.tile(np.arange(4.0), (FRAMES, 1)), {"units": "N"})
    return Result(body)
