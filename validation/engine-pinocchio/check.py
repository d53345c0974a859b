"""Random chains here and in Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
import validation.engines  # noqa: F401

FIELD = (1.3, -2.1, -9.0)  # m/s2: not along any axis
BASES = ("free", "planar", "fixed")


def relative(found: Any, wanted: Any) -> float:
    return float(np.abs(np.asarray(found) - wanted).max() / np.abs(wanted).max())


def dynamics(chain: ll.Chain, environment: list[Any], rng: np.random.Generator, bend: float) -> tuple[float, float]:
    """Relative differences of inverse dynamics from rnea and of direct dynamics from aba at one random instant."""
    import pinocchio as pin
    from pinocchio_peer import Peer, environment_wrenches, passive_torque
    from random_chains import random_instant

    instant, model = random_instant(chain, rng, bend), ll.NewtonEuler(chain, environment)
    free, peer = Peer(chain, instant, "free"), Peer(chain, instant, chain.base)
    if any(isinstance(item, ll.Gravity) for item in environment):
        for one in (free, peer):
            one.model.gravity = pin.Motion(np.array(FIELD), np.zeros(3))
    passive = passive_torque(chain, instant)
    state = (instant.joint_position, instant.joint_velocity)
    found = model.inverse(*state, rng.normal(size=chain.freedoms), instant.base_twist, **instant.pose())
    a = free.acceleration(found)
    outside = free.forces(environment_wrenches(free, environment, a))
    needed = pin.rnea(free.model, free.data, free.configuration(), free.velocity(), a, outside)
    inverse = relative(np.concatenate([found.base_reaction, found.joint_torque + passive]), needed)
    torque = rng.normal(size=chain.freedoms)
    moved = model.forward(*state, torque, instant.base_twist, **instant.pose())
    effort = np.concatenate([np.zeros(peer.model.nv - chain.freedoms), torque + passive])
    forces = peer.forces(environment_wrenches(free, environment, free.acceleration(moved)))
    theirs = pin.aba(peer.model, peer.data, peer.configuration(), peer.velocity(), effort, forces)
    return inverse, relative(peer.acceleration(moved), theirs)


def geometry(base: str, seed: int) -> tuple[float, float]:
    """Relative differences of metric and Coriolis matrix of a chain without spherical joints."""
    import pinocchio as pin
    from pinocchio_peer import Peer
    from random_chains import Instant, random_instant, random_joint, random_mass, unit_quaternion

    rng = np.random.default_rng(seed)
    links = [ll.Link(**random_mass(rng))]
    for kind in rng.permutation(["revolute", "prismatic", "universal", "universal apart", "revolute", "revolute"]):
        links.append(
            ll.Link(
                joint=random_joint(kind, rng, passive=False),
                position=tuple(0.2 * rng.normal(size=3)),
                orientation=tuple(unit_quaternion(rng)),
                **random_mass(rng),
            )
        )
    chain = ll.Chain(base=base, links=tuple(links))
    instant = random_instant(chain, rng, 1.2)
    if base == "planar":
        instant = Instant(*instant[:3], np.zeros(3), np.array([1.0, 0, 0, 0]))
    model, peer = ll.Geometric(chain, settings=ll.GeometricSettings(coordinates="group")), Peer(chain, instant, base)
    start = {"free": [*instant.base_position, *instant.base_orientation], "planar": [0.0, 0.0, 0.0], "fixed": []}[base]
    x, v, q = np.concatenate([start, instant.joint_position]), peer.velocity(), peer.configuration()
    M = pin.crba(peer.model, peer.data, q)
    return (
        relative(model.metric(x), np.triu(M) + np.triu(M, 1).T),
        relative(model.coriolis(x, v), pin.computeCoriolisMatrix(peer.model, peer.data, q, v)),
    )


def check(case: Any, sheet: Any) -> dict[str, float]:
    from random_chains import random_chain

    current = (0.3, -0.2, 0.1)
    water = [
        ll.Water(model="morison", density=400.0, current=current, points=3),
        ll.Gravity(acceleration=FIELD),
        ll.Buoyancy(density=700.0, acceleration=FIELD, immersed=0.6),
    ]
    settings: dict[str, list[Any]] = {"dry": [], "gravity": [ll.Gravity(acceleration=FIELD)], "water": water}
    found: dict[str, list[tuple[float, float]]] = {}
    for name, environment in settings.items():
        for number, base in enumerate(BASES):
            for seed in range(3):
                rng = np.random.default_rng([number, seed])
                found.setdefault(name, []).append(dynamics(random_chain(rng, base), environment, rng, 1.2))
    eel = [
        dynamics(ll.KhalilEel(base=base).build(), settings["gravity"], np.random.default_rng(5), 0.5) for base in BASES
    ]
    shapes = [geometry(base, seed) for base in BASES for seed in range(3)]
    axes = sheet.subplots()
    for name, pairs in {**found, "eel": eel}.items():
        axes.semilogy(np.maximum(np.array(pairs).ravel(), 1e-17), "o", markersize=3, label=name)
    axes.axhline(1e-10, color="k", linewidth=0.6)
    axes.set(xlabel="chain (inverse, direct)", ylabel="relative difference")
    axes.legend(ncols=4)
    dry = found["dry"] + found["gravity"]
    return {
        "inverse": max(pair[0] for pair in dry),
        "forward": max(pair[1] for pair in dry),
        "water": max(max(pair) for pair in found["water"]),
        "eel": max(pair[0] for pair in eel),
        "metric": max(pair[0] for pair in shapes),
        "coriolis": max(pair[1] for pair in shapes),
    }
