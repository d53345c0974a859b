"""Eight gaits side by side, as the joint motion of eight robots."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.actuation import shape as shapes
from limbless.gaits.sines import sample_lane_sines
from limbless.mechanics.chain.tables import Drive
from limbless.mechanics.chain.tangents import bend_lane_joints
from limbless.mechanics.compiled.scalars import TANGENTS as LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.compiled.widening import side_by_side
from limbless.models.newton_euler.model import NewtonEuler

Array = NDArray[np.float64]
Room = dict[tuple[int, ...], list[Array]]
"""Arrays that are used again and again: memory that is new to a process is slow."""


def lane_drive(models: Sequence[NewtonEuler], gaits: Sequence[Any], times: Array, room: Room) -> Drive:
    """Eight gaits, each at its own times (T, 8), as the joint motion of eight robots; it lies in `room`."""
    gait, model = gaits[0], models[0]
    sines = [found for one, own in zip(models, gaits, strict=True)
             if own.drives == "joint" and (found := own.sines(shapes.turns(one.chain))) is not None]
    if len(sines) == len(gaits) and model._split == 7 + model.chain.freedoms:
        joints = _in_room(room, (len(times), model.chain.freedoms, LANES))
        sample_lane_sines(aligned(np.stack([one.table() for one in sines], axis=-1)), times, *joints)
        return Drive(joints[0], joints[1], joints[2], aligned_zeros((1, model.chain.freedoms, LANES)))
    if gait.compiled_lanes is None or gait.drives != "shape" or model._split != 7 + model.chain.freedoms or any(
            type(other) is not type(gait) for other in gaits):
        return side_by_side([one.drive(own, np.ascontiguousarray(times[:, lane]))
                             for lane, (one, own) in enumerate(zip(models, gaits, strict=True))])
    parameters = np.stack([own.parameters() for own in gaits], axis=-1)
    places = np.stack([shapes.stations(one.chain) for one in models], axis=-1)
    bent = _in_room(room, (len(times), len(places), 2, LANES))
    type(gait).compiled_lanes(aligned(parameters), times, aligned(places), *bent)
    joints = _in_room(room, (len(times), model.chain.freedoms, LANES))
    for source, target in zip(bent, joints, strict=True):
        bend_lane_joints(source, *shapes.shape_map(model.chain), target)
    return Drive(joints[0], joints[1], joints[2], aligned_zeros((1, model.chain.freedoms, LANES)))


def _in_room(room: Room, shape: tuple[int, ...]) -> list[Array]:
    if shape not in room:
        room[shape] = [aligned_zeros(shape) for _ in range(3)]
    return room[shape]


def aligned(array: Array) -> Array:
    """A copy that begins on a cache line."""
    made = aligned_zeros(array.shape)
    made[:] = array
    return made
