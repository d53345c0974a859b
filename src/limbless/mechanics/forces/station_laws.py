"""Laws per unit length at single places: the stations of a soft body, each of which stands for a length of it."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Vector, Wrench, power, transpose
from limbless.mechanics.chain import AddedMassState, Body, ChainMemory, ChainTables, Station
from limbless.mechanics.compiled import Array, Rows, Scalar, align_stack, func, noinline_func, version_for
from limbless.mechanics.forces import (
    LawWrench,
    OpenWater,
    Slice,
    element_power,
    floating_slice,
    law_row,
    law_slice,
    law_wrench,
    push,
    scaled,
)


class AtStation(NamedTuple):
    """A law of slices (of the table of `law`) that acts at the origin of each body, times the `length` of its row."""

    law: Any

    @property
    def table(self) -> Any:
        return self.law.table

    @property
    def bands(self) -> bool:
        return bool(self.law.bands)


@version_for(law_row, AtStation)
@func
def station_row(kind: AtStation, rows: Any, i: int):
    return law_row(kind.law, rows, i)


@func
def slice_at(body: Body) -> Slice:
    """The slice at the origin of a body."""
    R, V = body.rotation, body.velocity
    return Slice(R, body.origin, transpose(R) @ V.linear, transpose(R) @ V.angular, 0.0 * V.linear.x)


@func
def along_world(R: Any, length: Scalar, F: Wrench) -> Wrench:
    """A wrench per length along the axes of a slice, on so much of it, along the world axes."""
    return Wrench(length * (R @ F.force), length * (R @ F.torque))


@version_for(law_wrench, AtStation)
@func
def station_wrench(kind: AtStation, law: Any, laws: FreeSurfaceStations, t: Scalar, body: Body):
    return along_world(body.rotation, law.length, law_slice(kind.law, law, t, slice_at(body)))


class FreeSurfaceStations(NamedTuple):
    """Water with a surface on the stations of a soft body: their added mass changes as they move."""

    owner: int
    kind: Any  # OpenLaw
    rows: Rows[Any]
    pushed: Rows[LawWrench]  # (rows,): memory for the wrenches
    floating: Rows[AddedMassState]  # (bodies,): of which `joining` alone is used
    stations: Array  # (rows,) the station that each row belongs to
    dry: Array  # (rows, 6) its inertia without water, along and about its axes


@version_for(push, FreeSurfaceStations)
@noinline_func
def push_floating_stations(
    laws: FreeSurfaceStations, t: Scalar, window_time: Scalar, robot: ChainTables, memory: ChainMemory
) -> None:
    align_stack()
    dry = laws.dry
    for i in range(len(laws.rows.codes)):
        row, station = OpenWater(laws.rows, i), Station(memory.cells.stations, laws.stations[i])
        body = Body(memory.bodies, row.body)
        piece, R, o = slice_at(body), body.rotation, 0.0 * body.origin.x
        F, share, wetting = floating_slice(laws.kind, row, t, piece, transpose(R) @ row.gravity)
        wrench, wet = along_world(R, row.length, F), row.length * share
        LawWrench(laws.pushed, i).wrench = wrench
        body.wrench = body.wrench + wrench
        carried = Wrench(scaled(row.added, piece.velocity), Vector(row.added_roll * piece.rate.x, o, o))
        AddedMassState(laws.floating, row.body).joining = along_world(R, row.length * wetting, carried)
        station.mass = Vector(dry[i, 0], dry[i, 1], dry[i, 2]) + wet * row.added
        station.turn = Vector(dry[i, 3] + wet * row.added_roll, dry[i, 4], dry[i, 5])


@version_for(element_power, FreeSurfaceStations)
@noinline_func
def spend_at_stations(laws: FreeSurfaceStations, window_time: Scalar, memory: ChainMemory) -> None:
    """As `afloat.spend_floating`."""
    spent = 0.0
    for i in range(len(laws.rows.codes)):
        k = OpenWater(laws.rows, i).body
        spent += power(
            Body(memory.bodies, k).velocity,
            LawWrench(laws.pushed, i).wrench + 0.5 * AddedMassState(laws.floating, k).joining,
        )
    memory.law_powers[laws.owner] += spent
