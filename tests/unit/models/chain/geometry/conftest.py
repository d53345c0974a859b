"""Random chains and states of the geometric model, and its metric once more with complex numbers,
from the definitions alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link

Array = np.ndarray


def unit(rng: np.random.Generator, size: int = 3) -> Array:
    vector = rng.normal(size=size)
    return vector / np.linalg.norm(vector)


def masses(rng: np.random.Generator, planar: bool) -> dict[str, Any]:
    """A body that could exist: the inertia of a cloud of points."""
    mass, lever, spread = rng.uniform(0.3, 2.0), 0.05 * rng.normal(size=3), 0.06 * rng.normal(size=(3, 3))
    if planar:
        lever[2] = 0.0
    second = mass * (spread @ spread.T + np.outer(lever, lever))
    return {"mass": mass, "first_moment": tuple(mass * lever), "inertia": np.trace(second) * np.eye(3) - second}


def random_chain(seed: int, base: str, joints: int = 5, planar: bool = False) -> ll.Chain:
    """Revolute, prismatic and universal joints about any axes; or, planar, revolute joints about z with
    arms and masses in the plane.
    """
    rng = np.random.default_rng(seed)
    shape = BodyShape(length=0.2, half_width=0.03, half_height=0.02)
    links = [Link(**masses(rng, planar), body=shape)]
    for number in range(joints):
        place, rotor = 0.2 * rng.normal(size=3), float(rng.uniform(0.0, 0.02))
        if planar:
            place[2] = 0.0
            links.append(
                Link(joint=Joint(rotor_inertia=rotor), position=tuple(place), **masses(rng, planar), body=shape)
            )
            continue
        kind = ("revolute", "prismatic", "universal")[number % 3]
        extra = (
            {"second_axis": tuple(unit(rng)), "offset": tuple(0.05 * rng.normal(size=3))} if kind == "universal" else {}
        )
        links.append(
            Link(
                joint=Joint(kind=kind, axis=tuple(unit(rng)), rotor_inertia=rotor, **extra),
                position=tuple(place),
                orientation=tuple(unit(rng, 4)),
                **masses(rng, planar),
                body=shape,
            )
        )
    return ll.Chain(base=base, links=tuple(links))


def random_state(model: Any, seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-0.9, 0.9, model.frame.coordinates + model.chain.freedoms)
    if model.frame.coordinates == 7:
        x[3:7] /= np.linalg.norm(x[3:7])
    return x, rng.normal(size=model.freedoms)


def hat(v: Array) -> Array:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def exponential(screw: Array, x: complex) -> Array:
    """exp(screw^ x) as a 4 x 4 matrix; v first. A rotation axis is a unit vector."""
    v, w = screw[:3], screw[3:]
    g = np.eye(4, dtype=complex)
    if not w.any():
        g[:3, 3] = v * x
        return g
    W = hat(w)
    g[:3, :3] += np.sin(x) * W + (1 - np.cos(x)) * W @ W
    g[:3, 3] = (np.eye(3) * x + (1 - np.cos(x)) * W + (x - np.sin(x)) * W @ W) @ v
    return g


def adjoint(g: Array) -> Array:
    R, p = g[:3, :3], g[:3, 3]
    return np.block([[R, hat(p) @ R], [np.zeros((3, 3)), R]])


def inverse(g: Array) -> Array:
    inverted = np.eye(4, dtype=complex)
    inverted[:3, :3], inverted[:3, 3] = g[:3, :3].T, -g[:3, :3].T @ g[:3, 3]
    return inverted


class Definition:
    """The chain on virtual joints from (1), (4), (9) alone: home screws xi_j, home poses
    g_i(0), inertias in body frames.
    """

    def __init__(self, chain: ll.Chain) -> None:
        arrays, bodies = chain.arrays(), chain.bodies()
        virtual = {"planar": ("PX", "PY", "RZ"), "free": ("PX", "PY", "PZ", "RZ", "RY", "RX"), "fixed": ()}[chain.base]
        self.screws = [
            np.array(
                [
                    *(np.eye(3)["XYZ".index(name[1])] if name[0] == "P" else np.zeros(3)),
                    *(np.eye(3)["XYZ".index(name[1])] if name[0] == "R" else np.zeros(3)),
                ]
            )
            for name in virtual
        ]
        origins = np.cumsum(arrays.arm, axis=0)
        self.rotor = np.concatenate([np.zeros(len(virtual)), arrays.rotor_inertia])
        self.carrier, self.home, self.inertia = [], [], []
        for k in range(len(arrays.joint_kind)):
            if k:
                axis, place = arrays.axis[k], origins[k]
                turns = arrays.joint_kind[k] == 1
                self.screws.append(np.concatenate([np.cross(place, axis), axis] if turns else [axis, np.zeros(3)]))
            home = np.eye(4, dtype=complex)
            home[:3, 3] = origins[k]
            self.carrier.append(len(self.screws))
            self.home.append(home)
            H = hat(bodies.moment[k])
            self.inertia.append(np.block([[bodies.mass[k] * np.eye(3), H.T], [H, bodies.inertia[k]]]))

    def body_columns(self, x: Array) -> list[Array]:
        """(6, n) of every body: Ad^-1 of what lies beyond each screw, g_i(0) included (4)."""
        exponentials, found = [exponential(screw, value) for screw, value in zip(self.screws, x, strict=True)], []
        for count, home in zip(self.carrier, self.home, strict=True):
            J, beyond = np.zeros((6, len(x)), dtype=complex), home
            for j in range(count - 1, -1, -1):
                J[:, j] = adjoint(inverse(beyond)) @ self.screws[j]
                beyond = exponentials[j] @ beyond
            found.append(J)
        return found

    def metric(self, x: Array) -> Array:
        return sum(J.T @ I @ J for J, I in zip(self.body_columns(x), self.inertia, strict=True)) + np.diag(self.rotor)

    def christoffel(self, x: Array) -> Array:
        """(13) with derivatives of M by complex steps."""
        n, d = len(x), 1e-30
        # rate[k, i, j] = d_k M_ij
        rate = np.array([self.metric(x + 1j * d * np.eye(n)[k]).imag / d for k in range(n)])
        return 0.5 * (rate.transpose(0, 2, 1) + rate.transpose(2, 0, 1) - rate.transpose(1, 2, 0))


@pytest.fixture(scope="session")
def tools() -> Any:
    class Tools:
        chain, state, definition = staticmethod(random_chain), staticmethod(random_state), Definition

    return Tools
