"""`path_error` and `heading_error`: how well a guidance does, over the second half of a run."""

from typing import Any

import numpy as np

from limbless.control.controllers.recorded_law import beside_path
from limbless.control.controllers.signals import wrapped
from limbless.search.measures.measure_registry import measure
from limbless.simulation.result import Result


def _guidance(result: Result) -> Any:
    """The guidance of a run, or None."""
    loops = () if result.scenario is None else result.scenario.loops
    return next((loop for loop in loops if loop.kind == "guidance"), None)


@measure(
    "path_error", "m", "distance of the centre of mass from the path of a guidance, its mean", wants=("time", "path")
)
def path_error(result: Result) -> float | None:
    aim = _guidance(result)
    if not getattr(aim, "path", ()):
        return None
    places = result.dataset["com_position"].values
    return float(np.mean([abs(beside_path(aim.path, place)[0]) for place in places[len(places) // 2 :]]))


@measure("heading_error", "rad", "heading less that which a guidance asks for, its mean", wants=("time", "guidance"))
def heading_error(result: Result) -> float | None:
    aim, data = _guidance(result), result.dataset
    if aim is None or result.scenario is None:
        return None
    late = slice(len(data["time"]) // 2, None)
    w, x, y, z = np.moveaxis(data["orientation"].values[late], -1, 0)
    side = 1.0 if result.scenario.robot.build().head == "tip" else -1.0
    links = slice(None) if aim.heading_of == "all" else slice(-1, None) if side > 0 else slice(0, 1)
    ahead = side * (1.0 - 2.0 * (y * y + z * z) + 2.0j * (x * y + w * z))[:, links].sum(axis=1)
    wanted = [aim.wanted(t, place) for t, place in zip(data["time"].values, data["com_position"].values, strict=True)]
    return float(np.mean(wrapped(np.angle(ahead) - np.array(wanted)[late])))
