"""One instant of a rod on contacts, against the accelerations, forces and wrenches that a run finds there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.models.rod.held_instant import _weights
from limbless.models.rod.rod_model import MacroContinuous


def compare(result: ll.Result, record: int, close: float, **where: Any) -> None:
    """`forward` from the strains of the gait at the nodes, beside the record of the run."""
    now, scenario = result.dataset.isel(time=record), result.scenario
    model = MacroContinuous(scenario.robot, scenario.environment, settings=scenario.model)
    time = float(now["time"])
    strains = [part[0] for part in rod_strain(model.rod, scenario.gait, np.array([time]), model.mesh.X)]
    found = model.forward(
        *strains,
        base_position=now["base_position"].values,
        base_orientation=now["base_orientation"].values,
        time=time,
        **where,
    )
    twist, acceleration = now["base_twist"].values, now["base_acceleration"].values.copy()
    acceleration[:3] -= np.cross(twist[3:], twist[:3])
    scale = np.abs(acceleration).max() + 1e-3
    assert found.base_twist == pytest.approx(twist, abs=close * np.abs(twist).max() + 1e-12)
    assert found.base_twist_rate == pytest.approx(acceleration, abs=close * scale)
    force = now["contact_wrench"].values
    assert found.contact_wrench == pytest.approx(force, abs=close * np.abs(force).max())
    inside = now["internal_wrench"].values
    assert found.internal_wrench[model.mesh.middles] == pytest.approx(inside, abs=close * np.abs(force).max())
    assert found.actuator_power == pytest.approx(float(now["actuator_power"]), abs=close * np.abs(force).max())
    assert np.abs(found.tail_wrench).max() < 1e-9
    assert found.support_wrench.sum(axis=0).any() and found.support_wrench.shape == (result.dataset.sizes["contact"], 6)


def test_snake_between_supports() -> None:
    result = ll.run("snake-turn-2d", {"duration": 0.3, "step": 0.02, "record_every": 0.1})
    for record in (1, 3):
        now = result.dataset.isel(time=record)
        supports = np.where(now["contact_state"].values > 0, now["support_abscissa"].values, np.nan)
        compare(result, record, 1e-6, supports=supports)
    compare(result, 0, 1e-6)  # where they start


def test_arm_and_inchworm() -> None:
    for name, end in (("rod-arm", 0.3), ("inchworm-climb", 1.3)):
        result = ll.run(name, {"duration": end, "step": 0.02, "record_every": 0.1})
        compare(result, -1, 1e-9)
        compare(result, 2, 1e-9)


@pytest.mark.parametrize("holds", ["material", "spatial"])
def test_worm_on_its_crests(holds: str) -> None:
    changes = {"duration": 0.3, "step": 0.02, "record_every": 0.1, "environment.0.holds": holds}
    result = ll.run("worm-accelerate", changes)
    now = result.dataset.isel(time=-1)
    crests = np.stack(result.scenario.gait.crests(np.array([float(now["time"])]), 0.3))[:, 0]
    there = (crests[0] >= 0.0) & (crests[0] <= 0.3)
    model = MacroContinuous(result.scenario.robot, result.scenario.environment, settings=result.scenario.model)
    strains = [part[0] for part in result.scenario.gait.sample(np.array([float(now["time"])]), model.mesh.X)]
    found = model.forward(*strains, time=float(now["time"]), crests=crests[:, there])
    assert found.base_twist_rate[0] == pytest.approx(float(now["base_acceleration"][0]), abs=1e-6)
    inside = np.abs(now["internal_wrench"].values).max()
    assert found.contact_wrench[0] == pytest.approx(float(now["contact_wrench"][0]), abs=1e-6 * inside)


def test_contacts_are_not_forgotten() -> None:
    """A straight arm under its weight does not fall."""
    rod = ll.Rod(length=0.5, half_width=0.02)
    model, rest = MacroContinuous(rod, [ll.Gravity(), ll.Anchorage()]), np.zeros((65, 6))
    straight = np.tile([1.0, 0, 0, 0, 0, 0], (65, 1))
    found, m = model.forward(straight, rest, rest), rod.total_mass
    assert np.abs(found.base_twist_rate).max() < 1e-12
    assert found.contact_wrench == pytest.approx([0, 0, 9.81 * m, 0, -9.81 * m * 0.25, 0], abs=1e-9)
    assert found.internal_wrench[0] == pytest.approx(-found.contact_wrench, abs=1e-9), "what holds the head"
    falls = MacroContinuous(rod, ll.Gravity()).forward(straight, rest, rest)
    assert falls.base_twist_rate[2] == pytest.approx(-9.81) and falls.support_wrench.shape == (0, 6)


def test_refusals() -> None:
    rest = np.zeros((65, 6))
    straight = np.tile([1.0, 0, 0, 0, 0, 0], (65, 1))
    arm, free = MacroContinuous(ll.Rod(), ll.Anchorage()), MacroContinuous(ll.Rod())
    with pytest.raises(ll.InputError, match="base_twist: contacts decide the motion of the head"):
        arm.forward(straight, rest, rest, (0.1, 0, 0, 0, 0, 0))
    with pytest.raises(ll.InputError, match="the environment has none"):
        free.forward(straight, rest, rest, supports=[0.1])
    with pytest.raises(ll.InputError, match="supports: give at most 1 abscissae"):
        arm.forward(straight, rest, rest, supports=[0.1, 0.2])
    worm = MacroContinuous(ll.Rod(base="line", strains="extensible-kirchhoff"), ll.SweepingAnchorage())
    with pytest.raises(ll.InputError, match="crests: a sweeping anchorage holds where the gait has its crests"):
        worm.forward(straight, rest, rest)
    with pytest.raises(ll.InputError, match=r"crests: give finite abscissae \(P,\), or \(3, P\)"):
        worm.forward(straight, rest, rest, crests=np.zeros((2, 4)))


def test_weights_reproduce_polynomials() -> None:
    nodes = np.array([0.0, 0.1, 0.2, 0.35, 0.5])
    for order, exact in ((0, 0.3**4 - 0.3), (1, 4 * 0.3**3 - 1.0)):
        assert _weights(nodes, 0.3, order) @ (nodes**4 - nodes) == pytest.approx(exact, abs=1e-12)
