"""How well a guidance does: over the last whole turns of its clock in the second half of a run, or over all of that
half where there are none.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from limbless.control.controllers.recorded_law import beside_path
from limbless.control.controllers.signals import wrapped
from limbless.core import Array
from limbless.search.measures.measure_registry import measure
from limbless.simulation.result import Result


class Guided(NamedTuple):
    """What a guidance did in a run; arrays have an entry for each record."""

    aim: Any
    time: Array  # s
    clock: Array  # rad, which does not fall
    lack: Array  # m: integral of the speed less that which is asked for
    place: Array  # (T, 2) m, of the centre of mass
    wanted: Array  # rad, heading
    off: Array  # rad: the heading less that
    beside: Array | None  # m, from the path

    def integral(self, number: Array, times: Array) -> Array:
        """Of a number from the start on."""
        total = np.append(0.0, np.cumsum(0.5 * (number[1:] + number[:-1]) * np.diff(self.time)))
        return np.interp(times, self.time, total)

    def means(self, number: Array, ends: Array) -> Array:
        """Of a number, between times that follow each other."""
        return np.asarray(np.diff(self.integral(number, ends)) / np.diff(ends))

    def turns_before(self, time: Any, turns: Any) -> Any:
        """When the clock was so many turns behind."""
        return np.interp(np.interp(time, self.time, self.clock) - 2.0 * np.pi * turns, self.clock, self.time)

    @property
    def turns(self) -> Array:
        """Times at which whole turns begin and end."""
        end, half = self.time[-1], 0.5 * (self.time[0] + self.time[-1])
        whole = int((self.clock[-1] - np.interp(half, self.time, self.clock)) / (2.0 * np.pi) + 1e-9)
        return np.asarray(self.turns_before(end, np.arange(whole, -1, -1)) if whole else np.array([half, end]))

    def mean(self, number: Array) -> float:
        return float(self.means(number, self.turns[[0, -1]])[0])


def _guided(result: Result) -> Guided | None:
    """The guidance of a run, or None."""
    loops, data = () if result.scenario is None else result.scenario.loops, result.dataset
    number = next((k for k, loop in enumerate(loops) if loop.kind == "guidance"), None)
    if number is None or result.scenario is None or data.sizes["time"] < 2:
        return None
    aim: Any = loops[number]
    time, place = data["time"].values, data["com_position"].values[:, :2]
    own = f" ({number})" if len(loops) > 1 else ""
    clock, lack = (data["controller_state"].sel(controller_number=name + own).values for name in ("clock", "lack"))
    w, x, y, z = np.moveaxis(data["orientation"].values, -1, 0)
    side = 1.0 if result.scenario.robot.build().head == "tip" else -1.0
    links = slice(None) if aim.heading_of == "all" else slice(-1, None) if side > 0 else slice(0, 1)
    ahead = side * (1.0 - 2.0 * (y * y + z * z) + 2.0j * (x * y + w * z))[:, links].sum(axis=1)
    wanted = np.array([float(aim.wanted(t, at)) for t, at in zip(time, place, strict=True)])
    beside = np.array([abs(beside_path(aim.path, at)[0]) for at in place]) if aim.path else None
    off = wrapped(np.angle(ahead) - wanted)
    return Guided(aim, time, np.maximum.accumulate(clock), lack, place, np.unwrap(wanted), off, beside)


def path_error(run: Guided) -> float | None:
    return None if run.beside is None else run.mean(run.beside)


def heading_error(run: Guided) -> float | None:
    return run.mean(run.off)


def speed_error(run: Guided) -> float | None:
    return None if run.aim.speed is None else run.mean(np.gradient(run.lack, run.time))


def course_error(run: Guided) -> float | None:
    x, y = (np.diff(np.interp(run.turns, run.time, column)) for column in run.place.T)
    return float(np.mean(wrapped(np.arctan2(y, x) - run.means(run.wanted, run.turns))))


def settling_time(run: Guided) -> float | None:
    number, near = (run.off, 0.05) if run.beside is None else (run.beside, 0.02)
    late = run.time[run.clock >= run.clock[0] + 2.0 * np.pi]
    begun = run.turns_before(late, 1.0)
    means = (run.integral(number, late) - run.integral(number, begun)) / (late - begun)
    outside = np.flatnonzero(np.abs(means) > near)
    if not len(late) or (len(outside) and outside[-1] == len(late) - 1):
        return None
    return float(late[outside[-1] + 1] if len(outside) else late[0])


def _of_result(function: Callable[[Guided], float | None], result: Result) -> float | None:
    run = _guided(result)
    return None if run is None else function(run)


for _function, _unit, _meaning, _wants in (
    (path_error, "m", "distance of the centre of mass from the path of a guidance, its mean", "path"),
    (heading_error, "rad", "heading less that which a guidance asks for, its mean", "guidance"),
    (
        course_error,
        "rad",
        "direction of the way of the centre of mass in a turn of the gait less that, its mean",
        "guidance",
    ),
    (speed_error, "m/s", "speed along the head less that which a guidance asks for, its mean", "guidance"),
    (
        settling_time,
        "s",
        "from when on means over a turn of the gait stay within 0.02 m of the path, or 0.05 rad of the heading, that a "
        "guidance asks for",
        "guidance",
    ),
):
    measure(_function.__name__, _unit, _meaning, wants=("time", _wants))(partial(_of_result, _function))
