"""A rod cut into panels of three nodes, and its slices as the bodies on which environments act."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.robots import Bodies, Rod, Segment

_NARROW = 1e-10  # of the length: half the width of the panel that holds a jump


class PanelMesh(NamedTuple):
    """Nodes along the rod. Panel j has the nodes 2 j, 2 j + 1, 2 j + 2; one of no length (half
    = 0) stands at each break.
    """

    X: Array  # (nodes,) abscissae, m
    half: Array  # (panels,) half lengths, m
    weight: Array  # (nodes,) weights of Simpson's rule over the whole rod, m

    @property
    def middles(self) -> NDArray[np.int64]:
        """The middle nodes of the panels that have a length: what a result calls sections."""
        return 2 * np.flatnonzero(self.half > 0.0) + 1

    def integral_to_nodes(self, density: Array) -> Array:
        """∫ from the head to every node, of a density (R, nodes, ..): Simpson's parabola on each panel."""
        a, b, c = density[:, 0:-1:2], density[:, 1::2], density[:, 2::2]
        d = self.half.reshape(-1, *(1,) * (density.ndim - 2)) / 12.0
        to_middle, to_end = d * (5.0 * a + 8.0 * b - c), d * (4.0 * a + 16.0 * b + 4.0 * c)
        out = np.zeros_like(density)
        out[:, 2::2] = np.cumsum(to_end, axis=1)
        out[:, 1::2] = out[:, 0:-1:2] + to_middle
        return out


def step_times(knots: Array) -> Array:
    """(K, 3) start, middle and end of the steps between knots."""
    return np.stack([knots[:-1], 0.5 * (knots[:-1] + knots[1:]), knots[1:]], axis=1)


def make_mesh(length: float, cells: int, breaks: tuple[float, ...]) -> PanelMesh:
    """About `cells` cells (two to a panel) of nearly equal length, with panels that end at every break."""
    inner = sorted({x for x in breaks if 0.0 < x < length})
    if len(inner) != len(set(breaks) - {0.0, length}):
        wrong = next(x for x in breaks if not 0.0 <= x <= length)
        raise InputError(f"a break at X = {wrong:g} m lies outside the body, which is {length:g} m long")
    edges = np.array([0.0, *inner, length])
    X, half = [0.0], []
    for start, end in itertools.pairwise(edges):
        if start > 0.0:
            X += [start, start + _NARROW * length]
            X[-3] = start - _NARROW * length
            half.append(0.0)
        panels = max(1, math.ceil(0.5 * cells * (end - start) / length - 1e-9))
        X += list(start + (end - start) * np.arange(1, 2 * panels + 1) / (2 * panels))
        half += [0.5 * (end - start) / panels] * panels
    halves = np.array(half)
    weight = np.zeros(len(X))
    for offset, share in ((0, 1.0), (1, 4.0), (2, 1.0)):
        weight[offset : len(X) - 2 + offset : 2] += share * halves / 3.0
    return PanelMesh(np.array(X), halves, weight)


class Slices:
    """A meshed rod as environments see it: one body and one segment per node, as long as the weight of the node."""

    def __init__(self, rod: Rod, mesh: PanelMesh) -> None:
        self.rod, self.mesh = rod, mesh
        self.head, self.base, self.stretches, self.places = rod.head, rod.base, rod.stretches, mesh.X
        self.axes = rod.half_axes(np.clip(mesh.X, 0.0, rod.length))

    def segments(self) -> list[Segment]:
        return [
            Segment(k, np.zeros(3), np.eye(3), float(w), float(a), float(b))
            for k, (w, (a, b)) in enumerate(zip(self.mesh.weight, self.axes, strict=True))
        ]

    def bodies(self) -> Bodies:
        X, weight = np.clip(self.mesh.X, 0.0, self.rod.length), self.mesh.weight
        none, mass = np.zeros((len(X), 3)), weight * self.rod.inertia(X)[:, 0]
        return Bodies(mass, none, np.zeros((len(X), 3, 3)), weight * self.rod.areas(X), none)

    def fills(self) -> Array:
        X = np.clip(self.mesh.X, 0.0, self.rod.length)
        return self.rod.areas(X) / (np.pi * self.axes.prod(axis=1))

    def node_at(self, abscissa: float) -> int:
        """The node at an abscissa where the mesh was broken, or at an end."""
        if abscissa > self.rod.length * (1.0 + 1e-12):
            raise InputError(
                f"point-wrench: abscissa {abscissa:g} m lies outside the body, which is {self.rod.length:g} m long"
            )
        return int(np.abs(self.mesh.X - abscissa).argmin())
