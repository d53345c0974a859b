"""A rod or a spine as rigid links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.robots import (
    ACTUATED,
    NATURAL,
    STRAINS,
    Array,
    BodyShape,
    Chain,
    ChannelTendon,
    Joint,
    Link,
    LinkTendon,
    Rod,
    Sphere,
    SpineSection,
    TendonSpine,
    Vertebra,
    upper_triangle,
)
from limbless.robots.views.common import (
    ROTATIONS,
    SAME,
    at_distance,
    base_of_chain,
    cable_fields,
    count_of,
    holding,
    refuse_law,
    view,
)

_ONE_PLANE = (
    "robot.kinematics: a hinge bends about one axis, a universal joint about two in turn; they are alike where a "
    "vertebra bends in one plane, and to second order elsewhere"
)


def joint_ends(rod: Rod, links: int) -> Array:
    """(links,) m: what each of its joints stands for, from here to the next; the first and the last take the half link
    beside them too, so that nothing of the body is stiff.
    """
    return np.array([0.0, *(np.arange(1, links - 1) + 0.5) * rod.length / links, rod.length])


def rod_as_chain(rod: Rod, count: int | None) -> Chain:
    refuse_law(rod)
    base: Any = base_of_chain(rod)
    links, strains = count_of(count, rod, "links"), ROTATIONS.get(rod.strains, rod.strains)
    gone = ", ".join(STRAINS[c] for c in ACTUATED[rod.strains] if c < 3)
    stretched = (rod.rest_strains(np.array([0.0, rod.length]))[:, :3] != NATURAL[:3]).any()
    lost = holding(
        (strains != rod.strains, f"robot.strains: {gone} and its stiffness have no place in rigid links"),
        (stretched, "robot.rest: a stretch or shear at rest has no place in rigid links"),
    )
    kind, order = {
        "planar": ("revolute", (5,)),
        "universal": ("universal", (5, 4)),
        "kirchhoff": ("spherical", (3, 4, 5)),
    }[strains]
    spacing, ends = rod.length / links, joint_ends(rod, links)
    made = []
    for number in range(links):
        start = number * spacing
        own = rod.part(start, start + spacing)
        a, b = rod.half_axes(np.array([start + 0.5 * spacing]))[0]
        made.append(
            Link(
                mass=own.mass,
                first_moment=tuple(own.moment.tolist()),
                inertia=tuple(upper_triangle(own.inertia).tolist()),
                volume=own.volume,
                volume_centre=tuple((own.volume_moment / own.volume).tolist()) if own.volume else None,
                body=BodyShape(length=spacing, half_width=float(a), half_height=float(b)),
                contact_shapes=(
                    Sphere(centre=(0.5 * spacing, 0.0, 0.0), radius=rod.contact_radius or float(min(a, b))),
                ),
                joint=joint_of(rod, kind, order, *ends[number - 1 : number + 1]) if number else None,
                position=(spacing if number else 0.0, 0.0, 0.0),
            )
        )
    tendons = tuple(_on_links(rod, tendon, spacing, links) for tendon in rod.tendons)
    chain = Chain(name=f"{rod.name} as {links} links", head=rod.head, base=base, links=tuple(made), tendons=tendons)
    return view(chain, rod, lost)


def joint_of(rod: Rod, kind: str, order: Sequence[int], start: float, end: float) -> Joint:
    """The joint that stands for a length of rod: its springs in a row, its rest bends together."""
    X, weights = rod.quadrature(start, end)
    columns = list(order)

    def in_a_row(densities: Array) -> tuple[float, ...]:
        each = densities[:, columns]
        soft = weights @ np.where(each > 0.0, 1.0 / np.where(each > 0.0, each, 1.0), np.inf)
        return tuple((1.0 / soft).tolist())

    limit = None if rod.effort_limit is None else np.broadcast_to(rod.effort_limit, 6)[columns]
    rest = (weights @ (rod.rest_strains(X) - NATURAL))[columns]
    return Joint(
        kind=kind,  # type: ignore[arg-type]
        stiffness=in_a_row(rod.stiffnesses(X)),
        damping=in_a_row(rod.dampings(X)),
        rest=tuple(rest.tolist()),
        torque_limit=None if limit is None else tuple(float(value) for value in limit),
        second_axis=(0.0, 1.0, 0.0) if kind == "universal" else None,
    )


def _on_links(rod: Rod, tendon: ChannelTendon, spacing: float, links: int) -> LinkTendon:
    """A channel as points: its ends, and where it crosses the plane of a joint."""
    anchor = rod.length if tendon.anchor is None else tendon.anchor
    joints = spacing * np.arange(1, links)
    inner = joints[(joints > tendon.start) & (joints < anchor * (1.0 - SAME))]
    through = []
    for x in (tendon.start, *inner.tolist(), anchor):
        link = min(int(x / spacing + 1e-9), links - 1)
        through.append((link, (x - link * spacing, *tendon.place)))
    if len({link for link, _ in through}) < 2:
        raise InputError(
            f"robot.tendons: {tendon.name or 'a tendon'} from {tendon.start:g} to {anchor:g} m lies on one of {links} "
            "links and would move nothing; ask for more links"
        )
    return LinkTendon(**cable_fields(tendon), through=tuple(through))


def spine_as_chain(spine: TendonSpine) -> Chain:
    """A link per vertebra, from its hinge to the next, with the disk between and the next joint at its end; disk 0 is
    the first. A spine of arcs has its hinges in the middle of the arcs: alike to second order in their bends.
    """
    refuse_law(spine)
    base: Any = base_of_chain(spine)
    arc, at = spine.kinematics == "arc", 0.5 if spine.kinematics == "arc" else spine.hinge_at
    stops = "have no place on spherical joints" if spine.twists else "become limits of joints: hard, or only reported"
    lost = holding(
        (arc, "robot.kinematics: an arc becomes a hinge in its middle, alike to second order in its bend"),
        (not arc and not spine.twists, _ONE_PLANE),
        (spine.stops, f"robot.vertebrae: their stops {stops}"),
        (spine.pulley_radius is not None, "robot.pulley_radius: tendons on links have no pulley angles"),
        (spine.antagonists, "robot.pairs: which tendons are antagonists is not said on a chain"),
        (spine.touch == "capsules", "robot.touch: links touch with their disks alone, not with the joints between"),
    )
    r, after = spine.disk_radius, [0.0, *((1.0 - at) * spine.values("length"))]
    before = [*(at * spine.values("length")), 0.0]
    section = spine.section or SpineSection(half_width=r, half_height=r)
    links = []
    for number in range(len(spine.vertebrae) + 1):
        one = spine.vertebrae[number - 1] if number else None
        coming = spine.vertebrae[number] if number < len(spine.vertebrae) else None
        disk, end = after[number], after[number] + before[number]
        mass, moment, inertia = 0.0, 0.0, np.zeros(3)
        if one is not None:
            thin = one.disk_mass * r**2 * np.array([0.5, 0.25, 0.25])
            mass, moment = one.disk_mass, one.disk_mass * disk
            inertia += (thin if one.disk_inertia is None else np.array(one.disk_inertia)) + at_distance(
                one.disk_mass, disk
            )
        if coming is not None:
            m, spread = coming.joint_mass, coming.length**2 / 12.0 if arc else 0.0
            round_turn = m * (coming.joint_radius or r) ** 2 * np.array([0.5, 0.25, 0.25])
            mass, moment = mass + m, moment + m * end
            inertia += round_turn + at_distance(m, end) + m * spread * np.array([0.0, 1.0, 1.0])
        around = _volumes(one, coming) if arc else (0.0, 0.0 if coming is None else coming.volume)
        volume = sum(around)
        middle = (around[0] * 0.5 * disk + around[1] * 0.5 * (disk + end)) / volume if arc and volume else end
        shape = {"length": end, "half_width": section.half_width, "half_height": section.half_height}
        links.append(
            Link(
                mass=mass,
                first_moment=(moment, 0.0, 0.0),
                inertia=(inertia[0], 0.0, 0.0, inertia[1], 0.0, inertia[2]),
                volume=volume,
                volume_centre=(middle, 0.0, 0.0),
                body=BodyShape(**shape) if end > 0.0 else None,
                contact_shapes=(Sphere(centre=(disk, 0.0, 0.0), radius=r),),
                joint=None if one is None else _vertebra_joint(spine, one),
                position=(0.0 if one is None else after[number - 1] + before[number - 1], 0.0, 0.0),
            )
        )
    tendons = []
    for tendon in spine.tendons:
        last = tendon.anchor or len(spine.vertebrae)
        holes = tendon.holes * (last + 1) if len(tendon.holes) == 1 else tendon.holes
        through = tuple((disk, (float(after[disk]), *holes[disk])) for disk in range(tendon.start, last + 1))
        tendons.append(LinkTendon(**cable_fields(tendon), through=through))
    chain = Chain(
        name=f"{spine.name} as {len(links)} links",
        head=spine.head,
        base=base,
        links=tuple(links),
        skin=spine.skin,
        tendons=tuple(tendons),
    )
    return view(chain, spine, lost)


def _volumes(one: Vertebra | None, coming: Vertebra | None) -> tuple[float, float]:
    """Half of the arc before a disk and half of that behind it, m3, along the body: there a surface lifts the link."""
    return 0.0 if one is None else one.volume / 2, 0.0 if coming is None else coming.volume / 2


def _vertebra_joint(spine: TendonSpine, one: Vertebra) -> Joint:
    """Yaw and pitch of a vertebra, or all three turns; a positive pitch bends down, a vertical bend goes up."""
    names = ("twist", "vertical", "lateral") if spine.twists else ("lateral", "vertical")
    rest = {"twist": 0.0, "vertical": -one.rest_vertical, "lateral": one.rest_lateral}
    stiffness = [getattr(one, f"{name}_stiffness") for name in names]
    damping = [getattr(one, f"damping_{name}") for name in names]
    shared: dict[str, Any] = {
        "stiffness": tuple(stiffness),
        "damping": tuple(d + spine.damping_time * k for d, k in zip(damping, stiffness, strict=True)),
        "rest": tuple(rest[name] for name in names),
    }
    if spine.twists:
        return Joint(kind="spherical", **shared)
    side, up, down = one.stop_lateral, one.stop_up, one.stop_down
    low = (None if side is None else -side, None if up is None else -up)
    return Joint(kind="universal", second_axis=(0.0, 1.0, 0.0), lower=low, upper=(side, down), **shared)
