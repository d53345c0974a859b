"""Wheels and clamps: closed forms of dry friction, their two cones and placements, with
Newton-Euler too, and refusals.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.environments.clamp import Clamp
from limbless.environments.wheels import Wheels
from limbless.mechanics.contact import Feature
from limbless.mechanics.contact.shapes.loaded_wheel import WheelShape
from limbless.mechanics.contact.shapes.primitives import SHAPE
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.newton_euler import FRICTION_TOLERANCE
from limbless.robots.presets.wang_snake import WangSnake

STILL = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="joint")
PUCK = WangSnake(modules=1)


def slide(
    wheels: Wheels,
    twist: tuple[float, ...],
    duration: float,
    step: float = 1e-3,
    model: Any = "geometric",
    **extra: Any,
) -> Any:
    return ll.simulate(
        PUCK,
        STILL,
        (wheels, *extra.pop("laws", ())),
        model=model,
        duration=duration,
        step=step,
        initial={"twist": twist},
        **extra,
    ).dataset


@pytest.mark.parametrize("cone", ["box", "ellipse"])
def test_sliding_sideways_stops_in_v_over_mu_g(cone: str) -> None:
    """Time v / (mu g), distance v^2 / (2 mu g), then rest for good. A module without spin keeps its heading."""
    speed, friction = 0.5, 0.5 * 9.81
    data = slide(Wheels(cone=cone), (0.0, speed, 0, 0, 0, 0), 0.15)
    velocity = data["com_velocity"].values[:, 1]
    assert velocity[50] == pytest.approx(speed - 0.05 * friction, abs=1e-12)
    assert data["com_position"].values[-1, 1] == pytest.approx(speed**2 / (2 * friction), abs=3e-4)
    assert np.abs(velocity[100]) > 0.0 and np.abs(velocity[104:]).max() < FRICTION_TOLERANCE
    # the solver leaves a part of it, which steps only shrink
    assert np.abs(velocity[115:]).max() < 1e-25


def test_rolling_along_takes_the_small_coefficient() -> None:
    data = slide(Wheels(), (0.3, 0.0, 0, 0, 0, 0), 0.5)
    assert data["com_velocity"].values[-1, 0] == pytest.approx(0.3 - 0.5 * 0.01 * 9.81, abs=1e-12)


def test_a_held_wheel_does_not_creep() -> None:
    """A push below mu N moves a regularised wheel by eps, a set-valued one not at all;
    above it, with (F - mu N) / m.
    """
    from limbless.environments.point_wrench import PointWrench

    limit = 0.5 * 0.5 * 9.81
    below, above = (PointWrench(point=(0.04, 0, 0), force=(0, factor * limit, 0)) for factor in (0.9, 1.2))
    held = slide(Wheels(), (0,) * 6, 1.0, laws=(below,))
    way = held["com_position"].values[:, 1]
    # the ground gives way by less than a picometre within the first two steps, and then the wheel stays
    assert np.abs(way).max() < 1e-12 and np.ptp(way[2:]) < 1e-18 and held["contact_held"].values[5, 0] == 2
    assert held["contact_force"].values[5, 0, 1] == pytest.approx(-0.9 * limit, rel=1e-12)
    creeping = slide(Wheels(law="regularised", slip_speed=1e-3), (0,) * 6, 0.5, 1e-4, laws=(below,))
    assert creeping["com_velocity"].values[-1, 1] == pytest.approx(1e-3 * 0.9 / np.sqrt(1 - 0.81), rel=1e-6)
    assert slide(Wheels(), (0,) * 6, 0.1, laws=(above,))["com_velocity"].values[-1, 1] == pytest.approx(
        0.1 * 0.2 * limit / 0.5, rel=1e-9
    )


def test_the_ellipse_opposes_sliding_as_a_whole() -> None:
    """f on the ellipse with the largest power: -(mu_t^2 v_t, mu_n^2 v_n) N / |(mu_t v_t, mu_n v_n)|;
    the box gives both in full.
    """
    wheels = {"tangential": 0.3, "normal": 0.5}
    load, v = 0.5 * 9.81, np.array([0.4, 0.2])
    box, ellipse = (
        slide(Wheels(cone=cone, **wheels), (*v, 0, 0, 0, 0), 0.002, 1e-6)["contact_force"].values[1, 0, :2]
        for cone in ("box", "ellipse")
    )
    mu = np.array([0.3, 0.5])
    assert box == pytest.approx(-mu * load, rel=1e-12)
    assert ellipse == pytest.approx(-(mu**2 * v) * load / np.linalg.norm(mu * v), rel=1e-4)
    smooth = Geometric(PUCK, Wheels(law="regularised", cone="ellipse", slip_speed=1e-6, **wheels))
    assert smooth.generalised_force([0, 0, 0], [*v, 0])[:2] == pytest.approx(
        -(mu**2 * v) * load / np.linalg.norm(mu * v), rel=1e-9
    )


def test_a_belly_resists_turning_and_an_axle_does_not() -> None:
    spin = (0.0, -0.04 * 2.0, 0, 0, 0, 2.0)  # about the module's centre
    axle, belly = (slide(Wheels(placement=place), spin, 0.05) for place in ("centre", "distributed"))
    assert np.abs(axle["base_twist"].values[-1, 5] - 2.0) < 1e-8
    lever = 0.08 / 4  # mean distance from the middle
    four = np.polynomial.legendre.leggauss(4)
    lever = float((0.5 * four[1]) @ np.abs(0.04 * four[0]))
    assert belly["base_twist"].values[-1, 5] == pytest.approx(2.0 - 0.05 * 0.5 * 0.5 * 9.81 * lever / 0.016, rel=1e-6)


def test_the_paper_robot_goes_less_far_on_its_belly() -> None:
    """0.465 instead of 0.526 m in 14 s at eps = 1e-3: here the first
    2 s, and less far as well.
    """
    from limbless.control.gaits.serpenoid import Serpenoid

    ends = [
        ll.simulate(
            WangSnake(),
            Serpenoid(),
            Wheels(placement=place),
            model="geometric",
            duration=6.3,
            step=2e-3,
            record_every=6.3,
        )
        .dataset["com_position"]
        .values[-1, 0]
        for place in ("centre", "distributed")
    ]
    assert ends[1] < 0.95 * ends[0]


def test_wheels_that_bear_the_robot_stand_at_its_sides() -> None:
    robot = ll.Chain.uniform(links=2, length=0.1, half_width=0.02, half_height=0.05)
    found = Wheels(load="solved", law="set-valued").contacts(robot)
    begin = np.array([Feature.of(contact.feature[None]).begin[0] for contact in found])
    np.testing.assert_allclose(begin[:, 1], [-0.02, 0.02] * (len(found) // 2), atol=1e-15)
    assert not begin[:, 2].any()


def test_windows_switch_wheels_on_and_off() -> None:
    data = slide(Wheels(active=((0.02, 0.04),)), (0.0, 0.5, 0, 0, 0, 0), 0.06)
    expected = 0.5 - 0.02 * 0.5 * 9.81
    assert data["com_velocity"].values[[20, 40, 60], 1] == pytest.approx([0.5, expected, expected], abs=1e-12)


def test_loads() -> None:
    robot = WangSnake(payload=0.4).build()
    both = Wheels(), Wheels(modules=(0, 2), load="shared")
    own, shared = (
        [WheelShape.of(contact.surface[SHAPE:]).load for contact in wheels.contacts(robot)] for wheels in both
    )
    assert own == pytest.approx(9.81 * np.array([0.5, 0.5, 0.5, 0.5, 0.9]))
    assert shared == pytest.approx(9.81 * 2.9 / 2 * np.ones(2))
    rod = ll.Rod(length=0.5, half_width=0.02, density=1000.0)
    parts = [WheelShape.of(contact.surface[SHAPE:]).load for contact in Wheels().contacts(rod)]
    assert parts == pytest.approx(9.81 * rod.total_mass / len(parts) * np.ones(len(parts)))  # all pieces of one body


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Wheels(normal=-0.1), "greater than or equal to 0|must be"),
        (lambda: Wheels(tangential=2000.0), "less than or equal to 1000|must be"),
        (lambda: Wheels(slip_speed=0.0), "greater than 0|must be"),
        (lambda: Wheels(cone="pyramid"), "box"),
        (lambda: Wheels(modules=()), "at least 1|modules"),
        (lambda: Wheels(modules=(0, 7)).contacts(WangSnake().build()), "modules 0 to 4"),
        (lambda: Wheels(modules=(1, 1)).contacts(WangSnake().build()), "both name 1"),
        (lambda: Wheels().pack(WangSnake().build()), "regularised"),
        (lambda: Clamp(active=((0.0, 2.0), (1.0, 3.0))), "overlap"),
        (lambda: Clamp(module=5).row(WangSnake().build()), "beyond the body.*0 to 4"),
        (lambda: Clamp(module=-6).row(WangSnake().build()), "beyond the body"),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()


@pytest.mark.parametrize("cone", ["box", "ellipse"])
def test_wheels_in_water_obey_the_geometric_equations(cone: str) -> None:
    """With the friction of the wheels taken as given forces, metric, Christoffel symbols and added mass leave the base
    the mean acceleration of every step, and nearer with the step.
    """
    from limbless.control.gaits.serpenoid import Serpenoid
    from limbless.environments.point_wrench import PointWrench

    water, errors = ll.Water(added_mass="consistent"), []
    for step in (2e-3, 5e-4):
        laws = (Wheels(cone=cone, tangential=0.1), water)
        data = ll.simulate(WangSnake(), Serpenoid(), laws, model="geometric", duration=0.2, step=step).dataset
        row = round(0.15 / step)
        turn = data["base_orientation"].values
        yaw = 2.0 * np.arctan2(turn[:, 3], turn[:, 0])
        x = np.column_stack([data["base_position"].values[:, :2], yaw, data["joint_position"].values])
        middle, rate = 0.5 * (x[row] + x[row + 1]), (x[row + 1] - x[row]) / step
        bend = (x[row + 2] - x[row + 1] - x[row] + x[row - 1]) / (2.0 * step**2)
        force = data["contact_force"].values[row + 1]
        pushes = [
            PointWrench(body=k, point=(0.04, 0, 0), force=tuple(push), frame="world") for k, push in enumerate(force)
        ]
        model = Geometric(WangSnake(), (water, *pushes))
        found = model.solve(middle, rate, acceleration=bend[3:]).acceleration[:3]
        errors.append(np.abs(found - bend[:3]).max() / np.abs(bend[:3]).max())
    assert errors[1] < 0.6 * errors[0] and errors[1] < 0.02, errors


def test_newton_euler_holds_a_wheel_and_lets_it_slide() -> None:
    """Distances and times of dry friction, with the other stepping; a wheel that is held does not creep."""
    speed, friction = 0.5, 0.5 * 9.81
    data = slide(Wheels(), (0.0, speed, 0, 0, 0, 0), 0.15, model="newton-euler")
    velocity = data["com_velocity"].values[:, 1]
    assert velocity[50] == pytest.approx(speed - 0.05 * friction, abs=1e-9)
    assert np.abs(velocity[110:]).max() < 1e-12
    assert data["contact_state"].values[[50, 140], 0].tolist() == [2.0, 1.0]
    # a given load bounds friction and pushes nothing
    assert np.abs(data["contact_force"].values[..., 2]).max() == 0.0


def test_the_non_smooth_model_rolls_on_wheels_too() -> None:
    runs = [slide(Wheels(), (0.3, 0.1, 0, 0, 0, 0), 0.05, model=model) for model in ("non-smooth", "newton-euler")]
    assert np.abs(runs[0]["com_position"].values - runs[1]["com_position"].values).max() < 1e-9


def shares_of_limits(force: Any, across: float) -> Any:
    """Share of the ellipse that the forces of a first step of 10 ms take (1: on its edge), along the wheels as they
    stand in the middle of that step: the base as it began, the joints as the gait has them.
    """
    from limbless.control.gaits.serpenoid import Serpenoid

    half = ll.simulate(WangSnake(), Serpenoid(), Wheels(), model="geometric", duration=0.005, step=0.005).dataset
    heading = np.concatenate([[0.0], np.cumsum(half["joint_position"].values[-1])])
    turned = (force[:, 0] + 1j * force[:, 1]) * np.exp(-1j * heading)
    return np.hypot(turned.real / 0.01, turned.imag / across) / (0.5 * 9.81)


def test_an_ellipse_as_slender_as_can_be_is_solved_and_moves_like_the_box() -> None:
    """Hardly a wheel skids with 1000 across, 0.01 along: the cones then differ by less than a tenth of all that
    friction along does.
    """
    from limbless.control.gaits.serpenoid import Serpenoid

    runs = [
        ll.simulate(WangSnake(), Serpenoid(), Wheels(cone=cone, normal=1000.0), model="geometric", duration=0.01)
        for cone in ("ellipse", "box")
    ]
    assert [run.status for run in runs] == ["completed"] * 2 and not any(run.doubts for run in runs)
    ellipse, box = (run.dataset for run in runs)
    # Wheel 5 slips by the ellipse and sticks by the box, and both are right: what it holds by the box is inside the box
    # (8 % along, 99.9 % across) and outside the ellipse.
    states, box_states = (run["contact_state"].values[1] for run in (ellipse, box))
    used, by_box = (shares_of_limits(run["contact_force"].values[1], 1000.0) for run in (ellipse, box))
    assert used.max() < 1.0 + 1e-6 and used[states == 2.0] == pytest.approx(1.0, abs=1e-6)
    assert np.flatnonzero(states != box_states) == [4] and by_box[4] > 1.002
    assert np.abs(box["com_velocity"].values).max() > 0.03
    assert np.abs(ellipse["com_velocity"].values - box["com_velocity"].values).max() < 0.1 * 0.01 * 9.81 * 0.01


def test_newton_euler_refuses_wheels_that_it_cannot_step() -> None:
    with pytest.raises(
        ll.InputError,
        match=r"newton-euler with set-valued wheels is stepped by the non-smooth "
        r".*spherical.*regularised",
    ):
        ll.simulate(
            ll.KhalilEel(joints="spherical", base="planar"), ll.BodyWave(), Wheels(), model="newton-euler", duration=0.1
        )
    with pytest.raises(ll.InputError, match="no function of one state"):
        ll.NewtonEuler(WangSnake(), Wheels())


def test_a_free_base_is_refused() -> None:
    """It would fall through the ground while the wheels rub: their loads are given, not found."""
    from limbless.control.gaits.serpenoid import Serpenoid

    with pytest.raises(InputError, match=r"robot.base: .* a free base would fall through the ground"):
        ll.simulate(WangSnake(base="free"), Serpenoid(), (Wheels(), ll.Gravity()), model="geometric", duration=0.1)


def test_wheels_and_gravity_that_differ_are_noted() -> None:
    from limbless.control.gaits.serpenoid import Serpenoid

    around = [Wheels(), ll.Gravity(acceleration=(0.0, 0.0, -1.62))]
    parts = {"robot": WangSnake(), "gait": Serpenoid(), "environment": around, "model": "geometric"}
    told = ll.Scenario.load({"name": "moon", "duration": 0.01, "step": 0.001, **parts}).notes()
    assert "environment.wheels.gravity: 9.81 m/s2 presses on the ground, while `gravity` has 1.62 m/s2" in told


# Loads that are solved for


def on_wheels(
    slope: float = 0.0, speed: float = 0.0, duration: float = 0.3, tangential: float = 0.01, **robot: Any
) -> ll.Result:
    """Three modules on a free base, straight, on a plane that rises along x."""
    turn = (np.cos(slope / 2), 0.0, -np.sin(slope / 2), 0.0)
    start = {
        "position": (-0.02 * np.sin(slope), 0.0, 0.02 * np.cos(slope)),
        "orientation": turn,
        "twist": (speed, 0, 0, 0, 0, 0),
    }
    wheels = Wheels(load="solved", slope=(slope, 0.0), tangential=tangential, normal=0.5)
    return ll.simulate(
        WangSnake(modules=3, base="free", **robot),
        STILL,
        (wheels, ll.Gravity()),
        model="non-smooth",
        duration=duration,
        step=1e-3,
        initial=start,
    )


def test_solved_loads_bear_the_robot_and_its_rolling_is_that_of_its_slope() -> None:
    """Loads add up to the weight across the slope, and a robot that rolls down gains g (sin - mu cos)."""
    slope, mu = 0.2, 0.01
    run = on_wheels(slope)
    normal = np.array([-np.sin(slope), 0.0, np.cos(slope)])
    loads = run.dataset["contact_force"].values[-1] @ normal
    assert loads.sum() == pytest.approx(1.5 * 9.81 * np.cos(slope), rel=1e-4)
    speed = -np.linalg.norm(run.dataset["com_velocity"].values[-1])
    assert speed == pytest.approx(-0.3 * 9.81 * (np.sin(slope) - mu * np.cos(slope)), rel=1e-3)
    held = on_wheels(slope, tangential=0.25)
    way = held.dataset["com_position"].values[-1] - held.dataset["com_position"].values[0]
    assert np.linalg.norm(way) < 1e-5


def test_a_payload_shifts_the_solved_loads() -> None:
    """Of three modules on yaw joints, stiff in pitch: the resultant lies under the centre of mass."""
    run = on_wheels(payload=0.2)
    force, place = run.dataset["contact_force"].values[-1, :, 2], run.dataset["contact_position"].values[-1, :, 0]
    com = run.dataset["com_position"].values[-1, 0]
    assert (force * place).sum() / force.sum() == pytest.approx(com, abs=1e-5)
    assert force.sum() == pytest.approx(1.7 * 9.81, rel=1e-4) and force[-1] > 1.5 * force[0]


def test_a_raised_front_leaves_its_wheels_and_loads_those_behind() -> None:
    """Three links, the first pitched up by theta: its wheels bear nothing, the last ones m g (1 - cos) / 2, the middle
    ones the rest.
    """
    theta, length = 0.5, 0.2
    robot = ll.Chain.uniform(links=3, length=length, half_width=0.03, half_height=0.02, axis=(0, 1, 0))
    gait = ll.FunctionGait(function=lambda t, s: np.tile((-theta, 0.0), (len(t), 1)), drives="joint")
    start = {
        "position": (0.0, 0.0, 0.02 + length * np.sin(theta)),
        "orientation": (np.cos(theta / 2), 0.0, np.sin(theta / 2), 0.0),
    }
    run = ll.simulate(
        robot,
        gait,
        (Wheels(load="solved", tangential=0.01, normal=0.5, wheel_radius=0.02), ll.Gravity()),
        model="non-smooth",
        duration=0.2,
        step=1e-3,
        initial=start,
    )
    weight = 9.81 * float(robot.bodies().mass[0])
    load, link = run.dataset["contact_force"].values[-1, :, 2], run.dataset["contact_link"].values
    found = [load[link == number].sum() / weight for number in range(3)]
    last = 0.5 * (1.0 - np.cos(theta))
    np.testing.assert_allclose(found, (0.0, 3.0 - last, last), atol=1e-3)
    assert not run.dataset["contact_state"].values[-1, link == 0].any() and run.proven


def test_solved_loads_are_refused_where_they_mean_nothing() -> None:
    with pytest.raises(ValueError, match="slope belongs to load: solved"):
        Wheels(slope=(0.1, 0.0))
    with pytest.raises(ValueError, match="needs law: set-valued"):
        Wheels(load="solved", law="regularised")
