"""One measured run: what was done (a scenario, or changes of one), what was logged of it, and what of that counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError, nearest, refuse_unknown
from limbless.interop.log_files.joint_log import (
    JointLog,
    dominant_frequency,
    first_harmonic,
    lag_of,
    listed,
    read_log,
    read_mapping,
)
from limbless.interop.log_files.marker_track import MarkerTrack, laid_on, motion_of, read_track
from limbless.scenarios.scenario import Scenario
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

SAMPLED = {
    "joints": ("position", "joint_position"),
    "velocity": ("velocity", "joint_velocity"),
    "effort": ("effort", "joint_torque"),
    "current": ("current", "joint_current"),
}
"""What is compared at the log's own instants (a log taken once per command sees one phase of it): its column of a log,
and its variable of a run."""
COUNTS = ("harmonics", *SAMPLED, "windows", "speed", "path")
"""What of a run may count: amplitude and lag of each joint, the above, angles of a run that begins anew from the log
every two periods, speed and turning rate of a marker, and the marker's place at its instants."""
SIGMAS = {
    "harmonics": (0.02, 0.003),
    "joints": (0.01,),
    "velocity": (0.1,),
    "effort": (0.1,),
    "current": (0.1,),
    "windows": (0.01,),
    "speed": (0.02, 0.02, 0.02),
    "path": (0.005,),
}
"""Where nothing is stated: amplitude as a share and lag in s; rad; rad/s; N m; A; rad; shares of speed and rad/s; m."""
QUIET, STILL = 0.02, 1e-3  # of what the liveliest joint of a log does, and rad: a joint that moves less has no lag
FEWEST = 2.0  # periods of a log
WINDOW, START = 2.0, 0.1  # periods of a window, and of the log either way of which its start is made
FEW = 3  # samples either way at least
_KEYS = ("name", "scenario", "changes", "log", "like", "track", "point", "counts", "sigma", "skip", "delay", "frame")


@dataclass(frozen=True)
class MeasuredRun:
    """A run of a robot that was logged, filmed or both.

    Parameters
    ----------
    changes : of the scenario to be fitted, such as the gait of this run.
    log, track : what was measured; see `read_log`, `read_track`.
    point : which point the track's marker is: head, tip, centre of mass (com), or the name of a section.
    counts : some of `harmonics`, `joints`, `velocity`, `effort`, `current`, `windows`, `speed`, `path`; chosen if
        absent.
    sigma : standard deviation of each; where absent it comes from repeats, or from the residual itself.
    skip : s at the start that do not count.
    delay : s from the start of the run to the first sample.
    frame : whether the track's axes are those of the world (`known`) or turned and moved anyhow (`free`).
    """

    name: str = "run"
    changes: Mapping[str, Any] = field(default_factory=dict)
    log: JointLog | None = None
    track: MarkerTrack | None = None
    point: str = "head"
    counts: tuple[str, ...] = ()
    sigma: Mapping[str, Any] = field(default_factory=dict)
    skip: float = 0.0
    delay: float = 0.0
    frame: str = "free"

    def __post_init__(self) -> None:
        for word, kinds, wanted in (
            ("log", JointLog | None, "a file name"),
            ("track", MarkerTrack | None, "a file name, or {file: .., column: ..}"),
            ("changes", Mapping, "fields and their values, such as {gait.yaw_rate: 1.5 Hz}"),
            ("sigma", Mapping, "what counts and its standard deviation, such as {joints: 0.002}"),
            ("skip", int | float, "seconds"),
            ("delay", int | float, "seconds"),
        ):
            if not isinstance(getattr(self, word), kinds):  # type: ignore[arg-type]  # unions are fine
                raise InputError(f"{self.name}: {word}: {wanted} is wanted; got {getattr(self, word)!r:.60}")
        if self.log is None and self.track is None:
            raise InputError(f"{self.name}: neither a log nor a track; one of them is needed")
        refuse_unknown(self.counts, COUNTS, f"{self.name}: counts: no")
        for word in self.counts:
            needs = "track" if word in ("speed", "path") else "log"
            if getattr(self, needs) is None:
                raise InputError(f"{self.name}: counts: {word} needs a {needs}, and there is none")
        if self.frame not in ("free", "known"):
            raise InputError(f"{self.name}: frame: {self.frame!r} is none of free, known")
        refuse_unknown(self.sigma, COUNTS, f"{self.name}: sigma: no")

    @classmethod
    def load(cls, path: str | Path) -> MeasuredRun:
        """From a YAML file; files that it names are looked for beside it."""
        place = Path(path).expanduser()
        wanted = f"{place}: a run holds names and values, such as log: side_1.csv"
        data = read_mapping(place, f"{place}: cannot be read as a run", wanted)
        return cls.from_mapping({"name": place.stem, **data}, place.parent)

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], folder: Path = Path()) -> MeasuredRun:
        """The same from a mapping."""
        for key in data:
            if key not in _KEYS:
                raise InputError(f"{data.get('name', 'run')}: no entry {key!r} in a run; {nearest(str(key), _KEYS)}")
        if "scenario" in data:
            raise InputError(
                f"{data.get('name')}: scenario: all runs are of one scenario; say what differs as `changes`"
            )
        said = {key: value for key, value in data.items() if key not in ("log", "like", "track")}
        if "counts" in said:
            words = said["counts"] if isinstance(said["counts"], list | tuple) else [said["counts"]]
            said["counts"] = tuple(map(str, words))
        log, track = data.get("log"), data.get("track")
        if isinstance(log, str):
            like = data.get("like")
            log = read_log(folder / log, folder / like if isinstance(like, str) else like)
        if isinstance(track, str | Mapping):
            asked: dict[str, Any] = {"file": track} if isinstance(track, str) else dict(track)
            track = read_track(folder / str(asked.pop("file", "")), **asked)
        return cls(log=log, track=track, **said)

    @property
    def held(self) -> list[JointLog | MarkerTrack]:
        """What was measured."""
        return [data for data in (self.log, self.track) if data is not None]

    def compare(self, source: Any, picture: str | Path | None = None) -> list[str]:
        """Run a scenario and say how it differs from what was measured; a picture shows both over each other."""
        from limbless.interop.identification.fit_folder import draw_over

        words = [] if self.log is None or self.log.position is None else ["harmonics", "joints"]
        run = replace(self, counts=(*words, *(["speed"] if self.track else []))).among(Scenario.load(source))
        result = run_scenario(run.scenario)
        if picture is not None:
            draw_over(run, {"run": result}, Path(picture))
        return run.lines(result)

    def among(self, scenario: Scenario) -> RunData:
        """Beside the scenario that it is a run of."""
        return RunData(self, Scenario.load(scenario, self.changes) if self.changes else scenario)


class RunData:
    """A measured run beside a scenario: what residuals of it are, for any values of the parameters."""

    def __init__(self, measured: MeasuredRun, scenario: Scenario) -> None:
        self.measured, self.name = measured, measured.name
        self.cycle = scenario.gait.cycle
        self.counts = measured.counts or self._usual(scenario.model.kind == "non-smooth")
        end = max(data.time[-1] + measured.delay for data in measured.held)
        if scenario.duration < end - 1e-9:
            scenario = Scenario.load(scenario, {"duration": float(np.ceil(end / scenario.step) * scenario.step)})
        self.scenario = self.with_records(scenario)
        self.sigmas = {word: self._stated(word) for word in self.counts}
        if measured.log is not None:
            self._check_log(measured.log)
        if "speed" in self.counts or "path" in self.counts:
            self._check_track()

    @property
    def log(self) -> JointLog:
        """Its log, where one counts: checked when it was made."""
        if self.measured.log is None:
            raise InputError(f"{self.name}: no log")
        return self.measured.log

    @property
    def track(self) -> MarkerTrack:
        """Its track, likewise."""
        if self.measured.track is None:
            raise InputError(f"{self.name}: no track")
        return self.measured.track

    def _usual(self, rough: bool) -> tuple[str, ...]:
        found: list[str] = []
        if self.measured.log is not None:
            known = rough and self.measured.log.position is not None
            found.append("joints" if not known else "harmonics" if self.cycle else "windows")
        if self.measured.track is not None:
            found.append("speed" if rough else "path")
        return tuple(found)

    def _stated(self, word: str) -> Array | None:
        given = self.measured.sigma.get(word)
        if given is None:
            return None
        try:
            values = np.broadcast_to(np.asarray(given, dtype=float), (len(SIGMAS[word]),))
        except (ValueError, TypeError):
            values = np.zeros(1)
        if not (values > 0.0).all():
            raise InputError(
                f"{self.name}: sigma: {word} takes one positive number, or {len(SIGMAS[word])}; got {given!r:.60}"
            )
        return np.array(values)

    def _check_log(self, log: JointLog) -> None:
        joints = int(getattr(self.scenario.robot.build(), "freedoms", 0))
        if joints != len(log.joints):
            raise InputError(
                f"{self.name}: the log has {len(log.joints)} joints and the robot {joints}; `position` of `like` says "
                "which columns they are"
            )
        when = self._instants(log)[1]
        span, least = float(np.ptp(when)) if len(when) else 0.0, FEWEST if "harmonics" in self.counts else 1.0
        if span < (least - 0.02) * (self.cycle or 0.0) or not span:
            period = f", and the gait has a period of {self.cycle:.3g} s" if self.cycle else ""
            raise InputError(
                f"{self.name}: {span:.3g} s of log count{period}: "
                f"{'harmonics need two periods' if least > 1.0 else 'a period or more is needed'}; look at `skip`"
            )
        for word in self.counts:
            if word in (*SAMPLED, "harmonics", "windows"):
                log.held(SAMPLED.get(word, ("position",))[0])

    def _check_track(self) -> None:
        track = self.measured.track
        if track is None or track.time[-1] - track.time[0] <= self.measured.skip:
            raise InputError(f"{self.name}: the track is shorter than the {self.measured.skip:g} s that are skipped")
        if "speed" in self.counts and self.cycle and track.time[-1] - self.measured.skip < FEWEST * self.cycle:
            raise InputError(f"{self.name}: the track has fewer than {FEWEST:g} periods of the gait")

    def with_records(self, scenario: Scenario) -> Scenario:
        """Recorded at least twice as often as anything was measured, and at its instants where steps end there: between
        records a run that jumps would be bent."""
        spacing = min(float(np.median(np.diff(data.time))) for data in self.measured.held)
        steps = max(round(spacing / scenario.step), 1)
        every = max(part for part in range(1, max(steps // 2, 1) + 1) if steps % part == 0) * scenario.step
        return Scenario.load(scenario, {"record_every": every})

    def compared(self, result: Result) -> dict[str, Array]:
        """Run minus measured, in units of their own, by what counts: (N, entries of its sigma), or (N, axes)."""
        return {word: np.atleast_2d(self._compared(word, result)) for word in self.counts}

    def _compared(self, word: str, result: Result) -> Array:
        if word not in SAMPLED:
            return np.asarray(getattr(self, f"_{word}")(result))
        _, mine, logged = self._joint_samples(result, *SAMPLED[word])
        return mine - logged

    def lines(self, result: Result) -> list[str]:
        """What `compared` has, in words."""
        told, off = [], self.compared(result)
        if "harmonics" in off:
            larger, later = off["harmonics"].T
            told.append(f"run        amplitude over the log {listed(1.0 + larger, '.3f')}")
            told.append(f"run        lag behind the log {listed((1e3 * later).round(1) + 0.0, '.1f')} ms")
        if "joints" in off:
            told.append(f"run        joint angles off by {float(np.sqrt((off['joints'] ** 2).mean())):.3g} rad (rms)")
        if "speed" in off:
            net, way, turn = off["speed"][0]
            told.append(
                f"run        net speed {100.0 * net:+.3g} %, speed along the path {100.0 * way:+.3g} % of that speed, "
                f"turning rate {np.degrees(turn):+.3g} deg/s beside the track"
            )
        return told

    def over(self, result: Result) -> dict[str, tuple[Array, Array, Array]]:
        """Joint angles and the way of the marker, as far as measured: instants, measured, and the run's own there."""
        found = {}
        if self.measured.log is not None and self.measured.log.position is not None:
            when, mine, logged = self._joint_samples(result, *SAMPLED["joints"])
            found["joints"] = when, logged, mine
        if self.measured.track is not None:
            when, mine, there = self._places(result)
            found["path"] = when, there, laid_on(mine, there) if self.measured.frame == "free" else mine
        return found

    def changed(self, changes: Mapping[str, Any]) -> Scenario:
        """Its scenario with other values."""
        return Scenario.load(self.scenario, changes)

    def _instants(self, data: JointLog | MarkerTrack) -> tuple[NDArray[np.bool_], Array]:
        """Which samples count, and when they are in the run."""
        when = data.time + self.measured.delay
        use = when >= self.measured.skip
        if isinstance(data, MarkerTrack):
            use &= np.isfinite(data.marker()).all(axis=1)
        return use, when[use]

    def blocks(self, word: str, rows: int) -> Array:
        """(rows,) which two periods of the gait a row of what is compared belongs to; -1 where it is of all."""
        logged = word in (*SAMPLED, "windows")
        data = self.measured.track if word == "path" else self.measured.log if logged else None
        if data is None or not self.cycle:
            return np.full(rows, -1.0)
        when = self._instants(data)[1][-rows:]  # without the start of the first window
        return np.asarray(np.floor((when - when[0]) / (2.0 * self.cycle)))

    def _sampled(self, result: Result, name: str, when: Array) -> Array:
        from scipy.interpolate import CubicSpline

        if name not in result.dataset:
            raise InputError(f"{self.name}: runs of model {self.scenario.model.kind!r} have no {name}")
        data = result.dataset
        return np.asarray(CubicSpline(data["time"].values, data[name].values)(when))

    def _joint_samples(self, result: Result, held: str, variable: str) -> tuple[Array, Array, Array]:
        use, when = self._instants(self.log)
        return when, self._sampled(result, variable, when), self.log.held(held)[use]

    def _harmonics(self, result: Result) -> Array:
        """Of each joint that moves, at the rate at which it moves most: relative error of the amplitude, and lag, s."""
        when, mine, logged = self._joint_samples(result, "position", "joint_position")
        moved, rows = np.ptp(logged, axis=0), []
        for j in np.flatnonzero(moved > max(QUIET * moved.max(), STILL)):
            rate = dominant_frequency(when, logged[:, [j]])
            if rate is not None:
                theirs, own = (first_harmonic(when, values[:, [j]], rate) for values in (logged, mine))
                rows.append([abs(own[0]) / abs(theirs[0]) - 1.0, float(lag_of(own, theirs, rate)[0])])
        if not rows:
            raise InputError(f"{self.name}: no joint of the log moves: harmonics cannot count")
        return np.array(rows)

    def _windows(self, result: Result) -> Array:
        """Angles less the log's of a run that begins anew where the log is, every two periods; its base goes on."""
        log, scenario = self.log, result.scenario or self.scenario
        model = scenario.assemble()
        if not hasattr(model, "with_joints") or getattr(scenario.actuation, "series_stiffness", None):
            raise InputError(
                f"{self.name}: counts: windows begin with the joints of a log, which is not all that this robot has "
                "(a soft body, motors behind springs); count joints"
            )
        use, when = self._instants(log)
        logged = log.held("position")[use]
        period = self.cycle or 1.0 / (dominant_frequency(log.time, log.held("position")) or 4.0 / float(np.ptp(when)))
        first = np.flatnonzero(np.diff(np.floor((when - when[0]) / (WINDOW * period)), prepend=-1.0))
        ends, off = [*first[1:], len(when) - 1], []
        state = model.initial_state(scenario.initial, scenario.gait)
        for begin, end in zip(first, ends, strict=True):
            if end == begin:
                continue
            start, stop = (round(when[k] / scenario.step) * scenario.step for k in (begin, end))
            stop = max(stop, when[end])
            if start > state.time + 1e-9:  # what does not count
                state = self._on(scenario, state, start).state
            rate = log.velocity_at(float(when[begin] - self.measured.delay), max(START * period, FEW / log.rate))
            state = model.with_joints(state, logged[begin] + (start - when[begin]) * rate, rate)
            part = self._on(scenario, state, stop)
            at = slice(begin + 1, end + 1)
            off.append(self._sampled(part, "joint_position", when[at]) - logged[at])
            state = part.state
        return np.concatenate(off)

    def _on(self, scenario: Scenario, state: Any, end: float) -> Any:
        """The run from a state on to a time, in whole steps."""
        steps = int(np.ceil((end - state.time) / scenario.step - 1e-6))
        part = scenario.model_copy(update={"duration": steps * scenario.step, "record_every": scenario.step})
        nothing: Any = None  # was recorded before
        return run_scenario(part, after=Result(nothing, scenario, state=state))

    def _places(self, result: Result) -> tuple[Array, Array, Array]:
        """Instants, the run's point and the marker there, (N, 2 or 3)."""
        use, when = self._instants(self.track)
        there = self.track.marker()[use]
        names = {"head": "head_position", "tip": "tip_position", "com": "com_position"}
        if self.measured.point in names:
            mine = self._sampled(result, names[self.measured.point], when)
        else:
            sections = [str(name) for name in result.dataset["section"].values]
            refuse_unknown([self.measured.point], [*names, *sections], f"{self.name}: point: no")
            mine = self._sampled(result, "position", when)[:, sections.index(self.measured.point)]
        return when, mine[:, : there.shape[1]], there

    def _path(self, result: Result) -> Array:
        _, there, mine = self.over(result)["path"]
        return mine - there

    def _speed(self, result: Result) -> Array:
        """Speed from first to last, speed along the path, both as shares of the measured one, and turning rate."""
        when, mine, there = self._places(result)
        own, theirs = (motion_of(when, places, self.cycle) for places in (mine, there))
        size = max(theirs[1], 1e-9)
        return np.array([(own[0] - theirs[0]) / size, (own[1] - theirs[1]) / size, own[2] - theirs[2]])


def runs_of(given: Sequence[Any]) -> list[MeasuredRun]:
    """Runs from files, mappings or as they are; file names may have * in them."""
    found: list[MeasuredRun] = []
    for each in given:
        if isinstance(each, MeasuredRun):
            found.append(each)
        elif isinstance(each, Mapping):
            found.append(MeasuredRun.from_mapping(each))
        else:
            place = Path(str(each)).expanduser()
            files = sorted(place.parent.glob(place.name)) if any(sign in place.name for sign in "*?[") else [place]
            if not files:
                raise InputError(f"runs: no file is like {str(each)!r}")
            found += [MeasuredRun.load(file) for file in files]
    return found
