"""Steady motion against long runs made once without Newton's method and duals, against differences,
and by its own definition.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.steady_motion.homogeneity import refuse_medium
from limbless.search.steady_motion.period_screw import path_of, path_slope, pose_change
from limbless.search.steady_motion.steady import Families, _mean

FIELDS = ["gait.amplitude", "gait.growth", "gait.wavelength", "gait.period"]
EELS = [
    # amplitude, growth, wavelength, period; speed, positive work per period, peak torque: 120 periods of 200 steps
    ((0.06, 1.2, 1.8, 2.0), 0.5341869145375747, 4.029737970779629, 4.887408728324912),
    ((0.0122665, 2.5, 0.8, 1.2442), 0.7311111819506696, 7.462829877259352, 3.9898711533683064),
    ((0.010236, 2.5, 3.98013, 2.4729), 0.5000024912621573, 1.2876437029488434, 2.911595797133307),
    ((0.08, 0.8, 2.2, 2.4), 0.3491762530171716, 2.0811000989798574, 3.46584256530312),
    ((0.05, 1.4, 3.0, 3.0), 0.3985549709102719, 1.4048033501136872, 2.55770053231144),
]
SLOPES = {
    0: (7.383979987037973, 0.6871111980084502, 0.11197283039188106, -0.26709341873374276),
    1: (21.31754700253473, 0.44778587733281805, 0.6353055725433672, -0.5876154635590537),
}
"""Of the speed, by differences of such runs of 100 steps."""
BODY_SLOPES = {"robot.half_width": -1.5725078763112037, "robot.link_length": 6.788578384191829}


@pytest.fixture(scope="module")
def families():
    return Families()


@pytest.mark.parametrize("number", range(len(EELS)))
def test_eels_swim_as_after_120_periods(families, number: int) -> None:
    gait, speed, work, torque = EELS[number]
    scenario = ll.Scenario.load("eel-planar", dict(zip(FIELDS, gait, strict=True)))
    motion = families.steady(scenario, FIELDS)
    assert motion.speed == pytest.approx(speed, rel=1e-6)  # steps of 100 and 200 of a period
    assert motion.positive_work == pytest.approx(work, rel=5e-4)  # sampled there, from records
    assert motion.peak_torque == pytest.approx(torque, rel=1e-3)  # at steps of another phase
    assert motion.cost_of_transport == pytest.approx(
        work / (motion.scenario.robot.build().total_mass * 9.81 * speed * gait[3]), rel=5e-4
    )
    assert motion.residual < 1e-9 and motion.stable
    if number in SLOPES:
        np.testing.assert_allclose([motion.slopes["speed"][path] for path in FIELDS], SLOPES[number], rtol=2e-4)


def test_eight_at_a_time_are_those_found_alone(families) -> None:
    """Five gaits side by side, whoever stands beside them: bit for bit; and as with exact derivatives."""
    scenarios = [ll.Scenario.load("eel-planar", dict(zip(FIELDS, gait, strict=True))) for gait, *_ in EELS]
    motions = families.side_by_side(scenarios)
    other = families.side_by_side(scenarios[:2])
    for motion, (_, speed, work, _) in zip(motions, EELS, strict=True):
        assert motion.speed == pytest.approx(speed, rel=1e-6) and motion.positive_work == pytest.approx(work, rel=5e-4)
    assert [motion.speed for motion in other] == [motion.speed for motion in motions[:2]]
    alone = families.steady(scenarios[0])
    for name in ("speed", "positive_work", "cost_of_transport", "peak_torque", "torque_ratio"):
        assert getattr(motions[0], name) == pytest.approx(getattr(alone, name), rel=1e-7), name
    turning = families.side_by_side([ll.Scenario.load("eel-planar", {"gait.dive": 0.02})])
    assert turning == [None]  # it leaves its plane


def test_multipliers_are_those_of_a_disturbance(families) -> None:
    motion = families.steady(ll.Scenario.load("eel-planar"))
    np.testing.assert_allclose(np.sort(np.abs(motion.multipliers)), (0.6126, 0.6126, 0.8484), atol=5e-5)


def test_slopes_of_the_body_are_seeded_in_its_tables(families) -> None:
    motion = families.steady(ll.Scenario.load("eel-planar"), [*BODY_SLOPES, "environment.water.density"])
    for path, slope in BODY_SLOPES.items():
        assert motion.slopes["speed"][path] == pytest.approx(slope, rel=1e-5)


def test_all_slopes_are_differences_of_whole_solutions(families) -> None:
    scenario = ll.Scenario.load("eel-planar")
    paths = {"gait.period": 2.0, "robot.density": 1000.0}
    motion = families.steady(scenario, list(paths))
    for path, here in paths.items():
        ends = [families.steady(ll.Scenario.load(scenario, {path: here * (1.0 + side * 1e-3)})) for side in (-1, 1)]
        for name in ("positive_work", "power", "cost_of_transport", "torque_ratio"):
            slope = (getattr(ends[1], name) - getattr(ends[0], name)) / (2e-3 * here)
            assert motion.slopes[name][path] == pytest.approx(slope, rel=1e-3), (name, path)
        ratios = (ends[1].torque_ratios - ends[0].torque_ratios) / (2e-3 * here)
        np.testing.assert_allclose(motion.slopes["torque_ratios"][path], ratios, atol=2e-3 * np.abs(ratios).max())


def test_a_steady_motion_runs_on_as_it_is(families) -> None:
    """An ordinary run from the twist found ends with it, turning too; its way is the one that was said."""
    motion = families.steady(ll.Scenario.load("eel-planar", {"gait.turn": 0.02}))
    assert abs(motion.turn_rate) > 0.01
    result = motion.result()
    np.testing.assert_allclose(result.dataset["base_twist"].values[-1], motion.twist, atol=1e-9)
    way, turn = path_of(pose_change(result), True)
    assert (way / 2.0, turn / 2.0) == pytest.approx((motion.speed, motion.turn_rate), rel=1e-9)
    assert result.proven


def test_a_smooth_start_is_no_part_of_steady_motion(families) -> None:
    """Whatever gait has one."""
    wave = {"kind": "joint-wave", "yaw_amplitude": 0.2, "yaw_rate": 3.0}
    one, other = (
        families.steady(ll.Scenario.load("eel-planar", {"gait": {**wave, **start}})) for start in ({}, {"ramp": 1.0})
    )
    assert one.speed == other.speed > 0.01


def test_among_contacts_the_mean_of_three_periods_counts() -> None:
    motion = ll.steady("eel-planar", steps=8)
    parts = [
        replace(motion, speed=speed, positive_work=work, torque_ratio=ratio, torque_ratios=np.array([ratio]))
        for speed, work, ratio in ((0.30, 1.0, 0.5), (0.36, 2.0, 0.7), (0.33, 3.0, 0.6))
    ]
    mean = _mean(parts)
    assert mean.speed == pytest.approx(0.33) and mean.spread == pytest.approx(0.06 / 0.33)
    assert mean.positive_work == 2.0 and mean.torque_ratio == 0.7 and motion.spread == 0.0
    assert "spread 1.8e-01" in repr(mean)


def test_the_path_of_a_screw_is_an_arc() -> None:
    """A quarter of a circle of radius 2, a helix with that circle, and a line; slopes against differences."""
    half = np.pi / 4.0
    quarter = np.array([2.0, 2.0, 0.0, np.cos(half), 0.0, 0.0, np.sin(half)])
    assert path_of(quarter, True) == pytest.approx((np.pi, np.pi / 2.0))
    helix = quarter + np.array([0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.0])
    assert path_of(helix, False)[0] == pytest.approx(np.hypot(np.pi, 1.5))
    assert path_of(np.array([3.0, 4.0, 0.0, 1.0, 0.0, 0.0, 0.0]), True) == (5.0, 0.0)
    slope = path_slope(helix, False)
    for number in range(7):
        shift = np.eye(7)[number] * 1e-6
        ends = np.array([path_of(helix + side * shift, False) for side in (-1, 1)])
        np.testing.assert_allclose(slope[:, number], (ends[1] - ends[0]) / 2e-6, rtol=1e-6, atol=1e-9)
    near, beyond = (
        path_of(np.array([1.0, 0.2, 0.0, np.sqrt(1 - s), 0.0, 0.0, np.sqrt(s)]), True)[0] for s in (0.999e-4, 1.001e-4)
    )
    assert abs(near - beyond) < 1e-6  # the series meets the closed form


def test_unstable_motion_is_returned_and_said(monkeypatch: pytest.MonkeyPatch, families) -> None:
    motion = families.steady(ll.Scenario.load("eel-planar"))
    motion.multipliers = np.array([1.2, 0.5])
    assert not motion.stable and "UNSTABLE" in repr(motion)


def test_torque_given_joints_are_unknowns_too() -> None:
    """Joints that follow by feedback settle with the base: the end of a long run."""
    scenario = ll.Scenario.load(
        "eel-planar",
        {
            "robot": {"kind": "chain", "preset": "uniform", "links": 4, "base": "planar"},
            "gait.period": 1.0,
            "gait.amplitude": 0.5,
            "gait.wavelength": 0.5,
            "step": 0.005,
            "gait.growth": 0.0,
            "actuation": {"kind": "pd", "stiffness": 0.5, "damping": 0.02},
        },
    )
    motion = ll.steady(scenario, steps=200)
    assert len(motion.multipliers) == 3 + 2 * 3
    again = motion.result().dataset  # begins with those joints
    assert np.abs(again["joint_position"].values[-1] - again["joint_position"].values[0]).max() < 1e-8
    assert refuse_medium(ll.Scenario.load(scenario, {"model.integrator": "sdirk4"})) == "settled"
    long = ll.run(scenario, {"duration": 40.0, "record_every": 1.0}).summary()
    assert motion.speed == pytest.approx(long["period_speed"], rel=2e-4)


@pytest.mark.long
def test_steady_is_the_end_of_a_long_run(families) -> None:
    motion = families.steady(ll.Scenario.load("eel-planar"))
    long = ll.run("eel-planar", {"duration": 240.0, "step": 0.02, "record_every": 2.0, "gait.ramp": 2.0})
    assert abs(motion.speed - long.summary()["period_speed"]) < 1e-6


@pytest.mark.long
@pytest.mark.parametrize(
    ("gait", "speed", "work"),
    [
        ((0.06, 1.2, 1.8, 2.0), 0.7045142212422123, 8.755521487119577),
        ((0.04, 1.5, 2.2, 2.4), 0.6368570246923863, 5.6384999211609825),
    ],
)
def test_rods_swim_as_after_160_periods(gait, speed: float, work: float) -> None:
    motion = ll.steady("rod-swim", dict(zip(FIELDS, gait, strict=True)), slopes=["gait.amplitude"])
    assert motion.speed == pytest.approx(speed, rel=1e-8)
    assert motion.positive_work == pytest.approx(work, rel=1e-8)
    ends = [
        ll.steady("rod-swim", {**dict(zip(FIELDS, gait, strict=True)), "gait.amplitude": gait[0] + side * 1e-4})
        for side in (-1, 1)
    ]
    assert motion.slopes["speed"]["gait.amplitude"] == pytest.approx((ends[1].speed - ends[0].speed) / 2e-4, rel=1e-4)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("snake-undulate-isotropic", 0.052993224118403105),
        ("wheeled-snake-crawl", 0.24383113110362473),
    ],
)
def test_snakes_settle(name: str, way: float) -> None:
    motion = ll.steady(name)
    assert np.linalg.norm(motion.displacement) == pytest.approx(way, rel=1e-3)
    assert motion.residual <= 1e-3 and motion.stable is None and motion.spread <= 1e-3


@pytest.mark.parametrize(
    ("scenario", "changes", "words"),
    [
        ("eel-planar", {"environment.water.current": [0.1, 0.0, 0.0]}, "`current` has a direction in the world"),
        ("eel-planar", {"robot.base": "fixed"}, "a fixed base goes nowhere"),
        ("spine-45-swim", {"robot.base": "pinned"}, "a pinned base goes nowhere"),
        ("eel-planar", {"environment": [{"kind": "water"}, {"kind": "gravity"}]}, "gravity has a direction"),
        ("eel-planar", {"environment": [{"kind": "water", "gravity": [0, 0, -9.81]}]}, "what lifts has a direction"),
        ("snake-push", {}, "free objects lie in one place"),
        ("snake-pipe", {"environment.pipe.axis": [[-4, 0, 0], [4, 0, 0], [4, 4, 0]]}, "elbows are in one place"),
        ("neck-horizontal-water", {}, "statics has no time"),
        ("snake-pegs", {}, "obstacles stand in one place"),
        ("eel-planar", {"gait": {"kind": "serpenoid", "stop": 3.0}}, "gait.stop: the wave ends there"),
    ],
)
def test_media_in_which_nothing_repeats(scenario: str, changes: dict, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.steady(scenario, changes)


@pytest.mark.parametrize(
    ("scenario", "slopes", "words"),
    [
        ("eel-planar", ["gait.ramp"], "does nothing in steady motion"),
        ("eel-planar", ["gait.amplitud"], "did you mean 'amplitude'"),
        ("eel-planar", ["duration"], "fields of gait, robot, environment"),
        ("snake-undulate-isotropic", ["gait.yaw_amplitude"], "kinks and jumps of contacts, and so no slopes.*CMA-ES"),
    ],
)
def test_slopes_that_do_not_exist(scenario: str, slopes: list[str], words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.steady(scenario, slopes=slopes)


@pytest.mark.long
def test_friction_that_fades_slowly_has_the_steps_that_a_run_asks_for() -> None:
    """With a hundred steps the speed is 0.7 % off where friction fades at 0.1 mm/s; runs refuse such steps."""
    rubs = {"kind": "regularised-friction", "cone": "weighted", "speed": 1e-4}
    asked = {"environment": [rubs], "robot.base": "planar"}
    motion = ll.steady("eel-planar", asked)
    assert motion.steps > 20_000 and motion.speed == pytest.approx(0.0070221, rel=1e-4)
    with pytest.raises(ll.InputError, match=r"fades below 1e-05 m/s .* the most is 50000"):
        ll.steady("eel-planar", {**asked, "environment": [{**rubs, "speed": 1e-5}]})


def test_a_motion_that_does_not_settle_is_said() -> None:
    with pytest.raises(ll.SimulationError, match="no steady motion was found"):
        ll.steady("eel-planar", {"gait.amplitude": 40.0, "gait.period": 0.05}, steps=8)


def test_the_command() -> None:
    done = CliRunner().invoke(main, ["steady", "eel-planar", "--slope", "gait.amplitude"])
    assert done.exit_code == 0, done.output
    assert all(words in done.output for words in ("0.534187 m/s", "0.8484, 0.6126, 0.6126: stable", "7.38398"))
