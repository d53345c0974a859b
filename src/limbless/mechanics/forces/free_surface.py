"""Water with a surface: links that it cuts (see `waterline`), that are under water or dry, and their wake.

The added inertia of a body that is cut follows its pose; bodies all of which is under water are taken as in deep water,
eight at a time, and dry ones not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, Wrench, dot, power, transpose
from limbless.mechanics.chain import AddedMassState, Body, ChainMemory
from limbless.mechanics.compiled import (
    LANES,
    Array,
    IntArray,
    Rows,
    Scalar,
    absolute,
    align_stack,
    as_lane_array,
    func,
    maximum,
    minimum,
    noinline_func,
    some_positive,
    value_of,
    version_for,
)
from limbless.mechanics.forces import (
    Flows,
    LawWrench,
    OpenWater,
    OpenWaterLaw,
    RowLaws,
    Wake,
    WaterSurface,
    about_body,
    cut_section,
    deep_wrench,
    element_power,
    flow_at,
    law,
    law_wrench,
    plane_at,
    power_of_bands,
    push_in_bands,
    push_in_rows,
    put_in_band,
    put_lane_wrench,
    put_nothing,
    segment_motion,
    sum_segment,
    wake_at_edge,
    wet_inertia,
)

if TYPE_CHECKING:
    from limbless.mechanics.forces.hydrostatics import Hydrostatic


class ImmersionStates(NamedTuple):
    """How a link lies in the water: `AddedMassState.state`."""

    under: float = 1.0
    cut: float = 0.0  # by the surface
    dry: float = -1.0


DEPTHS = ImmersionStates()


class FreeSurfaceLaws(NamedTuple):
    """Water with a surface on a chain: the added inertia of its bodies changes as they move."""

    owner: int
    kind: OpenWaterLaw
    rows: Rows[OpenWater]
    bands: Rows[OpenWater]  # these, and what follows up to `weights`: as those of `Laws`
    members: IntArray
    share: Array
    slab: Array
    pushed: Rows[LawWrench]
    nodes: Array
    weights: Array
    numbers: IntArray  # (bands, 8) which rows stand in a band; -1 where it has fewer than eight
    floating: Rows[AddedMassState]  # (bodies,): added inertia now, for the dynamics
    submerged: Array  # (1,) 1 where all of the robot is under water, else 0


@func
def swell_of(surface: WaterSurface):
    """As far as waves can lift the surface, m."""
    return 0.0 if surface.swell is None else surface.swell


@func
def heights_of(row: OpenWater, body: Body):
    """Heights that no point of a segment is below or above: those of its ends, and its larger half axis."""
    up = transpose(row.frame) @ body.rotation.z if row.turned else body.rotation.z
    start = body.origin.z + dot(up, row.start)
    end, reach = start + row.length * up.x, maximum(row.half_width, row.half_height)
    return minimum(start, end) - reach, maximum(start, end) + reach


@func
def state_of(surface: Any, row: OpenWater, body: Body) -> Scalar:
    """Whether a segment is surely under water or dry."""
    lowest, highest = heights_of(row, body)
    if value_of(highest) < surface.level - swell_of(surface):
        return DEPTHS.under
    return DEPTHS.dry if value_of(lowest) > surface.level + swell_of(surface) else DEPTHS.cut


@func
def is_submerged(laws: FreeSurfaceLaws) -> bool:
    """Whether all segments surely are under water, found for eight at a time."""
    rows, slab = Rows(as_lane_array(laws.bands.numbers), laws.bands.codes), as_lane_array(laws.slab)
    surface, found = laws.kind.surface, True
    for b in range(laws.members.shape[0]):
        _, highest = heights_of(OpenWater(rows, b), Body(slab, b))
        found = found and not some_positive(highest - (surface.level - swell_of(surface)))
    return found


@noinline_func
def find_states(bodies: Rows[Body], laws: FreeSurfaceLaws) -> None:
    """Which bodies may be cut: those with all segments under water, or all of them dry, are not."""
    for i in range(len(laws.rows.codes)):
        row = OpenWater(laws.rows, i)
        body, water = Body(bodies, row.body), AddedMassState(laws.floating, row.body)
        state = state_of(laws.kind.surface, row, body)
        if not row.begins and value_of(water.state) != state:
            state = DEPTHS.cut
        water.state = state + 0.0 * water.state
        if state == DEPTHS.cut:
            water.inertia = 0.0 * water.inertia
            water.joining = 0.0 * water.joining


@func
def push_cut(row: OpenWater, laws: FreeSurfaceLaws, t: Scalar, body: Body, water: AddedMassState) -> Wrench:
    """The wrench on a segment that may be cut; its added inertia is noted."""
    E, total = sum_segment(laws.kind, row, laws, t, body)
    water.inertia = water.inertia + wet_inertia(row, E, total.wet)
    if absolute(total.wetting.x) > 0.0:  # a link under water, or dry, has no need
        water.joining = water.joining + wet_inertia(row, E, total.wetting) @ body.velocity
    return about_body(row, E, total.force, total.torque)


@func
def wrench_afloat(bodies: Rows[Body], laws: FreeSurfaceLaws, t: Scalar, i: int) -> Wrench:
    """What law i does to its body."""
    row = OpenWater(laws.rows, i)
    body, water = Body(bodies, row.body), AddedMassState(laws.floating, row.body)
    state, F = value_of(water.state), 0.0 * body.wrench
    if state > DEPTHS.cut:
        F = deep_wrench(laws.kind, row, laws, t, body)
    elif state == DEPTHS.cut:
        F = push_cut(row, laws, t, body, water)
    return F


@version_for(push_in_rows, FreeSurfaceLaws)
@noinline_func
def push_afloat_rows(laws: FreeSurfaceLaws, bodies: Rows[Body], t: Scalar, window_time: Scalar) -> None:
    """One law after the other."""
    align_stack()
    find_states(bodies, laws)
    for i in range(len(laws.rows.codes)):
        body = Body(bodies, OpenWater(laws.rows, i).body)
        body.wrench = body.wrench + wrench_afloat(bodies, laws, t, i)


@func
def is_under(laws: FreeSurfaceLaws, b: int) -> bool:
    """Whether all bodies of band b are under water."""
    under = True
    for j in range(LANES):
        under = under and AddedMassState(laws.floating, laws.members[b, j]).state > DEPTHS.cut
    return under


@func
def push_under(laws: FreeSurfaceLaws, t: Scalar, b: int) -> None:
    """Band b, all of whose bodies are under water, side by side."""
    row = OpenWater(Rows(as_lane_array(laws.bands.numbers), laws.bands.codes), b)
    put_in_band(laws, b, deep_wrench(laws.kind, row, laws, t, Body(as_lane_array(laws.slab), b)))


@noinline_func
def push_some_cut(laws: FreeSurfaceLaws, bodies: Rows[Body], t: Scalar) -> None:
    """Eight laws at a time where all their bodies are under water, else one after the other."""
    align_stack()
    find_states(bodies, laws)
    for b in range(laws.members.shape[0]):
        if is_under(laws, b):
            push_under(laws, t, b)
        else:
            put_nothing(laws, b)
            for j in range(LANES):
                i = laws.numbers[b, j]
                if i >= 0:
                    put_lane_wrench(laws.pushed, b, j, wrench_afloat(bodies, laws, t, i))


@version_for(push_in_bands, FreeSurfaceLaws)
@func
def push_afloat_bands(laws: FreeSurfaceLaws, bodies: Rows[Body], t: Scalar, window_time: Scalar) -> None:
    """As in deep water where nothing is cut."""
    submerged = is_submerged(laws)
    laws.submerged[0] = 1.0 if submerged else 0.0
    if submerged:
        for i in range(len(laws.rows.codes)):
            AddedMassState(laws.floating, OpenWater(laws.rows, i).body).state = DEPTHS.under
        for b in range(laws.members.shape[0]):
            push_under(laws, t, b)
    else:
        push_some_cut(laws, bodies, t)


@version_for(element_power, FreeSurfaceLaws)
@func
def spend_floating(laws: FreeSurfaceLaws, window_time: Scalar, memory: ChainMemory) -> None:
    """What the pushes do, and half of what the growing inertia takes along: in still water the terms of φ̇ cancel."""
    spent = power_of_bands(laws)
    if laws.submerged[0] == 0.0:
        spent += half_joining(laws, memory.bodies)
    memory.law_powers[laws.owner] += spent


@func
def half_joining(laws: FreeSurfaceLaws, bodies: Rows[Body]) -> Scalar:
    """Half of the power with which momentum joins the bodies that are cut, once for every body."""
    spent = 0.0
    for i in range(len(laws.rows.codes)):
        row = OpenWater(laws.rows, i)
        water = AddedMassState(laws.floating, row.body)
        if row.begins and water.state == DEPTHS.cut:
            spent += 0.5 * power(Body(bodies, row.body).velocity, water.joining)
    return spent


# ----------------------------------------------------------------------------------------------------------------- wake


class OpenWakeLaw(NamedTuple):
    """Marks `RowLaws` of the table `Wake` in water that moves or has a surface."""

    flows: Flows | None
    surface: Any


law(OpenWakeLaw, Wake)


@func
def share_at(surface: Hydrostatic, row: OpenWater, flows: Flows, t: Scalar, place: Vector, E: Matrix):
    """Immersed share of a section of the half axes in a row, at `place`, with the axes E."""
    if surface is None:
        return 1.0 + 0.0 * place.x
    plane = plane_at(surface, flows, t, place, 0.0 * place)
    if some_positive(maximum(row.half_width, row.half_height) - plane.depth):
        return cut_section(row.half_width, row.half_height, transpose(E) @ plane.normal, plane.depth).share
    return 1.0 + 0.0 * plane.depth  # all of it is under water


@version_for(law_wrench, OpenWakeLaw)
@func
def open_wake(kind: OpenWakeLaw, wake: Wake, laws: RowLaws, t: Scalar, body: Body) -> Wrench:
    E, velocity, rate = segment_motion(wake, body)
    place = body.origin + E @ wake.start
    W = velocity - transpose(E) @ flow_at(kind.flows, t, place).velocity
    F = share_at(kind.surface, wake, kind.flows, t, place, E) * wake_at_edge(wake, W, rate)
    return about_body(wake, E, F.force, F.torque)
