"""Links typed in from plain arrays, as robots are published: a table of modified Denavit-Hartenberg
rows and tables of masses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limbless.core import Array, InputError
from limbless.robots import PER_FREEDOM, Joint, Link, ModifiedDH


def table(name: str, values: Any, *shape: int) -> Array:
    """`values` as an array of that shape, or an error that says what was given."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} is not a table of numbers: {values!r}") from None
    if array.shape != shape:
        raise InputError(
            f"{name} has shape {array.shape}, expected {shape}: one row for each joint, or for each "
            f"link from the base on"
        )
    return array


def listed(name: str, values: Sequence[Any] | None, count: int, default: Any) -> list[Any]:
    """`values` as a list of that many entries; the default everywhere if there are none."""
    if values is not None and len(values) != count:
        raise InputError(f"{name} has {len(values)} entries, expected {count}")
    return [default] * count if values is None else list(values)


def dh_rows(alpha: Any, d: Any, r: Any, offset: Any) -> list[ModifiedDH]:
    """The rows of a modified DH table given by its columns."""
    columns = {"alpha": alpha, "d": d, "r": r, "offset": offset}
    arrays = [table(name, np.atleast_1d(values), np.size(alpha)).tolist() for name, values in columns.items()]
    return [ModifiedDH(**dict(zip(columns, row, strict=True))) for row in zip(*arrays, strict=True)]


def one_freedom_joints(
    count: int, prismatic: Any, labels: Sequence[str] | None, values: Mapping[str, Any]
) -> list[Joint]:
    """Revolute and prismatic joints; each of `values` is one number for all of them or one for each."""
    for name in values:
        if name not in PER_FREEDOM:
            raise InputError(f"unknown option {name!r}; per joint you can give {', '.join(PER_FREEDOM)}")
    columns = {
        name: [value] * count if np.ndim(value) == 0 else listed(name, value, count, None)
        for name, value in values.items()
    }
    slides = listed("prismatic", prismatic, count, False)
    named = listed("labels", labels, count, "")
    return [
        Joint(
            kind="prismatic" if slides[i] else "revolute",
            label=named[i],
            **{name: column[i] for name, column in columns.items()},
        )
        for i in range(count)
    ]


def massive_links(
    mass: Any, first_moment: Any, inertia: Any, volume: Any, names: Any, bodies: Any
) -> list[dict[str, Any]]:
    """The fields of one link per row of `mass`."""
    count = np.size(mass)
    matrix = (3, 3) if np.ndim(inertia) == 3 else (6,)
    tables = {
        "mass": table("mass", np.atleast_1d(mass), count),
        "first_moment": table("first_moment", first_moment, count, 3),
        "inertia": table("inertia", inertia, count, *matrix),
    }
    if volume is not None:
        tables["volume"] = table("volume", np.atleast_1d(volume), count)
    plain = {"name": listed("link_names", names, count, ""), "body": listed("bodies", bodies, count, None)}
    return [
        {key: rows[i].tolist() for key, rows in tables.items()} | {key: rows[i] for key, rows in plain.items()}
        for i in range(count)
    ]


def chain_links(
    rows: list[ModifiedDH], joints: list[Joint], masses: list[dict[str, Any]], base: str
) -> tuple[Link, ...]:
    """The base and one link per row; a fixed base may come without mass."""
    if len(masses) == len(rows) and base == "fixed":
        masses = [{}, *masses]
    if len(masses) != len(rows) + 1:
        raise InputError(
            f"{len(rows)} joints need {len(rows) + 1} masses, the base first, but {len(masses)} were given; "
            "only a fixed base may be left out"
        )
    moved = [Link(joint=joint, dh=row, **own) for joint, row, own in zip(joints, rows, masses[1:], strict=True)]
    return (Link(**masses[0]), *moved)
