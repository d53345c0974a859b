"""What is recorded of the water: the wake that the tail leaves, how the water moves, how much of the body is in it.

Computed in NumPy from recorded poses and twists, apart from the kernels that integrated them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.environments.base import Pack
from limbless.mechanics.forces import OpenWakeLaw, OpenWaterLaw, WakeLaw
from limbless.models import Variable, choose, packed_rows

if TYPE_CHECKING:
    import xarray as xr

REVERSED = 0.05
"""Share of the time from which on a tail that runs backwards is worth a note."""


class WaterRecorder:
    """Turns recorded motion into what the water is asked for.

    Parameters
    ----------
    packs : what each environment packed.
    """

    def __init__(self, packs: Sequence[Pack]) -> None:
        self.wakes = [*packed_rows(packs, WakeLaw), *packed_rows(packs, OpenWakeLaw)]
        mediums = [pack.medium for pack in packs if pack.medium is not None]
        self.floats = next((medium for medium in mediums if medium.surface is not None), None)
        open_rows = packed_rows(packs, OpenWaterLaw)
        self.added = np.array([[*row.added, row.added_roll] for row in open_rows]).reshape(-1, 4)
        self.streams = [medium for medium in mediums if medium.moving]

    def schema(self) -> dict[str, Variable]:
        names = ("wake_force", "wake_power", "wake_reversed") if self.wakes else ()
        return choose(*names, *(("immersion",) if self.floats else ()), *(("water_velocity",) if self.streams else ()))

    def velocity_at(self, time: Array, place: Array) -> Array:
        """Velocity of the water (.., 3) at places (.., 3), m/s, world."""
        return sum((medium.velocity_at(time, place) for medium in self.streams), np.zeros(np.shape(place)))

    def sections(self, time: Array, middle: Array, immersion: Array | None) -> dict[str, Array]:
        """What is recorded of each section: from the places (R, S, 3) of their middles and, at a surface, their
        immersed shares (R, S).
        """
        found = {} if immersion is None else {"immersion": immersion}
        if self.streams:
            found["water_velocity"] = self.velocity_at(np.broadcast_to(time[:, None], middle.shape[:2]), middle)
        return found

    def variables(self, time: Array, motion: Callable[[int], tuple[Array, Array, Array]]) -> dict[str, Array]:
        """What is recorded of the wakes; `motion` of a body gives its rotation (R, 3, 3), origin (R, 3) and twist
        (R, 6), world axes.
        """
        if not self.wakes:
            return {}
        count = len(time)
        force, power, backwards = np.zeros((count, 3)), np.zeros(count), np.zeros(count, dtype=bool)
        for wake in self.wakes:
            pushed, worked, speed = self._left_behind(wake, time, *motion(int(wake.body)))
            force, power, backwards = force + pushed, power + worked, backwards | (speed > 0.0)
        return {"wake_force": force, "wake_power": power, "wake_reversed": backwards.astype(float)}

    def remarks(self, dataset: xr.Dataset) -> list[str]:
        """What should be known of a finished run in water."""
        share = float(dataset["wake_reversed"].mean()) if self.wakes and dataset.sizes["time"] else 0.0
        if share <= REVERSED:
            return []
        return [
            f"environment.water.wake: the tail ran backwards {share:.0%} of the time, where the law of the wake takes "
            "energy back from the water it left; it is meant for a tail that trails: set wake to none for a body that "
            "drifts or swims tail first"
        ]

    def _left_behind(self, wake: Any, time: Array, R: Array, origin: Array, twist: Array) -> tuple[Array, Array, Array]:
        """Force (world) and power of a wake, and the speed W.t with which its edge moves out of the body's way."""
        E = R @ np.array(wake.frame)
        edge = np.einsum("rij,j->ri", E, np.array(wake.start))
        velocity = twist[:, :3] + np.cross(twist[:, 3:], edge)
        W = np.einsum("rji,rj->ri", E, velocity - self.velocity_at(time, origin + edge))
        share: Array | float = 1.0
        if self.floats:
            share = share_below(self.floats, wake.half_width, wake.half_height, time, origin + edge, E)
        return wake_force(wake, E, W, velocity, twist[:, 3:], share)


def across(arm: Array) -> Array:
    """[p] with [p] v = p x v."""
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def share_below(water: Any, a: Array | float, b: Array | float, time: Array, place: Array, E: Array) -> Array:
    """(..) immersed share of sections of half axes a, b at places (.., 3) with axes E (.., 3, 3)."""
    height, size, _, reach = surface_above(water, a, b, time, place, E)
    h = np.clip(size * (height - place[..., 2]) / reach, -1.0, 1.0)
    return np.asarray((np.arccos(-h) + h * np.sqrt(1.0 - h**2)) / np.pi)


def surface_above(
    water: Any, a: Array | float, b: Array | float, time: Array, place: Array, E: Array
) -> tuple[Array, Array, Array, Array]:
    """The surface above places (.., 3): its height, how far it is across over how far up, its normal (.., 3) along the
    axes E there, and how far a section of half axes a, b reaches along that.
    """
    height, slope = water.height_at(time, place)
    size = 1.0 / np.sqrt(1.0 + (slope**2).sum(axis=-1))
    normal = np.concatenate([-slope, np.ones((*slope.shape[:-1], 1))], axis=-1) * size[..., None]
    n = np.einsum("...ji,...j->...i", E, normal)
    reach = np.maximum(np.sqrt((a * n[..., 1]) ** 2 + (b * n[..., 2]) ** 2), 1e-9 * b)
    return height, size, n, reach


def wet_moments(water: Any, piece: Any, time: Array, start: Array, E: Array) -> Array:
    """(R, 3): ∫ φ ds, ∫ s φ ds, ∫ s² φ ds of a segment that starts at (R, 3) and has the axes E (R, 3, 3): Gauss points
    in the parts before, in and behind the stretch that the surface cuts.
    """
    L, a, b = piece.length, piece.half_width, piece.half_height
    along = E[:, :, 0]
    height, size, n, reach = surface_above(water, a, b, time, start + 0.5 * L * along, E)
    first = (size * (height - start[:, 2] - 0.5 * L * along[:, 2]) + 0.5 * L * n[:, 0]) / reach
    rate = -n[:, 0] / reach
    flat = np.abs(rate) * L <= 1e-9 * (1.0 + np.abs(first))
    run = np.where(flat, 1e12, 1.0 / np.where(flat, 1.0, rate))
    ends = np.sort(
        np.clip([(-1.0 - first) * run, (1.0 - first) * run, np.zeros_like(run), np.full_like(run, L)], 0.0, L), axis=0
    )
    nodes, weights = np.polynomial.legendre.leggauss(water.points)
    total = np.zeros((len(time), 3))
    for low, high in itertools.pairwise(ends):
        for node, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
            s = low + node * (high - low)
            share = share_below(water, a, b, time, start + s[:, None] * along, E) * weight * (high - low)
            total += share[:, None] * np.stack([np.ones_like(s), s, s * s], axis=1)
    return total


def slice_inertias(piece: Any, mass: Array) -> Array:
    """(3, 6, 6): the added inertia per length at s, X0 + s X1 + s² X2, about the body's origin and along its axes."""
    E, found = piece.frame, []
    D = E @ np.diag(mass[:3]) @ E.T
    for s in (0.0, 1.0, 2.0):
        arm = across(piece.start + s * E[:, 0])
        roll = mass[3] * np.outer(E[:, 0], E[:, 0])
        found.append(np.block([[D, -D @ arm], [arm @ D, roll - arm @ D @ arm]]))
    square = 0.5 * (found[2] - 2.0 * found[1] + found[0])
    return np.array([found[0], found[1] - found[0] - square, square])


def wake_force(
    wake: Any, E: Array, W: Array, velocity: Array, spin: Array, share: Array | float
) -> tuple[Array, Array, Array]:
    """The same from axes of the edge, its velocities through the water and the world, and its immersed share."""
    roll = np.einsum("ri,ri->r", E[:, :, 0], spin)
    P = np.array(wake.added) * W
    energy = 0.5 * ((W * P).sum(axis=1) + wake.added_roll * roll**2)
    speed = wake.outward * W[:, 0]
    own = speed[:, None] * P
    own[:, 0] -= wake.outward * energy
    force = np.einsum("rij,rj->ri", E, np.multiply(own.T, share).T)
    return force, (force * velocity).sum(axis=1) + share * speed * wake.added_roll * roll**2, speed
