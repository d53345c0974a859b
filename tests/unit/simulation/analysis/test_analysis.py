"""Speed, energy and limits on motions whose answers are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

import limbless as ll
from limbless.mechanics.algebra.array_rotations import rotate
from limbless.simulation.analysis import actuator_limits, energy_use, speed


def made(time: np.ndarray, **variables: tuple) -> xr.Dataset:
    return xr.Dataset(variables, coords={"time": time})


def moving(time: np.ndarray, *along: np.ndarray) -> xr.Dataset:
    return made(time, com_position=(("time", "axis"), np.stack(along, axis=1)))


TIME = np.linspace(0.0, 10.0, 1001)


def test_constant_velocity() -> None:
    data = moving(TIME, 1.0 + 0.3 * TIME, 0.4 * TIME, 0 * TIME)
    assert speed.displacement(data) == pytest.approx([3.0, 4.0, 0.0])
    assert speed.path_length(data) == pytest.approx(5.0)
    assert speed.mean_speed(data) == pytest.approx(0.5)
    assert speed.period_speed(data, 2.0) == pytest.approx(0.5)
    assert speed.steady(data, 2.0) == pytest.approx(1.0)


def test_a_speed_that_swings_has_its_mean_over_a_period() -> None:
    # v = 0.5 + 0.3 cos(pi t): period 2 s, mean 0.5 over any whole period, whatever the phase at the end of the run
    data = moving(
        TIME[:877], 0.5 * TIME[:877] + 0.3 / np.pi * np.sin(np.pi * TIME[:877]), 0 * TIME[:877], 0 * TIME[:877]
    )
    assert speed.period_speed(data, 2.0) == pytest.approx(0.5, abs=1e-12)
    assert speed.steady(data, 2.0) == pytest.approx(1.0, abs=1e-12)
    ends, velocity = speed.period_velocities(data, 2.0)
    assert ends == pytest.approx([2.76, 4.76, 6.76, 8.76])
    assert velocity[:, 0] == pytest.approx(0.5)


def test_a_growing_speed_is_not_steady() -> None:
    data = moving(TIME, 0.05 * TIME**2, 0 * TIME, 0 * TIME)  # v = 0.1 t: 0.9 over the last period, 0.7 before
    assert speed.period_speed(data, 2.0) == pytest.approx(0.9)
    assert speed.steady(data, 2.0) == pytest.approx(9 / 7)


def test_a_way_is_along_the_line_from_the_far_end_to_the_head() -> None:
    """A bent body that turns by a right angle while it moves."""
    bent = np.array([[-0.5, 0.5, 0.0], [-1.0, 0.0, 0.0], [-3.0, 0.0, 0.0]])
    turned = rotate(np.array([[np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]] * 3), bent)
    sections, head = np.array([bent, turned]), np.zeros((2, 3))
    for order in (slice(None), slice(None, None, -1)):
        ahead = speed.headings(head, sections[:, order])
        np.testing.assert_allclose(ahead, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], atol=1e-15)
    data = moving(TIME[:2], np.array([0.0, 4.0]), np.array([0.0, 3.0]), np.zeros(2))
    looks = data.assign(heading=(("time", "axis"), ahead))
    assert speed.way_along(looks, "heading") == 4.0
    assert speed.way_along(looks, "head") == pytest.approx(3.5)


def test_periods_that_fall_between_records() -> None:
    data = moving(TIME, 0.2 * TIME, 0 * TIME, 0 * TIME)
    assert speed.period_speed(data, np.e) == pytest.approx(0.2)
    assert len(speed.period_velocities(data, np.e)[0]) == 3


def test_a_duration_of_whole_periods_counts_them_all() -> None:
    time = np.arange(1501) * 0.02  # ends at 30.000000000000004 or thereabouts
    assert len(speed.period_velocities(moving(time, time, 0 * time, 0 * time), 2.0)[0]) == 15


def test_a_circle_has_a_path_but_no_displacement() -> None:
    data = moving(TIME, np.cos(0.2 * np.pi * TIME), np.sin(0.2 * np.pi * TIME), 0 * TIME)
    assert speed.path_length(data) == pytest.approx(2 * np.pi, rel=1e-5)
    assert speed.mean_speed(data) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("ahead", [1.0, -1.0])
def test_progress_on_a_circle_follows_the_head(ahead: float) -> None:
    """A robot that comes back to where it was has moved towards its head, or its tail, all along."""
    angle = 2.0 * np.pi * TIME / 10.0
    data = moving(TIME, 2.0 * np.cos(angle), 2.0 * np.sin(angle), 0 * TIME)
    head = np.stack([-np.sin(angle), np.cos(angle), 0.0 * angle], axis=1) * ahead
    centre = data["com_position"].values
    sections = np.stack([centre + 0.5 * head, centre, centre - 0.5 * head], axis=1)
    data["heading"] = (("time", "axis"), speed.headings(centre + 0.6 * head, sections))
    np.testing.assert_allclose(data["heading"], head, atol=1e-12)
    assert speed.progress(data) == pytest.approx(ahead * 2.0 * np.pi * 2.0 / 10.0, rel=1e-4)
    assert speed.way_along(data, "heading") == pytest.approx(0.0, abs=1e-12)
    assert speed.progress(data.drop_vars("heading")) is None


@pytest.mark.parametrize("records", [0, 1])
def test_runs_too_short_for_a_number_say_none(records: int) -> None:
    time = TIME[:records]
    data = moving(time, time, time, time)
    assert speed.mean_speed(data) is None
    assert speed.period_speed(data, 2.0) is None
    assert speed.steady(data, 2.0) is None
    assert speed.period_speed(moving(TIME, TIME, TIME, TIME), None) is None
    assert speed.displacement(xr.Dataset(coords={"time": TIME})) is None


def swinging(time: np.ndarray) -> xr.Dataset:
    """One joint with power 6 sin(pi t) W, one with 2 W, one braking with -1 W."""
    rate = np.ones((len(time), 3))
    torque = np.stack([6 * np.sin(np.pi * time), 0 * time + 2.0, 0 * time - 1.0], axis=1)
    spent = np.cumsum(np.maximum(torque * rate, 0.0), axis=0) * (time[1] - time[0])
    return made(
        time,
        positive_work=(("time", "joint"), 7.0 + spent),  # a run that goes on counts from before its first record
        com_position=(("time", "axis"), np.stack([3.0 * time / 10.0, 0 * time, 4.0 * time / 10.0], axis=1)),
    )


def test_positive_work() -> None:
    # 5 positive half waves of 12/pi J each, plus 20 J; braking counts nothing
    assert energy_use.positive_work(swinging(TIME)) == pytest.approx(60 / np.pi + 20.0, rel=1e-4)


def test_cost_of_transport() -> None:
    data = swinging(TIME)
    expected = (60 / np.pi + 20.0) / (2.0 * 9.81 * 5.0)
    assert energy_use.cost_of_transport(data, 2.0) == pytest.approx(expected, rel=1e-4)
    assert energy_use.cost_of_transport(data, None) is None
    data["com_position"] = data["com_position"] * 0.0
    assert energy_use.cost_of_transport(data, 2.0) is None
    assert energy_use.positive_work(xr.Dataset(coords={"time": TIME})) is None


def test_peaks_and_limits() -> None:
    time = np.array([0.0, 0.5, 1.0, 1.5])
    torque = np.array([[1.0, 0.1, -2.0], [-3.0, 0.2, 4.5], [5.0, -0.3, -6.0], [1.0, 0.0, 0.0]])
    data = made(time, joint_torque=(("time", "joint"), torque))
    data = data.assign_coords(joint=["first", "second", "third"], joint_axis=("joint", ["yaw", "pitch", "yaw"]))
    assert actuator_limits.peak_torque(data) == pytest.approx([5.0, 0.3, 6.0])
    assert actuator_limits.peak_torque_by_axis(data) == {"yaw": 6.0, "pitch": 0.3}
    counted = {"joint_limit": [4.0, np.inf, 4.0], "limit_time": [1.0, np.inf, 0.5]}
    counted |= {"peak_torque": [5.0, -0.3, -6.0], "peak_time": [1.0, 1.0, 1.25]}
    data = data.assign({name: ("joint", values) for name, values in counted.items()})
    assert actuator_limits.limits_exceeded(data) == [
        actuator_limits.Excess("first", 4.0, 1.0, 5.0, 1.0),
        actuator_limits.Excess("third", 4.0, 0.5, -6.0, 1.25),
    ]
    bare = data.drop_vars(["joint", "joint_axis", *counted])
    assert actuator_limits.peak_torque_by_axis(bare) == {"joint": 6.0}
    assert actuator_limits.joint_names(bare) == ["0", "1", "2"]
    assert actuator_limits.limits_exceeded(bare) == []
    assert actuator_limits.peak_torque_by_axis(bare.drop_vars("joint_torque")) == {}


def test_body_axes_to_world_axes() -> None:
    half = np.sqrt(0.5)
    about_z, about_x = np.array([half, 0, 0, half]), np.array([half, half, 0, 0])  # a quarter turn each
    assert rotate(about_z, np.array([1.0, 0, 0])) == pytest.approx([0, 1, 0])
    both = rotate(np.stack([about_z, about_x]), np.tile([0.0, 1.0, 0.0], (2, 1)))
    assert both == pytest.approx(np.array([[-1, 0, 0], [0, 0, 1]]))


def test_velocity_of_the_base_in_the_world(swimmer) -> None:
    velocity = speed.base_velocity_world(swimmer.dataset)
    time = swimmer.dataset["time"].values
    expected = np.stack([0 * time - 0.4, 0.04 * np.pi * np.cos(np.pi * time), 0 * time], axis=1)
    assert velocity == pytest.approx(expected)


# Where getting somewhere means something


@pytest.mark.parametrize(
    ("name", "changes", "why"),
    [
        ("rod-arm", {"duration": 1.0}, "an anchorage holds it all the time"),
        ("wheeled-snake-manipulate", {"duration": 1.0}, "a clamp holds it"),
        ("eel-planar", {"duration": 4.0, "robot.base": "fixed"}, "its base is fixed"),
        ("eel-planar", {"duration": 4.0, "environment": []}, "nothing is there to push against"),
        (
            "eel-planar",
            {"duration": 4.0, "robot.density": 1500.0, "environment": [{"kind": "gravity"}, {"kind": "water"}]},
            "it falls",
        ),
        ("eel-planar", {"duration": 4.0}, None),
    ],
)
def test_cost_of_transport_only_where_there_is_transport(name: str, changes: dict, why: str | None) -> None:
    result = ll.run(name, {"record_every": 0.1, **changes})
    assert speed.no_transport(result.dataset) == why
    summary = result.summary()
    assert (summary["cost_of_transport"] is None) == (why is not None)
    assert summary["positive_work"] >= 0.0 and (why is None or summary["steady"] is None)


def test_a_peak_between_steps_rises_by_no_more_than_its_parabola() -> None:
    """Torque 3 - 8 (t - 0.4)²: 0.05 s away from its top, half a step of 0.1 s, 8 · 0.05² is missing;
    at an end nothing is known.
    """
    time = np.array([0.0, 0.25, 0.5, 0.75])
    torque = np.stack([3.0 - 8.0 * (time - 0.4) ** 2, -(3.0 - 8.0 * (time - 0.4) ** 2), time], axis=1)
    data = made(time, joint_torque=(("time", "joint"), torque)).assign_coords(
        joint_axis=("joint", ["yaw", "pitch", "roll"])
    )
    assert actuator_limits.peak_rise_by_axis(data, 0.1) == pytest.approx(
        {"yaw": 0.02, "pitch": 0.02, "roll": 0.0}, abs=1e-12
    )


def test_the_strouhal_number_of_a_tail_that_swings() -> None:
    """0.2 m from side to side, 0.5 m/s along (3, 4, 0), a period of 2 s: 0.2 / (0.5 x 2)."""
    along, aside = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
    way = 0.5 * TIME[:, None] * along
    tail = way - along + 0.1 * np.sin(np.pi * TIME)[:, None] * aside
    data = made(
        TIME,
        com_position=(("time", "axis"), way),
        head_position=(("time", "axis"), way + along),
        position=(("time", "section", "axis"), np.stack([way + along, way, tail], axis=1)),
    )
    assert speed.strouhal(data, data, 2.0) is None  # no water is known of
    data.attrs["medium"] = "water"
    assert speed.strouhal(data, data, 2.0) == pytest.approx(0.2, rel=1e-4)
    assert speed.strouhal(data, data, None) is None and speed.strouhal(data.isel(time=slice(0, 3)), data, 2.0) is None


def test_the_share_of_the_wake_is_what_it_takes_of_the_work() -> None:
    """A wake takes energy out of the body: its work is negative, its share positive."""
    works = np.stack([-0.3 * TIME, -0.5 * TIME], axis=1)
    data = made(TIME, law_work=(("time", "law"), works), actuator_work=("time", 2.0 * TIME))
    assert energy_use.wake_share(data.assign_coords(law=["drag", "wake"])) == pytest.approx(0.25)


def test_power_of_pulleys_and_towing_over_the_last_period() -> None:
    """Work t² of two pulleys: mean power over the last 2 s of 10 is 2 (10 + 8); a body at 0.3 m/s with k v² + c v."""
    data = moving(TIME, 0.3 * TIME, 0 * TIME, 0 * TIME)
    data["pulley_work"] = (("time", "tendon"), np.stack([TIME**2, TIME**2], axis=1))
    assert energy_use.mean_pulley_power(data, 2.0) == pytest.approx(36.0)
    assert energy_use.mean_pulley_power(data, None) == pytest.approx(20.0)
    data.attrs = {"towing_quadratic": 7.0, "towing_linear": 5.0, "held": None}
    assert energy_use.towing_efficiency(data, data, 2.0) == pytest.approx((7.0 * 0.3**3 + 5.0 * 0.3**2) / 36.0)


def test_a_way_down_under_gravity_is_a_fall_and_a_way_up_is_none() -> None:
    facts = {"gravity": [0.0, 0.0, -9.81]}
    assert speed.why_no_transport(np.array([0.1, 0.0, -1.0]), 1.0, facts) == "it falls"
    assert speed.why_no_transport(np.array([0.1, 0.0, 1.0]), 1.0, facts) is None


def test_a_limit_is_passed_first_and_then_worst() -> None:
    """|torque| grows to 3 at the end and passes 1 at 1/3 of the run; a rod's effort likewise, at one section most and
    at another one first.
    """
    counted = {"peak_torque": [-3.0], "peak_time": [10.0], "limit_time": [3.34], "joint_limit": [1.0]}
    (found,) = actuator_limits.torques_exceeded(
        made(TIME, **{name: ("joint", values) for name, values in counted.items()})
    )
    assert (found.limit, found.first_time, found.worst_time, found.worst_torque) == (1.0, 3.34, 10.0, -3.0)
    sections = {"peak_effort": [-1.5, -3.0, 2.4], "peak_time": [9.0, 10.0, 8.0], "limit_time": [3.34, 5.0, np.inf]}
    idle = np.full((3, 5), np.inf)  # of the other strains
    rod = {name: (("section", "strain"), np.column_stack([idle, values])) for name, values in sections.items()}
    rod |= {"effort_limit": ("strain", np.full(6, 1.0)), "abscissa": ("section", [0.1, 0.2, 0.3])}
    (found,) = actuator_limits.torques_exceeded(made(TIME, **rod))
    assert found.joint == "yaw curvature at X = 0.2 m"
    assert (found.limit, found.first_time, found.worst_time, found.worst_torque) == (1.0, 3.34, 10.0, -3.0)


def test_a_joint_leaves_its_range_at_the_bound_that_it_passed() -> None:
    names = {"range_time": [1.0, 2.0], "range_excess": [0.2, -0.3], "excess_time": [5.0, 6.0]}
    bounds = {"joint_lower": [-1.0, -2.0], "joint_upper": [1.5, 2.5]}
    data = made(TIME, **{name: ("joint", values) for name, values in {**names, **bounds}.items()})
    above, below = (
        (found.limit, found.worst_position, found.first_time, found.worst_time)
        for found in actuator_limits.ranges_left(data)
    )
    assert above == pytest.approx((1.5, 1.7, 1.0, 5.0)) and below == pytest.approx((-2.0, -2.3, 2.0, 6.0))
