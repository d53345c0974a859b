"""Implicit steps of chains: stiff feedback, springs and drag, against explicit steps that are short enough."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative
from limbless.core.errors import InputError, SimulationError
from limbless.models.newton_euler import NewtonEulerSettings

ARM = ll.UniformChain(links=4, length=0.1, half_width=0.015, half_height=0.03, base="fixed")
SWEEP = ll.BodyWave(amplitude=0.6, growth=0.0, wavelength=0.5, period=0.5, ramp=0.2)
STIFF = ProportionalDerivative(stiffness=300.0, damping=3.0)
THICK = ll.Drag(along=200.0, lateral=4000.0, vertical=4000.0, roll=1.0)


def still(drives: str) -> Any:
    return ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives=drives)


def moved(integrator: str, step: float, robot: Any = ARM, drag: Any = None, **fields: Any) -> ll.Result:
    """0.2 s of a chain among weight and drag, whatever they are: one version of the kernels serves all."""
    settings = NewtonEulerSettings(integrator=integrator, **fields.pop("model", {}))
    air = drag or ll.Drag(along=0.0, lateral=0.02, vertical=0.02)
    return ll.simulate(
        robot,
        SWEEP,
        [ll.Gravity(acceleration=(0.0, -9.81, 0.0)), air],
        duration=0.2,
        step=step,
        record_every=0.1,
        model=settings,
        **{"actuation": STIFF, **fields},
    )


def off(run: ll.Result, fine: ll.Result) -> float:
    return float(
        max(
            np.abs(run.dataset[name].values - fine.dataset[name].values).max()
            for name in ("joint_position", "base_position")
        )
    )


def test_stiff_feedback_is_followed_with_steps_that_explicit_ones_cannot_take() -> None:
    with pytest.raises(SimulationError, match=r"diverged.*model\.integrator to sdirk4"):
        moved("rk4", 0.01)
    fine = moved("rk4", 2e-5)
    errors = [off(moved("sdirk4", step, model={"tolerance": 1e-9}), fine) for step in (0.02, 0.01, 0.005)]
    assert errors[1] < 2e-4 and errors[2] < errors[1] / 6.0 < errors[0] / 20.0


@pytest.mark.parametrize("base", ["fixed", "free"])
def test_midpoint_steps_have_their_order(base: str) -> None:
    fine = moved("rk4", 2e-5, robot=ARM.changed(base=base))
    errors = [off(moved("midpoint", step, robot=ARM.changed(base=base)), fine) for step in (0.002, 0.001)]
    assert errors[0] < 1e-3 and abs(np.log2(errors[0] / errors[1]) - 2.0) < 0.4


def test_works_and_balances_are_those_of_short_explicit_steps() -> None:
    fine, run = moved("rk4", 2e-5).summary(), moved("sdirk4", 0.0025)
    assert run.summary()["positive_work"] == pytest.approx(fine["positive_work"], rel=1e-3)
    assert run.summary()["balances"]["power"]["verdict"] == "pass"


def test_stiff_springs_keep_their_energy_under_midpoint_steps() -> None:
    """A bent chain with springs of 100 N m/rad, let go: energy stays within a band."""
    robot = ll.UniformChain(
        links=4, length=0.1, half_width=0.015, half_height=0.03, base="fixed", stiffness=100.0
    ).build()
    none = ll.Drag(along=0.0, lateral=0.0, vertical=0.0)

    data = ll.simulate(
        robot,
        still("torque"),
        [ll.Gravity(acceleration=(0.0, 0.0, 0.0)), none],
        duration=1.0,
        step=0.004,
        record_every=0.02,
        initial={"joint_position": (0.02, -0.01, 0.015)},
        actuation="torque",
        model=NewtonEulerSettings(integrator="midpoint"),
    ).dataset
    bend = data["joint_position"].values
    energy = data["kinetic_energy"].values + 50.0 * (bend**2).sum(axis=1)
    assert np.abs(energy / energy[0] - 1.0).max() < 0.1 and np.abs(energy[-10:] / energy[0] - 1.0).max() < 0.1


def test_a_chain_sinks_in_syrup_in_closed_form() -> None:
    """v = v_t (1 - exp(-t/τ)), τ = m/c: with two steps per τ, and with twenty τ per step."""
    free, c = ARM.changed(base="free"), 4000.0
    robot = free.build()
    lag = robot.total_mass / (c * 0.4)
    settings = NewtonEulerSettings(integrator="sdirk4", tolerance=1e-10)
    for step in (0.5 * lag, 20.0 * lag):
        data = ll.simulate(
            free,
            still("joint"),
            [ll.Gravity(acceleration=(0.0, -9.81, 0.0)), THICK],
            step=step,
            duration=10.0 * step,
            record_every=step,
            actuation=STIFF,
            model=settings,
        ).dataset
        wanted = -9.81 * lag * (1.0 - np.exp(-data["time"].values / lag))
        np.testing.assert_allclose(data["com_velocity"].values[5:, 1], wanted[5:], rtol=1e-3 if step < lag else 1e-2)


def test_stiff_drag_is_solved() -> None:
    """Drag that stops a link in 1e-4 s, on links that follow the gait: all of it is on the base."""
    free = ARM.changed(base="free")
    with pytest.raises(SimulationError, match="diverged"):
        moved("rk4", 0.01, robot=free, drag=THICK)
    fine = moved("rk4", 2e-5, robot=free, drag=THICK)
    assert off(moved("sdirk4", 0.005, robot=free, drag=THICK), fine) < 2e-5


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"integrator": "rk4", "tolerance": 1e-3}, r"model\.tolerance: .* leave it out, or set model\.integrator"),
        ({"integrator": "sdirk4", "inertia": False}, r"model\.inertia|model\.integrator"),
    ],
)
def test_what_has_no_effect_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.simulate(ARM.changed(base="free"), SWEEP, [THICK], duration=0.1, model=NewtonEulerSettings(**fields))


def test_dry_friction_in_the_joints_is_refused() -> None:
    dry = ll.UniformChain(links=3, length=0.1, coulomb_friction=0.1)
    with pytest.raises(InputError, match=r"model\.integrator: the dry friction of the joints"):
        ll.simulate(
            dry, SWEEP, [THICK], actuation=STIFF, duration=0.1, model=NewtonEulerSettings(integrator="midpoint")
        )


def test_derivatives_are_refused_and_lanes_left_alone() -> None:
    with pytest.raises(InputError, match=r"model\.integrator: derivatives"):
        ll.sensitivity("eel-planar", ["gait.amplitude"], {"model.integrator": "sdirk4"})
