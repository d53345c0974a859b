"""`RecordedLaw`: a controller whose law is NumPy, recorded once as a table of operations (see `signals`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np

from limbless.control.controllers.base import Array, ClosedLoop, Lesion, LoopLayout, PackedLoop, whole_steps
from limbless.control.controllers.senses import (
    AXES,
    LOOKED_AT,
    OF_ALL,
    PATHS,
    POSITIONS,
    Sense,
    SensePlace,
    names_of,
    packed_senses,
    places_of,
)
from limbless.control.controllers.signals import Signal, SignalTape, signals, where
from limbless.core import InputError, call, name_of, nearest
from limbless.mechanics.control import BlockDiagram, Samples

_MOTION = ("position", "velocity", "acceleration")
GIVES = ("torque", "target", "target rate", "left", "right", "tendon", "tendon rate", *_MOTION)
"""What an output is, by its number in a table; the last three are those of motion-given joints."""


class Instant(NamedTuple):
    """What a law is given: signals."""

    t: Any
    senses: list[Any]  # an array for each sense
    z: dict[str, Any]  # own numbers, by their names
    layout: LoopLayout


class Outcome(NamedTuple):
    """What a law answers."""

    rates: Mapping[str, Any]  # of own numbers; those that are absent stay
    outputs: Sequence[tuple[str, int, Any]] = ()  # what (`GIVES`), where, how much
    jumps: Mapping[str, Any] = {}  # own numbers after a tick


class RecordedLaw(ClosedLoop):
    """A controller that says in NumPy what it does (`answer`)."""

    ticks: ClassVar[bool] = False
    """Whether it has a `period`, at the ends of which numbers jump."""
    cuts: ClassVar[tuple[str, ...]] = tuple(Lesion.model_fields)
    """What its `lesion` may cut."""

    @property
    def gives(self) -> str:
        """What its outputs are (`GIVES`): an effort stands among torques."""
        return "torque" if self.output == "effort" else str(self.output)  # type: ignore[attr-defined]

    def sensed(self, layout: LoopLayout) -> Sequence[Sense]:
        """What it senses."""
        return self.senses  # type: ignore[attr-defined, no-any-return]

    def of_joints(self, layout: LoopLayout) -> Sequence[int]:
        """The joints that its senses speak of."""
        return range(layout.freedoms)

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        """Its own numbers at the start, by their names."""
        return {}

    def answer(self, now: Instant) -> Outcome:
        """What it does at an instant."""
        raise NotImplementedError

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        """How fast its numbers answer, 1/s, and which field says so."""
        return 0.0, ""

    def neurons(self, layout: LoopLayout) -> list[str]:
        return _labels(self.start(layout))

    def activity(self, state: Array, count: int) -> Array:
        """All its own numbers."""
        return state[:, :count]

    def pack(self, layout: LoopLayout) -> PackedLoop:
        for name in set(Lesion.model_fields) - set(self.cuts):
            self.lesion.cut(name, 0, name)  # type: ignore[attr-defined]
        begun, held = self.start(layout), None if self.ticks else getattr(self, "period", None)
        tape, channels, told, slot, z = self._recorded(layout, begun)
        if held is not None:  # what it gives at a tick is a number of its own until the next one
            begun = {**begun, "held": np.zeros(len(told.outputs))}
            tape, channels, told, slot, z = self._recorded(layout, begun)
            given = [value for _, _, value in told.outputs]
            kept = [(what, row, own) for (what, row, _), own in zip(told.outputs, z["held"], strict=True)]
            told = Outcome(told.rates, kept, {"held": given})
        own = sum(len(values) for values in begun.values())
        still = tape.new(0).place
        rates, order = np.full(own, still, dtype=np.int64), list(begun)
        first = dict(zip(order, np.cumsum([0, *(len(begun[name]) for name in order)]), strict=False))
        for name, given in told.rates.items():
            for k, rate in enumerate(_row(given, len(begun[name]), f"rates of {name}")):
                rates[first[name] + k] = tape.signal(rate).place
        jumps = [
            (first[name] + k, self._early(tape.signal(value)).place)
            for name, given in told.jumps.items()
            for k, value in enumerate(_row(given, len(begun[name]), f"numbers of {name}"))
        ]
        outputs, placed = self._outputs(tape, told.outputs, layout)
        period = float(self.period) if jumps else 0.0  # type: ignore[attr-defined]
        if period:
            whole_steps("period", period, layout.step)
        senses = packed_senses(channels, layout.first + own + 2 * (period > 0.0), layout, getattr(self, "seed", 0))
        blocks, ends = tape.sorted_blocks()
        clock = layout.first + own + np.arange(2, dtype=np.int64)
        tables = BlockDiagram(
            np.array([layout.first, own], dtype=np.int64),
            blocks,
            ends,
            rates,
            outputs,
            placed,
            Samples(np.array(jumps, dtype=np.int64).reshape(-1, 2), clock, np.array([period])),
            senses,
            np.array([0 if slot is None else slot.address], dtype=np.int64),
            np.array(tape.values),
        )
        names = [*_labels(begun), *(["clock", "ticks"] if period else []), *names_of(senses, channels)]
        start = np.zeros(len(names))
        start[:own] = np.concatenate([np.zeros(0), *begun.values()])
        fastest = max(self.fastest(layout), (float(senses.rate.max(initial=0.0)), "the filters of senses (filter)"))
        return PackedLoop(tables, start, tuple(names), *fastest, slot)

    def _recorded(self, layout: LoopLayout, begun: Mapping[str, Array]) -> tuple[Any, ...]:
        """A tape with what it answers on it."""
        tape, z = SignalTape(), {}
        t = tape.new(0)
        for name, values in begun.items():
            z[name] = signals([tape.new(0) for _ in values])
        channels, felt = self._felt(tape, t, layout)
        own = {name: numbers for name, numbers in z.items() if name != "held"}
        return tape, channels, *self._answered(tape, Instant(t, felt, own, layout)), z

    def _answered(self, tape: SignalTape, now: Instant) -> tuple[Outcome, Any]:
        """What it answers, and the callback that is asked at every stage where it cannot be recorded."""
        return self.answer(now), None

    def _felt(self, tape: SignalTape, t: Signal, layout: LoopLayout) -> tuple[list[SensePlace], list[Any]]:
        """What is read, the early ones first, and the signals of each sense."""
        wanted = [read_by(sense, layout, self.of_joints(layout)) for sense in self.sensed(layout)]
        channels = sorted(
            (place for parts in wanted for places in parts.values() for place in places),
            key=lambda place: place.sense.after,
        )
        told = {
            id(place): tape.new(2 if place.sense.late else 1, f"{place.sense.kind}" if place.sense.late else "")
            for place in channels
        }
        rows = [
            {kind: signals([told[id(place)] for place in places]) for kind, places in parts.items()} for parts in wanted
        ]
        return channels, [
            made_of(sense, t, row.__getitem__) for sense, row in zip(self.sensed(layout), rows, strict=True)
        ]

    def _early(self, signal: Signal) -> Signal:
        if signal.level == 2:
            raise InputError(
                f"controller.senses: {signal.why} is known only after the motion of the instant; a command cannot use "
                "it directly: add filter (5 ms), or feed it into a state"
            )
        return signal

    def _outputs(
        self, tape: SignalTape, outputs: Sequence[tuple[str, int, Any]], layout: LoopLayout
    ) -> tuple[Any, Any]:
        """Rows of outputs, given positions and rates first."""
        rows = []
        for what, number, value in outputs:
            column = {"position": layout.position, "velocity": layout.velocity}.get(what)
            signal = self._early(tape.signal(value))
            if column is not None and signal.level > 0:
                raise InputError("controller.output: positions that are given follow from the controller's own numbers")
            rows.append((signal.place, GIVES.index(what), int(number if column is None else column[number])))
        rows.sort(key=lambda row: row[1] not in (GIVES.index("position"), GIVES.index("velocity")))
        kinds = [row[1] for row in rows]
        placed = sum(kind in (GIVES.index("position"), GIVES.index("velocity")) for kind in kinds)
        moved = int(GIVES.index("acceleration") in kinds)
        return np.array(rows, dtype=np.int64).reshape(-1, 3), np.array([placed, moved], dtype=np.int64)


class Motion:
    """What the function of a sense looks at: other kinds of senses, by their names."""

    def __init__(self, look: Callable[[str], Any]) -> None:
        self._look = look

    def __getattr__(self, kind: str) -> Any:
        return self._look(kind)


def read_by(sense: Sense, layout: LoopLayout, joints: Sequence[int]) -> dict[str, list[SensePlace]]:
    """What kernels read for a sense, by kinds: its own, or all that its function looks at."""
    if sense.kind != "function":
        return {sense.kind: places_of(sense, layout, joints)}
    found: dict[str, list[SensePlace]] = {}
    tape = SignalTape()

    def look(kind: str) -> Any:
        if kind not in LOOKED_AT:
            raise InputError(f"motion has no {kind!r}; {nearest(kind, LOOKED_AT)}")
        axes, whose = AXES[3:] if kind in POSITIONS else (sense.axis,), "own" if kind in OF_ALL else "all"
        parts = [sense.changed(kind=kind, axis=axis, of=whose, function=None, gain=1.0, offset=0.0) for axis in axes]
        found[kind] = [place for part in parts for place in places_of(part, layout, joints)]
        return signals([tape.new(0) for _ in found[kind]])

    made_of(sense, tape.new(0), look)
    return found


def made_of(sense: Sense, t: Signal, look: Callable[[str], Any]) -> Any:
    """The signals of a sense, of those that kernels read for it."""
    if sense.kind in PATHS:
        beside, ahead = beside_path(sense.path, look(sense.kind))
        return signals([sense.gain * (beside if sense.kind == "cross_track" else ahead) + sense.offset])
    if sense.function is None:
        return look(sense.kind)
    motion = Motion(lambda kind: row[0] if len(row := look(kind)) == 1 else row)
    told = call(sense.function, "controller.senses.function:", "(t, motion)", "while it was recorded", t, motion)
    if np.size(told) != 1:
        raise InputError(
            f"controller.senses.function: {name_of(sense.function)} returned {np.size(told)} numbers; a sense is one"
        )
    return signals([sense.gain * np.asarray(told, dtype=object).item() + sense.offset])


def _labels(begun: Mapping[str, Array]) -> list[str]:
    return [name if len(values) == 1 else f"{name} {k}" for name, values in begun.items() for k in range(len(values))]


def _row(given: Any, count: int, what: str) -> list[Any]:
    """So many signals."""
    row = list(np.atleast_1d(np.asarray(given, dtype=object)).ravel())
    if len(row) == 1 < count:
        row *= count
    if len(row) != count:
        raise InputError(f"controller.law: it returned {len(row)} {what}, which has {count} numbers")
    return row


def ramp(rows: Any, t: Any) -> Any:
    """A number, or [[time, number or numbers], ..] with straight lines in between, at a time; an array."""
    if not _timed(rows):
        return np.atleast_1d(np.asarray(rows, dtype=np.float64))
    times = np.array([row[0] for row in rows])
    values = np.array([np.atleast_1d(row[1]) for row in rows], dtype=np.float64)
    if (np.diff(times) <= 0.0).any():
        raise InputError("controller: times of its reference or heading must grow from row to row")
    total = signals(list(values[0]))
    for (start, end), (low, high) in zip(pairwise(times), pairwise(values), strict=True):
        since = t - float(start)
        passed = where(since - float(end - start), float(end - start), where(since, since, 0.0))
        total = total + signals(list((high - low) / (end - start))) * passed
    return total


def _timed(rows: Any) -> bool:
    return isinstance(rows, tuple | list) and len(rows) > 0 and isinstance(rows[0], tuple | list)


def kinks(rows: Any, start: float, end: float) -> list[float]:
    """Times in (start, end) at which `ramp` has a corner."""
    return [row[0] for row in rows if start < row[0] < end] if _timed(rows) else []


def multiples(period: float, start: float, end: float) -> list[float]:
    """Multiples of a period in (start, end)."""
    first, last = int(np.floor(start / period)), int(np.ceil(end / period))
    return [k * period for k in range(first, last + 1) if start + 1e-9 < k * period < end - 1e-9]


def beside_path(path: Sequence[tuple[float, float]], place: Any) -> tuple[Any, Any]:
    """How far a place is to the left of a path, and which way the path goes there: of the nearest piece, the last of
    which goes on straight.
    """
    points = np.array(path)
    best: Any = None
    for number, (a, b) in enumerate(pairwise(points)):
        length = float(np.hypot(*(b - a)))
        if not length > 0.0:
            raise InputError("path: two points that follow each other must differ")
        e = (b - a) / length
        x, y = place[0] - float(a[0]), place[1] - float(a[1])
        along, beside = x * e[0] + y * e[1], y * e[0] - x * e[1]
        past = where(along, 0.0, -along) if number else 0.0
        if number < len(points) - 2:
            past = past + where(along - length, along - length, 0.0)
        square = beside * beside + past * past
        found = (square, beside, float(np.arctan2(e[1], e[0])))
        if best is None:
            best = found
        else:
            nearer = best[0] - square
            best = tuple(where(nearer, new, old) for new, old in zip(found, best, strict=True))
    return best[1], best[2]
