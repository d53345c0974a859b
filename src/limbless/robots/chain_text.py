"""What a chain says of itself: names of its joints, and the table that `print(chain)` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.robots.chain_arrays import SPHERICAL, axis_number

if TYPE_CHECKING:
    from limbless.robots import Chain, Link

_TURNS = ("roll", "pitch", "yaw")


def joint_labels(chain: Chain) -> list[str]:
    """One label per degree of freedom: that of its joint, or roll, pitch, yaw by its axis at home (x, y, z), or else
    the kind of joint.
    """
    labels = []
    for row in chain.rows[1:]:
        joint = chain.links[row.link].joint
        if joint is None:
            continue
        axes = list(np.eye(3)) if row.kind == SPHERICAL else [row.axis]
        first = 1 if joint.kind == "universal" and row.carries else 0
        for label, axis in zip(joint.per_freedom("label")[first : first + len(axes)], axes, strict=True):
            number = axis_number(axis)
            labels.append(label or (joint.kind if joint.kind == "prismatic" or number is None else _TURNS[number]))
    return labels


def joint_names(chain: Chain) -> list[str]:
    """One name per degree of freedom: that of the joint, with the label behind it if the joint has several."""
    names, labels = [], iter(joint_labels(chain))
    for number, link in enumerate(chain.links):
        if link.joint is None:
            continue
        name = link.joint.name or f"joint {number}"
        own = [next(labels) for _ in range(link.joint.freedoms)]
        if len(set(own)) < len(own):
            own = [str(freedom) for freedom in range(1, len(own) + 1)]
        names += [name] if len(own) == 1 else [f"{name} {label}" for label in own]
    return names


def _numbers(values: tuple[float | None, ...]) -> str:
    """Values of a joint in one cell: `4`, or `4, 0.7` where they differ; `-` for none."""
    shown = ["-" if value is None else f"{value:.4g}" for value in values]
    return shown[0] if len(set(shown)) == 1 else ", ".join(shown)


def _body_cell(link: Link) -> str:
    if link.body is None:
        return "-"
    return f"{link.body.length:.4g} x {2 * link.body.half_width:.4g} x {2 * link.body.half_height:.4g}"


def table(chain: Chain) -> str:
    """A header line, then one line per link: its joint, place, mass, body and torque limit."""
    labels, rows, origins = iter(joint_labels(chain)), chain.rows, np.cumsum(chain.arrays().arm, axis=0)
    last = {row.link: k for k, row in enumerate(rows)}
    cells = [
        ("link", "joint", "moves", "origin at home (m)", "mass (kg)", "length x width x height (m)", "limit (N m)")
    ]
    for number, (name, link) in enumerate(zip(chain.link_names, chain.links, strict=True)):
        kind, moves, limit = "base, " + chain.base, "", ""
        if link.joint is not None:
            kind, limit = link.joint.kind, _numbers(link.joint.per_freedom("torque_limit"))
            moves = ", ".join(next(labels) for _ in range(link.joint.freedoms))
        origin = "({})".format(", ".join(f"{x:.4g}" for x in origins[last[number]]))
        cells.append((name, kind, moves, origin, f"{link.mass_properties().mass:.4g}", _body_cell(link), limit))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    size = f"{len(chain.links)} links, {chain.freedoms} degrees of freedom, {chain.total_mass:.6g} kg"
    head = f"{chain.name}: {size}, {chain.base} base, head at the {chain.head}"
    return "\n".join([head, lines[0], "-" * len(lines[0]), *lines[1:]])
