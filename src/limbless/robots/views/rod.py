"""Rigid links or vertebrae as a rod, joints and masses spread along it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.robots import (
    PRISMATIC,
    SPHERICAL,
    Array,
    Chain,
    ChannelTendon,
    LinkTendon,
    PassiveStretch,
    Rod,
    RodPiece,
    TendonSpine,
    axis_number,
)
from limbless.robots.views.common import SAME, at_distance, cable_fields, holding, refuse_law, view

ALIKE = 3.0
"""How much longer the length that one joint stands for may be than that of another, about the same axis."""
_TURNS = {3: "roll", 4: "pitch", 5: "yaw"}
_NO_SKIN = "robot.skin: a rod has no skin friction of its own; give it to the ground"


class _Part:
    """A straight part of a body that becomes one or two pieces of a rod: mass, its place and its inertia."""

    def __init__(self, name: str, length: float, axes: tuple[float, float], volume: float) -> None:
        self.name, self.length, self.axes, self.volume = name, length, axes, volume
        self.mass, self.moment, self.inertia = 0.0, 0.0, np.zeros(3)  # about the middle of the part

    def add(self, mass: float, x: float, own: Array) -> None:
        """A body at x from the middle, with its own inertia there."""
        self.mass, self.moment, self.inertia = (
            self.mass + mass,
            self.moment + mass * x,
            self.inertia + own + at_distance(mass, x),
        )

    def pieces(self, lost: list[str]) -> list[tuple[float, float, Array]]:
        """(length, mass per length, moments per length) of the pieces: mass, first moment and inertia are those of the
        part. One where its mass may lie evenly along it, more where it cannot.
        """
        l, m, across = self.length, self.mass, np.array([0.0, 1.0, 1.0])
        even = (self.inertia - m * l**2 / 12.0 * across) / l
        if abs(self.moment) <= SAME * m * l and even.min() >= -SAME * np.abs(self.inertia).max() / l:
            return [(l, m / l, np.maximum(even, 0.0))]
        # of any body ∫x²dm = (Iyy + Izz - Ixx) / 2; where a link was given more than its length holds, evenly
        axial = 0.5 * (self.inertia @ np.array([-1.0, 1.0, 1.0]))
        axial = axial if 0.0 <= axial <= 0.24 * m * l**2 else m * l**2 / 12.0 + self.moment**2 / m
        for ends in (np.linspace(-0.5, 0.5, 5), np.array([-0.5, -0.49, -0.25, 0.0, 0.25, 0.49, 0.5])):
            spans, middles = np.diff(ends) * l, 0.5 * (ends[1:] + ends[:-1]) * l
            sums = np.array([np.ones(len(spans)), middles, middles**2 + spans**2 / 12.0])
            wanted = np.array([m, self.moment, axial])
            masses = m * spans / l
            masses = masses + np.linalg.lstsq(sums, wanted - sums @ masses, rcond=None)[0]
            if masses.min() >= 0.0:
                break
        else:
            from scipy.optimize import nnls

            scale = np.array([1.0, l, l**2])
            masses, _ = nnls(sums / scale[:, None], wanted / scale)
        if np.abs((sums @ masses - wanted) / (m * np.array([1.0, l, l**2]))).max() > 1e-9:
            lost.append(f"robot: the mass of {self.name} lies too near its ends, and moved towards its middle")
        moments = np.maximum((self.inertia - sums[2] @ masses * across) / l, 0.0)
        return [(d, mass / d, moments) for d, mass in zip(spans, masses, strict=True)]


def _made_of(parts: Sequence[_Part], springs: Sequence[tuple[Array, ...]], lost: list[str]) -> tuple[RodPiece, ...]:
    """Pieces from parts, with springs and dampers (6) that are constant between ends; equal neighbours are one."""
    cuts = [(part, *piece) for part in parts for piece in part.pieces(lost)]
    borders = np.concatenate([[0.0], np.cumsum([length for _, length, *_ in cuts])])
    whole, found = float(borders[-1]), list[tuple[float, tuple[float, ...]]]()
    ends = sorted({*borders.tolist(), *(float(e) for edges, *_ in springs for e in edges[1:-1])})
    ends = [e for k, e in enumerate(ends) if k == 0 or e - ends[k - 1] > 1e-9 * whole]
    ends[-1] = whole
    for low, high in itertools.pairwise(ends):
        middle = 0.5 * (low + high)
        part, _, mass, moments = cuts[int(np.searchsorted(borders, middle, side="right")) - 1]
        passive = np.zeros((2, 6))
        for edges, *values in springs:
            passive += np.array(values)[:, int(np.searchsorted(edges, middle, side="right")) - 1]
        here = (*part.axes, mass, *moments, part.volume / part.length, *passive[0], *passive[1])
        if found and np.allclose(found[-1][1], here, rtol=1e-12, atol=0.0):
            found[-1] = (found[-1][0] + high - low, found[-1][1])
        else:
            found.append((high - low, here))
    return tuple(
        RodPiece(
            length=length,
            half_width=h[0],
            half_height=h[1],
            mass=h[2],
            moments=h[3:6],
            volume=h[6],
            stiffness=h[7:13],
            damping=h[13:19],
        )
        for length, h in ((d, tuple(float(v) for v in values)) for d, values in found)
    )


def chain_as_rod(chain: Chain) -> Rod:
    arrays, bodies, segments = chain.arrays(), chain.bodies(), chain.segments()
    homes, lost = np.cumsum(arrays.arm, axis=0), []
    if not segments:
        raise InputError(
            "robot.links: no link has a `body`, so that nothing says how the robot fills a rod; give them one"
        )
    first = homes[segments[0].body] + segments[0].start
    parts, x = [], 0.0
    for piece in segments:
        row, name = piece.body, f"link {chain.link_names[chain.rows[piece.body].link]!r}"
        start = homes[row] + piece.start - first
        if np.abs(piece.frame[:, 0] - [1.0, 0.0, 0.0]).max() > 1e-6 or np.abs(start - [x, 0.0, 0.0]).max() > 1e-6 * (
            x + piece.length
        ):
            raise InputError(
                f"robot.links: {name} does not begin where the one before ends, on the same line: bodies of a rod "
                "follow each other along x when all joints are at zero"
            )
        part = _Part(name, piece.length, (piece.half_width, piece.half_height), float(bodies.volume[row]))
        middle = piece.start + 0.5 * piece.length * piece.frame[:, 0]
        m, moment = float(bodies.mass[row]), bodies.moment[row] - bodies.mass[row] * middle
        # about the middle of its body: (|r|² 1 - r rᵀ) of the middle taken off, and the mixed terms
        c = bodies.moment[row] / m if m else np.zeros(3)
        about = bodies.inertia[row] - m * (c @ c * np.eye(3) - np.outer(c, c))
        d = c - middle if m else c
        about = about + m * (d @ d * np.eye(3) - np.outer(d, d))
        part.mass, part.moment, part.inertia = m, float(moment[0]), np.diag(about).copy()
        if np.abs(moment[1:]).max() > 1e-9 * max(m * piece.length, 1e-300):
            lost.append(f"robot.links: the mass of {name} lies off the axis of its body, and moved onto it")
        parts.append(part)
        x += piece.length
    worn = {piece.body for piece in segments}
    bare = [row for row, mass in enumerate(bodies.mass) if mass > 0.0 and row not in worn]
    if bare:
        raise InputError(
            f"robot.links: link {chain.link_names[chain.rows[bare[0]].link]!r} has mass and no `body`: nothing says "
            "where along a rod it lies; give it one"
        )
    springs, strains = _spread_joints(chain)
    lost += holding(
        (arrays.rotor_inertia.any(), "robot.links: rotor_inertia: rotors have no place in a rod"),
        (arrays.coulomb_friction.any(), "robot.links: coulomb_friction: dry friction of joints has no place in a rod"),
        (arrays.rest.any(), "robot.links: rest: joints that rest bent are taken as straight"),
        (
            np.isfinite([arrays.lower, arrays.upper]).any(),
            "robot.links: limits of joint positions have no place in a rod",
        ),
        (np.abs(first).max() > SAME, "robot.base: the base frame moved to the first end of the body, on its axis"),
        (chain.skin is not None, _NO_SKIN),
        (any(link.contact_shapes for link in chain.links), "robot.links: contact shapes have no place on a rod"),
        (any(link.mesh for link in chain.links), "robot.links: meshes have no place on a rod"),
    )
    limit, least = _limits(chain)
    rod = Rod(
        name=f"{chain.name} as a rod",
        head=chain.head,
        base=chain.base,
        strains=strains,  # type: ignore[arg-type]
        length=x,
        pieces=_made_of(parts, springs, lost),
        effort_limit=limit,
        tendons=tuple(_in_channel(tendon, homes, first, chain) for tendon in chain.tendons),
    )
    return view(rod, chain, [*lost, *least])


def bending_joints(chain: Chain) -> dict[int, tuple[list[int], Array]]:
    """Columns of the joints about x, y and z (3, 4, 5: the strains that they are spread over), and the ends of what
    each stands for, from the first end of the body, m.
    """
    arrays, pieces = chain.arrays(), chain.segments()
    homes = np.cumsum(arrays.arm, axis=0)[:, 0]
    at = homes - homes[pieces[0].body] - pieces[0].start[0]
    length, found = sum(piece.length for piece in pieces), {}
    turning: dict[int, list[tuple[float, int]]] = {3: [], 4: [], 5: []}
    for row in range(1, len(arrays.joint_kind)):
        column, axis = int(arrays.velocity_column[row]), axis_number(arrays.axis[row])
        if arrays.joint_kind[row] == SPHERICAL:
            for c in (3, 4, 5):
                turning[c].append((float(at[row]), column + c - 3))
        elif arrays.joint_kind[row] == PRISMATIC or axis is None:
            raise InputError(
                f"robot.links: joint {chain.joint_names[column]!r} slides, or turns about no axis of the body; a rod "
                "that is made of joints bends about y and z and twists about x"
            )
        else:
            turning[3 + axis].append((float(at[row]), column))
    for c, joints in turning.items():
        places, columns = [place for place, _ in joints], [column for _, column in joints]
        apart = np.diff(places)
        if len(apart) and apart.max() > ALIKE * apart.min():
            worst = int(apart.argmax())
            raise InputError(
                f"robot.links: {_TURNS[c]} joints are not alike: {chain.joint_names[columns[worst]]!r} is "
                f"{apart.max():.3g} m from the next one, and others are {apart.min():.3g} m apart; a rod "
                f"takes at most {ALIKE:g} times"
            )
        if joints:
            inner = (0.5 * (a + b) for a, b in itertools.pairwise(places))
            found[c] = columns, np.array([0.0, *inner, length])
    if not {4, 5} & set(found):
        raise InputError("robot.links: no joint bends this robot, and a rod bends; a view needs at least two links")
    return found


def _spread_joints(chain: Chain) -> tuple[list[tuple[Array, ...]], str]:
    """Edges, springs and dampers along the body, about each axis; which strains they leave free."""
    arrays, used = chain.arrays(), bending_joints(chain)
    laws = (arrays.stiffness, arrays.damping + arrays.viscous_friction)
    springs = [
        (edges, *(np.outer(values[columns] * np.diff(edges), np.eye(6)[c]) for values in laws))
        for c, (columns, edges) in used.items()
    ]
    return springs, "kirchhoff" if 3 in used else "universal" if 4 in used else "planar"


def _limits(chain: Chain) -> tuple[Any, list[str]]:
    """The limits of efforts, about each axis the least of all joints."""
    limits = chain.arrays().torque_limit
    finite = limits[np.isfinite(limits)]
    if not finite.size:
        return None, []
    labels = np.array(chain.joint_labels)
    each = [limits[labels == _TURNS[c]].min(initial=np.inf) if c > 2 else np.inf for c in range(6)]
    same = all(np.ptp(limits[labels == turn]) == 0.0 for turn in _TURNS.values() if (labels == turn).any())
    told = [] if same else ["robot.links: torque_limit differs between joints; the least about each axis is taken"]
    return tuple(float(value) if np.isfinite(value) else 1e300 for value in each), told


def _in_channel(tendon: LinkTendon, homes: Array, first: Array, chain: Chain) -> ChannelTendon:
    """Points on links as a channel, if they all lie on one line along the body."""
    rows = {row.link: number for number, row in enumerate(chain.rows) if row.carries}
    points = (
        np.array([homes[rows[link]] + chain.rows[rows[link]].home @ point for link, point in tendon.through]) - first
    )
    if np.ptp(points[:, 1:], axis=0).max() > 1e-9 or (np.diff(points[:, 0]) < -1e-12).any():
        raise InputError(
            f"robot.tendons: {tendon.name or 'a tendon'} changes its place in the section, and a channel of a rod runs "
            "at one place of all sections"
        )
    return ChannelTendon(
        **cable_fields(tendon),
        place=(float(points[0, 1]), float(points[0, 2])),
        start=max(float(points[0, 0]), 0.0),
        anchor=float(points[-1, 0]),
    )


def spine_as_rod(spine: TendonSpine) -> Rod:
    refuse_law(spine)
    length, r = float(spine.values("length").sum()), spine.disk_radius
    axes = (r, r) if spine.section is None else (spine.section.half_width, spine.section.half_height)
    parts = []
    for number, one in enumerate(spine.vertebrae, 1):
        part = _Part(f"vertebra {number}", one.length, axes, one.volume)
        round_turn = one.joint_mass * (one.joint_radius or r) ** 2 * np.array([0.5, 0.25, 0.25])
        hinged, spread = spine.kinematics == "hinge", one.joint_mass * one.length**2 / 12.0
        at = (spine.hinge_at - 0.5) * one.length if hinged else 0.0
        part.add(one.joint_mass, at, round_turn + (0.0 if hinged else spread) * np.array([0.0, 1.0, 1.0]))
        thin = one.disk_mass * r**2 * np.array([0.5, 0.25, 0.25])
        part.add(one.disk_mass, 0.5 * one.length, thin if one.disk_inertia is None else np.array(one.disk_inertia))
        parts.append(part)
    bent = spine.values("rest_lateral").any() or spine.values("rest_vertical").any()
    lost = holding(
        (spine.stops, "robot.vertebrae: their stops have no place in a rod"),
        (bent, "robot.vertebrae: bends at rest are taken as straight"),
        (spine.skin is not None, _NO_SKIN),
        (spine.section is not None, "robot.disk_radius: a rod touches with its section"),
        (spine.pulley_radius is not None, "robot.pulley_radius: tendons of a rod have no pulley angles"),
        (spine.antagonists, "robot.pairs: which tendons are antagonists is not said on a rod"),
    )
    edges = np.concatenate([[0.0], np.cumsum(spine.values("length"))])
    tables = [np.zeros((len(parts), 6)) for _ in range(2)]
    for c, name in (
        ((3, "twist"), (4, "vertical"), (5, "lateral")) if spine.twists else ((4, "vertical"), (5, "lateral"))
    ):
        stiffness = spine.values(f"{name}_stiffness")
        tables[0][:, c] = stiffness * spine.values("length")
        tables[1][:, c] = (spine.values(f"damping_{name}") + spine.damping_time * stiffness) * spine.values("length")
    tendons = []
    for tendon in spine.tendons:
        if len(set(tendon.holes)) > 1:
            raise InputError(
                f"robot.tendons: {tendon.name or 'a tendon'} changes its place from disk to disk, and a channel of a "
                "rod runs at one place of all sections"
            )
        start, anchor = (float(edges[disk]) for disk in (tendon.start, tendon.anchor or len(parts)))
        tendons.append(ChannelTendon(**cable_fields(tendon), place=tendon.holes[0], start=start, anchor=anchor))
    rod = Rod(
        name=f"{spine.name} as a rod",
        head=spine.head,
        base=spine.base,
        strains="kirchhoff" if spine.twists else "universal",
        length=length,
        pieces=_made_of(parts, [(edges, tables[0], tables[1])], lost),
        passive=PassiveStretch(),
        tendons=tuple(tendons),
    )
    return view(rod, spine, lost)
