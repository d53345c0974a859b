"""Water with a free surface around a spine at rest, as kernels take it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.environments.buoyancy import Buoyancy
from limbless.environments.law_packing import NO_VOLUME, gauss_rules
from limbless.mechanics.statics.tables import Spine, SpineWater
from limbless.mechanics.statics.vertebra import vertebrae
from limbless.robots.tendon_spine import TendonSpine


def water_around(
    robot: TendonSpine, environment: Sequence[Environment], spine: Spine, to_base: Array, base_position: Array
) -> SpineWater | None:
    """The surface of the one buoyancy that has one; `to_base` takes world components to the axes of disk 0."""
    ending = ends(environment)
    if not ending:
        if robot.section is not None:
            raise InputError(
                "robot.section: statics asks for a section where a surface cuts it "
                "(environment.buoyancy.surface), and here is none; leave it out, or choose the model "
                "`soft`"
            )
        return None
    if len(ending) > 1:
        raise InputError(
            f"environment.buoyancy.surface: tendon statics takes one surface; got {len(ending)}, at "
            f"heights {[item.surface for item in ending]} m"
        )
    item, volume = ending[0], robot.values("volume")
    if not volume.any():
        raise InputError(NO_VOLUME)
    lift, level = -item.density * volume / robot.values("length") * item.field[2], float(item.surface or 0.0)
    return level_of(robot, spine, lift, to_base[:, 2].copy(), level - float(base_position[2]), item.points)


def ends(environment: Sequence[Environment]) -> list[Buoyancy]:
    """What has a surface."""
    return [item for item in environment if isinstance(item, Buoyancy) and item.surface is not None]


def level_of(robot: TendonSpine, spine: Spine, lift: Array, up: Array, height: float, count: int) -> SpineWater:
    """A surface `height` above disk 0; an arc is cut into `count` slabs, a vertebra with a hinge is one."""
    (v, freedoms), half = spine.stiffness.shape, robot.disk_radius
    across, high = (half, half) if robot.section is None else (robot.section.half_width, robot.section.half_height)
    hinged = spine.hinge is not None
    count = 1 if hinged else count
    slabs, marks = vertebrae(v * count), 2 * count + 1
    if hinged:
        slabs.rotation[:] = np.eye(3)
        slabs.offset[:, 2] = spine.hinge * spine.length
        slabs.turn[:, 2, 2] = spine.share
    reached = np.outer(spine.length, np.linspace(0.0, 1.0, marks)).ravel()
    return SpineWater(
        up,
        height,
        across,
        high,
        lift,
        spine.length / count,
        *gauss_rules(2),
        slabs,
        vertebrae(len(reached)),
        reached,
        np.zeros((len(reached), freedoms)),
        np.zeros((6, 6)),
        np.zeros((freedoms, 6)),
    )
