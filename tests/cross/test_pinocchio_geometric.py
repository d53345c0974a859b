"""Metric, Coriolis matrix and inverse dynamics of the geometric model against Pinocchio, on
random chains with any base.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from pinocchio_peer import Peer
from random_chains import Instant, random_instant, random_joint, random_mass, unit_quaternion

import limbless as ll
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.geometric import GeometricSettings
from limbless.robots.links import Link


def chain_of(rng: np.random.Generator, base: str) -> ll.Chain:
    """Revolute, prismatic and universal joints in any order."""
    links = [Link(**random_mass(rng))]
    for kind in rng.permutation(["revolute", "prismatic", "universal", "universal apart", "revolute", "revolute"]):
        links.append(
            Link(
                joint=random_joint(kind, rng, passive=False),
                position=tuple(0.2 * rng.normal(size=3)),
                orientation=tuple(unit_quaternion(rng)),
                **random_mass(rng),
            )
        )
    return ll.Chain(base=base, links=tuple(links))


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_metric_coriolis_and_bias(base: str, seed: int) -> None:
    """On the group base, Pinocchio's free-flyer and planar joints: the same M, the same C (Koszul), the same forces."""
    rng = np.random.default_rng(seed)
    chain = chain_of(rng, base)
    instant = random_instant(chain, rng, 1.2)
    if base == "planar":
        instant = Instant(*instant[:3], np.zeros(3), np.array([1.0, 0, 0, 0]))
    model, peer = Geometric(chain, settings=GeometricSettings(coordinates="group")), Peer(chain, instant, base)
    start = {"free": [*instant.base_position, *instant.base_orientation], "planar": [0.0, 0.0, 0.0], "fixed": []}[base]
    x, v = np.concatenate([start, instant.joint_position]), peer.velocity()
    q = peer.configuration()
    M = pin.crba(peer.model, peer.data, q)
    M = np.triu(M) + np.triu(M, 1).T
    assert np.abs(model.metric(x) - M).max() < 1e-13 * np.abs(M).max()
    assert model.coriolis(x, v) == pytest.approx(pin.computeCoriolisMatrix(peer.model, peer.data, q, v), abs=1e-12)
    assert np.einsum("ijk,i->kj", model.christoffel(x), v) == pytest.approx(model.coriolis(x, v), abs=1e-12)
    a = rng.normal(size=len(v))
    found = model.solve(x, v, np.ones(len(v), dtype=bool), acceleration=a)
    assert found.force == pytest.approx(pin.rnea(peer.model, peer.data, q, v, a), abs=1e-11)
    forward = model.solve(x, v, "torque-driven", force=found.force)
    assert forward.acceleration == pytest.approx(a, abs=1e-9)
