"""`oscillators`: a central pattern generator of coupled phase oscillators, one for each joint or one for each side."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Literal

import numpy as np

from limbless.control.controllers.base import (
    Array,
    ClosedLoop,
    Indices,
    Lesion,
    LoopLayout,
    PackedLoop,
    Signalled,
    chosen_joints,
    chosen_tendons,
    one_for_each,
)
from limbless.control.controllers.senses import OF_BODIES, Sense, SensePlace, names_of, packed_senses, place_of
from limbless.core import Angle, Description, Field, InputError, Listed, Nested, Quantity, checked, quantity
from limbless.mechanics.control import FeedbackRows, OscillatorTables, Outputs, Ramp

_INTO, _TIMES = ("phase", "amplitude"), ("one", "cosine", "sine")
_ANY = 1e300  # a drive that no oscillator is silent at


class CouplingPair(Description):
    """A coupling between two oscillators, both ways."""

    weight: Quantity[float] = quantity(10.0, "1/s", "how strongly each is drawn by the other, per unit of amplitude")
    lag: Quantity[Angle] = quantity(0.0, "rad", "by which the one behind lags, or the other side does")


class Coupling(CouplingPair):
    """Along the body, and across it where there are two sides."""

    contralateral: Nested[CouplingPair] = Field(
        CouplingPair(lag=np.pi), description="between both sides of a segment (`sides: 2`); half a turn if absent"
    )


class SenseFeedback(Description):
    """What a sense does to the oscillator of its joint."""

    sense: Nested[Sense] = Field(description="what is sensed")
    into: Literal["phase", "amplitude"] = Field("phase", description="whose rate it adds to")
    gain: Quantity[float] = quantity(1.0, "1/s", "rate per unit of what is sensed")
    times: Literal["one", "cosine", "sine"] = Field("one", description="of the phase: a factor")


class DriveRange(Description):
    """Frequency and amplitude as linear functions of the drive; silent outside of a range."""

    frequency: Listed[tuple[float, float]] = quantity((0.3, 0.2), "Hz", "without drive, and by a unit of it")
    amplitude: Listed[tuple[float, float]] = quantity((0.196, 0.065), "1", "without drive, and by a unit of it")
    range: Listed[tuple[float, float]] = quantity((1.0, 5.0), "1", "drives with which they are active")


class Limbs(DriveRange):
    """Oscillators of limbs, in pairs from head to tail, left before right: each draws all those of its side along its
    share of the body, and is drawn by none of them.
    """

    count: int = Field(4, description="limbs: pairs share the body evenly", ge=2, multiple_of=2)
    frequency: Listed[tuple[float, float]] = quantity((0.0, 0.2), "Hz", "without drive, and by a unit of it")
    amplitude: Listed[tuple[float, float]] = quantity((0.131, 0.131), "1", "without drive, and by a unit of it")
    range: Listed[tuple[float, float]] = quantity((1.0, 3.0), "1", "drives with which they are active")
    weight: Quantity[float] = quantity(30.0, "1/s", "how strongly a limb draws its share of the body")
    lag: Quantity[Angle] = quantity(np.pi, "rad", "by which the body lags behind the limb")
    between: Nested[CouplingPair] = Field(
        CouplingPair(lag=np.pi), description="between limbs of a pair, and of neighbouring pairs on a side"
    )


class OscillatorStart(Description):
    """Where oscillators start."""

    phase: Listed[float | tuple[float, ...] | None] = quantity(
        None, "rad", "one for all, or one each; where the couplings want them if absent"
    )
    amplitude: Listed[float | tuple[float, ...]] = quantity(0.0, "1", "one for all, or one each")


class Oscillators(ClosedLoop):
    """A central pattern generator of coupled phase oscillators with amplitudes.

    See Ijspeert et al. (2007) and Thandiackal et al. (2021). With `sides: 1` each joint has one oscillator, whose
    activity is r cos θ. With `sides: 2` it has two that pull against each other: r (1 + cos θ) of the left one minus
    that of the right one. Oscillators are numbered along `joints`, and the right side follows the left.
    """

    kind: Literal["oscillators"] = "oscillators"
    joints: Listed[Literal["all"] | tuple[int, ...]] = Field(
        "all", description="numbers of the joints (from 0) that have oscillators, from base to tip"
    )
    sides: Literal[1, 2] = Field(1, description="oscillators of each joint")
    tendons: Listed[tuple[int, ...]] = Field(
        (),
        description="tendons that oscillators pull in place of joints, for `output: tendon`, with `sides: 2` those "
        "of the left first; all if empty",
    )
    frequency: Listed[float | tuple[float, ...]] = quantity(1.0, "Hz", "one for all, or one each (of a side)")
    amplitude: Listed[float | tuple[float, ...]] = quantity(1.0, "1", "to which they go; one for all, or one each")
    drive: Listed[float | tuple[tuple[float, float], ...] | None] = quantity(
        None, "1", "a number, or [[time, number], ..] with straight lines in between; needs `body`"
    )
    body: Nested[DriveRange | None] = Field(
        None, description="frequency and amplitude by the drive, in place of those above"
    )
    limbs: Nested[Limbs | None] = Field(
        None,
        description="oscillators of limbs, which move nothing and draw those of the body (`sides: 2`, with `drive` and "
        "`body`): a wave that stands while they go, and travels where the drive silences them",
    )
    haste: Quantity[float] = quantity(20.0, "1/s", "rate with which amplitudes go where they should", gt=0)
    order: Literal[1, 2] = Field(1, description="order of the amplitudes in time; 2 starts without a jump of rates")
    coupling: Nested[Coupling] = Field(Coupling(), description="between neighbours")
    feedback: Listed[tuple[SenseFeedback, ...]] = Field((), description="what senses do to the oscillators")
    output: Literal["torque", "target", "activation", "tendon", "effort", "signal"] = Field(
        "torque",
        description="what activities are: torques, positions that a pd or servo actuation follows, activations of "
        "muscles (`sides: 2`), what is added to that of the tendons, efforts along the freedoms of a soft body, or "
        "nothing but what later controllers sense",
    )
    seed: int = Field(0, description="of the noise of its senses", ge=0)
    strength: Listed[float | tuple[float, ...]] = quantity(
        1.0,
        "N m or rad",
        "torque, angle, or as tendons take it, of a unit of activity; one for all, or one for each joint",
    )
    lesion: Nested[Lesion] = Field(Lesion(), description="what is cut")
    initial: Nested[OscillatorStart] = Field(OscillatorStart(), description="where they start")

    @checked
    def _drive_has_a_use(self) -> None:
        if (self.drive is None) != (self.body is None):
            given, absent = ("body", "drive") if self.drive is None else ("drive", "body")
            raise ValueError(f"{given}: has an effect only together with `{absent}`; give both, or neither")
        for name in self.given("frequency", "amplitude") if self.body is not None else ():
            raise ValueError(f"{name}: `body` says it by the drive; leave out one of the two")
        if self.limbs is not None and (self.sides == 1 or self.body is None):
            raise ValueError("limbs: they go with `sides: 2`, and with a `drive` and a `body`")
        if self.tendons and self.output != "tendon":
            raise ValueError("tendons: has an effect only with `output: tendon`")
        if self.output == "activation" and self.sides == 1:
            raise ValueError(
                "output: muscles come in pairs, and so do the oscillators that activate them: set sides to 2"
            )
        times = [row[0] for row in self.drive] if isinstance(self.drive, tuple) else []
        if any(later <= before for before, later in pairwise(times)) or (isinstance(self.drive, tuple) and not times):
            raise ValueError("drive: times must grow from row to row")

    def notes(self) -> tuple[str, ...]:
        idle = {
            "coupling.contralateral": self.sides == 1 and self.coupling.given("contralateral") and "with one side",
            "strength": self.output == "signal" and self.given("strength") and "with `output: signal`",
            "lesion.outputs": self.output == "signal" and self.lesion.outputs and "with `output: signal`",
            "lesion.senses": not self.feedback and self.lesion.senses and "without `feedback`",
        }
        told = (f"controller.{name}: has no effect {why}" for name, why in idle.items() if why)
        return (*super().notes(), *told)

    def breakpoints(self, start: float, end: float) -> list[float]:
        return [row[0] for row in self.drive if start < row[0] < end] if isinstance(self.drive, tuple) else []

    def _moved(self, layout: LoopLayout) -> Indices:
        """The joint or tendon of every oscillator, those of the left first."""
        if self.output != "tendon":
            return np.tile(chosen_joints(self.joints, layout.freedoms), self.sides)
        numbers = chosen_tendons(self.tendons, layout)
        if len(numbers) % self.sides:
            raise InputError(f"controller.tendons: two sides need an even number of tendons; got {len(numbers)}")
        return numbers

    def neurons(self, layout: LoopLayout) -> list[str]:
        moved = self._moved(layout)
        if self.output == "tendon":
            return [f"tendon {number}" for number in moved]
        names = [layout.joint_name(v) for v in moved[: len(moved) // self.sides]]
        sides = ("left", "right")
        limbs = [f"limb {k // 2} {sides[k % 2]}" for k in range(self._limbs)]
        return names if self.sides == 1 else [*(f"{name} {side}" for side in sides for name in names), *limbs]

    @property
    def _limbs(self) -> int:
        return 0 if self.limbs is None else self.limbs.count

    def activity(self, state: Array, count: int) -> Array:
        """r cos θ, or r (1 + cos θ) of each side."""
        return np.asarray(state[:, count : 2 * count] * (float(self.sides == 2) + np.cos(state[:, :count])))

    def signals(self, layout: LoopLayout) -> tuple[Signalled, ...]:
        first, n = layout.first, len(self._moved(layout)) + self._limbs
        return tuple(Signalled(first + k, first + n + k, float(self.sides == 2)) for k in range(n))

    def pack(self, layout: LoopLayout) -> PackedLoop:
        moved = self._moved(layout)
        n, one_side = len(moved) + self._limbs, len(moved) // self.sides
        pairs, weights, lags, back = self._couplings(one_side)
        channels, early, late = self._feedback(layout, moved[:one_side])
        own, names = n * (1 + self.order), self.neurons(layout)
        senses = packed_senses(channels, layout.first + own, layout, self.seed)
        tables = OscillatorTables(
            np.array([layout.first], dtype=np.int64),
            np.array([self.order], dtype=np.int64),
            self._ramp(),
            *self._levels(one_side),
            np.full(n, self.haste),
            pairs,
            back,
            weights * np.cos(lags),
            weights * np.sin(lags),
            senses,
            early,
            late,
            self._outputs(moved),
            *(np.zeros(n) for _ in range(4)),
        )
        sensing = names_of(senses, channels)
        start = np.zeros(own + len(sensing))
        start[:n] = self._phases(one_side, n)
        start[n : 2 * n] = one_for_each(self.initial.amplitude, n, "initial.amplitude")
        parts = ("phase", "amplitude", "amplitude rate")[: 1 + self.order]
        labels = [f"{part} of {name}" for part in parts for name in names]
        return PackedLoop(tables, start, (*labels, *sensing), *self._fastest(pairs, weights, tables, n))

    def _fastest(self, pairs: Any, weights: Array, tables: OscillatorTables, n: int) -> tuple[float, str]:
        """The largest rate among amplitudes, couplings and filters."""
        drawn = np.zeros(n)
        largest = np.abs(tables.amplitude) @ [1.0, max([0.0, *(row[1] for row in self._drive_rows())])]
        np.add.at(drawn, pairs[:, 0], np.abs(weights) * largest[pairs[:, 1]] * 2.0)
        np.add.at(drawn, pairs[:, 1], np.abs(tables.back * weights) * largest[pairs[:, 0]] * 2.0)
        rates = {
            "the amplitudes of oscillators (controller.haste)": self.haste,
            "the couplings of oscillators (controller.coupling.weight)": float(drawn.max(initial=0.0)),
            "the filters of senses (filter)": float(tables.senses.rate.max(initial=0.0)),
        }
        why = max(rates, key=lambda name: rates[name])
        return rates[why], why

    def _drive_rows(self) -> tuple[tuple[float, float], ...]:
        if self.drive is None:
            return ((0.0, 0.0),)
        return self.drive if isinstance(self.drive, tuple) else ((0.0, self.drive),)

    def _ramp(self) -> Ramp:
        rows = np.array(self._drive_rows())
        slopes = np.append(np.diff(rows[:, 1]) / np.diff(rows[:, 0]), 0.0)
        grows = np.diff(slopes, prepend=0.0)
        kinks = np.flatnonzero(grows)
        return Ramp(rows[:1, 1].copy(), rows[kinks, 0], grows[kinks])

    def _levels(self, one_side: int) -> tuple[Array, Array, Array]:
        """Frequencies (rad/s) and amplitudes, without drive and by a unit of it, and where they are active."""
        n = self.sides * one_side
        if self.body is not None:
            ranges = [self.body] * n + [self.limbs or self.body] * self._limbs
            frequency, amplitude, span = (
                np.array([getattr(one, name) for one in ranges]) for name in ("frequency", "amplitude", "range")
            )
        else:
            frequency, amplitude, span = np.zeros((n, 2)), np.zeros((n, 2)), np.tile([-_ANY, _ANY], (n, 1))
            frequency[:, 0] = np.tile(one_for_each(self.frequency, one_side, "frequency", "joints"), self.sides)
            amplitude[:, 0] = np.tile(one_for_each(self.amplitude, one_side, "amplitude", "joints"), self.sides)
        frequency[self.lesion.cut("oscillators", n + self._limbs)] = 0.0
        return 2.0 * np.pi * frequency, amplitude, span

    def _couplings(self, one_side: int) -> tuple[Any, Array, Array, Array]:
        """Who is drawn by whom, how strongly, with which lag, and whether the other one is, too."""
        along, across = self.coupling, self.coupling.contralateral
        cut = self.lesion.cut("couplings", max(one_side - 1, 0), "couplings")
        near = [
            (side * one_side + k, 0.0 if k in cut else 1.0) for side in range(self.sides) for k in range(one_side - 1)
        ]
        rows = [(i + 1, i, kept * along.weight, along.lag, 1.0) for i, kept in near]
        both = range(one_side if self.sides == 2 else 0)
        rows += [(one_side + k, k, across.weight, across.lag, 1.0) for k in both]
        if self.limbs is not None:
            rows += self._limb_couplings(self.limbs, one_side)
        pairs, (weights, lags, back) = [row[:2] for row in rows], np.array([row[2:] for row in rows]).reshape(-1, 3).T
        return np.array(pairs, dtype=np.int64).reshape(-1, 2), weights, lags, back.copy()

    def _limb_couplings(self, limbs: Limbs, one_side: int) -> list[tuple[int, int, float, float, float]]:
        first, between, rows = 2 * one_side, limbs.between, []
        for k in range(limbs.count):
            side, pair = k % 2, k // 2
            share = [j for j in range(one_side) if j * (limbs.count // 2) // one_side == pair]
            rows += [(side * one_side + j, first + k, limbs.weight, limbs.lag, 0.0) for j in share]
            rows += [(first + j, first + k, between.weight, between.lag, 1.0) for j in (k + 2,) if j < limbs.count]
            rows += [(first + k, first + k - 1, between.weight, between.lag, 1.0)] * side
        return rows

    def _feedback(self, layout: LoopLayout, joints: Any) -> tuple[list[SensePlace], FeedbackRows, FeedbackRows]:
        """What is sensed, and what it does to the oscillators, early and late; both sides sense the same."""
        channels: list[SensePlace] = []
        routes: list[tuple[bool, tuple[int, ...], float]] = []
        deaf = self.lesion.cut("senses", self.sides * len(joints))
        for item in sorted(self.feedback, key=lambda item: item.sense.after):
            if self.output == "tendon" and item.sense.kind in OF_BODIES:
                raise InputError(
                    f"controller.feedback: an oscillator of a tendon has no joint whose {item.sense.kind} it could "
                    "sense; choose tension, tip_position, heading, turn_rate or signal"
                )
            for number, joint in enumerate(joints):
                place = place_of(item.sense, layout, int(joint))
                if place is None:
                    continue
                for side in range(self.sides):
                    i = side * len(joints) + number
                    route = (len(channels), i, _INTO.index(item.into), _TIMES.index(item.times))
                    routes.append((item.sense.late, route, 0.0 if i in deaf else item.gain))
                channels.append(place)
        early, late = ([row for row in routes if row[0] is late] for late in (False, True))
        return channels, _feedback_rows(early), _feedback_rows(late)

    def _outputs(self, moved: Indices) -> Outputs:
        n, one_side = len(moved), len(moved) // self.sides
        strength = np.tile(one_for_each(self.strength, one_side, "strength", "joints"), self.sides)
        if self.output not in ("activation", "tendon"):
            strength[one_side:] *= -1.0
        strength[self.lesion.cut("outputs", n)] = 0.0
        strength *= self.output != "signal"
        bias, target = (
            np.full(n, float(self.sides == 2)),
            {"target": 1, "activation": 2, "tendon": 3}.get(self.output, 0),
        )
        return Outputs(moved, strength, bias, np.array([target], dtype=np.int64))

    def _phases(self, one_side: int, count: int) -> Array:
        """As given, or a wave with the lags of the couplings; limbs as they draw each other."""
        if self.initial.phase is not None:
            return one_for_each(self.initial.phase, count, "initial.phase")
        along = -self.coupling.lag * np.arange(one_side)
        body = [along - side * self.coupling.contralateral.lag for side in range(self.sides)]
        limbs = [-(k % 2 + k // 2) * self.limbs.between.lag for k in range(self._limbs)] if self.limbs else []
        return np.concatenate([*body, limbs])


def _feedback_rows(routes: list[tuple[bool, tuple[int, ...], float]]) -> FeedbackRows:
    places = np.array([route for _, route, _ in routes], dtype=np.int64).reshape(-1, 4)
    return FeedbackRows(places, np.array([gain for *_, gain in routes]))
