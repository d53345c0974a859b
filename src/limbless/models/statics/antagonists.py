"""Tendons in groups of antagonists, one of each always slack, and what can be asked of a tip."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array
from limbless.mechanics.statics.inverse_statics import share_tensions
from limbless.mechanics.statics.tables import TipTarget
from limbless.robots.tendon_spine import TendonSpine


class Antagonists:
    """The pairs and triples of a robot; a group of g tendons has g - 1 unknowns, its tensions
    less that of its last tendon.
    """

    def __init__(self, robot: TendonSpine) -> None:
        self.groups = robot.antagonists
        self.tendons, self.unknowns = len(robot.tendons), robot.signed_tensions
        self.first = np.cumsum([0, *(len(group) for group in self.groups)]).astype(np.int64)
        self.member = np.array([tendon for group in self.groups for tendon in group], dtype=np.int64)

    @property
    def only_pairs(self) -> bool:
        return all(len(group) == 2 for group in self.groups)

    def signed(self, tension: Array) -> Array:
        """Unknowns (unknowns,) of given tensions, N."""
        return np.concatenate([np.zeros(0), *(tension[list(group[:-1])] - tension[group[-1]] for group in self.groups)])

    def shared(self, u: Array) -> tuple[Array, Array]:
        """Tensions (tendons,), N, and their derivatives (tendons, unknowns) by the unknowns."""
        tension, rate = np.zeros(self.tendons), np.zeros((self.tendons, self.unknowns))
        share_tensions(self.aim([], np.inf), u, tension, rate)
        return tension, rate

    def aim(self, rows: Sequence[int], largest: float) -> TipTarget:
        """What kernels are asked for: these components of the tip, with tensions up to the largest (N)."""
        return TipTarget(self.first, self.member, np.array(rows, dtype=np.int64), largest)

    def faces(self, tension: Array) -> Iterator[NDArray[np.int64]]:
        """For every choice of one slack tendon in each group: the tendons that may pull. The choice nearest to
        `tension` comes first.
        """
        orders = [sorted(group, key=lambda tendon: (tension[tendon], -group.index(tendon))) for group in self.groups]
        for slack in product(*orders):
            yield np.array([tendon for tendon in self.member if tendon not in slack], dtype=np.int64)


def difference(values: Array, target: Array, rows: list[int]) -> Array:
    """values - target of the components `rows` (.., rows); angles by the shorter way round."""
    apart = np.asarray(values - target)
    angles = np.array([COMPONENTS[row] not in "xyz" for row in rows])
    return np.where(angles, apart - 2.0 * np.pi * np.rint(apart / (2.0 * np.pi)), apart)
