"""A planned body, its tendons and its environment as the tables of a `ChainProblem`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array
from limbless.environments.base import Environment, Pack
from limbless.mechanics.chain import (
    COMMANDS,
    AddedMassState,
    CellPiece,
    Cells,
    ChainTables,
    DofRow,
    DriveSample,
    JacobianColumn,
    LinkRow,
    PieceBands,
    PieceScratch,
    SinglePieces,
    Station,
    Stop,
    StrainBasis,
    StrainCell,
    StrainMotion,
    TendonState,
)
from limbless.mechanics.compiled import LANES, Rows, aligned_zeros
from limbless.mechanics.forces import (
    AtStation,
    FreeSurfaceStations,
    LawWrench,
    MorisonLaw,
    OnSegment,
    OpenWater,
    OpenWaterLaw,
)
from limbless.models.chain.soft.cell_plan import CellPlan
from limbless.models.chain.soft.tendon_tables import RoutedTendons
from limbless.models.force_elements import filled, forces_of, has_surface

LENGTH_FLOOR = 1e-3
ALIKE = 1e-13  # numbers that differ by rounding alone


class SoftDrive(NamedTuple):
    """The gait at the quarters of all steps of a block."""

    position: Any  # (4 K + 1, given freedoms)
    velocity: Any
    acceleration: Any
    torque: Any  # (4 K + 1, freedoms or none) of muscles
    command: Any  # (4 K + 1, tendons)
    command_rate: Any
    how: Any = COMMANDS.tension  # what a command is


def pack_environment(seen: Any, environment: Sequence[Environment]) -> tuple[tuple[Any, ...], Array, list[Pack]]:
    """All forces, the added mass (bodies, 6: along and about the axes of each) and what each environment packed; laws
    on slices of body act at the stations. `seen` is the body as environments see it.
    """
    packs = [item.pack(seen) for item in environment]
    added = np.zeros((len(seen.plan.masses), 6))
    moved = []
    for pack in packs:
        laws = []
        for law in pack.laws:
            table: Any = law.kind.table
            if isinstance(law.kind, MorisonLaw | OpenWaterLaw):
                fluid = table.of(law.rows)
                share = (fluid.length * (fluid.has_added if isinstance(law.kind, MorisonLaw) else 1.0))[:, None]
                np.add.at(added[:, :3], fluid.body, share * fluid.added)
                np.add.at(added[:, 3], fluid.body, share[:, 0] * fluid.added_roll)
            on_slices = issubclass(table, OnSegment)
            laws.append(law._replace(kind=AtStation(law.kind)) if on_slices else law)
        moved.append(pack._replace(laws=tuple(laws)))
    return forces_of(moved, len(added), lambda *laws: _at_surface(*laws, len(added))), added, packs


def _at_surface(owner: int, kind: Any, rows: Rows, bodies: int) -> FreeSurfaceStations | None:
    """Water with a surface on stations; `set_afloat` fills in which they are, and their inertia."""
    if not (isinstance(kind, AtStation) and has_surface(kind.law)):
        return None
    count = len(rows.codes)
    stations, dry = np.zeros(count, dtype=np.int64), np.zeros((count, 6))
    floating = AddedMassState.zeros(bodies)
    return FreeSurfaceStations(owner, kind.law, rows, LawWrench.zeros(count), floating, stations, dry)


def set_afloat(forces: tuple[Any, ...], cells: Cells, added: Array) -> None:
    """Water with a surface is told its stations and their inertia without water; `added` as
    `pack_environment` has it.
    """
    station = Station.of(cells.stations)
    for element in forces:
        if isinstance(element, FreeSurfaceStations):
            bodies = OpenWater.of(element.rows).body
            element.stations[:] = [int(np.flatnonzero(station.body == body)[0]) for body in bodies]
            whole = np.concatenate([station.mass, station.turn], axis=1)[element.stations]
            element.dry[:] = whole - added[bodies]


def robot_of(plan: CellPlan) -> ChainTables:
    """Base and cells as links of a chain: the body of a link is the end of its cell."""
    joined, sizes = np.arange(len(plan.cells) + 1) > 0, np.array([0, *(len(cell.names) for cell in plan.cells)])
    counts, column = np.array([0, *(len(cell.pieces) for cell in plan.cells)]), np.cumsum(sizes) - sizes
    links = filled(
        LinkRow,
        len(sizes),
        kind=StrainCell.code * joined,
        freedoms=[6, *sizes[1:]],
        positions=[7, *sizes[1:]],
        column=column,
        wanted=column,
        position=joined * (7 + column),
        velocity=7 + sizes.sum() + joined * (6 + column),
        stations=counts,
        station=np.cumsum(counts) - counts,
        has_body=True,
        even=True,
        mass=[0.0, *(cell.mass for cell in plan.cells)],
        inertia=[np.zeros(6), *(np.diag(cell.turn)[np.triu_indices(3)] for cell in plan.cells)],
        massless=[True, *(not (cell.mass or np.any(cell.turn)) for cell in plan.cells)],
        size=[0.0, *(cell.widest**2 for cell in plan.cells)],
    )
    return ChainTables((StrainCell(),), links, filled(DofRow, int(sizes.sum()), saturation=np.inf))


def cells_of(plan: CellPlan, added: Array, strung: RoutedTendons, tallied: int, records: int, material: Any) -> Cells:
    """All cells, with memory for one run and so many records; muscles act where there are no tendons."""
    cells, tendons = plan.cells, len(strung.tendons)
    pieces = [piece for cell in cells for piece in cell.pieces]
    sizes = np.array([len(cell.names) for cell in cells for _ in cell.pieces])
    n, most, first = sum(len(cell.names) for cell in cells), int(sizes.max()), np.cumsum(sizes) - sizes
    body = np.array([row for end, rows in enumerate(plan.station_rows, 1) for row in (*rows, end)])
    mass = np.array([piece.mass for piece in pieces])[:, None] + added[body, :3]
    turn = np.array([piece.turn for piece in pieces]) + added[body, 3:]
    stations = filled(
        Station,
        len(pieces),
        length=[piece.length for piece in pieces],
        natural=[piece.natural for piece in pieces],
        body=body,
        lever=first,
        bends=[piece.second is not None for piece in pieces],
        mass=mass,
        turn=turn,
        has_mass=(body > len(cells)) & (mass.any(axis=1) | turn.any(axis=1)),
    )
    levers = filled(
        StrainBasis,
        int(sizes.sum()),
        first=np.concatenate([piece.first for piece in pieces]),
        second=np.concatenate([piece.first if piece.second is None else piece.second for piece in pieces]),
    )
    elastic, viscous = aligned_zeros((n, most)), aligned_zeros((n, most))
    for cell, own in zip(cells, plan.freedoms, strict=True):
        elastic[own, : len(cell.names)], viscous[own, : len(cell.names)] = cell.elastic, cell.viscous
    stiffness, damping = np.concatenate([cell.stop for cell in plan.cells]).T
    stops = filled(
        Stop,
        n,
        low=np.concatenate([cell.low for cell in plan.cells]),
        high=np.concatenate([cell.high for cell in plan.cells]),
        stiffness=stiffness,
        damping=damping,
    )
    given = np.concatenate([cell.given for cell in plan.cells]).astype(np.int64)
    driven = np.flatnonzero(given)
    scale = np.concatenate([*(cell.scale for cell in plan.cells), [1.0, max(plan.length, LENGTH_FLOOR)]])
    held, asked = (np.zeros(len(driven)) for _ in range(3)), (np.zeros(tendons) for _ in range(4))
    present = DriveSample(*held, np.zeros(0 if tendons else n), *asked)
    different = max(len(cell.pieces) for cell in cells)
    return Cells(
        stations,
        levers,
        elastic,
        viscous,
        np.concatenate([cell.rest for cell in plan.cells]),
        stops,
        given,
        driven,
        scale,
        present,
        TendonState.zeros(tendons),
        TendonState.zeros(records, tendons),
        strung.ropes(n),
        material,
        bands_of(plan, Station.of(stations), StrainBasis.of(levers), most),
        SinglePieces(PieceScratch.zeros(different), JacobianColumn.zeros(different * most)),
        np.zeros(tallied),
        *_tables_of(plan),
        plan.masses / plan.masses.sum(),
        JacobianColumn.zeros(len(levers)),
        aligned_zeros((n, most)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(1),
    )


def _tables_of(plan: CellPlan) -> tuple[Array, Array]:
    """`effort_at` and `rate_at` of all freedoms of a rod; empty for a body whose freedoms are joints."""
    parts = [
        cell.points
        for cell in plan.cells
        if cell.points is not None
        for _ in range(len(cell.names) // len(cell.points.at))
    ]
    if not parts:
        return np.zeros((0, 0)), np.zeros((0, 0))
    effort, rate = (np.ascontiguousarray(np.vstack(own)) for own in zip(*(part[1:] for part in parts), strict=True))
    return effort, rate


def bands_of(plan: CellPlan, station: Any, lever: Any, most: int) -> PieceBands:
    """Pieces eight side by side: neighbours that have as many freedoms, and bend or do not; stations are told where."""
    bands = _lay_pieces(plan, station, lever, most)
    rows, size = CellPiece.zeros(len(bands), words=(LANES,)), len(bands) * most
    levers, firsts = StrainBasis.zeros(size, words=(LANES,)), np.zeros((len(bands), LANES), dtype=np.int64)
    natural, first = CellPiece.fields["natural"].column, StrainBasis.fields["first"].column
    second = StrainBasis.fields["second"].column
    for b, band in enumerate(bands):
        firsts[b] = band[-1][1]
        rows.codes[b, CellPiece.fields["bends"].column] = station.bends[band[0][0]]
        rows.codes[b, CellPiece.fields["freedoms"].column] = band[0][2]
        for i, (s, column, m) in enumerate(band):
            firsts[b, i] = column
            rows.numbers[b, CellPiece.fields["length"].column, i] = station.length[s]
            rows.numbers[b, natural : natural + 6, i] = station.natural[s]
            own, there = slice(station.lever[s], station.lever[s] + m), slice(b * most, b * most + m)
            levers[there, first : first + 6, i] = lever.first[own]
            levers[there, second : second + 6, i] = lever.second[own]
    motion = StrainMotion(*(aligned_zeros((size, LANES)) for _ in range(3)))
    return PieceBands(
        rows,
        levers,
        firsts,
        motion,
        PieceScratch.zeros(len(bands), words=(LANES,)),
        JacobianColumn.zeros(size, words=(LANES,)),
    )


def _lay_pieces(plan: CellPlan, station: Any, lever: Any, most: int) -> list[list[tuple[int, int, int]]]:
    """Station, first freedom and number of freedoms of the pieces of each band. Those of one cell that are alike, as
    the first and the last of an arc, are bent once.
    """
    bands: list[list[tuple[int, int, int]]] = []
    s, column, before = 0, 0, None
    for cell in plan.cells:
        m = len(cell.names)
        own: list[tuple[tuple[int, int], Array]] = []  # band and lane of its pieces, and what they look like
        for _ in cell.pieces:
            levers = slice(station.lever[s], station.lever[s] + m)
            looks = np.concatenate(
                [[station.length[s]], station.natural[s], lever.first[levers].ravel(), lever.second[levers].ravel()]
            )
            twin = next((place for place, seen in own if (abs(looks - seen) <= ALIKE * abs(seen)).all()), None)
            if twin is None:
                if before != (m, station.bends[s]) or len(bands[-1]) == LANES:
                    bands.append([])
                before, twin = (m, station.bends[s]), (len(bands) - 1, len(bands[-1]))
                bands[-1].append((s, column, m))
                own.append((twin, looks))
            station.band[s], station.lane[s] = twin
            station.screw[s] = station.band[s] * most
            station.kind[s] = next(number for number, (place, _) in enumerate(own) if place == twin)
            s += 1
        column += m
    return bands
