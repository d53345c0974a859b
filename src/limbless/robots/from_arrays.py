"""A chain typed in from plain arrays, as robots are published: a table of modified Denavit-Hartenberg rows and one of masses."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.errors import InputError
from limbless.robots.chain import Base, Chain
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link
from limbless.robots.modified_dh import ModifiedDH

Array = NDArray[np.float64]


def _table(name: str, values: Any, rows: int, *shape: int) -> Array:
    """`values` as an array of that many rows, or an error that says what was given."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not a table of numbers: {values!r}") from None
    if array.shape != (rows, *shape):
        raise InputError(f"{name} has shape {array.shape}, expected {(rows, *shape)}: one row per {'joint' if name in _JOINT_TABLES else 'link'}")
    return array


_JOINT_TABLES = ("alpha", "d", "r", "offset")


def _inertias(values: Any, count: int) -> Array:
    shape = np.shape(values)
    return _table("inertia", values, count, *((3, 3) if len(shape) == 3 else (6,)))


def _labels(values: Sequence[str] | None, count: int, what: str) -> list[str]:
    if values is not None and len(values) != count:
        raise InputError(f"{what} has {len(values)} entries, expected {count}")
    return list(values) if values is not None else [""] * count


def chain_from_modified_dh(
    alpha: ArrayLike,
    d: ArrayLike,
    r: ArrayLike,
    offset: ArrayLike,
    mass: ArrayLike,
    first_moment: ArrayLike,
    inertia: ArrayLike,
    *,
    base: Base = "free",
    prismatic: Sequence[bool] | None = None,
    bodies: Sequence[BodyShape | None] | None = None,
    volume: ArrayLike | None = None,
    link_names: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
    head: Literal["base", "tip"] = "base",
    name: str = "chain",
    **joint_values: Any,
) -> Chain:
    """A chain of n one-degree-of-freedom joints from arrays.

    Parameters
    ----------
    alpha, d, r, offset : (n,) rows of the modified DH table, link 1 first: Rx(alpha) Tx(d) Rz(offset + q) Tz(r); rad and m.
    mass : (n + 1,) kg, the base first; (n,) also for a fixed base, which then has no mass.
    first_moment : as many rows of 3, kg m, in the link frames.
    inertia : as many 3 x 3 matrices, or rows xx, xy, xz, yy, yz, zz, about the link origins in the link frames, kg m2.
    prismatic : (n,) True where the joint slides along z and q is added to r; all revolute if absent.
    bodies : the straight pieces of body on which fluid acts, one per row of `mass`, or None for a link without.
    volume : as many displaced volumes, m3.
    link_names : one per row of `mass`; labels : one per joint (yaw, pitch, roll, ...).
    joint_values : any of rotor_inertia, coulomb_friction, viscous_friction, stiffness, rest, damping, torque_limit; one number or (n,).
    """
    joints = np.size(alpha)
    rows = {field: _table(field, np.atleast_1d(values), joints) for field, values in zip(_JOINT_TABLES, (alpha, d, r, offset), strict=True)}
    masses = np.atleast_1d(np.asarray(mass, dtype=np.float64))
    count = len(masses)
    if count != joints + 1 and not (count == joints and base == "fixed"):
        raise InputError(f"{joints} joints need {joints + 1} masses (the base first; {joints} also for a fixed base without mass), but {count} were given")
    tables: dict[str, Any] = {"mass": masses, "first_moment": _table("first_moment", first_moment, count, 3), "inertia": _inertias(inertia, count)}
    if volume is not None:
        tables["volume"] = _table("volume", volume, count)
    links: list[dict[str, Any]] = [{key: table[i].tolist() for key, table in tables.items()} for i in range(count)]
    for link, link_name, body in zip(links, _labels(link_names, count, "link_names"), bodies or [None] * count, strict=True):
        link |= {"name": link_name, "body": body}
    if count == joints:
        links.insert(0, {})
    for i, link in enumerate(links[1:]):
        link["joint"] = _joint(i, joints, bool(prismatic[i]) if prismatic is not None else False, _labels(labels, joints, "labels")[i], joint_values)
        link["dh"] = ModifiedDH(**{field: float(table[i]) for field, table in rows.items()})
    return Chain(name=name, base=base, head=head, links=tuple(Link(**link) for link in links))


def _joint(i: int, joints: int, slides: bool, label: str, values: dict[str, Any]) -> Joint:
    """Joint i, with its own entry of every table in `values` that has one per joint."""
    own: dict[str, Any] = {}
    for field, value in values.items():
        if field not in Joint.model_fields:
            raise InputError(f"unknown option {field!r} of a joint; known: {', '.join(Joint.model_fields)}")
        own[field] = value if np.ndim(value) == 0 else float(_labels(value, joints, field)[i])
    return Joint(kind="prismatic" if slides else "revolute", label=label, **own)
