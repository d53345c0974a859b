"""`JointLog`: what a robot logged of its joints, in SI units, with what was guessed and what was thrown away."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError, refuse_unknown
from limbless.interop.log_files.named_arrays import named_arrays

QUANTITIES = ("position", "velocity", "current", "effort", "command")
_WORDS = {
    "position": ("q", "position", "pos", "angle", "joint_position"),
    "velocity": ("dq", "qd", "velocity", "vel", "rate", "speed", "joint_velocity"),
    "current": ("i", "current", "amp", "amps", "joint_current"),
    "effort": ("tau", "torque", "effort", "load", "joint_torque"),
    "command": ("cmd", "command", "goal", "target", "ref", "reference", "q_ref", "q_cmd", "joint_command"),
}
_UNITS = {
    "position": {"rad": 1.0, "deg": np.pi / 180.0, "mrad": 1e-3, "turn": 2.0 * np.pi},
    "velocity": {"rad/s": 1.0, "rads": 1.0, "deg/s": np.pi / 180.0, "degs": np.pi / 180.0, "rpm": np.pi / 30.0},
    "current": {"a": 1.0, "ma": 1e-3},
    "effort": {"nm": 1.0, "mnm": 1e-3, "ncm": 1e-2},
}
_UNITS["command"] = _UNITS["position"]
CLOCK = re.compile(r"(?:t|time|stamp|timestamp)(?:[\s_.\[(]*(s|sec|seconds|ms|us|ns)[\])]?)?")
_SECONDS = {None: 1.0, "s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_MOST = {
    "position": (2.0 * np.pi, "rad", "deg"),
    "velocity": (300.0, "rad/s", "rpm"),
    "current": (200.0, "A", "mA"),
    "effort": (2e4, "N m", "mN m"),
}
_MOST["command"] = _MOST["position"]
"""Beyond which no joint turns, draws or pushes, in what, and what is meant then."""
LONGEST_GAP = 3  # samples in a row that are filled
ASTRAY = 6.0  # robust deviations from both neighbours
LEAST_ASTRAY = 0.05  # of what the joint does altogether


@dataclass(frozen=True)
class JointLog:
    """Columns (T, joints) over time (T,), s; what a robot did not log is None."""

    source: str
    time: Array
    joints: tuple[str, ...]
    position: Array | None = None  # rad
    velocity: Array | None = None  # rad/s
    current: Array | None = None  # A
    effort: Array | None = None  # N m
    command: Array | None = None  # rad
    gaps: int = 0  # samples that were lost, and filled
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, Array]:
        """What the robot logged, by quantity."""
        return {name: values for name in QUANTITIES if (values := getattr(self, name)) is not None}

    @property
    def rate(self) -> float:
        """Samples a second."""
        return float(1.0 / np.median(np.diff(self.time)))

    @property
    def jitter(self) -> float:
        """Standard deviation of the time between samples, s."""
        return float(np.diff(self.time).std())

    def held(self, name: str) -> Array:
        """One quantity, or a refusal."""
        if name not in self.columns:
            raise InputError(f"{self.source}: no {name} in this log; it has {', '.join(self.columns)}")
        return self.columns[name]

    def velocity_at(self, time: float, reach: float) -> Array:
        """Joint velocities at a time, by cubics through what lies within `reach`, s, of it."""
        near = np.abs(self.time - time) <= reach * (1.0 + 1e-9)
        powers = np.vander(self.time[near] - time, min(4, int(near.sum())), increasing=True)
        values = self.held("position") if self.velocity is None else self.velocity
        return np.asarray(np.linalg.lstsq(powers, values[near], rcond=None)[0][int(self.velocity is None)])

    def part(self, rows: slice) -> JointLog:
        """Some of its samples."""
        kept: dict[str, Any] = {name: values[rows] for name, values in self.columns.items()}
        return replace(self, time=self.time[rows], **kept)

    def lines(self) -> list[str]:
        """What `limbless log` prints."""
        span = self.time[-1] - self.time[0]
        lost = f"{self.gaps} lost and filled" if self.gaps else "nothing lost"
        told = [
            f"log        {len(self.time)} samples in {span:.4g} s, {self.rate:.4g} /s, jitter "
            f"{round(1e3 * self.jitter, 6):.2g} ms; {lost}",
            f"joints     {len(self.joints)}: {', '.join(self.joints[:8])}{', ..' if len(self.joints) > 8 else ''}",
            f"columns    {', '.join(self.columns)}",
        ]
        moved = self.position if self.position is not None else self.command
        frequency = None if moved is None else dominant_frequency(self.time, moved)
        if frequency and self.position is not None:
            waves = first_harmonic(self.time, self.position, frequency)
            told.append(f"motion     {frequency:.4g} Hz, amplitudes {listed(np.degrees(np.abs(waves)), '.3g')} deg")
            if self.command is not None:
                asked = first_harmonic(self.time, self.command, frequency)
                told += [
                    f"answer     amplitude over command {listed(np.abs(waves) / np.abs(asked), '.3f')}",
                    f"lag        {listed(1e3 * lag_of(waves, asked, frequency), '.1f')} ms",
                ]
        return told + [f"note       {note}" for note in self.notes]

    def __repr__(self) -> str:
        return "\n".join([f"JointLog {self.source}", *(f"  {line}" for line in self.lines())])


def listed(values: Array, form: str) -> str:
    return " ".join(format(float(value), form) for value in values)


def dominant_frequency(time: Array, values: Array) -> float | None:
    """The rate, Hz, at which columns (T, n) move most, above 1.5 periods in all; None where nothing moves."""
    count = len(time)
    even = np.linspace(time[0], time[-1], count)
    columns = np.stack([np.interp(even, time, column) for column in values.T], axis=1)
    columns = columns - columns.mean(axis=0)
    if count < 8 or not np.abs(columns).max() > 1e-9:
        return None
    spectrum = np.abs(np.fft.rfft(columns * np.hanning(count)[:, None], 8 * count, axis=0)) ** 2
    rates = np.fft.rfftfreq(8 * count, even[1] - even[0])
    power = spectrum.sum(axis=1) * (rates > 1.5 / (even[-1] - even[0]))
    return float(rates[int(np.argmax(power))]) if power.max() > 0.0 else None


def first_harmonic(time: Array, values: Array, frequency: float) -> NDArray[np.complex128]:
    """(n,) amplitude and phase of columns (T, n) at a rate, by least squares beside their mean and drift."""
    turn = 2.0 * np.pi * frequency * (time - time[0])
    scale = (time - time[0]) / max(time[-1] - time[0], 1e-300)
    X = np.stack([np.cos(turn), np.sin(turn), np.ones_like(turn), scale], axis=1)
    found = np.linalg.lstsq(X, values, rcond=None)[0]
    return np.asarray(found[0] - 1j * found[1])


def lag_of(answer: NDArray[Any], asked: NDArray[Any], frequency: float) -> Array:
    """(n,) s by which one harmonic comes after another, within half a period."""
    return np.asarray(np.angle(asked / np.where(answer == 0.0, 1.0, answer)) / (2.0 * np.pi * frequency))


def read_log(path: str | Path, like: str | Path | Mapping[str, Any] | None = None, **more: Any) -> JointLog:
    """Read a log of joints.

    Parameters
    ----------
    path : CSV, TSV, JSON lines, .mat, .xlsx, a ROS bag, .npz, or result.nc of a run.
    like : a YAML file or a mapping that explains its names. You can also give the keys as keywords: `position`,
        `velocity`, `current`, `effort`, `command` (name of an array, or names of columns), `joints` (names, in order),
        `time` (a column) or `rate` (samples per second), `units` (quantity -> unit), `sign` (one, or one per joint),
        `zero` (rad), `rows` (first and last).

    Returns
    -------
    JointLog : columns over time.
    """
    source = Path(path).expanduser()
    said = _settings(like, more)
    arrays = named_arrays(source)
    notes: list[str] = []
    found = {name: _quantity(arrays, name, said, source, notes) for name in QUANTITIES}
    columns = {name: values for name, (values, _) in found.items() if values is not None}
    if not columns:
        raise InputError(
            f"{source.name}: no column of joints among {', '.join(list(arrays)[:12])}; they are called q1_deg, "
            "JOINT.position, i1_mA, .., or name them: position=.., current=.., command=.."
        )
    sizes = {name: values.shape for name, values in columns.items()}
    if len(set(sizes.values())) > 1:
        raise InputError(
            f"{source.name}: columns do not match: "
            + ", ".join(f"{name} has {size[0]} rows of {size[1]} joints" for name, size in sizes.items())
        )
    rows, count = next(iter(sizes.values()))
    time = _time(arrays, said, rows, source, notes)
    named = next((names for values, names in found.values() if values is not None and names), ())
    joints = tuple(map(str, said.get("joints") or _labels(arrays, count) or named or range(1, count + 1)))
    if len(joints) != count:
        raise InputError(f"{source.name}: {count} joints, and {len(joints)} names for them")
    columns = {name: _in_si(name, values, said, found[name][1], source, notes) for name, values in columns.items()}
    for name in ("position", "velocity", "command"):
        if name in columns:
            columns[name] = columns[name] * _each("sign", said.get("sign", 1.0), count)
    for name in ("position", "command"):
        if name in columns:
            columns[name] = columns[name] - _each("zero", said.get("zero", 0.0), count)
    told = () if "joint_position" in arrays else tuple(notes)  # a run of limbless has SI units
    log = JointLog(source.name, time, joints, **columns, notes=told)  # type: ignore[arg-type]
    kept = said.get("rows", (0, rows))
    if not (isinstance(kept, Sequence) and len(kept) == 2 and all(isinstance(each, int) for each in kept)):
        raise InputError(f"rows: the first and the one after the last, such as [40, 240]; got {kept!r:.60}")
    log = log.part(slice(*kept))
    if len(log.time) < 2:
        raise InputError(f"{source.name}: {len(log.time)} of its {rows} samples count, and a log has two or more")
    return without_lost(log)


def _settings(like: str | Path | Mapping[str, Any] | None, more: Mapping[str, Any]) -> dict[str, Any]:
    known = {*QUANTITIES, "joints", "time", "rate", "units", "sign", "zero", "rows"}
    if isinstance(like, str | Path):
        place = Path(like).expanduser()
        wanted = f"like: {place} must hold names and what they mean, such as rate: 20"
        like = read_mapping(place, f"like: {place} cannot be read", wanted)
    said = {**(like or {}), **more}
    refuse_unknown(said, known, "like: no setting")
    return said


def read_mapping(path: Path, unread: str, wanted: str) -> dict[str, Any]:
    """What a YAML file of names and values holds, or one of two refusals."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        data = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
    except (OSError, YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{unread} ({str(error).splitlines()[0]})") from None
    if not isinstance(data, dict):
        raise InputError(wanted)
    return data


def _quantity(
    arrays: Mapping[str, Any], name: str, said: Mapping[str, Any], source: Path, notes: list[str]
) -> tuple[Array | None, tuple[str, ...]]:
    """Columns (T, joints) of one quantity, and what the file calls the joints."""
    asked = said.get(name)
    if asked is not None:
        wanted = [asked] if isinstance(asked, str) else list(map(str, asked))
        refuse_unknown(wanted, arrays, f"{name}: {source.name} has no")
        return _stacked([arrays[each] for each in wanted], source), ()
    for word in _WORDS[name]:
        if word in arrays and np.ndim(arrays[word]) == 2:
            return _stacked([arrays[word]], source), ()
    found: dict[str, Any] = {}
    shape = "|".join(sorted(map(re.escape, _WORDS[name]), key=len, reverse=True))
    units = "|".join(sorted(map(re.escape, _UNITS[name]), key=len, reverse=True))
    unit = rf"(?:[._ \[(]+(?P<unit>{units})[\])]?)?"
    before = re.compile(rf"({shape})[._ ]?(?P<joint>\d+){unit}", re.IGNORECASE)
    behind = re.compile(rf"(?P<joint>.+)[._ ]({shape}){unit}", re.IGNORECASE)
    for key, values in arrays.items():
        match = before.fullmatch(key) or behind.fullmatch(key)
        if match and np.ndim(values) == 1 and np.asarray(values).dtype.kind in "fiub":
            size = _UNITS[name].get((match["unit"] or "").lower(), 1.0)
            found[match["joint"]] = np.asarray(values, dtype=float) * size
            if match["unit"] and len(found) == 1:
                notes.append(f"units: {name} in {match['unit']}, by the name of its columns")
    if not found:
        return None, ()
    names = tuple(sorted(found, key=lambda each: (0, int(each)) if each.isdigit() else (1, 0)))
    return _stacked([found[each] for each in names], source), names


def _stacked(several: Sequence[Any], source: Path) -> Array:
    rows = {len(values) for values in several}
    if len(rows) > 1:
        raise InputError(f"{source.name}: columns of different lengths ({sorted(rows)})")
    return np.column_stack([np.asarray(values, dtype=float) for values in several])


def _labels(arrays: Mapping[str, Any], count: int) -> tuple[str, ...] | None:
    names = arrays.get("joint")
    return (
        tuple(map(str, names))
        if names is not None and np.asarray(names).dtype.kind == "U" and len(names) == count
        else None
    )


def _time(arrays: Mapping[str, Any], said: Mapping[str, Any], rows: int, source: Path, notes: list[str]) -> Array:
    if said.get("rate") is not None:
        rate = said["rate"]
        if isinstance(rate, bool | str) or not rate > 0.0:
            raise InputError(f"rate: samples a second, a number above 0 such as 20; got {rate!r}")
        return np.arange(rows) / float(rate)
    asked = said.get("time")
    keys = [asked] if asked else [key for key in arrays if CLOCK.fullmatch(key.lower())]
    if not keys or keys[0] not in arrays:
        raise InputError(
            f"{source.name}: no time in it (a column t, time_ms, ..): say how often it was sampled, rate=20 for 20 "
            "samples a second"
        )
    time, unit = clock(arrays, keys[0])
    if len(time) != rows:
        raise InputError(f"{source.name}: {len(time)} times for {rows} rows")
    steps = np.diff(time)
    if not np.isfinite(time).all() or not (steps > 0.0).all():
        bad = int(np.argmin(np.where(np.isfinite(steps), steps, -np.inf) > 0.0)) + 1
        raise InputError(f"{source.name}: times must increase; row {bad + 1} does not")
    if unit is None and len(steps):
        rate = 1.0 / float(np.median(steps))
        if not 0.1 < rate < 1e5:
            raise InputError(
                f"{source.name}: {rate:.3g} samples a second; are its times in seconds? Name the unit (t_ms), or "
                "give rate"
            )
        if keys[0] != "time":
            notes.append(f"units: times of {keys[0]!r} taken as seconds")
    return time - time[0]


def clock(arrays: Mapping[str, Any], name: str) -> tuple[Array, str | None]:
    """A column of times in s, and the unit that its name says."""
    match = CLOCK.fullmatch(name.lower())
    unit = match[1] if match else None
    return np.asarray(arrays[name], dtype=float).ravel() * _SECONDS[unit], unit


def _in_si(
    name: str, values: Array, said: Mapping[str, Any], named: tuple[str, ...], source: Path, notes: list[str]
) -> Array:
    """By the unit that is stated; angles without one that cannot be radians are refused."""
    units = said.get("units") or {}
    if not isinstance(units, Mapping):
        raise InputError(f"units: say of what, such as units={{position: {units}}}")
    unit = str(units.get(name, "")).lower().replace(" ", "")
    if unit and unit not in _UNITS[name]:
        raise InputError(f"units: {name} in {unit!r}; known are {', '.join(_UNITS[name])}")
    values = values * _UNITS[name].get(unit, 1.0)
    usual, (most, base, other) = float(np.nanpercentile(np.abs(values), 90.0)), _MOST[name]
    if usual > most:
        turn = "is more than a turn" if base == "rad" else "cannot be"
        raise InputError(
            f"{source.name}: {name} of {usual:.3g} {base} {turn}; if {other} is meant, say so: "
            f"units={{{name}: {other}}}, or in the names of the columns (q1_deg, i1_mA)"
        )
    if not unit and not any(note.startswith(f"units: {name} in ") for note in notes):
        notes.append(f"units: {name} taken as {base}")
    return values


def _each(name: str, values: Any, count: int) -> Array:
    """One number, or one for each joint."""
    try:
        return np.broadcast_to(np.asarray(values, dtype=float), (count,))
    except (ValueError, TypeError):
        raise InputError(f"{name}: one number, or {count}, one for each joint; got {values!r:.60}") from None


def without_lost(log: JointLog) -> JointLog:
    """Lost packets filled, counted, and the longest piece kept where more than three samples in a row are lost."""
    measured = [values for name, values in log.columns.items() if name in ("position", "velocity", "current")]
    lost = np.any([_astray(values).any(axis=1) for values in measured], axis=0)
    if not lost.any():
        return log
    if lost.all():
        raise InputError(
            f"{log.source}: no sample has a value of every joint; name the columns that count: position=.."
        )
    runs = np.flatnonzero(np.diff(np.concatenate([[False], lost, [False]]).astype(int)))
    long = [(a, b) for a, b in zip(runs[::2], runs[1::2], strict=True) if b - a > LONGEST_GAP]
    good = ~lost
    kept: dict[str, Any] = {
        name: np.stack([np.interp(log.time, log.time[good], column[good]) for column in values.T], axis=1)
        for name, values in log.columns.items()
    }
    told = f"lost: {int(lost.sum())} samples (beyond their neighbours, or empty) were filled between them"
    filled = replace(log, **kept, gaps=int(lost.sum()), notes=(*log.notes, told))
    if not long:
        return filled
    ends = [0, *(edge for gap in long for edge in gap), len(lost)]
    first, last = max(zip(ends[::2], ends[1::2], strict=True), key=lambda piece: piece[1] - piece[0])
    said = (
        f"lost: {len(long)} gaps of more than {LONGEST_GAP} samples; the longest piece is kept, {last - first} samples"
    )
    return replace(filled.part(slice(first, last)), notes=(*filled.notes, said))


def _astray(values: Array) -> NDArray[np.bool_]:
    """(T, n) whether a value is none, or far from both of its neighbours to the same side."""
    bad = ~np.isfinite(values)
    v = np.where(bad, 0.0, values)
    off = np.zeros((len(v), v.shape[1], 2))
    off[1:, :, 0], off[:-1, :, 1] = v[1:] - v[:-1], v[:-1] - v[1:]
    least = np.where(off[..., 0] * off[..., 1] > 0.0, np.abs(off).min(axis=2), 0.0)
    second = np.abs(off.sum(axis=2))[1:-1]
    spread = 1.4826 * np.median(second, axis=0) if len(second) else np.zeros(v.shape[1])
    span = np.percentile(v, 95.0, axis=0) - np.percentile(v, 5.0, axis=0)
    return np.asarray(bad | (least > np.maximum(ASTRAY * spread, LEAST_ASTRAY * span) + 1e-12))


def rows_of_log(path: str, quantity: str, rate: float | None) -> Array:
    """(T, 1 + joints): times and one quantity of a log, for a gait."""
    try:
        log = read_log(path, {"rate": rate} if rate else None)
        return np.column_stack([log.time, log.held(quantity)])
    except InputError as error:
        raise ValueError(f"cannot read {path!r} as a table of numbers or a log: {error}") from None
