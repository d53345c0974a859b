"""Rods and soft bodies at the surface of water, and the terms of a chain's equations there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.environments.flows.waves import WavesFlow

NO_DRAG = (0.0, 0.0, 0.0, 0.0)
STILL = ll.BodyWave(amplitude=0.0, growth=0.0)
HALF_DENSE = {"strains": "universal", "length": 0.5, "half_width": 0.05, "half_height": 0.05, "density": 500.0}
WAVE = ll.BodyWave(amplitude=0.4, growth=0.0, wavelength=0.4, period=0.8, ramp=0.4)
MODELS = {"macro-continuous": {"kind": "macro-continuous", "cells": 16}, "soft": {"kind": "soft", "cells": 4}}


def float_on(robot: Any, model: str, gait: Any = STILL, water: dict | None = None, **run: Any) -> Any:
    medium = ll.Water(**{"surface": 0.0, "drag": NO_DRAG, "wake": "none", **(water or {})})
    options: dict[str, Any] = {"duration": 1.0, "step": 0.004, "record_every": 0.02, **run}
    settings = {**MODELS[model], **options.pop("settings", {})}
    return ll.run(ll.Scenario(robot=robot, gait=gait, environment=(medium, ll.Gravity()), model=settings, **options))


@pytest.mark.parametrize("model", MODELS)
def test_a_rod_bobs_as_an_independent_integration_has_it(model: str) -> None:
    """A half-dense round body from 0.03 m, without drag: -0.005292 m after one second. With all of the added mass, or
    none, at all times it would bob with another period; with frozen immersion it would be at -0.01929 m."""
    run = float_on(ll.Rod(**HALF_DENSE), model, initial={"position": (0.0, 0.0, 0.03)})
    data = run.dataset
    assert data.base_position.values[-1, 2] == pytest.approx(-0.005292, abs=1e-5)
    assert np.abs(data.base_position.values[:, 2]).max() == pytest.approx(0.03, abs=2e-6)
    assert data.immersion.values[0].max() < 0.2 < 0.8 < data.immersion.values.max()
    assert run.proven, run.doubts


@pytest.mark.parametrize(
    ("model", "finer", "least"),
    [("macro-continuous", {"settings": {"cells": 32}}, 14.0), ("soft", {"step": 0.0025}, 3.0)],
)
def test_a_swimming_rod_keeps_its_balances_under_waves(model: str, finer: dict, least: float) -> None:
    """Kinetic energy of body and wet water against all works, momentum against impulse. What is left is, as in deep
    water, the mesh of the rod, of fourth order, and the tolerance of the soft body's stages."""
    rod = ll.Rod(strains="universal", length=0.4, half_width=0.03, half_height=0.03, density=700.0)
    water = {"drag": (0.01, 1, 1, 1), "wake": "tail", "flow": [WavesFlow(amplitude=0.02, length=1.5, phase=0.3)]}
    start = {"twist": (0.0, 0.1, 0.2, 0.5, 0.3, 0.0)}
    found = []
    for options in ({}, finer):
        run = float_on(rod, model, WAVE, water, **{"step": 0.01, "duration": 0.6, "initial": start, **options})
        found.append(run.summary()["balances"])
    assert run.proven, run.doubts
    for name in ("power", "linear momentum", "angular momentum"):
        assert found[0][name]["value"] / found[1][name]["value"] > least
    assert found[1]["power"]["value"] < 4e-6


def test_a_rod_at_a_surface_is_the_limit_of_chains() -> None:
    """And what acts inside it vanishes beyond its tail."""
    rod = ll.Rod(strains="universal", length=0.4, half_width=0.03, half_height=0.03, density=700.0)
    water = {"drag": (0.01, 1, 1, 1)}
    start = {"position": (0.0, 0.0, -0.01)}
    one = float_on(rod, "macro-continuous", WAVE, water, duration=0.8, initial=start).dataset
    off = []
    for links in (10, 20):
        chain = ll.simulate(
            rod.to_chain(links),
            WAVE,
            [ll.Water(surface=0.0, wake="none"), ll.Gravity()],
            duration=0.8,
            step=0.004,
            record_every=0.02,
            initial=start,
        ).dataset
        off.append(np.abs(chain.com_position.values - one.com_position.values).max())
    assert off[1] < 0.35 * off[0] < 0.0035
    assert np.abs(one.com_position.values[-1, :2]).max() > 0.005
    assert one.tail_wrench.values.max() < 1e-8
    soft = float_on(rod, "soft", WAVE, water, duration=0.8, initial=start).dataset
    np.testing.assert_allclose(soft.com_position.values, one.com_position.values, atol=3e-4)


def test_a_floating_rod_needs_inertia_and_no_contacts() -> None:
    wet, rod = [ll.Water(surface=0.0, wake="none"), ll.Gravity()], ll.Rod()
    with pytest.raises(InputError, match=r"model\.inertia"):
        ll.MacroContinuous(rod, wet, settings=ll.MacroContinuousSettings(inertia=False))
    with pytest.raises(InputError, match="contacts"):
        ll.MacroContinuous(rod, [*wet, ll.Anchorage(abscissa=0.0)])


SWIMMER = ll.UniformChain(links=4, length=0.15, half_width=0.03, half_height=0.045, density=900.0, joint="universal")
POSE = {
    "base_position": (0.1, 0.2, 0.01),
    "base_orientation": (0.8848593185516364, -0.0599904622, 0.0069988873, 0.4619265595),
}


@pytest.mark.parametrize("flow", [(), (WavesFlow(amplitude=0.03, length=1.5, phase=0.3),)], ids=["still", "waves"])
def test_terms_of_the_equations_at_a_surface(flow: tuple) -> None:
    """M a + h = (0, torque) with the accelerations that `inverse` finds; what a link receives from the one before
    drives its joint."""
    model = ll.NewtonEuler(SWIMMER, [ll.Water(surface=0.0, flow=flow, points=8), ll.Gravity()])
    rng = np.random.default_rng(3)
    q, v, a = 0.4 * rng.normal(size=(3, 6))
    found = model.inverse(q, v, a, **POSE, time=0.3)
    M, h = model.mass_matrix(q, **POSE, time=0.3), model.bias(q, v, **POSE, time=0.3)
    np.testing.assert_allclose(M, M.T, atol=1e-12)
    left = M @ np.concatenate([found.base_acceleration, a]) + h
    np.testing.assert_allclose(left, np.concatenate([np.zeros(6), found.joint_torque]), atol=1e-9)
    higher = model.mass_matrix(q, base_position=(0.1, 0.2, 1.0), base_orientation=POSE["base_orientation"])
    np.testing.assert_allclose(higher[:3, :3], SWIMMER.build().total_mass * np.eye(3), atol=1e-12)
    assert np.trace(M[:3, :3]) - np.trace(higher[:3, :3]) > 0.5
    wrench = model.joint_wrenches(q, v, a, **POSE, time=0.3)
    np.testing.assert_allclose(wrench[-1, 4], found.joint_torque[-1], atol=1e-10)
