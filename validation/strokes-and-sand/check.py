"""Strokes of Purcell's swimmer, and three links in sand beside a published connection."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.strokes import ANGLES, LINKS, mapped, off_the_file, published, sand, stroke


def check(case: Any, sheet: Any) -> dict[str, float]:
    drag = ll.connection(ll.UniformChain(**LINKS), ll.Drag(along=1.0, lateral=2.0), shapes="joints", region=2.5)
    far, dear = drag.around(stroke("displacement")), drag.around(stroke("efficiency"))
    area = float(np.hypot(*far.area[:2])) if far.area is not None else np.inf
    ours, theirs, small = mapped(sand()), published(), slice(6, 15)  # within 1 rad
    axes = sheet.subplots()
    for values, label in ((ours, "slender sand"), (theirs, "published")):
        turning = values[2, 0, small, small]
        axes.plot(ANGLES[small], np.diagonal(turning), label=f"{label}, equal angles")
        axes.plot(ANGLES[small], np.diagonal(turning[:, ::-1]), "--", label=f"{label}, opposite angles")
    axes.set_xlabel("joint 1 (rad)")
    axes.set_ylabel("turn per angle of joint 1 (rad/rad)")
    axes.legend()
    near, far_out = off_the_file(ours, 1.0), off_the_file(ours, 2.5)
    return {
        "displacement": far.distance,
        "efficiency": float(dear.efficiency or 0.0),
        "area": abs(area / far.distance - 1.0),
        **dict(zip(("x", "y", "turn"), map(float, near), strict=True)),
        **dict(zip(("x_all", "y_all", "turn_all"), map(float, far_out), strict=True)),
    }
