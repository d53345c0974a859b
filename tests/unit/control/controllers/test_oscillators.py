"""Oscillators against closed forms and an independent swimmer; resumed, side by side, with slopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.search import measures
from limbless.simulation.analysis import rhythm

PHASES = [2.0 * np.pi * ((k * 0.6180339887498949) % 1.0) for k in range(1, 11)]


def cord(changes: Mapping[str, Any] = {}, duration: float = 0.5, step: float = 0.001, links: int = 9) -> ll.Result:
    """Oscillators of a chain in free space, which hardly moves: what they do is their own."""
    controller = {"kind": "oscillators", "strength": 1e-6, **changes}
    robot = {"preset": "uniform", "base": "planar", "links": links, "length": 0.08}
    return ll.simulate(
        robot, None, actuation="torque", controller=controller, duration=duration, step=step, record_every=duration / 50
    )


def phases(result: ll.Result, count: int = 8) -> np.ndarray:
    return np.asarray(result.dataset["controller_state"].values[:, :count])


# Closed forms


def test_equal_oscillators_keep_the_lag_of_their_couplings() -> None:
    body = {"frequency": [0.3, 0.2], "amplitude": [0.196, 0.065], "range": [1, 5]}
    found = cord({"sides": 2, "drive": 2.0, "body": body, "coupling": {"lag": "45 deg"}}, duration=3.0)
    state = found.dataset["controller_state"].values
    np.testing.assert_allclose(np.diff(state[-1, :8]), -np.pi / 4, atol=1e-9)
    np.testing.assert_allclose(state[-1, :8] - state[-1, 8:16], np.pi, atol=1e-9)
    np.testing.assert_allclose(state[-1, 16:], 0.2 * 2 * 0 + 0.065 * 2 + 0.196, atol=1e-9)
    turns = (state[-1, :16] - state[25, :16]) / (2.0 * np.pi * 1.5)
    np.testing.assert_allclose(turns, 0.2 * 2 + 0.3, atol=1e-10)


def test_detuned_oscillators_lock_with_the_lags_of_the_formula() -> None:
    """sin(d_k - φ) = Σ (ω_j - mean) / (w R), j up to k (equal weights and amplitudes)."""
    own, weight, lag, level = 0.7 * np.linspace(1.1, 0.9, 8), 10.0, np.pi / 4, 0.326
    changes = {"frequency": list(own), "amplitude": level, "coupling": {"weight": weight, "lag": lag}}
    start = {"initial": {"amplitude": level}}
    late = phases(cord({**changes, **start}, duration=60.0, step=0.01))[-1]
    expected = lag + np.arcsin(np.cumsum(2.0 * np.pi * (own - own.mean()))[:-1] / (weight * level))
    np.testing.assert_allclose(-np.diff(late), expected, atol=1e-8)
    np.testing.assert_allclose(expected[:3], [0.920726, 1.018794, 1.078689], atol=1e-6)


SALAMANDER = {
    "sides": 2,
    "body": {"frequency": [0.3, 0.2], "amplitude": [0.196, 0.065], "range": [1, 5]},
    "limbs": {"count": 4},
    "coupling": {"lag": "45 deg"},
}
STANDING = [0.1523291005, 0.0772612029, 0.3380908754, 2.3197743108, 0.3573760628, 0.0807120674, 0.1497261808]
"""Lags along a cord that limbs draw with drive 2, by an independent program of phases and amplitudes (60 s)."""


@pytest.mark.parametrize(
    ("drive", "lags", "body", "limbs"), [(2.0, STANDING, 0.4, 0.4), (4.0, [np.pi / 4] * 7, 1.1, 0.0)]
)
def test_limbs_make_the_wave_stand_until_a_drive_above_3_silences_them(
    drive: float, lags: list[float], body: float, limbs: float
) -> None:
    """A walk at the rhythm of the limbs, and a swim at that of the body; sides stay opposite, limbs move nothing."""
    found = cord({**SALAMANDER, "drive": drive}, duration=30.0, step=0.005)
    state, names = found.dataset["controller_state"].values, found.dataset["neuron"].values
    np.testing.assert_allclose(np.mod(-np.diff(state[-1, :8]), 2.0 * np.pi), lags, atol=1e-8)
    apart = np.mod(state[-1, :8] - state[-1, 8:16], 2.0 * np.pi)
    np.testing.assert_allclose(apart, np.pi, atol=1e-8)
    turns = (state[-1, :20] - state[40, :20]) / (2.0 * np.pi * 6.0)
    np.testing.assert_allclose(turns, [body] * 16 + [limbs] * 4, atol=2e-9)
    np.testing.assert_allclose(state[-1, 36:], 0.131 * (1.0 + drive) if drive < 3.0 else 0.0, atol=1e-9)
    activity = 1e-6 * found.dataset["activity"].values
    np.testing.assert_allclose(found.dataset["joint_torque"], activity[:, :8] - activity[:, 8:16], atol=1e-18)
    assert list(names[16:]) == ["limb 0 left", "limb 0 right", "limb 1 left", "limb 1 right"]


def test_limbs_that_are_cut_hold_the_body_still() -> None:
    """They have no rhythm of their own, and it follows them."""
    silent = {**SALAMANDER, "drive": 2.0, "lesion": {"oscillators": [16, 17, 18, 19]}}
    late = cord(silent, duration=20.0, step=0.005).dataset["controller_state"].values[:, :20]
    assert np.abs(late[-1] - late[-10]).max() < 1e-6


@pytest.mark.parametrize("order", [1, 2])
def test_amplitudes_grow_as_their_closed_form(order: int) -> None:
    found, a = cord({"order": order, "haste": 20.0}, duration=0.25, links=3), 20.0
    time, r = found.dataset["time"].values, found.dataset["controller_state"].values[:, 2]
    expected = 1.0 - np.exp(-a * time) if order == 1 else 1.0 - (1.0 + 0.5 * a * time) * np.exp(-0.5 * a * time)
    np.testing.assert_allclose(r, expected, atol=2e-9)


def test_a_drive_ramps_and_silences_beyond_its_range() -> None:
    """θ is the integral of 2 π (0.3 + 0.2 d), from the time at which the drive passes 1."""
    body = {"frequency": [0.3, 0.2], "amplitude": [0.0, 0.1], "range": [1, 5]}
    drive = [[0.0, 2.0], [0.2, 2.0], [0.6, 4.0]]
    found = cord({"drive": drive, "body": body, "coupling": {"weight": 0.0}}, duration=0.8, links=3)
    turned = phases(found, 2)[-1] - phases(found, 2)[0]
    np.testing.assert_allclose(turned, 2.0 * np.pi * (0.3 * 0.8 + 0.2 * (0.4 + 1.2 + 0.8)), atol=1e-12)
    silent = cord({"drive": 0.9, "body": body}, duration=0.1, links=3).dataset["controller_state"].values
    assert np.ptp(silent, axis=0).max() == 0.0


# A swimmer that feels the water


AFTER_2_S = {
    0.0: ((-0.003151114869926279, -0.010490028406849367), (17.041022840181544, 14.6694481729913)),
    10.0: ((-0.45500286629026776, 0.006333728714972972), (28.2905305057197, 28.15878100647996)),
}
"""Weight of the couplings -> base and first phases, by an independent planar program with angles for quaternions."""


def swimmer(changes: Mapping[str, Any]) -> ll.Result:
    return ll.run("agnathax", {"record_every": 0.1, **changes})


@pytest.mark.parametrize("weight", sorted(AFTER_2_S))
def test_a_swimmer_that_feels_the_water_moves_as_an_independent_program_says(weight: float) -> None:
    found = swimmer({"duration": 2.0, "controller.coupling.weight": weight, "controller.initial.phase": PHASES})
    base, first = AFTER_2_S[weight]
    assert found.state is not None
    np.testing.assert_allclose(found.state.x[:2], base, atol=1e-6)
    np.testing.assert_allclose(phases(found, 2)[-1], first, atol=1e-5)
    assert found.summary()["proven"]


ALONE = {
    "controller.strength": 0.0,
    "controller.feedback.0.gain": 0.0,
    "controller.frequency": list(np.linspace(1.0, 2.0, 10)),
    "controller.coupling.weight": 5.0,
}


@pytest.mark.parametrize(
    ("changes", "duration", "longest"),
    [(ALONE, 0.32, 0.002), ({**ALONE, "model.integrator": "sdirk4"}, 0.32, 0.016), ({}, 0.004, 0.001)],
    ids=["alone", "implicit", "feeling"],
)
def test_the_step_error_is_of_fourth_order(changes: Mapping[str, Any], duration: float, longest: float) -> None:
    """A force of the stage before would make it the first."""
    ends = [
        phases(swimmer({"duration": duration, "record_every": duration, **changes, "step": longest / n}), 10)[-1]
        for n in (1, 2, 4)
    ]
    assert 13.0 < np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max() < 26.0


def test_the_sense_of_the_force_and_the_link_matter() -> None:
    """The other sign, or the link before the joint, swims elsewhere: slips that crash nothing."""
    right = swimmer({"duration": 0.5})
    for wrong in ({"controller.feedback.0.gain": -100.0}, {"controller.feedback.0.sense.of": "before"}):
        assert np.abs(phases(swimmer({"duration": 0.5, **wrong}), 10)[-1] - phases(right, 10)[-1]).max() > 0.1


CUT, SILENT, DEAF = (
    {"controller.lesion.couplings": [4]},
    {"controller.lesion.oscillators": [3, 4, 5]},
    {"controller.feedback.0.gain": 0.0},
)
LOOSE = {"controller.coupling.weight": 0.0}


@pytest.mark.long
@pytest.mark.parametrize(
    ("changes", "frequency", "head", "lag", "speed", "com"),
    [
        ({}, 1.8242843564878957, 1.8290332864, 0.09299369868388993, 0.5979983605129944, (-22.53838479, -0.24172996)),
        (DEAF, 1.0, 1.0, 0.07043387830304272, 0.6232084876862631, (-22.29270807, -7.44271874)),
        (CUT, 1.8839280694760083, 1.88503938, 0.09533790946115966, 0.5985790660631642, (-22.50126879, -0.84634436)),
        ({**CUT, **DEAF}, 1.0, 1.0, 0.12789824412803918, 0.19432368292648977, (-6.91527370, -0.24305027)),
        (SILENT, 1.103209595815173, 1.10380400, 0.08563053030786048, 0.4545154935136594, (-17.21326296, -1.03013011)),
        ({**SILENT, **DEAF}, 0.7, 0.7, 0.03349351080948195, 0.07485193814115419, (-3.00571139, 0.21134298)),
        (LOOSE, 1.8598934705656363, 0.888746235642869, None, 0.5626884704546855, (-19.79090583, -0.15060018)),
    ],
)
def test_lesions_cost_what_an_independent_program_says(
    changes: Mapping[str, Any], frequency: float, head: float, lag: float | None, speed: float, com: tuple[float, float]
) -> None:
    """Senses make up for a cut cord; by the last 8 of 40 s. Without couplings the oscillator of the head stays alone:
    frequencies are the median's and the head's."""
    found = swimmer({"duration": 40.0, "record_every": 0.01, "controller.initial.phase": PHASES, **changes})
    data = found.dataset
    turns = (phases(found, 10)[-1] - phases(found, 10)[3200]) / (2.0 * np.pi * 8.0)
    assert np.median(turns) == pytest.approx(frequency, rel=2e-4) and turns[0] == pytest.approx(head, rel=2e-4)
    time, way = data["time"].values, data["com_position"].values[:, :2]
    np.testing.assert_allclose(way[-1], com, atol=1e-3)
    whole = np.floor(8.0 * frequency) / frequency
    start = [np.interp(40.0 - whole, time, column) for column in way.T]
    assert np.linalg.norm(way[-1] - start) / whole == pytest.approx(speed, rel=2e-4)
    late = data.sel(time=slice(24.0 - 1e-9, None))  # of which a measure looks at the second half
    if lag is not None:
        assert rhythm.phase_lag(late, slice(0, 10)) == pytest.approx(lag, rel=2e-3)


def test_a_lesion_of_all_outputs_is_no_controller() -> None:
    """In every bit of the motion."""
    bent = {"initial": {"joint_position": [0.2] * 14}, "duration": 0.1}
    cut = swimmer({"controller.lesion.outputs": list(range(10)), **bent}).dataset
    none = swimmer({"controller": None, "gait": {"kind": "still", "drives": "torque"}, **bent}).dataset
    for name in ("base_position", "joint_position", "joint_torque"):
        assert np.array_equal(cut[name].values, none[name].values)
    assert np.ptp(none["joint_position"].values) > 0.1 and not cut["joint_torque"].values.any()


# As a part of the motion


def test_a_run_resumed_anywhere_is_the_same_in_every_bit() -> None:
    filtered = {"controller.feedback.0.sense.filter": 0.02, "controller.order": 2}
    scenario = ll.Scenario.load("agnathax", {"duration": 0.24, **filtered})
    whole = ll.run(scenario)
    first = ll.run(scenario, {"duration": 0.11})
    from limbless.simulation.simulate import run_scenario

    rest = run_scenario(ll.Scenario.load(scenario, {"duration": 0.13}), after=first)
    assert whole.state is not None and rest.state is not None
    assert np.array_equal(whole.state.x, rest.state.x)


def test_a_result_of_another_controller_is_not_continued() -> None:
    """As many numbers, of other joints."""
    first = cord({"joints": [0, 1]}, duration=0.05, links=4)
    from limbless.simulation.simulate import run_scenario

    other = ll.Scenario.load(first.scenario, {"controller.joints": [1, 2]})
    with pytest.raises(ll.InputError, match="another controller"):
        run_scenario(other, after=first)


def test_eight_side_by_side_are_the_eight_alone() -> None:
    over = {"controller.feedback.0.gain": [60.0, 100.0, 130.0], "controller.lesion.couplings": [[], [4], [2, 7]]}
    short = ll.Scenario.load("agnathax", {"duration": 0.1, "record_every": 0.1})
    many = ll.rollout(short, over)
    for number, (gain, cut) in enumerate(zip(*over.values(), strict=True)):
        one = ll.run(short, {"controller.feedback.0.gain": gain, "controller.lesion.couplings": cut})
        np.testing.assert_allclose(
            many["base_position"].values[number, -1], one.dataset["base_position"].values[-1], atol=1e-9
        )


def test_slopes_along_fields_of_the_controller_are_those_of_differences() -> None:
    short = ll.Scenario.load("agnathax", {"duration": 0.3, "record_every": 0.3})
    steps = {
        "controller.feedback.0.gain": 1e-2,
        "controller.coupling.weight": 1e-3,
        "controller.coupling.lag": 1e-5,
        "controller.strength": 1e-5,
    }
    found = ll.sensitivity(short, list(steps))
    for name, step in steps.items():
        from limbless.search.studies.variations import value_at

        here = value_at(short, name)
        low, high = (ll.run(short, {name: here + sign * step}).dataset["base_position"].values[-1] for sign in (-1, 1))
        expected = (high - low) / (2.0 * step)
        np.testing.assert_allclose(
            found["d_base_position"].sel(parameter=name).values[-1], expected, atol=1e-6 * np.abs(expected).max()
        )


def test_implicit_steps_follow_oscillators_that_feel_forces() -> None:
    fine = swimmer({"duration": 0.2, "step": 0.00025})
    ends = [
        phases(swimmer({"duration": 0.2, "model.integrator": "sdirk4", "model.tolerance": 1e-9, "step": step}), 10)[-1]
        for step in (0.004, 0.002)
    ]
    apart = [np.abs(end - phases(fine, 10)[-1]).max() for end in ends]
    assert apart[1] < 1e-4 and apart[1] < 0.3 * apart[0]


def test_a_target_is_followed_by_feedback() -> None:
    """Stiff joints stand where activities have them."""
    controller = ll.Oscillators(output="target", strength=0.3, coupling={"lag": "40 deg"}, haste=50.0)
    robot = {"preset": "uniform", "base": "planar", "links": 5, "length": 0.08}
    pd = {"kind": "pd", "rate": 200.0}
    found = ll.simulate(
        robot, None, ll.Water(), actuation=pd, controller=controller, duration=1.0, step=0.001, record_every=0.01
    )
    wanted = 0.3 * found.dataset["activity"].values[50:]
    assert np.abs(found.dataset["joint_position"].values[50:] - wanted).max() < 3e-3


def test_measures_of_a_rhythm() -> None:
    found = swimmer({"duration": 6.0, "record_every": 0.02, "controller.feedback.0.gain": 0.0})
    names = ("frequency", "phase_lag", "activity_frequency", "locking_time", "wavelength")
    numbers = measures.measured([measures.find(name) for name in names], found)
    assert numbers["frequency"] == pytest.approx(1.0, abs=2e-3)
    assert numbers["phase_lag"] == pytest.approx(0.0704, abs=4e-3)
    assert numbers["activity_frequency.median"] == pytest.approx(1.0, abs=1e-6)
    assert 0.0 < numbers["locking_time"] < 3.0
    assert 0.5 < numbers["wavelength"] < 2.0


# Bad input


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"controller.lesion.oscillators": [12]}, "12 is none of the 10 oscillators"),
        ({"controller.lesion.couplings": [9]}, "9 is none of the 9 couplings"),
        ({"controller.joints": [0, 14]}, "no joint 14"),
        ({"controller.frequency": [1.0, 2.0]}, "one for each of the 10 joints"),
        ({"actuation": "motion"}, "controller.output: torque needs an actuation of kind torque or pd or servo"),
        ({"controller.output": "target"}, "target needs an actuation of kind pd or motor,"),
        ({"controller.drive": 2.0}, "drive: has an effect only together with `body`"),
        ({"controller.limbs": {"count": 4}}, "limbs: they go with `sides: 2`, and with a `drive` and a `body`"),
        ({"controller.feedback.0.sense.kind": "contact_force"}, "'contact_force' needs contacts; choose model.kind"),
        ({"controller.feedback.0.sense": {"kind": "target"}}, "point: a sense 'target' needs one"),
        ({"controller.feedback.0.sense": {"kind": "cross_track"}}, "oscillators do not sense 'cross_track'; let a"),
        ({"model": "macro-continuous"}, "takes no controller with state"),
        ({"controller.haste": 5000.0}, "too long for the amplitudes of oscillators"),
        (
            {"controller.feedback": [{"sense": {"kind": "stretch"}}], "robot.links.1.body": None},
            "'stretch' needs a rod or a chain with bodies",
        ),
        ({"controller.feedback.0.sense.delay": 0.0015}, "0.0015 s is no whole multiple of the step of 0.001 s"),
        ({"controller.kind": "oscilators"}, "unknown controller 'oscilators'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(changes: Mapping[str, Any], words: str) -> None:
    with pytest.raises(ll.InputError, match=words.replace("(", r"\(")):
        ll.run("agnathax", {"duration": 0.01, "record_every": 0.01, **changes})


def test_steady_motion_says_where_it_knows_no_rhythm_of_a_controller() -> None:
    with pytest.raises(
        ll.InputError, match="the period of its own rhythm is found for oscillators of chains in smooth"
    ):
        ll.steady("agnathax", {"model.integrator": "sdirk4"})


# Among contacts


def detuned(step: float, model: str) -> np.ndarray:
    own = {"frequency": [1.0, 1.2, 1.5, 2.0], "strength": 1e-9, "coupling": {"weight": 5.0, "lag": 1.0}}
    robot = {"preset": "uniform", "base": "planar", "links": 5, "length": 0.08}
    found = ll.simulate(
        robot,
        None,
        model=model,
        actuation="torque",
        controller={"kind": "oscillators", **own},
        duration=0.8,
        step=step,
        record_every=0.8,
    )
    return np.asarray(found.dataset["controller_state"].values[-1])


def test_steps_among_contacts_are_of_second_order_for_oscillators_alone() -> None:
    exact = detuned(0.002, "newton-euler")
    apart = [np.abs(detuned(step, "non-smooth") - exact).max() for step in (0.02, 0.01, 0.005)]
    assert apart[0] > 3.5 * apart[1] > 3.5 * 3.5 * apart[2]


def counted(t: Any, s: Any, z: Any) -> Any:
    return s, np.zeros(0)


@pytest.fixture(scope="module")
def crawl() -> ll.Result:
    """With a third controller that adds up how long, and how hard, each link touches the ground."""
    loops = list(ll.Scenario.load("snake-cpg").loops)
    touch = [{"kind": kind, "of": "all", "axis": "vertical"} for kind in ("contact_state", "contact_force")]
    del touch[0]["axis"]
    feeling = {"kind": "function", "law": counted, "state": {"sum": [0.0] * 30}, "senses": touch, "output": "signal"}
    changes = {"duration": 0.2, "record_every": 0.1, "actuation.rate": 200.0}
    return ll.run("snake-cpg", {**changes, "controller": [*loops, feeling]})


def test_links_know_whether_they_touch(crawl: ll.Result) -> None:
    """1 or 0 in each step of 0.5 ms, and 1 wherever there is a force."""
    spent, impulse = crawl.dataset["controller_state"].values[-1, -30:].reshape(2, -1)
    steps = spent / 0.0005
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-9)
    assert np.array_equal(steps > 0.5, impulse > 0.0) and 0.0 < steps.max() < 400.5 and np.ptp(steps) > 0.5


def test_a_snake_on_the_ground_follows_its_oscillators(crawl: ll.Result) -> None:
    """Motors follow activities; pitch joints between them stay straight."""
    assert crawl.summary()["proven"]
    joints = crawl.dataset["joint_position"].values[-1]
    wanted = np.radians(30.0) * crawl.dataset["activity"].values[-1, :8]
    assert np.abs(wanted).max() > 0.01 and np.abs(joints[::2] - wanted).max() < 0.3 * np.abs(wanted).max()
    assert np.abs(joints[1::2]).max() < 1e-3


def test_a_snake_on_the_ground_goes_on_bit_for_bit(crawl: ll.Result) -> None:
    from limbless.simulation.simulate import run_scenario

    first = ll.run(crawl.scenario, {"duration": 0.07, "record_every": 0.01})
    rest = run_scenario(ll.Scenario.load(crawl.scenario, {"duration": 0.13, "record_every": 0.01}), after=first)
    assert rest.state is not None and crawl.state is not None
    assert np.array_equal(rest.state.x, crawl.state.x)
