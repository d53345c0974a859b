"""`Rod`: its sections, what it refuses, what it carries passively, and the chain that stands for it."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.gaits.body_wave import BodyWave
from limbless.control.gaits.peristalsis import Peristalsis
from limbless.control.gaits.travelling_curvature import TravellingCurvature, bump
from limbless.control.gaits.user_gait import FunctionGait
from limbless.core.errors import InputError, SimulationError
from limbless.environments.regularised_friction import RegularisedFriction
from limbless.environments.water import Water
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.robots.rod import Rod


def test_mass_of_tapered_tabled_and_drawn_sections() -> None:
    cone = Rod(length=0.6, half_width=0.05, taper=0.999999)
    assert cone.total_mass == pytest.approx(1000 * np.pi * 0.05**2 * 0.6 / 3, rel=1e-5)
    table = Rod(length=0.6, half_width=((0.0, 0.05), (0.2, 0.05), (0.6, 0.02)), half_height=0.04)
    assert table.total_mass == pytest.approx(1000 * np.pi * 0.04 * (0.05 * 0.2 + 0.035 * 0.4), rel=1e-12)
    drawn = Rod(length=0.6, profile=lambda X: (0.05 * np.sqrt(1 - X), 0.05))
    assert drawn.total_mass == pytest.approx(1000 * np.pi * 0.05**2 * 2 / 3 * (1 - 0.4**1.5), rel=1e-6)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"half_width": -0.1}, "positive"),
        ({"half_width": ((0.2, 0.1), (0.1, 0.1))}, "increasing"),
        ({"stiffness": -1.0}, "negative"),
        ({"effort_limit": 0.0}, "positive"),
        ({"strains": "rubber"}, "strains"),
        ({"length": 0.0}, "length"),
    ],
)
def test_what_is_no_rod_is_refused(fields: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Rod(**fields)


def test_locked_strain_is_refused_with_the_case_that_would_allow_it() -> None:
    with pytest.raises(InputError, match=r"drives the stretch.*robot.strains to 'extensible-kirchhoff'"):
        ll.simulate(Rod(strains="universal"), Peristalsis(), model="macro-continuous", duration=0.1)
    with pytest.raises(InputError, match=r"drives the pitch curvature.*'universal'"):
        ll.simulate(
            Rod(strains="planar"),
            TravellingCurvature(climb=0.5, turn_start=-1.0),
            model="macro-continuous",
            duration=0.1,
        )


def test_folded_and_infinite_strains_are_refused_with_time_and_place() -> None:
    with pytest.raises(InputError, match=r"folds the rod at t = 0 s, X = .* m"):
        ll.simulate(Rod(strains="reissner"), Peristalsis(amplitude=1.2), model="macro-continuous", duration=0.1)

    def breaks(t: np.ndarray, X: np.ndarray) -> np.ndarray:
        strain = np.zeros((len(t), len(X), 6))
        strain[..., 0] = np.where(t[:, None] > 0.3, -1.0, 1.0) + 0 * X
        return strain

    gait = FunctionGait(function=breaks, drives="strain")
    with pytest.raises(SimulationError, match=r"folds the rod at t = 0\.3") as caught:
        ll.simulate(Rod(strains="reissner"), gait, model="macro-continuous", duration=0.6, step=0.001)
    assert len(caught.value.result.dataset["time"]) > 100, "nothing computed so far is lost"


def test_passive_stiffness_and_damping_carry_part_of_the_effort() -> None:
    wave, water = BodyWave(amplitude=0.3, ramp=0.0), Water()
    plain, sprung = (
        ll.simulate(rod, wave, water, model="macro-continuous", duration=0.5, step=0.005)
        for rod in (Rod(strains="planar"), Rod(strains="planar", stiffness=0.5, damping=0.2))
    )
    a, b = plain.dataset, sprung.dataset
    assert a["internal_wrench"].values == pytest.approx(b["internal_wrench"].values, abs=1e-12), "the motion is imposed"
    extra = (0.5 * b["strain"].values + 0.2 * b["strain_rate"].values)[..., 5]
    assert b["effort"].values[..., 5] - a["effort"].values[..., 5] == pytest.approx(extra, abs=1e-12)
    assert b["actuator_power"].values + b["passive_power"].values == pytest.approx(
        a["actuator_power"].values, abs=1e-12
    )
    assert {balance.name: balance.verdict for balance in sprung.balances()}["power"] == "pass"


def test_efforts_beyond_their_limit_are_reported_where_and_when() -> None:
    run = ll.simulate(
        Rod(strains="planar", effort_limit=1e-3),
        BodyWave(amplitude=0.3, ramp=0.0),
        Water(),
        model="macro-continuous",
        duration=0.2,
    )
    found = run.summary()["limits_exceeded"]
    assert found and found[0]["joint"].startswith("yaw curvature at X = ") and abs(found[0]["worst_torque"]) > 1e-3


def test_strain_that_jumps_is_exact_with_a_break() -> None:
    """Piecewise constant curvature: two arcs of circles; the tail is where two turns put it."""

    def arcs(t: np.ndarray, X: np.ndarray) -> np.ndarray:
        strain = np.zeros((len(t), len(X), 6))
        strain[..., 0], strain[..., 5] = 1.0, np.where(X < 0.37, 2.0, -3.0)
        return strain

    gait = FunctionGait(function=arcs, drives="strain")
    data = ll.simulate(
        Rod(base="fixed"), gait, model=MacroContinuousSettings(cells=8, breaks=(0.37,)), duration=0.01
    ).dataset
    middle, X = data["position"].values[-1, -1], float(data["abscissa"].values[-1])
    a, b = 2.0 * 0.37, -3.0 * (X - 0.37)
    first = np.array([np.sin(a), 1 - np.cos(a)]) / 2.0
    second = np.array([np.sin(b), 1 - np.cos(b)]) / -3.0
    turned = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ second
    assert middle[:2] == pytest.approx(first + turned, abs=1e-9)


def test_friction_slides_to_a_stop() -> None:
    """Closed form 8: a straight body slides v² / (2 μ g), in the time v / (μ g)."""
    ground = RegularisedFriction(forward=0.2, backward=0.4, lateral=0.3, speed=1e-4)
    for velocity, mu in (((-0.5, 0, 0, 0, 0, 0), 0.2), ((0.5, 0, 0, 0, 0, 0), 0.4), ((0, 0.5, 0, 0, 0, 0), 0.3)):
        data = ll.simulate(
            Rod(),
            BodyWave(amplitude=0.0),
            ground,
            model="macro-continuous",
            duration=0.5 / (mu * 9.81) + 0.05,
            step=0.0000625,
            record_every=0.001,
            initial={"twist": velocity},
        ).dataset
        moved = np.linalg.norm(data["base_position"].values[-1])
        assert moved == pytest.approx(0.25 / (2 * mu * 9.81), rel=2e-3)
        assert np.abs(data["base_twist"].values[-1]).max() < 1e-3


def test_friction_turns_an_oblique_slide() -> None:
    """The ellipse of largest dissipation: u'/u = -μ1² g/N and v'/v = -μ2² g/N, N² = μ1² u² + μ2² v² + (μ2 ε)², so that
    with τ = ∫ g/N dt u = u0 exp(-μ1² τ), v = v0 exp(-μ2² τ): the path is known without the time, the time follows by a
    quadrature.
    """
    from scipy.integrate import quad

    mu, start, eps = (0.2, 0.5), (-0.6, 0.8), 1e-3
    ground = RegularisedFriction(forward=mu[0], backward=0.4, lateral=mu[1], speed=eps)
    data = ll.simulate(
        Rod(base="planar"),
        BodyWave(amplitude=0.0),
        ground,
        model="macro-continuous",
        duration=0.15,
        step=0.0005,
        record_every=0.001,
        initial={"twist": (*start, 0, 0, 0, 0)},
    ).dataset
    u, v = data["base_twist"].values[:, 0], data["base_twist"].values[:, 1]
    tau = -np.log(v / start[1]) / mu[1] ** 2
    assert u == pytest.approx(start[0] * np.exp(-(mu[0] ** 2) * tau), rel=1e-7)
    assert np.abs(data["base_twist"].values[:, 5]).max() < 1e-9, "it does not turn"

    def pace(x: float) -> float:
        slide = (
            mu[0] * start[0] * np.exp(-(mu[0] ** 2) * x),
            mu[1] * start[1] * np.exp(-(mu[1] ** 2) * x),
            mu[1] * eps,
        )
        return float(np.linalg.norm(slide)) / 9.81

    for record in (50, 150):
        assert quad(pace, 0.0, float(tau[record]))[0] == pytest.approx(float(data["time"][record]), rel=1e-6)
    assert abs(v[-1] / u[-1]) < 0.7 * abs(start[1] / start[0]), "the slide turns towards the body's own direction"


def test_chain_of_a_rod() -> None:
    chain = Rod(strains="universal", length=0.9).to_chain(9)
    assert chain.freedoms == 16 and chain.total_mass == pytest.approx(Rod(length=0.9).total_mass)
    assert "have no place in rigid links" in Rod(strains="reissner").to_chain(5).lost[0]


def test_chain_of_a_rod_has_its_sections() -> None:
    """Each link has the mass of its part of the rod, a cone: ρ π a b ∫(1 - x/2L)² dx, and the section of its middle."""
    rod = Rod(taper=0.5, half_width=0.04, half_height=0.02, length=0.8)
    ends = (1.0 - 0.5 * np.arange(5) / 4.0) ** 3
    cones = 1000.0 * np.pi * 0.04 * 0.02 * 0.8 * 2.0 / 3.0 * -np.diff(ends)
    np.testing.assert_allclose(rod.to_chain(4).arrays().mass, cones, rtol=1e-12)
    assert rod.to_chain(4).links[-1].body.half_width == pytest.approx(0.04 * (1.0 - 0.5 * 3.5 / 4.0))


def test_chain_of_a_rod_has_its_springs_dampers_and_limits() -> None:
    """A rod bent and twisted evenly stores ½ EI κ² per length, and so do the joints of its chain, of which the first
    and the last stand for half a link more.
    """
    rod = Rod(
        strains="kirchhoff",
        length=0.8,
        stiffness=(0, 0, 0, 0.2, 0.3, 0.5),
        damping=0.01,
        effort_limit=(1, 1, 1, 2.0, 3.0, 4.0),
    )
    strain, links = np.array([0.4, -0.7, 0.9]), 40
    stored = 0.5 * rod.length * float(np.array(rod.stiffness[3:]) @ strain**2)
    arrays = rod.to_chain(links).arrays()
    spans = np.array([1.5, *np.ones(links - 3), 1.5]) * rod.length / links
    joint = (spans[:, None] * strain).ravel()
    assert 0.5 * float(arrays.stiffness @ joint**2) == pytest.approx(stored, rel=1e-12)
    assert arrays.damping == pytest.approx(np.repeat(0.01 / spans, 3))
    np.testing.assert_array_equal(arrays.torque_limit, np.tile([2.0, 3.0, 4.0], links - 1))
    yaw_first = rod.changed(strains="universal").to_chain(3)
    np.testing.assert_array_equal(yaw_first.arrays().torque_limit, [4.0, 3.0, 4.0, 3.0])
    assert yaw_first.joint_labels == ["yaw", "pitch"] * 2


def test_bump_is_smooth_and_its_area_is_known() -> None:
    """(54) corrected."""
    z = np.linspace(-1.2, 1.2, 240001)
    value, slope, bend = bump(z, 1.0)
    assert np.trapezoid(value, z) == pytest.approx(2 * 0.60345016, rel=1e-6)
    assert value.max() == 1.0 and value[np.abs(z) >= 1].max() == 0.0
    assert np.abs(np.gradient(value, z) - slope).max() < 1e-6
    assert np.abs(np.gradient(slope, z) - bend).max() < 1e-4


@pytest.mark.parametrize(
    "gait",
    [
        Peristalsis(acceleration=0.05),
        TravellingCurvature(turn=2.6, climb=0.5, turn_start=0.0),
        BodyWave(dive=0.05, turn=0.02),
    ],
)
def test_strains_have_the_rates_that_they_say(gait: ll.BodyWave) -> None:
    rod, X, t, h = Rod(strains="reissner"), np.linspace(0.0, 1.0, 7), np.array([0.3, 0.9, 1.6]), 1e-4
    drive = rod_strain(rod, gait, t, X)
    before, after = rod_strain(rod, gait, t - h, X), rod_strain(rod, gait, t + h, X)
    assert (after.value - before.value) / (2 * h) == pytest.approx(drive.rate, abs=1e-4)
    assert (after.rate - before.rate) / (2 * h) == pytest.approx(drive.acceleration, abs=1e-3)
    own = rod_strain(rod, gait, t, np.tile(X, (3, 1)))
    assert all(np.array_equal(a, b) for a, b in zip(own, drive, strict=True))
