"""Tendons of a soft body as tables: where they run, how they stretch and rub, and what winds them up."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.mechanics.chain import (
    COMMANDS,
    BaseResponse,
    Cells,
    ElasticTendon,
    ElasticTendons,
    LinkRow,
    Station,
    TensionTerm,
    WinchState,
)
from limbless.mechanics.compiled import aligned_zeros, kernel_array
from limbless.mechanics.forces import (
    Arm,
    CapstanFriction,
    Channel,
    ChannelRouting,
    Chord,
    DiskFriction,
    SegmentState,
    StraightRouting,
    TendonElement,
    TendonFriction,
    TendonSegment,
)
from limbless.models import filled
from limbless.models.chain.soft.cell_plan import CellPlan, legendre
from limbless.robots import ACTUATED, Chain, Rod, TendonSpine, names_of

_SHORT = 1e-9  # m: a chord of no length
_BEFORE = 1e-9  # s: between two samples where a rate is asked for at one time
_SLIP = 1e-3  # m/s: where friction fades, at most
_SLOWER = 0.01  # of the speed with which a winch winds: there friction has faded by 5e-5
_DRAWN = 1e-3  # of a tendon's length: it is drawn in farther than that while its tension changes by all of its range
_SLIDES = 3.0  # times the slip speed: from there on 95 % of friction acts
HOW = {"tension": COMMANDS.tension, "tendon-length": COMMANDS.length, "winch-torque": COMMANDS.torque}
"""What gaits say to tendons."""


class RoutedTendons:
    """The tendons of a robot; this one has none."""

    tendons: Sequence[Any] = ()
    straight: Array = np.zeros(0)
    """(tendons,) m, in the straight robot."""
    places: Sequence[tuple[float, float]] = ()
    """Where along the body the middle of each tendon is (m), and on which side it runs."""
    pieces = 0
    """How many pieces all tendons have."""
    _rubbing: Any = None
    _heard: Gait | None = None
    """The gait that `slip` follows: the first, for a controller may change it at every call."""
    contact: type[DiskFriction] | type[CapstanFriction] = CapstanFriction
    """How they rub, if they do."""

    @property
    def elastic(self) -> bool:
        """Whether the tendons stretch."""
        return bool(self.tendons) and self.tendons[0].stiffness is not None

    @property
    def winds(self) -> bool:
        """Whether they have winches with states of their own."""
        return bool(self.tendons) and self.tendons[0].winch is not None

    @property
    def follows(self) -> bool:
        """Whether no winch has inertia: torques are tensions."""
        return self.winds and not any(tendon.winch.rotor_inertia for tendon in self.tendons)

    @cached_property
    def rubs(self) -> bool:
        return any(tendon.friction > 0.0 for tendon in self.tendons)

    @property
    def winches(self) -> int:
        return len(self.tendons) if self.winds else 0

    @property
    def radius(self) -> Array:
        """(winches,) m"""
        return np.array([tendon.winch.radius for tendon in self.tendons if tendon.winch is not None])

    @cached_property
    def stiffness(self) -> Array:
        """(tendons,) N/m"""
        return np.array([tendon.stiffness or 0.0 for tendon in self.tendons])

    def element(self, cells: Cells, links: Any) -> tuple[Any, ...]:
        """What pulls, as an element of force."""
        return ()

    # Tables

    def ropes(self, freedoms: int) -> ElasticTendons | None:
        """How they stretch and rub, with memory for one run."""
        if not self.elastic and not self.rubs:
            return None
        m = len(self.tendons)
        terms = m + (self.pieces if self.rubs else 0)
        winches: dict[str, Any] = {"rotor": 1.0}
        if self.winds:
            winches["radius"] = self.radius
            winches["rotor"] = [tendon.winch.rotor_inertia for tendon in self.tendons]
            winches["drag"] = [tendon.winch.damping for tendon in self.tendons]
        slopes, pulls, answers = (aligned_zeros((terms, freedoms)) for _ in range(3))
        return ElasticTendons(
            filled(
                ElasticTendon,
                m,
                stiffness=self.stiffness,
                straight=self.straight,
                damping=[tendon.damping for tendon in self.tendons],
                **winches,
            ),
            WinchState.zeros(m),
            TensionTerm.zeros(terms),
            BaseResponse.zeros(terms),
            np.zeros(1, dtype=np.int64),
            np.arange(self.winches, dtype=np.int64),
            slopes,
            pulls,
            answers,
            np.zeros((terms, terms + 1)),
            np.zeros(freedoms),
        )

    def _contact(self) -> DiskFriction | CapstanFriction | None:
        if not self.rubs:
            return None
        friction = [tendon.friction for tendon in self.tendons]
        rows = filled(TendonFriction, len(friction), coefficient=friction, slip=self.slip)
        self._rubbing = TendonFriction.of(rows)  # of the force element, which a model has once
        return self.contact(rows, np.zeros(self.pieces))

    @cached_property
    def slip(self) -> Array:
        """(tendons,) m/s: where their friction fades; what is not stated follows the first gait that they are given."""
        return np.array([_SLIP if tendon.slip_speed is None else tendon.slip_speed for tendon in self.tendons])

    def _fade(self, gait: Gait, how: int) -> None:
        """Friction fades at a small part of the speed with which the gait winds: from lengths that it gives, or from
        the time in which it changes tensions or torques by all of their range."""
        if not self.rubs or self._heard is not None or all(tendon.slip_speed is not None for tendon in self.tendons):
            return
        self._heard = gait
        ends = sorted([0.0, *gait.breakpoints(0.0, 1e6), gait.cycle or 0.0])
        if not ends[-1]:
            return
        times = np.unique([np.linspace(a, b, 65) for a, b in itertools.pairwise(ends)])
        length = how == COMMANDS.length
        asked = gait.sample_lengths(times, self.straight) if length else gait.sample_tendons(times, self.places)
        fastest, whole = np.abs(asked.rate).max(axis=0), np.ptp(asked.value, axis=0)
        speed = _SLOWER * fastest if length else _DRAWN * self.straight * fastest / np.maximum(whole, 1e-300)
        for number, tendon in enumerate(self.tendons):
            if tendon.slip_speed is None and speed[number] > 0.0:
                self.slip[number] = min(speed[number], _SLIP)
        self._rubbing.slip[:] = self.slip

    def fading(self, dataset: Any) -> list[str]:
        """What friction that fades means for a run: tendons that slid too slowly to rub."""
        if not self.rubs or not dataset.sizes["time"]:
            return []
        fastest = np.abs(dataset["tendon_rate"].values).max(axis=0)
        pulled = dataset["tension"].values.max(axis=0) > 0.0
        faded = [
            number
            for number, tendon in enumerate(self.tendons)
            if tendon.friction and pulled[number] and fastest[number] < _SLIDES * self.slip[number]
        ]
        names = names_of(self.tendons)
        return [
            f"robot: friction of {names[number]} fades: it slides at most at {fastest[number]:.2g} m/s, and its "
            f"slip_speed is {self.slip[number]:.2g} m/s; give a smaller one"
            for number in faded
        ]

    # What a gait says to them

    def commands(self, gait: Gait, times: Array) -> tuple[Array, Array, int]:
        """(T, tendons) what the gait gives, its rate, and what it is."""
        how = self._agreed(gait)
        self._fade(gait, how)
        different = times if len(times) > 1 and times[-1] > times[0] else times[0] + _BEFORE * np.arange(len(times) + 1)
        asked = (
            gait.sample_lengths(different, self.straight)
            if how == COMMANDS.length
            else gait.sample_tendons(different, self.places)
        )
        value, rate = (kernel_array(part[: len(times)]) for part in (asked.value, asked.rate))
        lowest = value.min(initial=0.0)
        if lowest < 0.0 and how != COMMANDS.torque:
            when = different[np.unravel_index(value.argmin(), value.shape)[0]]
            what, told = (
                (("tension", "N"), "a tendon can only pull")
                if how == COMMANDS.tension
                else (("tendon length", "m"), "a length is never negative")
            )
            raise InputError(
                f"gait {gait.kind!r} asks for a {what[0]} of {lowest:g} {what[1]} at t = {when:g} s; "
                f"{told}: give numbers from 0"
            )
        if how == COMMANDS.torque:
            self._refuse_unwinding(gait, value.min(axis=0, initial=0.0))
        return value, rate, how

    def _refuse_unwinding(self, gait: Gait, lowest: Array) -> None:
        """Refuse torques that a winch without inertia cannot have: nothing would hold it back."""
        for number, (tendon, torque) in enumerate(zip(self.tendons, lowest, strict=True)):
            if torque < 0.0 and not tendon.winch.rotor_inertia:
                raise InputError(
                    f"gait {gait.kind!r} asks for a torque below 0 of the winch of tendon {number}, whose "
                    "rotor_inertia is 0: it would let its tendon run off at once; give torques from 0, or "
                    "a rotor_inertia above 0"
                )

    def _agreed(self, gait: Gait) -> int:
        """What the gait gives, or a refusal where these tendons do not take it."""
        if gait.drives not in HOW:
            raise InputError(
                f"gait {gait.kind!r} drives {gait.drives}; tendons in motion are driven by tensions, "
                "lengths or torques of their winches (tension-step, length-step, winch-step, "
                "tension-wave, tendon-path)"
            )
        how = HOW[gait.drives]
        if how == COMMANDS.tension and self.elastic:
            raise InputError(
                f"robot: the stiffness of the tendons has no effect where gait {gait.kind!r} gives their "
                "tensions; leave it out (tendon_stiffness of a neck), or give lengths (length-step)"
            )
        if how != COMMANDS.tension and not self.elastic:
            raise InputError(
                f"gait {gait.kind!r} drives {gait.drives}: the tendons need a stiffness (N/m): give "
                "`stiffness` to every tendon (tendon_stiffness of a neck)"
            )
        if how == COMMANDS.torque and not self.winds:
            raise InputError(
                f"gait {gait.kind!r} drives winch-torque, but the tendons have no winch: give `winch`: "
                "radius, rotor_inertia and damping"
            )
        if how == COMMANDS.length and self.winds:
            raise InputError(
                f"robot: the winches have no effect where gait {gait.kind!r} gives the lengths that they "
                "leave; leave `winch` out, or give torques (winch-step)"
            )
        return how


def side_of(y: float, z: float) -> float:
    """On which side of the body a place of its section lies: 1 to the left, -1 to the right."""
    return float(y / np.hypot(y, z)) if y or z else 0.0


class SpineTendons(RoutedTendons):
    """Through the holes in the disks of a spine: straight chords, each across one vertebra."""

    contact = DiskFriction

    def __init__(self, robot: TendonSpine, plan: CellPlan) -> None:
        self.tendons, self._lengths = robot.tendons, robot.values("length")
        self.straight = np.array([self._straight(tendon) for tendon in self.tendons])
        self.places = [self._place(tendon) for tendon in self.tendons]
        self.pieces = sum(len(self._crossed(tendon)) for tendon in self.tendons)

    def _crossed(self, tendon: Any) -> range:
        """The vertebrae that a tendon crosses, from 0."""
        return range(tendon.start, tendon.anchor or len(self._lengths))

    def _holes(self, tendon: Any) -> Array:
        return np.array(tendon.holes if len(tendon.holes) > 1 else tendon.holes * (len(self._lengths) + 1))

    def _straight(self, tendon: Any) -> float:
        steps = np.column_stack([self._lengths, np.diff(self._holes(tendon), axis=0)])
        return float(np.linalg.norm(steps[self._crossed(tendon)], axis=1).sum())

    def _place(self, tendon: Any) -> tuple[float, float]:
        along, crossed = np.concatenate([[0.0], np.cumsum(self._lengths)]), self._crossed(tendon)
        mean = np.mean(self._holes(tendon)[crossed.start : crossed.stop + 1], axis=0)
        return float(0.5 * (along[crossed.start] + along[crossed.stop])), side_of(*mean)

    def element(self, cells: Cells, links: Any) -> tuple[Any, ...]:
        """Every chord from disk to disk, tendon by tendon."""
        found = []
        for number, tendon in enumerate(self.tendons):
            holes = self._holes(tendon)
            found += [
                (number, disk, disk + 1, (0.0, *holes[disk]), (0.0, *holes[disk + 1]), 1.0)
                for disk in self._crossed(tendon)
            ]
        return (chords_of(found, links, self._contact()),)


class RodTendons(RoutedTendons):
    """In channels along a rod: as long as the strains at its stations make them."""

    def __init__(self, rod: Rod, plan: CellPlan) -> None:
        self.tendons, self._plan, self._rod = rod.tendons, plan, rod
        self._ends = [(t.start, rod.length if t.anchor is None else t.anchor) for t in rod.tendons]
        self.straight = np.array([end - start for start, end in self._ends])
        self.places = [
            (0.5 * (start + end), side_of(*tendon.place))
            for (start, end), tendon in zip(self._ends, rod.tendons, strict=True)
        ]
        self.pieces = sum(len(self._marks(*ends)) for ends in self._ends)

    def _marks(self, start: float, end: float) -> list[tuple[int, int, float, float]]:
        """Every station from start to end: the row of its cell, its number there, its place and the length that it
        stands for. Where tendons rub, both ends as well, of no length: a tendon turns from its very beginning.
        """
        crossed, found = [], []
        for row, cell in enumerate(self._plan.cells, 1):
            last = cell.pieces[-1].place
            first = last - sum(piece.length for piece in cell.pieces)
            if start <= 0.5 * (first + last) <= end:
                crossed.append((row, len(cell.pieces) - 1, first, last))
                found += [(row, k, piece.place, piece.span) for k, piece in enumerate(cell.pieces[:-1])]
        if self.rubs:
            (row, _, first, _), (beyond, ending, _, last) = crossed[0], crossed[-1]
            found = [(row, -1, first, 0.0), *found, (beyond, ending, last, 0.0)]
        return found

    def element(self, cells: Cells, links: Any) -> tuple[Any, ...]:
        """Every station that a tendon passes, tendon by tendon."""
        if not self.tendons:
            return ()
        link, station, found = LinkRow.of(links), Station.of(cells.stations), []
        arms: list[Array] = []
        unit = [(np.eye(6)[c, :3], np.eye(6)[c, 3:]) for c in ACTUATED[self._rod.strains]]
        for number, (tendon, (start, end)) in enumerate(zip(self.tendons, self._ends, strict=True)):
            place = np.array([0.0, *tendon.place])
            moves = [linear + np.cross(angular, place) for linear, angular in unit]
            for row, k, here, stands in self._marks(start, end):
                cell = self._plan.cells[row - 1]
                P = legendre(1.0 - (cell.pieces[-1].place - here) / cell.length, self._plan.degree).ravel()
                body = row - 1 if k < 0 else station.body[link.station[row] + k]
                found.append((number, link.column[row], link.freedoms[row], stands, len(arms), body))
                arms += [weight * move for move in moves for weight in P]
        numbers, columns, freedoms, spans, firsts, bodies = zip(*found, strict=True)
        channels = filled(Channel, len(found), length=spans, arm=firsts, body=bodies, natural=(1.0, 0.0, 0.0))
        routing = ChannelRouting(channels, filled(Arm, len(arms), along=arms))
        return (segments_of(routing, self._contact(), numbers, columns, freedoms),)


class ChainTendons(RoutedTendons):
    """From point to point of rigid links."""

    def __init__(self, chain: Chain, plan: CellPlan) -> None:
        self.tendons = chain.tendons
        rows = {row.link: (number, row.home) for number, row in enumerate(chain.rows) if row.carries}
        self._points = [
            [(rows[link][0], rows[link][1] @ np.array(point)) for link, point in tendon.through]
            for tendon in chain.tendons
        ]
        origin = np.cumsum(chain.arrays().arm, axis=0)
        straight = [np.array([origin[row] + point for row, point in points]) for points in self._points]
        steps = [np.linalg.norm(np.diff(points, axis=0), axis=1) for points in straight]
        for number, step in enumerate(steps):
            if step.min() < _SHORT:
                raise InputError(
                    f"robot: tendon {number} has two points at the same place when all joints are at "
                    "zero: a piece of no length pulls nowhere; move one, or leave it out"
                )
        self.straight = np.array([step.sum() for step in steps])
        self.places = [(float(x), side_of(y, z)) for x, y, z in (points.mean(axis=0) for points in straight)]
        self.pieces = sum(len(step) for step in steps)

    def element(self, cells: Cells, links: Any) -> tuple[Any, ...]:
        """Every chord from point to point, tendon by tendon."""
        found = []
        for number, points in enumerate(self._points):
            for ends in itertools.pairwise(points):
                (inner, place), (outer, end) = sorted(ends, key=lambda end: end[0])
                found.append((number, inner, outer, place, end, 1.0 if ends[0][0] <= ends[1][0] else -1.0))
        return (chords_of(found, links, self._contact()),)


def chords_of(found: list[tuple[int, int, int, Any, Any, float]], links: Any, contact: Any) -> TendonElement:
    """Chords (tendon, inner body, outer body, place in each, whether the anchor lies outwards) as an element."""
    link = LinkRow.of(links)
    tendon, before, beyond, inner, outer, sense = zip(*found, strict=True)
    ends = zip(beyond, outer, before[1:], inner[1:], strict=False)
    follows = [body == here and np.array_equal(end, place) for body, end, here, place in ends]
    chords = filled(
        Chord,
        len(found),
        before=before,
        beyond=beyond,
        inner=inner,
        outer=outer,
        sense=sense,
        follows=[False, *follows],
    )
    column = link.column[np.minimum(np.add(before, 1), len(links.codes) - 1)]
    freedoms = [link.freedoms[first + 1 : last + 1].sum() for first, last in zip(before, beyond, strict=True)]
    return segments_of(StraightRouting(chords), contact, tendon, column, freedoms)


def segments_of(
    routing: Any, contact: Any, tendon: Sequence[int], column: Sequence[int] | Array, freedoms: Sequence[int]
) -> TendonElement:
    """Pieces of tendons, one tendon after the other, and the freedoms (where they begin, how many) that move them."""
    first = np.diff(tendon, prepend=-1) != 0
    spans = filled(TendonSegment, len(tendon), tendon=tendon, column=column, freedoms=freedoms, first=first)
    most = max(int(np.max(freedoms)), 1)
    return TendonElement(-1, routing, contact, spans, SegmentState.zeros(len(tendon)), np.zeros((len(tendon), most)))
