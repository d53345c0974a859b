"""What is recorded of the water: the wake that the tail leaves.

Computed in NumPy from recorded poses and twists, apart from the kernels that integrated them.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Pack
from limbless.mechanics.forces.wake import WakeLaw
from limbless.models.base import Variable
from limbless.models.force_elements import packed_rows
from limbless.models.variables import choose

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
REVERSED = 0.05
"""Share of the time from which on a tail that runs backwards is worth a note."""


class WaterRecorder:
    """Turns recorded motion into what the water is asked for.

    Parameters
    ----------
    packs : what each environment packed.
    """

    def __init__(self, packs: Sequence[Pack]) -> None:
        self.wakes = packed_rows(packs, WakeLaw)

    def schema(self) -> dict[str, Variable]:
        return choose("wake_force", "wake_power", "wake_reversed") if self.wakes else {}

    def variables(self, count: int, motion: Callable[[int], tuple[Array, Array, Array]]) -> dict[str, Array]:
        """The variables of `schema` at `count` records; `motion` of a body gives its rotation (R, 3, 3), origin (R, 3)
        and twist (R, 6), world axes.
        """
        if not self.wakes:
            return {}
        force, power, backwards = np.zeros((count, 3)), np.zeros(count), np.zeros(count, dtype=bool)
        for wake in self.wakes:
            pushed, worked, speed = left_behind(wake, *motion(int(wake.body)))
            force, power, backwards = force + pushed, power + worked, backwards | (speed > 0.0)
        return {"wake_force": force, "wake_power": power,
                "wake_reversed": np.cumsum(backwards) / np.arange(1, count + 1)}


def left_behind(wake: Any, R: Array, origin: Array, twist: Array) -> tuple[Array, Array, Array]:
    """Force (world) and power of a wake, and the speed W.t with which its edge moves out of the body's way."""
    E = R @ np.array(wake.frame)
    edge = np.einsum("rij,j->ri", R, np.array(wake.start))
    velocity, spin = twist[:, :3] + np.cross(twist[:, 3:], edge), twist[:, 3:]
    W = np.einsum("rji,rj->ri", E, velocity - np.array(wake.current))
    roll = np.einsum("ri,ri->r", E[:, :, 0], spin)
    P = np.array(wake.added) * W
    energy = 0.5 * ((W * P).sum(axis=1) + wake.added_roll * roll**2)
    speed = wake.outward * W[:, 0]
    own = speed[:, None] * P
    own[:, 0] -= wake.outward * energy
    force = np.einsum("rij,rj->ri", E, own)
    return force, (force * velocity).sum(axis=1) + speed * wake.added_roll * roll**2, speed


def remarks(dataset: xr.Dataset) -> list[str]:
    """What should be known of a finished run in water."""
    share = float(dataset["wake_reversed"].values[-1]) if "wake_reversed" in dataset and dataset.sizes["time"] else 0.0
    if share <= REVERSED:
        return []
    return [f"environment.water.wake: the tail ran backwards {share:.0%} of the time, where the law of the wake takes "
            "energy back from the water it left; it is meant for a tail that trails: set wake to none for a body that "
            "drifts or swims tail first"]
