"""Eight gaits side by side, as the joint motion of eight robots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.actuation import shape_map as shapes
from limbless.control.gaits.joint_wave import sample_lane_sines
from limbless.core import Array
from limbless.mechanics.chain import ChainDrive, bend_joints
from limbless.mechanics.compiled import TANGENTS as LANES, aligned_zeros, stack_lanes
from limbless.models.chain.newton_euler_model import NewtonEuler

Buffers = dict[tuple[int, ...], list[Array]]
"""Arrays that are used again and again: memory that is new to a process is slow."""


class LaneDrive:
    """Eight gaits as the joint motion of eight robots, each at its own times; what it gives lies in `buffers`."""

    def __init__(self, models: Sequence[NewtonEuler], gaits: Sequence[Any], buffers: Buffers) -> None:
        self.models, self.gaits, self.buffers = models, gaits, buffers
        gait, model = gaits[0], models[0]
        self.freedoms, single = model.chain.freedoms, model._split == 7 + model.chain.freedoms
        self.torque = aligned_zeros((1, self.freedoms, LANES))
        sines = [
            found
            for one, own in zip(models, gaits, strict=True)
            if own.drives == "joint" and (found := own.sines(shapes.turns(one.chain))) is not None
        ]
        self.table = self.parameters = None
        if single and len(sines) == len(gaits):
            self.table = aligned(np.stack([one.table() for one in sines], axis=-1))
        elif (
            single
            and gait.compiled_lanes is not None
            and gait.drives == "shape"
            and all(type(other) is type(gait) for other in gaits)
        ):
            self.parameters = aligned(np.stack([own.parameters() for own in gaits], axis=-1))
            self.places = aligned(np.stack([shapes.stations(one.chain) for one in models], axis=-1))
            self.columns = shapes.shape_map(model.chain)

    def __call__(self, times: Array) -> ChainDrive:
        """At times (T, 8)."""
        if self.table is None and self.parameters is None:
            return stack_lanes(
                [
                    one.drive(own, np.ascontiguousarray(times[:, lane]))
                    for lane, (one, own) in enumerate(zip(self.models, self.gaits, strict=True))
                ]
            )
        joints = _in_buffers(self.buffers, (len(times), self.freedoms, LANES))
        if self.table is not None:
            sample_lane_sines(self.table, times, *joints)
        else:
            bent = _in_buffers(self.buffers, (len(times), len(self.places), 2, LANES))
            type(self.gaits[0]).compiled_lanes(self.parameters, times, self.places, *bent)
            for source, target in zip(bent, joints, strict=True):
                bend_joints(source, *self.columns, target)
        return ChainDrive(joints[0], joints[1], joints[2], self.torque)


def _in_buffers(buffers: Buffers, shape: tuple[int, ...]) -> list[Array]:
    if shape not in buffers:
        buffers[shape] = [aligned_zeros(shape) for _ in range(3)]
    return buffers[shape]


def aligned(array: Array) -> Array:
    """A copy that begins on a cache line."""
    made = aligned_zeros(array.shape)
    made[:] = array
    return made
