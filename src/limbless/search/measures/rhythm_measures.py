"""`frequency`, `phase_lag`, `wavelength` of the joints; `activity_frequency` and `locking_time` of oscillators."""

from collections.abc import Callable
from typing import Any

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import rhythm
from limbless.simulation.result import Result


def _of_result(function: Callable[..., Any]) -> Callable[[Result], Any]:
    """Of the joints that a controller drives, seen from the head; of all joints where there is none."""

    def of(result: Result) -> Any:
        joints: Any = getattr(getattr(result.scenario, "controller", None), "joints", "all")
        robot = None if result.scenario is None else result.scenario.robot.build()
        away = -1.0 if getattr(robot, "head", "base") == "tip" else 1.0
        return function(result.dataset, slice(None) if isinstance(joints, str) else list(joints), away)

    return of


for _function, _unit, _meaning, _wants in (
    (rhythm.frequency, "Hz", "how often the joints go to and fro, their median over the second half of the run", ()),
    (rhythm.phase_lag, "1", "cycles by which each joint lags behind its neighbour towards the head, their mean", ()),
    (rhythm.wavelength, "1", "body lengths of the wave along the joints, positive from head to tail", ()),
    (rhythm.activity_frequency, "Hz", "turns per second of each oscillator, and their median", ("oscillators",)),
    (
        rhythm.locking_time,
        "s",
        "when oscillators keep step: differences of phase stay within 0.05 rad from then on",
        ("oscillators",),
    ),
):
    measure(_function.__name__, _unit, _meaning, wants=("time", *_wants))(_of_result(_function))
