"""Contacts of the rod: closed forms of the snake and the worm, supports that come and go, forces that are shared,
motions that are refused.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.body_wave import BodyWave
from limbless.control.gaits.peristalsis import Peristalsis
from limbless.control.gaits.sampled_curvature import SampledCurvature
from limbless.control.gaits.sheared_curvature import ShearedCurvature
from limbless.control.gaits.travelling_curvature import TravellingCurvature
from limbless.control.gaits.user_gait import FunctionGait
from limbless.core.errors import InputError, SimulationError
from limbless.environments.anchorage import Anchorage
from limbless.environments.drag import Drag
from limbless.environments.gravity import Gravity
from limbless.environments.support import Support
from limbless.environments.sweeping_anchorage import SweepingAnchorage
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.mechanics.rod.magnus import adjoint_matrices
from limbless.mechanics.rod.tables import RodShape
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.models.rod.rod_model import MacroContinuous
from limbless.robots.rod import Rod
from limbless.simulation.result import Result

SNAKE = Rod(base="planar", strains="planar")
FINE = MacroContinuousSettings(cells=128)
WORM = Rod(base="line", strains="extensible-kirchhoff", length=0.3, half_width=0.005)


@cache
def snake() -> Result:
    """The planar snake of the paper for its whole 10 s."""
    return ll.run("snake-turn-2d", {"record_every": 0.05})


def test_supports_come_and_go_and_their_forces_balance_for_ten_seconds() -> None:
    data = snake().dataset
    present, place = data["contact_state"].values > 0, data["support_abscissa"].values
    entries = int((np.diff(present.astype(int), axis=0) > 0).sum())
    exits = int((np.diff(present.astype(int), axis=0) < 0).sum())
    assert entries >= 3 and exits >= 3
    assert place[present].min() >= 0.0 and place[present].max() <= 1.0
    assert set(present.sum(axis=1)) <= {4, 5, 6}
    assert float(data["tail_wrench"].max()) < 1e-9
    assert all(balance.verdict == "pass" for balance in snake().balances())


def test_resultant_of_the_supports_has_its_closed_form() -> None:
    """Force = m V² (t_X(l) - t_X(0)) and moment = m V² (r(l) - r(0)) x t_X(l) + ρI V² (K(l) - K(0))
    about the head, in the world.
    """
    data = snake().dataset
    m, V, inertia = 1000.0 * np.pi * 0.03**2, -0.5, 1000.0 * np.pi * 0.03**4 / 4
    gait = TravellingCurvature(turn=2.6)
    for record in range(0, len(data["time"]), 20):
        now = data.isel(time=record)
        R = quaternion_to_matrix(now["base_orientation"].values)
        tail = data.isel(time=record)
        back = _pose_at_tail(gait, float(now["time"]))
        t0, tl, r = R[:, 0], R @ back[:3, 0], R @ back[:3, 3]
        K = [gait.sample(np.array([float(tail["time"])]), np.array([X])).value[0, 0, 5] for X in (0.0, 1.0)]
        force = m * V**2 * (tl - t0)
        moment = m * V**2 * np.cross(r, tl)[2] + inertia * V**2 * (K[1] - K[0])
        found = now["contact_wrench"].values
        assert R @ found[:3] == pytest.approx(force, abs=5e-5)
        assert found[5] == pytest.approx(moment, abs=5e-5)


def _pose_at_tail(gait: TravellingCurvature, t: float) -> np.ndarray:
    """Planar pose of the tail in the head frame, by many small turns: apart from the library's Magnus steps."""
    n = 4000
    X = (np.arange(n) + 0.5) / n
    K = gait.sample(np.array([t]), X).value[0, :, 5]
    heading = np.concatenate([[0.0], np.cumsum(K / n)])
    middle = 0.5 * (heading[1:] + heading[:-1])
    place = np.array([np.cos(middle).sum(), np.sin(middle).sum()]) / n
    c, s = np.cos(heading[-1]), np.sin(heading[-1])
    return np.array([[c, -s, 0, place[0]], [s, c, 0, place[1]], [0, 0, 1, 0]])


def test_every_section_follows_the_head() -> None:
    """Invariant 11: section X is where the head was X / |V| before."""
    data = snake().dataset
    X, now = data["abscissa"].values, data.sel(time=8.0, method="nearest")
    before = [
        np.interp(8.0 - x / 0.5, data["time"].values, data["head_position"].values[:, axis])
        for x in X
        for axis in (0, 1)
    ]
    assert now["position"].values[:, :2].ravel() == pytest.approx(before, abs=2e-3)


def test_supports_alone_guide_like_the_whole_body() -> None:
    ends = [
        ll.simulate(
            SNAKE, TravellingCurvature(), Support(spacing=0.2, along=along), model=FINE, duration=1.0, step=0.02
        ).dataset.isel(time=-1)
        for along in ("body", "points")
    ]
    assert ends[0]["base_position"].values == pytest.approx(ends[1]["base_position"].values, abs=1e-5)
    assert ends[0]["support_abscissa"].values == pytest.approx(ends[1]["support_abscissa"].values, abs=1e-5)


def test_wheels_stay_at_their_sections() -> None:
    data = ll.simulate(SNAKE, TravellingCurvature(), Support(travel=False), model=FINE, duration=0.5, step=0.02).dataset
    assert (data["support_abscissa"].values == [0.1, 0.3, 0.5, 0.7, 0.9]).all()


@pytest.mark.parametrize("along", ["body", "points"])
def test_supports_that_move_carry_the_body_along(along: str) -> None:
    """Seen from supports that move evenly nothing changes (Galilei): the same forces, the same
    places, and v t more of the way.
    """
    v = np.array([0.15, -0.1, 0.0])
    still, carried = (
        ll.simulate(
            SNAKE,
            TravellingCurvature(),
            Support(spacing=0.2, along=along, velocity=tuple(velocity)),
            model=FINE,
            duration=1.0,
            step=0.01,
        )
        for velocity in (0.0 * v, v)
    )
    a, b = still.dataset, carried.dataset
    assert b["base_position"].values - a["base_position"].values == pytest.approx(
        np.outer(a["time"].values, v), abs=1e-6
    )
    assert b["base_orientation"].values == pytest.approx(a["base_orientation"].values, abs=1e-6)
    for name in ("support_abscissa", "contact_state", "contact_wrench", "contact_force", "internal_wrench"):
        assert b[name].values == pytest.approx(a[name].values, abs=2e-5), name
    assert np.abs(b["environment_power"].values).max() > 1e-3, "the supports do work"
    assert {balance.name: balance.verdict for balance in carried.balances()}["power"] == "pass"


def test_only_some_supports_move() -> None:
    """A frame that turns: two supports on one half of the body drift against those of the other."""
    wheels = [
        Support(abscissae=(0.1, 0.3), travel=False, along="points"),
        Support(abscissae=(0.7,), travel=False, along="points", velocity=(0.0, 0.05, 0.0)),
    ]
    wave = BodyWave(amplitude=0.3, growth=0.0, wavelength=1.0, period=1.0, ramp=0.0)
    run = ll.simulate(SNAKE, wave, wheels, model=FINE, duration=0.2, step=0.005, record_every=0.005)
    assert all(balance.verdict == "pass" for balance in run.balances())
    data = run.dataset
    place, t = data["contact_position"].values, data["time"].values
    velocity = np.gradient(place, t, axis=0)
    R = quaternion_to_matrix(data["orientation"].values)
    k = [int(np.abs(data["abscissa"].values - x).argmin()) for x in (0.1, 0.3, 0.7)]
    side = R[:, k][..., 1]
    slip = np.einsum("tpi,tpi->tp", velocity - np.array([[0, 0, 0], [0, 0, 0], [0, 0.05, 0]]), side)[2:-2]
    assert np.abs(slip).max() < 0.02 * np.abs(velocity).max(), "each slides along its section only"
    with pytest.raises(InputError, match=r"leaves the plane or line in which the base can move, at t = 0 s"):
        ll.simulate(SNAKE, wave, Support(velocity=(0.0, 0.0, 0.1)), model=FINE, duration=0.1)


def test_sampled_curvature_moves_like_the_curve_it_was_taken_from() -> None:
    """Spec 3.6: only samples, no slopes; the connection is by least squares."""
    gait, times, X = TravellingCurvature(), np.linspace(0.0, 0.6, 61), np.linspace(0.0, 1.0, 101)
    K = gait.sample(times, X).value[..., 5]
    table = [(0.0, *X), *((t, *row) for t, row in zip(times, K, strict=True))]
    runs = [
        ll.simulate(SNAKE, g, Support(), model=FINE, duration=0.5, step=0.02).dataset.isel(time=-1)
        for g in (gait, SampledCurvature(table=tuple(table)))
    ]
    assert runs[0]["base_position"].values == pytest.approx(runs[1]["base_position"].values, abs=1e-6)


def test_sampled_midline_in_space_moves_like_its_curve() -> None:
    gait, times, X = (
        TravellingCurvature(climb=2.0, turn=1.0, turn_start=-1.5),
        np.linspace(0.0, 0.4, 41),
        np.linspace(0.0, 1.0, 101),
    )
    K = gait.sample(times, X).value
    yaw, pitch = (
        (tuple(map(tuple, [(0.0, *X), *((t, *row) for t, row in zip(times, K[..., c], strict=True))]))) for c in (5, 4)
    )
    rod = Rod(strains="universal")
    ends = [
        ll.simulate(rod, g, Support(), model=MacroContinuousSettings(cells=160), duration=0.3, step=0.02).dataset.isel(
            time=-1
        )
        for g in (gait, SampledCurvature(table=yaw, pitch_table=pitch))
    ]
    assert abs(ends[0]["base_position"].values[2]) > 1e-3, "it leaves the plane"
    for name in ("base_position", "base_orientation"):
        assert ends[0][name].values == pytest.approx(ends[1][name].values, abs=1e-6)


def test_gait_that_is_not_mobile_is_refused() -> None:
    # grows along the body: sections cannot follow
    gait = BodyWave(amplitude=0.5, growth=1.0, wavelength=0.6, ramp=0.0)
    with pytest.raises(
        InputError,
        match=r"at t = .* s cannot all hold: the body would slip at .* of its speed at X "
        r"= .* m",
    ):
        ll.simulate(SNAKE, gait, Support(), model=FINE, duration=0.5, step=0.02)


@pytest.mark.parametrize("curvature", [0.0, 2.0])
def test_straight_and_circular_bodies_are_refused(curvature: float) -> None:
    def still(t: np.ndarray, X: np.ndarray) -> np.ndarray:
        strain = np.zeros((len(t), len(X), 6))
        strain[..., 0], strain[..., 5] = 1.0, curvature
        return strain

    with pytest.raises(InputError, match=r"at t = 0 s \(the whole body\) leave .* straight or circular"):
        ll.simulate(
            SNAKE, FunctionGait(function=still, drives="strain"), Support(), model="macro-continuous", duration=0.1
        )


def test_sheared_snake_leaves_the_circle() -> None:
    run = ll.run("snake-shear")
    K = run.dataset["strain"].values[..., 5]
    assert np.ptp(K[0]) < 1e-9 and np.ptp(K[-1]) > 0.5
    assert float(run.dataset["contact_residual"].max()) < 1e-6
    assert all(balance.verdict == "pass" for balance in run.balances())


def test_snake_goes_head_first_along_its_own_curve() -> None:
    """(51)-(53): V_o < 0 is the velocity along t_X of the head, which turns at V_o K(0)."""
    loose = MacroContinuousSettings(cells=32, slip_tolerance=1e9)
    data = ll.simulate(SNAKE, TravellingCurvature(), Support(), model=loose, duration=0.02, step=0.01).dataset
    K = TravellingCurvature().sample(data["time"].values, np.zeros(1)).value[:, 0, 5]
    assert data["base_twist"].values[:, 0] == pytest.approx(np.full(3, -0.5), abs=1e-3)
    assert data["base_twist"].values[:, 5] == pytest.approx(-0.5 * K, abs=1e-2)
    assert data["com_position"].values[-1, 0] < data["com_position"].values[0, 0]


@pytest.mark.parametrize("climb", [0.0, 0.5])
def test_a_wrong_curve_hardly_moves_the_body(climb: float) -> None:
    """Spec 3.6: the motion is that of the whole body, so an error of the rate (0.5 % here) averages out.

    A ratio at the head, as in (53) and (64), would err twenty times as much here, and without bound where K'(0) = 0 (at
    t = 0).
    """
    gait = TravellingCurvature(climb=climb, turn_start=-1.5)

    def wrong(t: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        value, rate, acceleration = gait.sample(t, X)
        for column, k in ((5, 40.0), (4, 37.0))[: 2 if climb else 1]:
            error = 0.5 * np.sin(k * X + 1.0)
            value[..., column] += error * t[:, None]
            rate[..., column] += error
        return value, rate, acceleration

    loose = MacroContinuousSettings(cells=64, slip_tolerance=1e9)
    rod = Rod(strains="universal") if climb else SNAKE
    data = ll.simulate(
        rod, FunctionGait(function=wrong, drives="strain"), Support(), model=loose, duration=0.001, step=0.001
    ).dataset
    assert data["base_twist"].values[0, 0] == pytest.approx(-0.5, abs=2e-4)


def test_sheared_gait_lets_no_section_slip() -> None:
    """(55), (56): V_Y = 0 along the body, with the shear beating."""
    gait = ShearedCurvature(ramp=0.2, period=1.0, until=0.6)
    rod = Rod(base="planar", strains="reissner")
    model, t = MacroContinuous(rod, settings=MacroContinuousSettings(cells=64)), np.array([0.55])
    strain = [part[0] for part in gait.sample(t, model.mesh.X)]
    twist = np.array([-0.2, 0.0, 0.0, 0.0, 0.0, -0.2 * strain[0][0, 5] - strain[1][0, 1]])
    shapes = model.shapes(*strain)
    V = (adjoint_matrices(shapes) @ (twist + RodShape.of(shapes).swing)[..., None])[..., 0]
    assert np.abs(strain[1][:, 1]).max() > 0.05, "it beats"
    assert np.abs(V[::2, 1]).max() < 1e-5


def test_feet_of_the_inchworm_take_turns() -> None:
    """Its intervals: one foot holds at every instant, and each for half of the time."""
    feet = [item for item in ll.Scenario.load("inchworm-climb").environment if isinstance(item, Anchorage)]
    held = np.array([foot.open_at(np.arange(0.005, 8.0, 0.01)) for foot in feet])
    assert (held.sum(axis=0) == 1).all() and (held.mean(axis=1) == 0.5).all()


def test_body_starts_where_it_is_put() -> None:
    """The pose at a handover is that of the body, not the identity."""
    start = {"position": (1.0, 2.0, 3.0), "orientation": (0.8, 0.0, 0.0, 0.6)}
    data = ll.simulate(
        SNAKE,
        BodyWave(amplitude=0.0),
        Anchorage(abscissa=0.5),
        model=MacroContinuousSettings(cells=4),
        duration=0.02,
        initial=start,
    ).dataset
    assert data["base_position"].values == pytest.approx(np.tile(start["position"], (len(data["time"]), 1)), abs=1e-12)
    assert data["base_orientation"].values == pytest.approx(
        np.tile(start["orientation"], (len(data["time"]), 1)), abs=1e-12
    )


# Worm


def test_worm_without_an_anchor_is_refused() -> None:
    with pytest.raises((InputError, SimulationError), match="no contact holds the body from"):
        ll.simulate(
            WORM.changed(length=0.2), Peristalsis(), SweepingAnchorage(), model="macro-continuous", duration=2.0
        )


def test_long_worm_shares_the_force_equally() -> None:
    """p anchors carry n_c / p each; n_c = m c² (Γ(l) - Γ(0)) + m ċ (l (1 - ε) - L) for a body that
    is not n wavelengths long.
    """
    rod, gait = WORM.changed(length=0.75), Peristalsis(acceleration=0.05)
    data = ll.simulate(rod, gait, SweepingAnchorage(), model=FINE, duration=1.0, step=0.01, record_every=0.1).dataset
    m, k = 1000.0 * np.pi * 0.005**2, 2 * np.pi / 0.3
    for record in range(len(data["time"])):
        now = data.isel(time=record)
        t = float(now["time"])
        s, c = (0.3 + 0.025 * t) * t, 0.3 + 0.05 * t
        stretch = 1.0 + 0.004 * np.sin(k * (s - np.array([0.0, 0.75])))
        whole = 0.75 + 0.004 / k * (np.cos(k * (s - 0.75)) - np.cos(k * s))
        expected = m * c**2 * (stretch[1] - stretch[0]) + m * 0.05 * (0.75 * (1 - 0.004) - whole)
        assert float(now["contact_wrench"][0]) == pytest.approx(expected, abs=1e-9)
        here = now["contact_state"].values > 0
        assert here.sum() in (2, 3)
        assert now["support_wrench"].values[here, 0] == pytest.approx(expected / here.sum(), abs=1e-9)


def test_material_anchor_does_no_work_and_spatial_anchor_does() -> None:
    runs = {
        holds: ll.simulate(
            WORM, Peristalsis(acceleration=0.05), SweepingAnchorage(holds=holds), model="macro-continuous", duration=1.0
        )
        for holds in ("material", "spatial")
    }
    assert np.abs(runs["material"].dataset["environment_power"].values).max() == 0.0
    assert runs["spatial"].dataset["environment_power"].values[-1] > 1e-5
    assert all(balance.verdict == "pass" for run in runs.values() for balance in run.balances())


def test_worm_swells_as_it_shortens() -> None:
    """(37): the volume is kept."""
    data = ll.run("worm-burrow", {"duration": 0.1}).dataset
    assert data["radius"].values[..., 0] ** 2 * data["strain"].values[..., 0] == pytest.approx(0.005**2, rel=1e-12)


# Anchors


def test_support_stays_in_place_while_a_stretching_body_slides_by() -> None:
    """(33) corrected: the support runs along the body at -V_X / Γ_X."""
    rod = Rod(base="planar", strains="extensible-kirchhoff")
    holds = [Anchorage(twist=(-0.4, 0, 0, 0, 0, 0)), Support(abscissae=(0.3,), along="points")]
    data = ll.simulate(
        rod, Peristalsis(amplitude=0.3, wavelength=1.0), holds, model=MacroContinuousSettings(cells=32), duration=0.1
    ).dataset
    place = data["contact_position"].values[:, 1, 0]
    assert np.abs(place - place[0]).max() < 1e-5 and np.ptp(data["support_abscissa"].values[:, 1]) > 0.02


def test_two_anchors_that_move_apart_are_refused() -> None:
    feet = [Anchorage(abscissa=0.0), Anchorage(abscissa=1.0, twist=(0.1, 0, 0, 0, 0, 0))]
    with pytest.raises(InputError, match="cannot all hold"):
        ll.simulate(SNAKE, BodyWave(amplitude=0.0), feet, model="macro-continuous", duration=0.1)


def test_two_anchors_that_agree_share_the_weight() -> None:
    feet = [Gravity(acceleration=(0.0, -9.81, 0.0)), Anchorage(abscissa=0.0), Anchorage(abscissa=1.0)]
    data = ll.simulate(SNAKE, BodyWave(amplitude=0.0), feet, model="macro-continuous", duration=0.1).dataset
    weight = 9.81 * 1000.0 * np.pi * 0.03**2
    assert data["support_wrench"].values[-1, :, 1] == pytest.approx([0.5 * weight] * 2, rel=1e-9)


def test_contacts_share_by_their_weights() -> None:
    """On the line anchors share in proportion; a tuple needs one number for each contact."""
    rod, wave = Rod(base="line", strains="extensible-kirchhoff"), Peristalsis(amplitude=1e-12, wavelength=1.0)
    feet = [
        Gravity(acceleration=(-2.0, 0.0, 0.0)),
        Anchorage(abscissa=0.1, weight=1.0),
        Anchorage(abscissa=0.6, weight=3.0),
    ]
    data = ll.simulate(rod, wave, feet, model="macro-continuous", duration=0.05).dataset
    assert data["support_wrench"].values[-1, :, 0] == pytest.approx(
        2.0 * rod.total_mass * np.array([0.25, 0.75]), rel=1e-8
    )
    with pytest.raises(InputError, match=r"weight needs one number, or one for each of its 5 contacts; got 2"):
        ll.simulate(SNAKE, TravellingCurvature(), Support(weight=(1.0, 2.0)), model=FINE, duration=0.1)
    with pytest.raises(InputError, match="weight: must be positive"):
        Support(weight=(1.0, -2.0, 1.0, 1.0, 1.0))
    with pytest.raises(InputError, match="share one weight"):
        Support(weight=(1.0,) * 5, spacing=0.2)


def test_weighted_forces_and_singular_values_are_those_of_the_map_to_the_resultant() -> None:
    """Among all forces with the same resultant these have the least sum of T² / w; the map is built
    here from recorded poses.
    """
    settings, weight = MacroContinuousSettings(cells=400), (1.0, 4.0, 0.5, 2.0, 9.0)
    # middles of sections
    places = tuple(float(x) for x in np.array([20, 60, 100, 140, 180]) * 0.005 + 0.0025)
    data = ll.simulate(
        SNAKE,
        TravellingCurvature(),
        Support(abscissae=places, travel=False, weight=weight),
        model=settings,
        duration=0.06,
        step=0.02,
    ).dataset.isel(time=-1)
    k = [int(np.abs(data["abscissa"].values - x).argmin()) for x in places]
    R = quaternion_to_matrix(data["base_orientation"].values)
    # lateral axes in the head frame
    side = quaternion_to_matrix(data["orientation"].values[k])[:, :, 1] @ R
    arm = (data["position"].values[k] - data["base_position"].values) @ R
    A = np.array([side[:, 0], side[:, 1], np.cross(arm, side)[:, 2]])
    T = data["support_wrench"].values[:, 1]
    assert pytest.approx(data["contact_wrench"].values[[0, 1, 5]], rel=1e-7) == A @ T
    loose = np.linalg.svd(A)[2][3:]  # forces without resultant
    assert np.abs(loose @ (T / np.array(weight))).max() < 1e-7 * np.abs(T).max()
    # a length of 1 m makes moments forces
    singular = np.linalg.svd(A * np.sqrt(weight), compute_uv=False)
    assert data["contact_singular_values"].values == pytest.approx(singular, rel=1e-7)
    assert float(data["contact_conditioning"]) == pytest.approx(singular[-1] / singular[0], rel=1e-7)


def test_contact_between_nodes_costs_no_accuracy() -> None:
    """A contact is a jump beside the integral, reached by a panel of its own: fourth order wherever it
    lies, without a break there.
    """

    def pull(cells: int, breaks: tuple[float, ...] = ()) -> tuple[np.ndarray, float]:
        holds = [Gravity(acceleration=(0.0, -9.81, 0.0)), Anchorage(abscissa=0.3137)]
        settings = MacroContinuousSettings(cells=cells, breaks=breaks)
        data = ll.simulate(
            SNAKE, BodyWave(amplitude=0.5, ramp=0.0), holds, model=settings, duration=0.05, step=0.01
        ).dataset.isel(time=-1)
        return data["support_wrench"].values[0], float(data["tail_wrench"])

    exact, cells = pull(1024, (0.3137,))[0], np.array([8, 16, 32, 64])
    found = [pull(int(count)) for count in cells]
    errors = [np.abs(force - exact).max() for force, _ in found]
    assert 3.7 < -np.polyfit(np.log(cells), np.log(errors), 1)[0] < 4.6
    assert max(tail for _, tail in found) < 1e-12


def test_arm_carries_its_weight() -> None:
    rod = Rod(length=0.5, half_width=0.02, strains="universal")
    data = ll.simulate(
        rod, BodyWave(amplitude=0.0), [Gravity(), Anchorage()], model="macro-continuous", duration=0.05
    ).dataset.isel(time=-1)
    m = rod.total_mass
    assert data["contact_wrench"].values == pytest.approx([0, 0, 9.81 * m, 0, -9.81 * m * 0.25, 0], abs=1e-9)


def test_anchor_outside_the_body_is_refused() -> None:
    feet = [Anchorage(active=((0.0, 0.5),)), Anchorage(abscissa=2.0, active=((0.5, 1.0),))]
    with pytest.raises(InputError, match=r"abscissa 2 m, where it takes hold at t = 0\.5 s, lies outside the body"):
        ll.simulate(SNAKE, BodyWave(), feet, model="macro-continuous", duration=1.0)


def test_gap_between_anchors_keeps_what_was_computed() -> None:
    foot = Anchorage(active=((0.0, 0.5),))
    with pytest.raises(SimulationError, match=r"no contact holds the body from t = 0\.5 s") as caught:
        ll.simulate(SNAKE, BodyWave(), foot, model="macro-continuous", duration=1.0, step=0.001)
    assert caught.value.result.dataset["time"].values[-1] > 0.2


def test_supports_that_only_push() -> None:
    """Forces of one sign each, with the same resultant; or a clear refusal."""
    with pytest.raises((InputError, SimulationError), match="supports that only push cannot carry the body at t = 0 s"):
        ll.simulate(
            SNAKE,
            TravellingCurvature(),
            Support(pushes="left", abscissae=(0.2, 0.5, 0.8, 0.95), travel=False),
            model=FINE,
            duration=0.5,
        )
    many = Support(pushes="inner", travel=False, abscissae=tuple(np.linspace(0.02, 0.98, 13)))
    data = ll.simulate(SNAKE, TravellingCurvature(), many, model=FINE, duration=0.1, step=0.02).dataset
    curvature = TravellingCurvature().sample(data["time"].values, np.array(many.abscissae)).value[..., 5]
    assert (data["support_wrench"].values[..., 1] * np.sign(curvature) <= 1e-12).all()
    assert float(data["tail_wrench"].max()) < 1e-6


# Without inertia


def _planar(theta: float, waves: float, amplitude_speed: float = 1.0) -> FunctionGait:
    def travelling(t: np.ndarray, X: np.ndarray) -> np.ndarray:
        strain = np.zeros((len(t), len(X), 6))
        k = 2 * np.pi * waves
        strain[..., 0] = 1.0
        strain[..., 5] = theta * k * np.cos(k * X - 2 * np.pi * amplitude_speed * t[:, None])
        return strain

    return FunctionGait(function=travelling, drives="strain")


@pytest.mark.parametrize(("waves", "ratio"), [(1, 0.0761), (2, 0.0978), (4, 0.1032)])
def test_serpenoid_in_linear_drag(waves: int, ratio: float) -> None:
    """Closed form 4: U/V of a free body with n whole waves, t0 = 0.5, drag ratio 2."""
    from scipy.special import j0

    settings = MacroContinuousSettings(cells=96, inertia=False)
    run = ll.simulate(SNAKE, _planar(0.5, waves), Drag(along=1.0, lateral=2.0), model=settings, duration=1.0, step=0.02)
    moved = np.linalg.norm(run.dataset["com_position"].values[-1] - run.dataset["com_position"].values[0])
    assert moved / (j0(0.5) / waves) == pytest.approx(ratio, abs=2e-4)
    assert {balance.name: balance.verdict for balance in run.balances()}["power"] == "pass"


def test_reciprocal_motion_goes_nowhere_and_speed_does_not_matter() -> None:
    """Closed form 9."""
    settings = MacroContinuousSettings(inertia=False)

    def beat(t: np.ndarray, X: np.ndarray) -> np.ndarray:
        strain = np.zeros((len(t), len(X), 6))
        strain[..., 0], strain[..., 5] = 1.0, 4.0 * np.sin(2 * np.pi * t)[:, None] * np.cos(3 * X + 1)
        return strain

    back = ll.simulate(
        SNAKE, FunctionGait(function=beat, drives="strain"), Drag(), model=settings, duration=1.0, step=0.02
    ).dataset
    assert np.abs(back["base_position"].values[-1] - back["base_position"].values[0]).max() < 1e-6
    slow, fast = (
        ll.simulate(
            SNAKE, _planar(0.5, 1, speed), Drag(), model=settings, duration=1 / speed, step=0.02 / speed
        ).dataset
        for speed in (1.0, 5.0)
    )
    assert slow["base_position"].values[-1] == pytest.approx(fast["base_position"].values[-1], abs=1e-9)


def test_no_inertia_and_no_drag_is_refused() -> None:
    with pytest.raises((InputError, SimulationError), match="undetermined"):
        ll.simulate(SNAKE, BodyWave(), model=MacroContinuousSettings(inertia=False), duration=0.1)


def test_the_acceleration_of_a_swaying_anchorage_is_the_rate_of_its_twist() -> None:
    sway = Anchorage(twist=(0.1, 0.0, 0.0, 0.0, 0.2, 0.0), sway=(0.0, 0.02, 0.01, 0.3, 0.0, -0.2), period=0.8)
    times, h = np.linspace(0.0, 1.0, 7), 1e-4
    none = np.zeros((7, 1, 6))

    def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return sway.demands(t, sway.places(BodyWave(), t, 1.0), none, none, none)

    twist, rate = motion(times)
    assert twist[0, 0] == pytest.approx(np.array(sway.twist) + np.array(sway.sway) * 2 * np.pi / 0.8)
    assert rate == pytest.approx((motion(times + h)[0] - motion(times - h)[0]) / (2 * h), abs=1e-4)
    assert np.abs(rate).max() > 1.0
