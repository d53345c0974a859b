"""Exact derivatives of a motion against central differences of whole runs."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll

SECOND = {"duration": 1.0, "record_every": 0.25}
FIELDS = [
    "gait.amplitude",
    "gait.growth",
    "gait.wavelength",
    "gait.period",
    "gait.ramp",
    "gait.turn",
    "gait.dive",
    "gait.spacing",
    "gait.x_first",
]
VARIABLES = ("base_position", "base_orientation", "base_twist", "actuator_work")
# away from turn = 0, where drag |V| V of a body that starts to yaw is only once differentiable
TURNING = {"gait.turn": 0.02}


@pytest.fixture(scope="module")
def exact():
    """Nine fields: two passes of eight directions. The loop also bends vertically, so that every field matters."""
    return ll.sensitivity("eel-loop", FIELDS, {**SECOND, **TURNING})


def run(changes):
    return ll.run("eel-loop", {**SECOND, **TURNING, **changes}).dataset


def test_values_are_those_of_a_plain_run(exact) -> None:
    plain = run({})
    for name in VARIABLES:  # same operations; the compiler may order them differently for duals
        np.testing.assert_allclose(exact[name], plain[name], rtol=0, atol=1e-13)


@pytest.mark.parametrize("field", FIELDS)
def test_one_second_of_eel_from_rest(exact, field: str) -> None:
    """Fourth-order differences over a step of 1e-3 of the field: truncation about 1e-10 of the
    derivative, rounding 1e-11.
    """
    here = getattr(ll.Scenario.load("eel-loop", TURNING).gait, field.partition(".")[2])
    h = 1e-3 * max(abs(here), 0.01)
    runs = {
        k: run({field: here + k * h}) if here + 2 * k * h >= 0 or field != "gait.x_first" else None
        for k in (-2, -1, 1, 2)
    }
    for name in VARIABLES:
        if runs[-1] is None:  # x_first may not be negative: differences to one side, same order
            ahead = [run({field: k * h})[name].values for k in range(5)]
            slope = sum(c * a for c, a in zip((-25 / 12, 4, -3, 4 / 3, -1 / 4), ahead, strict=True)) / h
        else:
            slope = (runs[-2][name] - 8 * runs[-1][name] + 8 * runs[1][name] - runs[2][name]).values / (12 * h)
        mine = exact[f"d_{name}"].sel(parameter=field).values
        assert np.isfinite(mine).all()
        assert np.abs(mine - slope).max() <= 1e-6 * max(np.abs(mine).max(), 1e-3), name


@pytest.mark.parametrize(
    ("path", "here"),
    [("gait.amplitude", 0.06), ("robot.links.1.solids.0.position.1", 0.0), ("robot.links.1.joint.axis.1", 0.0)],
)
def test_feedback_carries_derivatives_too(path: str, here: float) -> None:
    """Torque-given joints that follow the gait: the joint coordinates are integrated with their tangents. A body that
    leaves its planes of symmetry: what is zero in its inertia has slopes; an axis that leaves z: it is no longer one of
    those that kernels take as such.
    """
    changes = {
        "duration": 0.3,
        "record_every": 0.1,
        "step": 0.002,
        "robot": ll.UniformChain(links=4, rotor_inertia=1e-3).build().model_dump(),
        "actuation": {"kind": "pd", "stiffness": 2.0, "damping": 0.1},
    }
    scenario = ll.Scenario.load("eel-planar", changes)
    mine = ll.sensitivity(scenario, [path])["d_base_position"].values[..., 0]
    ends = [ll.run(scenario, {path: here + k * 1e-4}).dataset.base_position.values for k in (-1, 1)]
    assert np.abs(mine - (ends[1] - ends[0]) / 2e-4).max() < 1e-6 * np.abs(mine).max()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (["gait.amplitud"], "did you mean 'amplitude'"),
        (["amplitude"], "named like 'gait.amplitude'"),
        (["duration.x"], "is not a field of gait, robot"),
        (["robot.densty"], "did you mean 'density'"),
        (["environment.water.points"], "whole number"),
        (["environment.water.added_mass"], "no number"),
        ([], "at least one parameter"),
    ],
)
def test_refusals(parameters: list[str], message: str) -> None:
    with pytest.raises(ll.InputError, match=message):
        ll.sensitivity("eel-planar", parameters, SECOND)


def test_what_cannot_be_differentiated_is_refused() -> None:
    with pytest.raises(ll.InputError, match="three revolute joints"):
        ll.sensitivity("eel-planar", ["gait.amplitude"], {**SECOND, "robot.joints": "spherical"})
    own = ll.Scenario(
        robot=ll.UniformChain(links=2), gait=ll.BodyWave(), environment=(ll.ForceLaw(law=lambda *state: np.zeros(3)),)
    )
    with pytest.raises(ll.InputError, match="force law gives no derivatives"):
        ll.sensitivity(own, ["gait.amplitude"])
    with pytest.raises(ll.InputError, match="CMA-ES"):
        ll.sensitivity("snake-undulate-isotropic", ["gait.yaw_amplitude"])
    with pytest.raises(ll.InputError, match=r"environment.water.surface: derivatives do not reach it"):
        ll.sensitivity("eel-surface", ["environment.water.surface"])  # its slope was 0, and is not
    with pytest.raises(ll.InputError, match=r"environment.water.current.0: the number of something changes"):
        ll.sensitivity("eel-in-a-street", ["environment.water.current.0"])


def test_a_motion_that_diverges_has_no_derivatives() -> None:
    """Feedback too stiff for its steps: slopes were 0 from there on."""
    robot = {"kind": "chain", "preset": "uniform", "links": 4, "rotor_inertia": 1e-3}
    stiff = {"kind": "pd", "stiffness": 4000.0, "damping": 40.0}
    with pytest.raises(ll.SimulationError, match="could not be followed"):
        ll.sensitivity(
            "eel-planar", ["gait.amplitude"], {"duration": 2.0, "step": 0.02, "robot": robot, "actuation": stiff}
        )


BODY = ["robot.half_width", "robot.link_length", "environment.water.density", "robot.density", "gait.amplitude"]


@pytest.fixture(scope="module")
def bodies():
    return ll.sensitivity("eel-planar", BODY, SECOND)


@pytest.mark.parametrize("path", BODY)
def test_body_and_water(bodies, path: str) -> None:
    """Against central differences of whole runs; the gait's field, which is compiled, stands among packed ones."""
    scenario = ll.Scenario.load("eel-planar")
    here = {
        "robot.half_width": scenario.robot.half_width,
        "robot.link_length": scenario.robot.link_length,
        "environment.water.density": 1000.0,
        "robot.density": 1000.0,
        "gait.amplitude": 0.06,
    }[path]
    ends = [ll.run("eel-planar", {**SECOND, path: here * (1.0 + side * 1e-4)}).dataset for side in (-1, 1)]
    for name in VARIABLES:
        slope = (ends[1][name] - ends[0][name]).values / (2e-4 * here)
        mine = bodies[f"d_{name}"].sel(parameter=path).values
        assert np.abs(mine - slope).max() <= 2e-6 * max(np.abs(slope).max(), 1e-3 / here), name
    work = (ends[1]["positive_work"].values[-1] - ends[0]["positive_work"].values[-1]).sum() / (2e-4 * here)
    assert bodies["d_positive_work"].sel(parameter=path).item() == pytest.approx(work, rel=2e-4)


def test_sums_of_a_run(bodies) -> None:
    plain = ll.run("eel-planar", {**SECOND, "record_every": 0.01}).dataset
    counted = plain["positive_work"].values[-1].sum()
    assert bodies["positive_work"].item() == pytest.approx(counted, rel=1e-9)  # halves of a step are clipped apart
    ratio = plain["joint_torque"].values[:, 0] / 4.0
    mean = np.trapezoid(ratio**16, dx=0.01)  # over one second
    assert bodies["torque_norm"].values[0] == pytest.approx((mean / (6435 / 32768)) ** (1 / 16), rel=1e-3)


def test_gaits_without_a_compiled_form_are_differenced() -> None:
    scenario = ll.Scenario.load(
        {
            "robot": {"kind": "chain", "preset": "uniform", "links": 4},
            "gait": {"kind": "serpenoid", "amplitude": 0.4, "frequency": 6.0, "ramp": 0.5},
            "environment": [{"kind": "water"}],
            "duration": 0.5,
            "record_every": 0.1,
        }
    )
    mine = ll.sensitivity(scenario, ["gait.frequency"])["d_base_position"].values[..., 0]
    ends = [ll.run(scenario, {"gait.frequency": 6.0 + k * 1e-4}).dataset.base_position.values for k in (-1, 1)]
    assert np.abs(mine - (ends[1] - ends[0]) / 2e-4).max() < 1e-6 * np.abs(mine).max()
