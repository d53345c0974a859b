"""A trunk -> a `Chain`: axes of the body, links with all frames parallel at zero, joints field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.interop.robots.body_shapes import Dress, dress
from limbless.interop.robots.serial_trunk import Trunk, names
from limbless.interop.robots.tree import Array, Connection, FilePart
from limbless.robots import Chain, Joint, Link, SkinFriction, about_x, upper_triangle

if TYPE_CHECKING:
    from limbless.robots.presets.from_file import FromFile

_SNAP = 1e-6
_STANDING = 0.99
"""Cosine between body and vertical above which a robot stands."""
_COHERENT = 0.9


def chain_of(trunk: Trunk, name: str, options: FromFile) -> Chain:
    """The chain; what was found out on the way goes into the notes of the trunk."""
    parts, joints = trunk.parts, trunk.joints
    armature = _fold(trunk, options)
    _check_ranges(trunk)
    axes = body_axes(trunk)
    origins = [parts[0].origin, *(joint.anchor for joint in joints)]
    along = np.array([axes[0] @ origin for origin in origins])
    span = max(float(np.ptp(along)), float(np.linalg.norm(parts[-1].centre - parts[0].centre)), 1e-6)
    links, hows = [], []
    for number, part in enumerate(parts):
        after = None if number == len(parts) - 1 else float(along[number + 1] - along[number])
        worn = dress(part, origins[number], axes, 0.0 if number else None, after, 0.25 * span)
        shift, joint = origins[number] - origins[max(number - 1, 0)], joints[number - 1] if number else None
        links.append(_link(part, origins[number], shift, axes, joint, worn))
        hows += [worn.how] if part.mass else []
        trunk.notes += _odd_inertia(part, worn)
    if armature is not None:
        links[0] = _heavier(links[0], armature, axes, origins[0])
    _tell(trunk, hows, options)
    _tell_frictions(trunk)
    rubs = max(frictions(trunk), default=None)
    skin = None if rubs is None else SkinFriction(forward=rubs, lateral=rubs)
    return Chain(name=name, base=trunk.base, head=options.head or "base", links=tuple(links), skin=skin)


def frictions(trunk: Trunk) -> list[float]:
    """What the file states of each part's friction with a floor; empty where it says nothing. A part that cannot touch
    has that of the others."""
    stated = [max(_stated(part), default=None) for part in trunk.parts]
    known = [rubs for rubs in stated if rubs is not None]
    return [max(known) if rubs is None else rubs for rubs in stated] if known else []


def _stated(part: FilePart) -> list[float]:
    """Frictions of the shapes that collide (of all, where none does); those that a file pairs with its floor go before
    others."""
    touching = [shape for shape in part.shapes if shape.collides] or part.shapes
    first = [shape for shape in touching if shape.paired] or touching
    return [shape.friction for shape in first if shape.friction is not None]


def _tell_frictions(trunk: Trunk) -> None:
    """A link has one friction here, whatever its shapes have."""
    unlike = {
        part.name: rubs
        for part in trunk.parts
        if len(rubs := {shape.friction for shape in part.shapes if shape.collides and shape.friction is not None}) > 1
    }
    if unlike:
        name, rubs = next(iter(unlike.items()))
        trunk.notes.append(
            f"shapes of one link rub differently on {len(unlike)} links ({min(rubs):g} to {max(rubs):g} on {name!r}): "
            "the link has that of its <pair> with the floor, else the largest"
        )


def body_axes(trunk: Trunk) -> Array:
    """(3, 3) along the body, lateral, vertical in its rows, file components."""
    anchors = [joint.anchor for joint in trunk.joints]
    way = anchors[-1] - anchors[0]
    if np.linalg.norm(way) < 1e-9:
        way = trunk.parts[-1].centre - trunk.parts[0].centre
    if np.linalg.norm(way) < 1e-9:
        way = np.array([1.0, 0.0, 0.0])
    planar = trunk.base_axis is not None and trunk.base == "planar"
    if trunk.base_axis is not None and planar:
        up = _snapped(trunk.base_axis / np.linalg.norm(trunk.base_axis))
        if np.linalg.norm(way - up * (up @ way)) < 1e-6 * np.linalg.norm(way):
            way = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
        way = way - up * (up @ way)
    x = _snapped(way / np.linalg.norm(way))
    if not planar:
        up = np.array([-1.0, 0.0, 0.0]) if abs(x[2]) > _STANDING else np.array([0.0, 0.0, 1.0])
    z = up - x * (x @ up)
    z /= np.linalg.norm(z)
    axes = np.array([x, np.cross(z, x), z])
    if planar:
        return axes
    across = [(axes @ joint.axis)[1:] for joint in trunk.joints if joint.kind == "revolute"]
    turn = sum((np.hypot(*pair) * np.exp(4j * np.arctan2(pair[1], pair[0])) for pair in across), 0j)
    weight = sum(np.hypot(*pair) for pair in across)
    angle = float(np.angle(turn)) / 4 if weight > 0 and abs(turn) > _COHERENT * weight else 0.0
    # Half a turn of the phase is 45 deg either way: rounding must not choose between the two.
    angle = abs(angle) if abs(abs(angle) - np.pi / 4) < 1e-6 else angle
    return about_x(angle).T @ axes if abs(angle) > _SNAP else axes


def _snapped(direction: Array) -> Array:
    """A direction within 1e-6 of one of the file's axes is that axis."""
    whole = np.rint(direction)
    return whole + 0.0 if np.abs(direction - whole).max() < _SNAP else direction


def _three(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(number) + 0.0 for number in vector)
    return x, y, z


def _link(part: FilePart, origin: Array, shift: Array, axes: Array, joint: Connection | None, worn: Dress) -> Link:
    arm = part.moment - part.mass * origin
    moved = part.mass * (origin @ origin) * np.eye(3) - part.mass * np.outer(origin, origin)
    lever = 2 * (origin @ part.moment) * np.eye(3) - np.outer(origin, part.moment) - np.outer(part.moment, origin)
    about = axes @ (part.inertia - lever + moved) @ axes.T if part.mass or part.inertia.any() else np.zeros((3, 3))
    fields: dict[str, Any] = {"name": part.name or "link"}
    if part.mass or about.any():
        fields |= {
            "mass": float(part.mass),
            "first_moment": _three(axes @ arm),
            "inertia": tuple(float(number) for number in upper_triangle((about + about.T) / 2)),
        }
    if joint is not None:
        fields |= {"joint": joint_of(joint, axes), "position": _three(axes @ shift)}
    return Link(**fields, body=worn.body, contact_shapes=worn.spheres, mesh=worn.mesh)


def joint_of(joint: Connection, axes: Array) -> Joint:
    """A joint, field by field; a pair of numbers where its two axes differ."""
    words = {
        "damping": "damping",
        "coulomb_friction": "friction",
        "stiffness": "stiffness",
        "rest": "rest",
        "rotor_inertia": "armature",
        "torque_limit": "effort",
    }
    if joint.kind != "spherical":
        words |= {"lower": "lower", "upper": "upper"}
    fields: dict[str, Any] = {"name": joint.name, "kind": joint.kind}
    for field, word in words.items():
        first = getattr(joint, word)
        second = joint.second.get(word, first)
        fields[field] = first if first == second else (first, second)
    if joint.kind != "spherical":
        fields["axis"] = _three(axes @ joint.axis)
    if joint.second_axis is not None:
        fields["second_axis"] = _three(axes @ joint.second_axis)
    return Joint(**fields)


def _fold(trunk: Trunk, options: FromFile) -> tuple[float, float, Array] | None:
    """The rotor inertia of the base, where it is to be kept."""
    if trunk.armature is None or trunk.base == "fixed":
        return None
    along, about, where = trunk.armature
    if along < 0 or options.base_armature == "drop":
        trunk.notes.append(
            f"armature of the base: {'unequal, and cannot be a body' if along < 0 else 'dropped as asked'}"
        )
        trunk.armature = None
        return None
    trunk.notes.append(
        f"armature of the base: folded into link 0 as {along:g} kg and {about:g} kg m2 at the base "
        "joint; MuJoCo does not weigh it (base_armature: drop leaves it out)"
    )
    return along, about, where


def _heavier(link: Link, armature: tuple[float, float, Array], axes: Array, origin: Array) -> Link:
    along, about, where = armature
    r = axes @ (where - origin)
    own = link.mass_properties()
    inertia = own.inertia + about * np.eye(3) + along * (r @ r * np.eye(3) - np.outer(r, r))
    return link.changed(
        mass=float(own.mass + along),
        first_moment=_three(own.moment + along * r),
        inertia=tuple(float(number) for number in upper_triangle(inertia)),
    )


def _check_ranges(trunk: Trunk) -> None:
    """Ranges that hold nothing (files write 0 to 0 for none) are taken off."""
    empty: dict[str, tuple[float, float]] = {}
    for joint in trunk.joints:
        for ends in (joint.__dict__, joint.second):
            lower, upper = ends.get("lower"), ends.get("upper")
            if lower is not None and upper is not None and lower >= upper:
                empty[joint.name] = lower, upper
                ends["lower"] = ends["upper"] = None
    if empty:
        lower, upper = next(iter(empty.values()))
        trunk.notes.append(
            f"ranges of {len(empty)} joints from {lower:g} to {upper:g} are none, and are not kept "
            f"({names(list(empty))})"
        )


def _odd_inertia(part: FilePart, worn: Dress) -> list[str]:
    if not part.mass:
        return []
    principal = np.linalg.eigvalsh((part.central_inertia() + part.central_inertia().T) / 2)
    length = worn.body.length if worn.body else 0.0
    reach = max(length, 2 * worn.body.half_width) if worn.body else np.inf
    if worn.how == "shapes" and principal[-1] > part.mass * (2 * reach) ** 2:
        return [
            f"link {part.name!r}: an inertia of {principal[-1]:.3g} kg m2 is far above what {part.mass:.3g} kg on "
            f"{length:.3g} m can have: a placeholder?"
        ]
    if principal[-1] - principal[0] - principal[1] > 1e-6 * principal[-1]:
        return [
            f"link {part.name!r}: its principal moments {', '.join(f'{number:.3g}' for number in principal)} kg m2 "
            "belong to no body (one is above the sum of the others)"
        ]
    return []


def _tell(trunk: Trunk, hows: list[str], options: FromFile) -> None:
    massless = [part.name for part in trunk.parts[1:] if not part.mass]
    bodies = [f"the {how} of {hows.count(how)} links" for how in ("shapes", "inertia") if how in hows]
    fast = [joint.velocity for joint in trunk.joints if joint.velocity is not None]
    slowest, fastest = min(fast, default=0.0), max(fast, default=0.0)
    told = {
        f"links without mass: {names(massless)}; torques as input need a rotor_inertia at their joints": massless,
        f"head: the file does not say which end it is; taken as the base, link {trunk.parts[0].name!r} (head: tip, or "
        "reverse: true, says otherwise)": options.head is None,
        f"body: from {' and '.join(bodies)}" if bodies else "body: none, no link has a shape or mass": True,
        f"velocity limits of {len(fast)} joints ({slowest:g} to {fastest:g}) are not kept": fast,
    }
    trunk.notes += [note for note, there in told.items() if there]
