"""A rod as vertebrae."""

from __future__ import annotations

import numpy as np

from limbless.core import InputError
from limbless.robots import Rod, SpineSection, Tendon, TendonSpine, Vertebra
from limbless.robots.views.common import ROTATIONS, SAME, cable_fields, count_of, holding, refuse_law, view
from limbless.robots.views.links import joint_of


def rod_as_spine(rod: Rod, count: int | None) -> TendonSpine:
    refuse_law(rod)
    number = count_of(count, rod, "vertebrae")
    if not rod.tendons:
        raise InputError("robot.tendons: a spine is pulled by tendons, and this robot has none; give it some")
    strains = ROTATIONS.get(rod.strains, rod.strains)
    spacing = rod.length / number
    starts = spacing * np.arange(number)
    joints = [joint_of(rod, "spherical", (3, 4, 5), x, x + spacing) for x in starts]
    if strains == "planar" or min(min(joint.per_freedom("stiffness")[1:]) for joint in joints) <= 0.0:
        raise InputError(
            "robot.stiffness: a spine has springs against bending to the side and up, and this robot has not; give it "
            "a stiffness (or youngs_modulus) against yaw and pitch, and strains that leave both free"
        )
    bent = any(any(joint.per_freedom("rest")) for joint in joints)
    lost = holding(
        (strains != rod.strains, "robot.strains: stretch and shear have no place in vertebrae"),
        (rod.contact_radius, "robot.contact_radius: a spine touches with disks as wide as its widest section"),
        (rod.effort_limit is not None, "robot.effort_limit: vertebrae have no limits of efforts"),
        (rod.rest is not None and bent, "robot.rest: a twist at rest has no place in vertebrae"),
    )
    parts = [rod.part(x, x + spacing) for x in starts]
    # masses sit evenly along the arcs; these least changes keep mass, first moment and inertia of the whole
    middles = starts + 0.5 * spacing
    mass = np.array([part.mass for part in parts])
    mass[-1] -= rod.tip_mass  # the last disk carries it
    sums = np.array([np.ones(number), middles, middles**2 + spacing**2 / 12.0])
    X, weights = rod.quadrature(0.0, rod.length)
    own = weights * rod.inertia(X)[:, 0]
    missing = np.array([own.sum(), own @ X, own @ X**2]) - sums @ mass
    mass = mass + np.linalg.lstsq(sums, missing, rcond=None)[0]
    radius = float(np.max(rod.half_axes(X)))
    edges = np.concatenate([starts, [rod.length]])
    made = []
    carried = [0.0] * (number - 1) + [rod.tip_mass]
    for x, m, tip, part, joint in zip(starts, mass, carried, parts, joints, strict=True):
        nodes, share = rod.quadrature(x, x + spacing)
        turning = share @ rod.inertia(nodes)[:, 3:]
        (twist, pitch, yaw), (slow_twist, slow_pitch, slow_yaw) = (
            joint.per_freedom("stiffness"),
            joint.per_freedom("damping"),
        )
        made.append(
            Vertebra(
                length=spacing,
                lateral_stiffness=yaw,
                vertical_stiffness=pitch,
                twist_stiffness=twist if strains == "kirchhoff" and twist > 0.0 else None,
                rest_lateral=joint.per_freedom("rest")[2],
                rest_vertical=-joint.per_freedom("rest")[1],
                damping_lateral=slow_yaw,
                damping_vertical=slow_pitch,
                damping_twist=slow_twist if strains == "kirchhoff" and twist > 0.0 else 0.0,
                joint_mass=float(m),
                disk_mass=tip,
                joint_radius=1e-9 * spacing,  # the inertia of its sections is that of the disk
                disk_inertia=tuple(turning.tolist()),
                volume=part.volume,
            )
        )
    tendons = []
    for tendon in rod.tendons:
        anchor = rod.length if tendon.anchor is None else tendon.anchor
        first, last = (int(np.abs(edges - x).argmin()) for x in (tendon.start, anchor))
        if max(abs(edges[first] - tendon.start), abs(edges[last] - anchor)) > 1e-9 * rod.length:
            lost.append(f"robot.tendons: {tendon.name or 'a tendon'} begins and ends on the nearest disks")
        tendons.append(Tendon(**cable_fields(tendon), holes=(tendon.place,), start=first, anchor=max(last, first + 1)))
    half = rod.half_axes(np.array([0.5 * rod.length]))[0]
    if np.ptp(rod.half_axes(X), axis=0).max() > SAME:
        lost.append("robot.half_width: the water meets one section all along a spine: that of the middle")
    spine = TendonSpine(
        name=f"{rod.name} as {number} vertebrae",
        head=rod.head,
        base=rod.base,
        vertebrae=tuple(made),
        tendons=tuple(tendons),
        disk_radius=radius,
        section=SpineSection(half_width=float(half[0]), half_height=float(half[1])),
    )
    return view(spine, rod, lost)
