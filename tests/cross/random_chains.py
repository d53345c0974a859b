"""Random chains with every kind of joint, and random states of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link

Array = NDArray[np.float64]


def direction(rng: np.random.Generator) -> Array:
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)


def random_mass(rng: np.random.Generator) -> dict[str, Any]:
    """A body that could exist: the inertia of a cloud of points."""
    mass, lever, spread = rng.uniform(0.3, 2.0), 0.05 * rng.normal(size=3), 0.06 * rng.normal(size=(3, 3))
    second = mass * (spread @ spread.T + np.outer(lever, lever))
    return {"mass": mass, "first_moment": tuple(mass * lever), "inertia": np.trace(second) * np.eye(3) - second}


def random_shape(rng: np.random.Generator) -> dict[str, Any]:
    body = BodyShape(
        position=tuple(0.05 * rng.normal(size=3)),
        axis=tuple(direction(rng)),
        lateral=tuple(direction(rng)),
        length=rng.uniform(0.1, 0.3),
        half_width=rng.uniform(0.02, 0.05),
        half_height=rng.uniform(0.02, 0.05),
    )
    return {"body": body, "volume": rng.uniform(1e-4, 1e-3), "volume_centre": tuple(0.05 * rng.normal(size=3))}


def random_joint(kind: str, rng: np.random.Generator, passive: bool) -> Joint:
    fields: dict[str, Any] = {"kind": kind.split()[0]}
    count = {"universal": 2, "spherical": 3}.get(fields["kind"], 1)
    if count < 3:
        fields["axis"] = tuple(direction(rng))
    if count == 2:
        fields["second_axis"] = tuple(direction(rng))
        fields["offset"] = tuple(0.05 * rng.normal(size=3)) if kind == "universal apart" else (0.0, 0.0, 0.0)
    fields["rotor_inertia"] = tuple(rng.uniform(0.0, 0.02, size=count))
    if passive:
        for name in ("stiffness", "damping", "viscous_friction", "coulomb_friction", "rest"):
            fields[name] = tuple(rng.uniform(0.0, 0.5, size=count))
    return Joint(**fields)


def random_chain(rng: np.random.Generator, base: str) -> ll.Chain:
    """Every kind of joint at least once, in any order, and three more."""
    kinds = ["revolute", "prismatic", "universal", "universal apart", "spherical"]
    kinds = list(rng.permutation([*kinds, *rng.choice(kinds, 3)]))
    links = [Link(**random_mass(rng), **random_shape(rng))]
    for kind in kinds:
        links.append(
            Link(
                joint=random_joint(kind, rng, passive=rng.random() < 0.5),
                position=tuple(0.2 * rng.normal(size=3)),
                orientation=tuple(unit_quaternion(rng)),
                **random_mass(rng),
                **(random_shape(rng) if rng.random() < 0.8 else {}),
            )
        )
    return ll.Chain(base=base, links=tuple(links))


def unit_quaternion(rng: np.random.Generator) -> Array:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


class Instant(NamedTuple):
    """A state of the robot; quaternion scalar first, twist in the base frame."""

    joint_position: Array
    joint_velocity: Array
    base_twist: Array
    base_position: Array
    base_orientation: Array

    def pose(self) -> dict[str, Array]:
        return {"base_position": self.base_position, "base_orientation": self.base_orientation}


def random_instant(chain: ll.Chain, rng: np.random.Generator, bend: float) -> Instant:
    """Joint positions up to `bend`, rad or m."""
    allowed = {"free": np.ones(6), "planar": np.array([1, 1, 0, 0, 0, 1]), "fixed": np.zeros(6)}[chain.base]
    n = chain.freedoms
    return Instant(
        rng.uniform(-bend, bend, n),
        rng.normal(size=n),
        allowed * rng.normal(size=6),
        rng.normal(size=3),
        unit_quaternion(rng),
    )
