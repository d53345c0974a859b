"""The door for controllers, and runs that end early: interruptions, divergence, failures of users' code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.core import stage_times
from limbless.models import StandingProblem

SWIMMER = ll.UniformChain(links=5, half_height=0.03)
GAIT = ll.BodyWave(ramp=0.5, period=1.0)


def swim(controller: Callable | None = None, duration: float = 2.0, **options: Any) -> ll.Result:
    parts = {"step": 0.01, "control_period": 0.25, **options}
    robot, gait, environment = (
        parts.pop(name, usual) for name, usual in (("robot", SWIMMER), ("gait", GAIT), ("environment", ll.Water()))
    )
    return ll.simulate(robot, gait, environment, duration=duration, controller=controller, **parts)


def finite(result: ll.Result) -> bool:
    """All but what is infinite where there is no limit, or where none was passed; these are numbers too."""
    data = result.dataset
    boundless = [name for name in ("joint_limit", "limit_time") if name in data]
    return all(np.isfinite(data[name].values).all() for name in data.data_vars if name not in boundless) and not any(
        np.isnan(data[name].values).any() for name in boundless
    )


# Commands


def test_a_controller_that_says_nothing_changes_nothing() -> None:
    """Called at every control time with what it may see; the motion is that of the run without it, bit for bit."""
    calls: list[tuple[float, dict]] = []
    watched = swim(lambda t, observation: calls.append((t, observation)))
    alone = swim()
    np.testing.assert_array_equal([t for t, _ in calls], 0.25 * np.arange(8))
    for name in alone.dataset.data_vars:
        if "time" in alone.dataset[name].dims:
            np.testing.assert_array_equal(watched.dataset[name].values, alone.dataset[name].values, err_msg=name)
    records = watched.dataset.sel(time=[t for t, _ in calls], method="nearest")
    for i, (t, observation) in enumerate(calls):
        assert observation["time"] == t
        for name in ("base_position", "base_orientation", "base_twist", "joint_position", "joint_velocity"):
            np.testing.assert_array_equal(observation[name], records[name].values[i], err_msg=name)


SHORT: dict[str, tuple[str, dict[str, Any]]] = {
    "implicit chain": (
        "eel-planar",
        {"duration": 0.2, "model.integrator": "sdirk4", "actuation": {"kind": "pd"}, "control_period": 0.02},
    ),
    "contact": ("snake-sidewind", {"duration": 0.1, "record_every": 0.005, "control_period": 0.0025}),
    "soft": ("neck-winch", {"duration": 0.2, "control_period": 0.01}),
    "soft, a jump": (
        "neck-swing-air",
        {"duration": 0.2, "control_period": 0.01, "gait.ramp": 0.0, "gait.at": 0.1},
    ),
    "rod": ("rod-swim", {"duration": 0.2, "control_period": 0.02}),
}


@pytest.mark.parametrize(("name", "changes"), SHORT.values(), ids=SHORT)
def test_a_standing_problem_gives_what_one_block_gives(name: str, changes: dict[str, Any]) -> None:
    """Every model, cut into control periods that are laid out ahead, then two runs of one model in turns: what the
    first has left in working memory, and how the run was cut, shows nowhere, bit for bit.
    """
    scenario = ll.Scenario.load(name, changes)
    alone, watched = ll.run(scenario).dataset, ll.run(scenario, controller=lambda t, _: None).dataset
    for key in set(alone.data_vars) - {"iterations"}:  # means of what a block took
        np.testing.assert_array_equal(watched[key].values, alone[key].values, err_msg=str(key))
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    knots = np.arange(9) * scenario.step
    record, drive = knots >= 0.0, model.drive(scenario.gait, stage_times(knots))
    start = model.initial_state(scenario.initial, scenario.gait)
    first = model.advance(start, knots, record, drive)
    model.advance(first[0], knots + first[0].time, ~record, drive)
    again = model.advance(start, knots, record, drive)
    for one, other in (
        (first[0].memory, again[0].memory),
        (first[1], again[1]),
        ({"x": first[0].x}, {"x": again[0].x}),
    ):
        assert one.keys() == other.keys()
        for key in one:
            np.testing.assert_array_equal(one[key], other[key], err_msg=key)


@pytest.mark.parametrize(
    ("case", "field"), [("implicit chain", "amplitude"), ("contact", "yaw_amplitude"), ("soft", "after")]
)
def test_a_command_in_a_standing_problem_gives_what_a_block_of_its_own_gives(
    case: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Periods with changed gait fields, and without, in every order: their drive replaces what was laid out ahead, bit
    for bit as if each were a block."""
    name, changes = SHORT[case]
    scenario = ll.Scenario.load(name, changes)
    own, period = np.array(getattr(scenario.gait, field)), changes["control_period"]

    def controller(t: float, _: dict) -> dict | None:
        number = round(t / period)
        return {field: (own * (1.0 + 0.05 * (number % 5))).tolist()} if number % 4 < 2 else None

    replaced, inner = [], StandingProblem.redrive
    monkeypatch.setattr(StandingProblem, "redrive", lambda *given: replaced.append(inner(*given)) or replaced[-1])
    ahead = ll.run(scenario, controller=controller).dataset
    assert sum(replaced) > 0.5 * scenario.duration / period
    monkeypatch.setattr(StandingProblem, "redrives", False)
    blocks = ll.run(scenario, controller=controller).dataset
    for key in set(blocks.data_vars) - {"iterations"}:
        np.testing.assert_array_equal(ahead[key].values, blocks[key].values, err_msg=str(key))


def test_observations_belong_to_the_controller() -> None:
    """Writing into an observation does not reach the run."""

    def vandal(t: float, observation: dict[str, np.ndarray]) -> None:
        for values in observation.values():
            if np.ndim(values):
                values[:] = 99.0

    np.testing.assert_array_equal(
        swim(vandal, 1.0).dataset.base_position.values, swim(None, 1.0).dataset.base_position.values
    )


def test_changed_gait_is_blended_in() -> None:
    """A new amplitude at 1 s: until the next call the joints go over smoothly, without a jump even in acceleration."""
    data = swim(
        lambda t, _: {"amplitude": 0.2, "turn": 0.1} if t == 1.0 else None, step=0.001, record_every=0.001
    ).dataset
    old, new = GAIT, GAIT.changed(amplitude=0.2, turn=0.1)
    chain, time = SWIMMER.build(), data.time.values
    before, after = time <= 1.0, time >= 1.25
    np.testing.assert_array_equal(data.joint_position.values[before], joint_motion(chain, old, time[before]).position)
    np.testing.assert_allclose(
        data.joint_position.values[after], joint_motion(chain, new, time[after]).position, rtol=0, atol=1e-15
    )
    jumps = np.abs(np.diff(data.joint_acceleration.values, axis=0)).max()
    # 1 ms of a third derivative; without a blend: all of it
    assert jumps < 0.1 * np.abs(data.joint_acceleration.values).max()
    velocity = np.gradient(data.joint_position.values, time, axis=0)
    np.testing.assert_allclose(data.joint_velocity.values[5:-5], velocity[5:-5], rtol=0, atol=1e-3)


def test_commands_add_up() -> None:
    """Each command changes the gait that is in force, not the first one."""

    def controller(t: float, _: dict) -> dict | None:
        return {0.5: {"amplitude": 0.1}, 1.0: {"turn": 0.05}}.get(t)

    data = swim(controller).dataset
    wanted = joint_motion(SWIMMER.build(), GAIT.changed(amplitude=0.1, turn=0.05), data.time.values).position
    late = data.time.values >= 1.25
    np.testing.assert_allclose(data.joint_position.values[late], wanted[late], rtol=0, atol=1e-15)


def test_the_balance_closes_under_commands() -> None:
    result = swim(lambda t, _: {"amplitude": 0.05 + 0.1 * t}, control_period=0.5, step=0.005)
    assert result.summary()["balances"]["power"]["relative"] < 1e-6


def test_torque_commands_act_until_the_next_call() -> None:
    """An array is a torque on every joint, added to what the actuation gives, held over the control period."""
    quiet = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
    command = {0.0: 0.01, 0.5: -0.02}

    def controller(t: float, _: dict) -> list[float] | None:
        return [command[t], 0.0, 0.0, 0.0] if t in command else None

    data = swim(controller, 1.0, gait=quiet, actuation="torque", robot=SWIMMER.changed(rotor_inertia=1e-3)).dataset
    time, first = data.time.values, data.joint_torque.values[:, 0]
    np.testing.assert_array_equal(first[(time >= 0.0) & (time < 0.25 - 1e-9)], 0.01)
    # None: no torque any more
    np.testing.assert_array_equal(first[(time > 0.25 + 1e-9) & (time < 0.5 - 1e-9)], 0.0)
    np.testing.assert_array_equal(first[(time > 0.5 + 1e-9) & (time < 0.75 - 1e-9)], -0.02)
    assert np.abs(data.joint_position.values).max() > 1e-3


def test_torque_commands_add_to_feedback() -> None:
    """What acts is the feedback on the gait plus the command."""
    data = swim(
        lambda t, _: np.full(4, 0.05),
        0.5,
        gait=GAIT.changed(amplitude=0.0),
        robot=SWIMMER.changed(rotor_inertia=1e-3),
        actuation=ProportionalDerivative(stiffness=1.0, damping=0.1),
        step=0.002,
        record_every=0.1,
    ).dataset
    feedback = -1.0 * data.joint_position.values - 0.1 * data.joint_velocity.values
    np.testing.assert_allclose(data.joint_torque.values, feedback + 0.05, rtol=0, atol=1e-14)
    assert np.abs(feedback).max() > 0.01


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ({"amplitudo": 0.1}, "amplitude"),
        ({"amplitude": np.nan}, "amplitude"),
        ({"period": -1.0}, "period"),
        (np.zeros(4), "torque-given"),
        ("faster", "command|torque"),
    ],
)
@pytest.mark.parametrize("when", [0.0, 1.0], ids=["first call", "later"])
def test_bad_commands_are_refused(command: Any, words: str, when: float) -> None:
    """At the first call as bad input; later the run is kept up to the time of the bad command."""
    with pytest.raises(ll.InputError if when == 0.0 else ll.SimulationError, match=words) as caught:
        swim(lambda t, _: command if t == when else None)
    if when:
        assert caught.value.time == pytest.approx(1.0)
        assert caught.value.result.dataset.time.values[-1] == pytest.approx(0.99)
        assert caught.value.result.status.startswith("failed")


@pytest.mark.parametrize(
    "command", [np.zeros(3), np.full(4, np.nan), "faster"], ids=["wrong length", "not finite", "words"]
)
def test_bad_torques_are_refused(command: Any) -> None:
    feedback = ProportionalDerivative(stiffness=1.0, damping=0.1)
    with pytest.raises(ll.InputError, match="controller's torque"):
        swim(lambda t, _: command, robot=SWIMMER.changed(rotor_inertia=1e-3), actuation=feedback)


def test_continuing_with_a_controller_is_bit_for_bit() -> None:
    """The gait that the controller left in force is part of the state."""

    def controller(t: float, _: dict) -> dict | None:
        return {0.5: {"amplitude": 0.12}, 1.5: {"turn": 0.04}}.get(t)

    whole = swim(controller)
    rest = swim(controller, 1.0, initial=swim(controller, 1.0))
    np.testing.assert_array_equal(rest.state.x, whole.state.x)
    late = whole.dataset.sel(time=slice(1.0 - 1e-9, None))
    np.testing.assert_array_equal(rest.dataset.joint_position.values, late.joint_position.values)


# Early ends


def stops(t: float, when: float, error: BaseException) -> None:
    if t >= when:
        raise error


def test_interruption_keeps_what_was_computed() -> None:
    """Ctrl-C (here: from the controller) gives a result with its status, and the run can go on from it, bit for bit."""
    cut = swim(lambda t, _: stops(t, 1.0, KeyboardInterrupt()))
    assert cut.status == "interrupted"
    assert cut.dataset.time.values[-1] == pytest.approx(0.99)
    assert cut.state.time == pytest.approx(1.0)
    assert finite(cut)
    np.testing.assert_array_equal(swim(None, 1.0, initial=cut).state.x, swim(None, 2.0).state.x)


def test_interruption_of_a_gait() -> None:
    gait = ll.FunctionGait(
        function=lambda t, s: (stops(t[0], 2.5, KeyboardInterrupt()), 0.1 * np.sin(t[:, None] - s))[1]
    )
    cut = swim(None, 6.0, gait=gait)
    assert cut.status == "interrupted" and cut.dataset.sizes["time"] > 100 and finite(cut)


def test_interruption_at_once() -> None:
    """Before the first block there is nothing to keep, but the result has its variables, and
    can be saved and summed up.
    """
    cut = swim(lambda t, _: stops(t, 0.0, KeyboardInterrupt()))
    assert cut.status == "interrupted" and cut.dataset.sizes["time"] == 0
    assert cut.summary()["status"] == "interrupted"


@pytest.mark.parametrize("when", [0.5, 1.25])
def test_a_controller_that_fails_keeps_the_run(when: float) -> None:
    with pytest.raises(ll.SimulationError, match="RuntimeError: lost the cable") as caught:
        swim(lambda t, _: stops(t, when, RuntimeError("lost the cable")))
    assert caught.value.time == pytest.approx(when)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert caught.value.result.dataset.time.values[-1] == pytest.approx(when - 0.01)
    assert finite(caught.value.result)


def test_a_gait_that_fails_keeps_the_run() -> None:
    gait = ll.FunctionGait(
        function=lambda t, s: (stops(t[0], 2.5, ValueError("no more angles")), 0.1 * np.sin(t[:, None] - s))[1]
    )
    with pytest.raises(ll.SimulationError, match="ValueError: no more angles") as caught:
        swim(None, 6.0, gait=gait)
    assert 2.0 < caught.value.result.dataset.time.values[-1] < 3.0


def test_a_recorded_gait_that_ends_keeps_the_run() -> None:
    times = np.linspace(0.0, 4.0, 200)
    table = tuple((t, *(0.1 * np.sin(t - np.arange(4.0)))) for t in times)
    with pytest.raises(ll.SimulationError, match="covers 0 to 4 s") as caught:
        swim(None, 8.0, gait=ll.RecordedGait(table=table), control_period=None)
    assert caught.value.result.dataset.time.values[-1] > 2.0


def test_divergence_names_time_place_and_remedy() -> None:
    """Absurdly stiff feedback at a coarse step: the error says when, where, why and what to try;
    what was computed is finite.
    """
    stiff = ProportionalDerivative(stiffness=1e6, damping=1e3)
    with pytest.raises(
        ll.SimulationError,
        match=r"diverged between t = .* likely actuation.stiffness: "
        r"1e\+06 makes .* try a step of 0.0025 s, or set model.integrator to sdirk4",
    ) as caught:
        swim(None, 5.0, robot=SWIMMER.changed(rotor_inertia=1e-4), actuation=stiff, control_period=None)
    error = caught.value
    assert error.place and error.time is not None and 0.0 <= error.time < 1.0
    assert error.result.status.startswith("failed: the motion diverged")
    assert error.result.dataset.sizes["time"] >= 1 and finite(error.result)
    assert error.result.dataset.time.values[-1] == pytest.approx(error.time)
    assert error.result.summary()["status"].startswith("failed")


def test_a_diverged_result_does_not_continue_from_nonsense() -> None:
    """The state that is kept is the last sound one."""
    stiff = ProportionalDerivative(stiffness=1e6, damping=1e3)
    with pytest.raises(ll.SimulationError) as caught:
        swim(None, 5.0, robot=SWIMMER.changed(rotor_inertia=1e-4), actuation=stiff, control_period=None)
    assert np.isfinite(caught.value.result.state.x).all()


# What a folder holds


def kick(time: float, observation: dict, amplitude: float = 0.12) -> dict[str, float]:
    return {"amplitude": amplitude}


def test_the_folder_of_a_controlled_run_repeats_it_where_its_code_is_allowed(tmp_path: Any) -> None:
    pushed = swim(kick, 0.5)
    pushed.write(tmp_path, figures=False)
    kept = ll.Result.load(tmp_path).scenario
    assert kept is not None and kept.driven_by is not None and kept.driven_by.arguments == {"amplitude": 0.12}
    file = tmp_path / "scenario.yaml"
    doors: list[Callable[[], Any]] = [
        lambda: ll.run(file),
        lambda: ll.run(kept),
        lambda: ll.error_bars(file),
        lambda: ll.sweep(file, {"duration": [0.1, 0.2]}, out=tmp_path / "s"),
        lambda: ll.optimise(file, {"duration": (0.1, 0.2)}),
        lambda: ll.steady(file),
        lambda: ll.rollout(file, {"duration": [0.1]}),
        lambda: ll.Session(file),
    ]
    for door in doors:
        with pytest.raises(ll.InputError, match=r"running it executes that code: driven_by.function is .*kick"):
            door()
    again = ll.run(file, allow_code=True)
    assert np.array_equal(again.dataset["joint_position"], pushed.dataset["joint_position"])
    given = ll.run(file, controller=kick)  # what a program gives itself needs no permission
    assert np.array_equal(given.dataset["joint_position"], pushed.dataset["joint_position"])
    less = ll.run(file, {"driven_by.arguments.amplitude": 0.05}, allow_code=True)
    assert np.ptp(less.dataset["joint_position"].values) < np.ptp(pushed.dataset["joint_position"].values)
    alone = ll.run(file, {"driven_by": None})
    assert alone.scenario is not None and alone.scenario.driven_by is None
    assert "driven by the Python controller kick" in str(pushed.report())
    for door in (ll.steady, lambda source: ll.sensitivity(source, ["gait.period"])):
        with pytest.raises(ll.InputError, match="driven_by: kick is asked in Python at every period"):
            door(again.scenario)  # type: ignore[operator]


def test_arguments_of_a_controller_are_swept_and_tuned(tmp_path: Any) -> None:
    base = swim(kick, 0.3).scenario
    path = "driven_by.arguments.amplitude"
    found = ll.sweep(base, {path: [0.02, 0.05, 0.1]}, measure=["positive_work"], out=tmp_path / "sweep", workers=0)
    works = found.dataset["positive_work"].values.tolist()
    assert works == sorted(works) and works[0] < works[-1]
    together = ll.rollout(base, {path: [0.02, 0.1]})["positive_work"].values
    np.testing.assert_allclose(together, [works[0], works[2]])
    from limbless.view.studio.tuning import knobs

    assert {knob.path: knob.value for knob in knobs(base)}[path] == 0.12


def test_what_lives_in_a_session_alone_says_so_when_it_is_loaded(tmp_path: Any) -> None:
    class Joystick:
        def __call__(self, time: float, observation: dict) -> None:
            return None

    swim(Joystick(), 0.1).write(tmp_path, figures=False)
    with pytest.raises(ll.InputError, match=r"a Python function that lived only in that session .*Joystick"):
        ll.run(tmp_path / "scenario.yaml", allow_code=True)


def reach(time: float, observation: dict, swing: float = 0.3) -> dict[str, Any]:
    return {"joint_position": swing * np.ones(len(observation["joint_position"]))}


@pytest.mark.parametrize("integrator", ["rk4", "sdirk4"])
@pytest.mark.parametrize(
    "actuation", ["pd", {"kind": "motor", "stall_torque": 1, "stall_current": 1, "no_load_speed": 9}]
)
def test_a_controller_may_return_joint_targets(integrator: str, actuation: Any) -> None:
    """They are what a gait that holds these positions would ask for."""
    how = {
        "actuation": actuation,
        "model": {"kind": "newton-euler", "integrator": integrator},
        "duration": 0.4,
        "step": 0.001,
    }
    robot = {"preset": "uniform", "links": 4}
    still = ll.FunctionGait(function=lambda t, s: np.full((len(t), 3), 0.3), drives="joint")
    start = {"joint_position": [0.0, 0.0, 0.0]}
    start["joint_velocity"] = [0.0, 0.0, 0.0]
    gait = ll.JointWave(yaw_amplitude=0.2, yaw_rate=3.0)
    asked = ll.simulate(robot, gait, ll.Water(), initial=start, controller=reach, control_period=0.05, **how)
    held = ll.simulate(robot, still, ll.Water(), initial=start, **how)
    assert np.abs(held.dataset["joint_position"].values[-1]).min() > 0.1
    np.testing.assert_allclose(asked.dataset["joint_position"].values, held.dataset["joint_position"].values, atol=1e-9)


def test_targets_among_contacts_and_where_nothing_follows_them() -> None:
    snake = {"duration": 0.3, "step": 0.001, "control_period": 0.01, "record_every": 0.01}
    found = ll.run("module-snake-undulate", snake, controller=reach).dataset["joint_position"].values
    yaw = np.abs(found[-1]).max()
    assert yaw > 0.1
    with pytest.raises(ll.InputError, match="joint_position: a controller may give targets only to joints that all"):
        swim(reach, 0.1)
    with pytest.raises(ll.InputError, match="the controller's joint_position"):
        ll.run("module-snake-undulate", snake, controller=lambda t, seen: {"joint_position": [0.1, 0.2]})


def test_a_run_without_a_controller_says_nothing_of_one(tmp_path: Any) -> None:
    swim(None, 0.1).write(tmp_path, figures=False)
    assert "driven_by" not in (tmp_path / "scenario.yaml").read_text()
