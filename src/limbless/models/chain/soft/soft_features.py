"""What of a soft body touches: spheres and capsules on its stations, its disks, or the links of a chain.

On a rod they sit at the stations, where its mass is: a rod that lies flat then bears its own weight at each of them,
and nothing bends it. The ground is as firm under each of them as the length is long that it stands for, so that a body
whose strains are given is borne as by a bed, whatever its mesh.
"""

from __future__ import annotations

import numpy as np

from limbless.core import Array, InputError
from limbless.models.chain.contact.contact_scene import TouchingRobot, touching_chain
from limbless.models.chain.soft.cell_plan import CellPlan
from limbless.robots import Chain, Rod, TendonSpine

ROUND = 1e-6  # by how much the half axes of a round section may differ


def order_along(plan: CellPlan) -> list[int]:
    """(rows,) place of each body along the robot: the stations within a cell, then its end."""
    along = [0, *(row for end, rows in enumerate(plan.station_rows, 1) for row in (*rows, end))]
    return [*map(int, np.argsort(along))]


def cells_along(plan: CellPlan) -> list[int]:
    """(rows,) number of the cell of each body, from 1; the base is 0."""
    inner = [number for number, rows in enumerate(plan.station_rows, 1) for _ in rows]
    return [*range(len(plan.cells) + 1), *inner]


def by_section(touching: TouchingRobot, plan: CellPlan) -> TouchingRobot:
    """A rod with the number of the nearest station, a section of the result, in the place of that of the cell."""
    along = np.array(touching.order)
    nearest = np.abs(along[:, None] - along[[row for row, _ in plan.stations]]).argmin(axis=1)
    return touching._replace(links=nearest.tolist())


def radii_of(rod: Rod, places: Array) -> Array:
    """(places,) with what radius a rod touches there, m."""
    if rod.contact_radius is not None:
        return np.full(len(places), rod.contact_radius)
    axes = rod.half_axes(places)
    oval = int(np.argmax(np.abs(axes[:, 0] - axes[:, 1]) / axes.max(axis=1)))
    if abs(axes[oval, 0] - axes[oval, 1]) > ROUND * axes[oval].max():
        raise InputError(
            f"robot.contact_radius: the rod touches with round sections, and at X = {places[oval]:.4g} m half_width "
            f"and half_height are {axes[oval, 0]:g} and {axes[oval, 1]:g} m; give it a contact_radius, or equal ones"
        )
    return np.asarray(axes[:, 0])


def touching_rod(rod: Rod, plan: CellPlan) -> TouchingRobot:
    """A sphere on every station and at free ends; a capsule on every station, half way to its neighbours."""
    rows = [row for row, piece in plan.stations if piece.span > 0.0]
    places = np.array([piece.place for _, piece in plan.stations if piece.span > 0.0])
    abscissae = np.zeros(len(plan.masses))
    abscissae[rows] = places
    ends = [cell.pieces[-1].place for cell in plan.cells]
    abscissae[1 : 1 + len(ends)] = ends
    middle = np.concatenate([[0.0], 0.5 * (places[1:] + places[:-1]), [rod.length]])
    radius, at, along = radii_of(rod, places), np.zeros(3), np.array([1.0, 0.0, 0.0])
    balls = [(row, at, at, float(r)) for row, r in zip(rows, radius, strict=True)]
    tips = [(len(plan.cells), rod.length)] if rod.base == "fixed" else [(0, 0.0), (len(plan.cells), rod.length)]
    balls += [(row, at, at, float(radii_of(rod, np.array([place]))[0])) for row, place in tips]
    bars = [
        (row, (before - place) * along, (after - place) * along, float(r))
        for row, place, before, after, r in zip(rows, places, middle[:-1], middle[1:], radius, strict=True)
    ]
    borne = np.zeros(len(plan.masses))
    borne[rows] = [piece.span for _, piece in plan.stations if piece.span > 0.0]
    for row, near, bare in ((0, rows[0], places[0]), (len(plan.cells), rows[-1], rod.length - places[-1])):
        borne[row], borne[near] = 0.5 * bare, borne[near] - 0.5 * bare  # an end has what is nearer to it
    names = [f"X = {place:.4g} m" for place in abscissae]
    return TouchingRobot(
        balls,
        bars,
        cells_along(plan),
        names,
        order_along(plan),
        rod.head,
        rod.base,
        None,
        len(plan.cells) + 1,
        places=abscissae,
        borne=borne * len(rows) / rod.length,
    )


def touching_spine(spine: TendonSpine, plan: CellPlan) -> TouchingRobot:
    """A sphere on every disk that moves; a capsule around it half way to its neighbours, where the joints touch."""
    disks, at = range(0 if spine.base != "fixed" else 1, len(plan.cells) + 1), np.zeros(3)
    balls = [(row, at, at, spine.disk_radius) for row in disks]
    bars = list(balls)
    if spine.touch == "capsules":
        length, along = np.concatenate([[0.0], spine.values("length"), [0.0]]), np.array([1.0, 0.0, 0.0])
        radii = [spine.vertebrae[max(row - 1, 0)].joint_radius or spine.disk_radius for row in range(len(length) - 1)]
        bars += [
            (row, -0.5 * length[row] * along, 0.5 * length[row + 1] * along, float(radii[row]))
            for row in disks
            if length[row] + length[row + 1] > 0.0
        ]
    places = np.zeros(len(plan.masses))
    places[1 : 1 + len(plan.cells)] = np.cumsum(spine.values("length"))
    names = [f"disk {row}" for row in cells_along(plan)]
    return TouchingRobot(
        balls,
        bars,
        cells_along(plan),
        names,
        order_along(plan),
        spine.head,
        spine.base,
        spine.skin,
        len(plan.cells) + 1,
        places=places,
    )


def touching_of(robot: TendonSpine | Rod | Chain, plan: CellPlan) -> TouchingRobot:
    """What of this body touches. The links of a chain are the ends of its cells."""
    if isinstance(robot, Rod):
        return touching_rod(robot, plan)
    if isinstance(robot, TendonSpine):
        return touching_spine(robot, plan)
    own, more = touching_chain(robot), len(plan.masses) - len(plan.cells) - 1
    return own._replace(
        links=[*own.links, *[0] * more], names=[*own.names, *["station"] * more], order=order_along(plan)
    )


def mobility(touching: TouchingRobot, masses: Array) -> float:
    """G0, 1/kg: of the mean mass of what can touch; it scales compliance and descent of the solver. Rotations are left
    out: a station turns with its cell.
    """
    own = masses[sorted({ball[0] for ball in touching.balls})]
    heavy = own[own > 0.0]
    return float(1.0 / heavy.mean()) if len(heavy) else float(len(masses) / masses.sum())
