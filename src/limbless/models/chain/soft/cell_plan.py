"""A soft body as a row of cells: pieces, stations and springs, from the description of a robot."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array, InputError
from limbless.robots import ACTUATED, NATURAL, STRAINS, Bodies, Rod, Segment, TendonSpine, Vertebra

ALONG = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
"""The strain of a straight, unstretched piece."""
STILL = np.zeros(6)
LATERAL, VERTICAL, TWIST = np.eye(6)[5], -np.eye(6)[4], np.eye(6)[3]
"""What a bend to the left, a bend up and a twist turn."""
CLOSE = 1e-9
"""Of the length of a rod: two places that are one."""
STOP_RATIO, STOP_TIME = 20.0, 1e-4
"""Stiffness of a stop over that of its joint, and its damping (s) over its own stiffness, where they are not given."""


@dataclass
class PlannedPiece:
    """From one station to the next: a length (m; 1 where it only turns), the strain at its two Gauss points when
    unbent and per unit of each freedom, and what sits at its end.
    """

    length: float
    natural: Array
    first: Array  # (freedoms, 6)
    second: Array | None = None  # where the strain changes along the piece
    span: float = 0.0  # length of body that the station at its end stands for, m
    mass: float = 0.0  # kg
    turn: Array = field(default_factory=lambda: np.zeros(3))  # kg m2
    volume: float = 0.0  # m3
    axes: tuple[float, float] = (0.0, 0.0)  # half axes of the section, m
    fill: float = 1.0  # volume of the body there over that of its full sections
    place: float = 0.0  # abscissa, m


class EffortPoints(NamedTuple):
    """Where along a cell of a rod the efforts of its actuators are found: as many Gauss points as its strains have
    modes, so that either determines the other. At these points the polynomial whose integrals against the modes are
    the efforts along them, M(s) = Σ (2 j + 1) P_j(s) τ_j / l, is of one order better than elsewhere; the mesh does
    not change it.
    """

    at: Array  # (points,) abscissae, m
    effort: Array  # (points, modes) efforts there, N m or N, from those along the modes
    rate: Array  # (points, modes) rates of the strain there, times the length of each point

    @classmethod
    def of(cls, start: float, length: float, degree: int) -> EffortPoints:
        at, weight = gauss(degree + 1)
        P = legendre(at, degree)
        scale = (2.0 * np.arange(degree + 1) + 1.0) / length
        return cls(start + length * at, P * scale, P * (weight * length)[:, None])


@dataclass
class PlannedCell:
    """A block of freedoms: pieces, springs and dampers, stops, and the body at its end."""

    pieces: list[PlannedPiece]
    names: list[str]
    elastic: Array  # (freedoms, freedoms)
    viscous: Array
    rest: Array  # (freedoms,)
    scale: Array  # (freedoms,) m: way of the tip per unit of a freedom, about
    low: Array  # (freedoms,) stops
    high: Array
    stop: Array  # (freedoms, 2) stiffness and damping of the stops; 0: none
    mass: float  # of the body at its end, kg
    turn: Array  # its inertia, kg m2
    given: Array  # (freedoms,) whether the gait gives the motion
    widest: float = 1.0  # by how much a piece may turn, rad
    points: EffortPoints | None = None  # of a cell of a rod

    @property
    def loose(self) -> list[int]:
        """Passive freedoms that no spring resists."""
        return [j for j in range(len(self.names)) if not self.given[j] and not self.elastic[j, j] > 0.0]

    @property
    def inner(self) -> list[PlannedPiece]:
        """Those that end at a station within it."""
        return self.pieces[:-1]

    @property
    def length(self) -> float:
        """Of a cell of a rod, m."""
        return sum(piece.length for piece in self.pieces)

    @property
    def start(self) -> float:
        """Where a cell of a rod begins, m."""
        return self.pieces[-1].place - self.length


@dataclass
class CellPlan:
    """All cells of a body."""

    base: str
    head: str
    length: float
    cells: list[PlannedCell]
    degree: int = 0  # of the polynomials that the strains of a rod are

    @property
    def station_rows(self) -> list[range]:
        """Rows among the bodies of the stations inside each cell: behind the base and the ends of all cells."""
        return ranges_of([len(cell.inner) for cell in self.cells], 1 + len(self.cells))

    @property
    def stations(self) -> list[tuple[int, PlannedPiece]]:
        """Rows and pieces of all stations."""
        return list(enumerate((piece for cell in self.cells for piece in cell.inner), 1 + len(self.cells)))

    @property
    def freedoms(self) -> list[slice]:
        """Which of all freedoms are those of each cell."""
        return [slice(own.start, own.stop) for own in ranges_of([len(cell.names) for cell in self.cells])]

    @property
    def polynomials(self) -> list[tuple[PlannedCell, slice, Array]]:
        """The cells of a rod, which of all stations are theirs, and P_0 to P_degree there: (stations, modes)."""
        found = []
        for cell, own in zip(self.cells, ranges_of([len(cell.inner) for cell in self.cells]), strict=True):
            places = np.array([piece.place for piece in cell.inner])
            found.append((cell, slice(own.start, own.stop), legendre((places - cell.start) / cell.length, self.degree)))
        return found

    @property
    def masses(self) -> Array:
        """(bodies,) kg"""
        ends = [0.0, *(cell.mass for cell in self.cells)]
        return np.array([*ends, *(piece.mass for _, piece in self.stations)])


def ranges_of(counts: list[int], first: int = 0) -> list[range]:
    """Ranges of so many numbers, one behind the other."""
    return [range(start, end) for start, end in itertools.pairwise(np.cumsum([first, *counts]).tolist())]


class Stations:
    """A planned body as environments see it: one body per end of a cell and per station, one segment per station."""

    def __init__(self, plan: CellPlan) -> None:
        self.plan, self.head, self.base = plan, plan.head, plan.base
        self.places = np.array([piece.place for _, piece in plan.stations if piece.span > 0.0])

    stretches = False

    def edge(self, last: bool) -> Segment:
        """The section at the tip, or at the base: what leaves a wake there."""
        pieces = [piece for _, piece in self.plan.stations if piece.span > 0.0]
        return self._end(last, *pieces[-1 if last else 0].axes)

    def _end(self, last: bool, half_width: float, half_height: float) -> Segment:
        return Segment(len(self.plan.cells) if last else 0, np.zeros(3), np.eye(3), 0.0, half_width, half_height)

    def build(self) -> Stations:
        return self

    def segments(self) -> list[Segment]:
        return [
            Segment(row, np.zeros(3), np.eye(3), piece.span, *piece.axes)
            for row, piece in self.plan.stations
            if piece.span > 0.0
        ]

    def bodies(self) -> Bodies:
        mass, volume = self.plan.masses, np.zeros(len(self.plan.masses))
        for row, piece in self.plan.stations:
            volume[row] = piece.volume
        none = np.zeros((len(mass), 3))
        return Bodies(mass, none, np.zeros((len(mass), 3, 3)), volume, none)

    def fills(self) -> Array:
        return np.array([piece.fill for _, piece in self.plan.stations if piece.span > 0.0])

    def carriers(self) -> list[int]:
        """What a wrench at a point can act on: the base and the ends of the cells."""
        return list(range(len(self.plan.cells) + 1))


# -------------------------------------------------------------------------------------------------------------- a spine


def spine_plan(robot: TendonSpine, stations: int, stops: bool) -> CellPlan:
    """One cell of constant strain per vertebra, whose freedoms are its bends (and twist), rad."""
    lengths = robot.values("length")
    length, before = float(lengths.sum()), np.concatenate([[0.0], np.cumsum(lengths)])[:-1]
    cells = [
        _vertebra(robot, one, stations, stops, start, length)
        for one, start in zip(robot.vertebrae, before, strict=True)
    ]
    return CellPlan(robot.base, robot.head, length, cells)


def _vertebra(
    robot: TendonSpine, one: Vertebra, stations: int, stops: bool, start: float, length: float
) -> PlannedCell:
    turns = [TWIST, LATERAL, VERTICAL] if robot.twists else [LATERAL, VERTICAL]
    names = ["twist", "lateral", "vertical"][-len(turns) :]
    stiffness = np.diag([getattr(one, f"{name}_stiffness") for name in names])
    damping = np.diag([getattr(one, f"damping_{name}") for name in names]) + robot.damping_time * stiffness
    if robot.material is not None:  # the law takes their place
        stiffness, damping = 0.0 * stiffness, 0.0 * damping
    rest = np.array([0.0, one.rest_lateral, one.rest_vertical][-len(turns) :])
    far = np.inf
    ends = [(far, far), (one.stop_lateral or far, one.stop_lateral or far), (one.stop_down or far, one.stop_up or far)]
    low, high = np.array([(-down, up) for down, up in ends][-len(turns) :]).T
    stopped = stops & (np.isfinite(low) | np.isfinite(high))
    hard = stopped * (one.stop_stiffness or STOP_RATIO * np.diag(stiffness))
    damped = STOP_TIME * hard if one.stop_damping is None else stopped * one.stop_damping
    thin = one.disk_mass * robot.disk_radius**2 * np.array([0.5, 0.25, 0.25])
    disk = thin if one.disk_inertia is None else np.array(one.disk_inertia)
    pieces = _spine_pieces(robot, one, stations, start)
    widest = np.pi * max(float(np.abs(piece.first[-1]).max()) for piece in pieces)
    return PlannedCell(
        pieces,
        names,
        stiffness,
        damping,
        rest,
        np.full(len(turns), length),
        np.nan_to_num(low, neginf=-1e9),
        np.nan_to_num(high, posinf=1e9),
        np.stack([hard, damped], axis=1),
        one.disk_mass,
        disk,
        np.zeros(len(turns), dtype=bool),
        widest,
    )


def _spine_pieces(robot: TendonSpine, one: Vertebra, stations: int, start: float) -> list[PlannedPiece]:
    """Half of the twist, the bend, the other half; the mass of the joint at the stations of an arc, or at its hinge."""
    n, l = (3, one.length) if robot.twists else (2, one.length)
    bend = np.zeros((n, 6))
    bend[-2:] = LATERAL, VERTICAL
    half = [PlannedPiece(1.0, STILL, 0.5 * np.outer(np.arange(n) == 0, TWIST))] if robot.twists else []
    r = one.joint_radius or robot.disk_radius
    wide = robot.disk_radius
    axes = (wide, wide) if robot.section is None else (robot.section.half_width, robot.section.half_height)
    at, share = gauss(stations)
    round_turn = r**2 * np.array([0.5, 0.25, 0.25])

    fill = one.volume / (l * np.pi * axes[0] * axes[1])

    def station(d: float, w: float, s: float, natural: Array, first: Array) -> PlannedPiece:
        mass = w * one.joint_mass
        return PlannedPiece(
            d, natural, first, None, w * l, mass, mass * round_turn, w * one.volume, axes, fill, start + s * l
        )

    if robot.kinematics == "arc":
        steps = np.diff(np.concatenate([[0.0], at, [1.0]]))
        inner = [station(1.0, w, s, d * l * ALONG, d * bend) for d, w, s in zip(steps[:-1], share, at, strict=True)]
        tail = [PlannedPiece(1.0, steps[-1] * l * ALONG, steps[-1] * bend)]
    else:
        inner = [station(robot.hinge_at * l, 1.0, robot.hinge_at, ALONG, 0.0 * bend)]
        tail = [PlannedPiece(1.0, STILL, bend), PlannedPiece((1.0 - robot.hinge_at) * l, ALONG, 0.0 * bend)]
    pieces = [*half, *inner, *tail, *[PlannedPiece(1.0, STILL, half[0].first) for _ in half]]
    pieces[-1].place = start + l
    return pieces


# ---------------------------------------------------------------------------------------------------------------- a rod


class RodStations(Stations):
    """A planned rod as environments see it."""

    def __init__(self, plan: CellPlan, rod: Rod) -> None:
        super().__init__(plan)
        self.rod, self.stretches = rod, rod.stretches

    def edge(self, last: bool) -> Segment:
        a, b = self.rod.half_axes(np.array([self.rod.length if last else 0.0]))[0]
        return self._end(last, float(a), float(b))

    def node_at(self, abscissa: float) -> int:
        """The end of the cell at an abscissa."""
        ends = np.array([0.0, *(cell.pieces[-1].place for cell in self.plan.cells)])
        if abscissa > ends[-1] * (1.0 + 1e-12):
            raise InputError(
                f"point-wrench: abscissa {abscissa:g} m lies outside the body, which is {ends[-1]:g} m long"
            )
        return int(np.abs(ends - abscissa).argmin())


def edges_of(length: float, cells: int, breaks: tuple[float, ...]) -> Array:
    """Ends of about `cells` cells of nearly equal length, with one at every break."""
    near = CLOSE * length  # breaks that differ by rounding are one
    inner = [0.0, length]
    for x in sorted(breaks):
        if near < x < length - near and x - inner[-2] > near:
            inner.insert(-1, x)
    found = [0.0]
    for start, end in itertools.pairwise(inner):
        count = max(1, round(cells * (end - start) / length))
        found += list(start + (end - start) * np.arange(1, count + 1) / count)
    return np.array(found)


def rod_plan(rod: Rod, cells: int, degree: int, stations: int, breaks: tuple[float, ...]) -> CellPlan:
    """Cells whose strains are Legendre polynomials of some degree, each strain given or passive."""
    passive = rod.passive
    if passive is not None:
        breaks = (*breaks, passive.start, rod.length if passive.end is None else passive.end)
    breaks = (*breaks, *(end for tendon in rod.tendons for end in (tendon.start, tendon.anchor) if end is not None))
    edges = edges_of(rod.length, cells, breaks)
    made = [_rod_cell(rod, start, end, degree, stations) for start, end in itertools.pairwise(edges)]
    return CellPlan(rod.base, rod.head, rod.length, made, degree)


def legendre(s: ArrayLike, degree: int) -> Array:
    """(.., degree + 1): P_0 to P_degree of 2 s - 1."""
    return np.asarray(np.polynomial.legendre.legvander(2.0 * np.asarray(s, dtype=np.float64) - 1.0, degree), float)


def gauss(stations: int) -> tuple[Array, Array]:
    """Abscissae in [0, 1] and weights of sum 1."""
    nodes, weights = np.polynomial.legendre.leggauss(stations)
    return 0.5 * (nodes + 1.0), 0.5 * weights


def _is_passive(rod: Rod, component: int, start: float, end: float) -> bool:
    if rod.passive is None:
        return False
    last, middle = rod.length if rod.passive.end is None else rod.passive.end, 0.5 * (start + end)
    named = [STRAINS.index(name) for name in rod.passive.strains] or ACTUATED[rod.strains]
    return component in named and rod.passive.start <= middle <= last


def _rod_cell(rod: Rod, start: float, end: float, degree: int, stations: int) -> PlannedCell:
    l, components = end - start, ACTUATED[rod.strains]
    free = [(c, j) for c in components for j in range(degree + 1)]
    at, weight = gauss(stations)
    X = start + l * at
    inertia, axes, areas = rod.inertia(X), rod.half_axes(X), rod.areas(X)
    pieces, marks = [], np.concatenate([[0.0], at, [1.0]])
    for k, (before, here) in enumerate(itertools.pairwise(marks)):
        away = 0.5 * (here - before) / np.sqrt(3.0)
        shapes = [legendre(0.5 * (before + here) + shift, degree).ravel() for shift in (-away, away)]
        first, second = (np.array([shape[j] * np.eye(6)[c] for c, j in free]) for shape in shapes)
        piece = PlannedPiece((here - before) * l, ALONG, first, second if degree else None, place=start + here * l)
        if k < stations:
            ds = weight[k] * l
            piece.span, piece.mass, piece.turn = ds, ds * inertia[k, 0], ds * inertia[k, 3:]
            piece.volume, piece.axes = ds * areas[k], (float(axes[k, 0]), float(axes[k, 1]))
            piece.fill = areas[k] / (np.pi * axes[k].prod())
        pieces.append(piece)
    P, stiffness, damping = legendre(at, degree), rod.stiffnesses(X), rod.dampings(X)
    elastic, viscous = np.zeros((len(free), len(free))), np.zeros((len(free), len(free)))
    for (a, (c, j)), (b, (e, i)) in itertools.product(enumerate(free), repeat=2):
        if c == e:
            both = weight * l * P[:, j] * P[:, i]
            elastic[a, b] = both @ stiffness[:, c]
            viscous[a, b] = both @ damping[:, c]
    bent = rod.rest_strains(X) - NATURAL
    rest = np.array([(2.0 * j + 1.0) * (weight * P[:, j]) @ bent[:, c] for c, j in free])
    n, far = len(free), np.full(len(free), 1e9)
    scale = np.array([l if c < 3 else l * rod.length for c, _ in free])
    given = np.array([not _is_passive(rod, c, start, end) for c, _ in free])
    names = [f"{STRAINS[c]} {j}" for c, j in free]
    carried = rod.tip_mass if end >= rod.length * (1.0 - CLOSE) else 0.0
    return PlannedCell(
        pieces,
        names,
        elastic,
        viscous,
        rest,
        scale,
        -far,
        far,
        np.zeros((n, 2)),
        carried,
        np.zeros(3),
        given,
        points=EffortPoints.of(start, l, degree),
    )
