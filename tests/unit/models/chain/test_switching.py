"""What switches on the way: a module that a clamp holds, and joints that are motion-given for a time, then
torque-driven, then motion-given again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import Switched
from limbless.control.gaits.serpenoid import Serpenoid
from limbless.environments.clamp import Clamp
from limbless.environments.wheels import Wheels
from limbless.models.chain.switching import close_clamp
from limbless.robots.presets.wang_snake import WangSnake

SNAKE = WangSnake()
PUSH = (0.02, -0.01, 0.03, 0.01)
PHASES = (
    {"start": 0.0, "drive": "motion"},
    {"start": 0.2, "drive": "torque", "torque": PUSH},
    {"start": 0.4, "drive": "pd"},
    {"start": 0.5, "drive": "motion"},
)


def switched(**fields: Any) -> Switched:
    return Switched(**{"phases": PHASES, "settle": 0.3, "stiffness": 2.0, "damping": 0.05, **fields})


def crawl(laws: Any, duration: float = 1.0, actuation: Any = None, **extra: Any) -> Any:
    return ll.simulate(
        SNAKE,
        Serpenoid(),
        laws,
        model="newton-euler",
        actuation=actuation or switched(),
        duration=duration,
        step=1e-3,
        **extra,
    )


# Clamps

IN_SPACE = WangSnake(modules=3, base="free", pitch_joints=(1,))
QUICK = Serpenoid(amplitude=0.3, frequency=5.0, phase_step=0.7, ramp=0.0)
DRAG = ll.Drag(along=1.0, lateral=6.0, vertical=6.0)


def held(robot: WangSnake, environment: Any, gait: Any = QUICK, model: str = "newton-euler", **options: Any) -> Any:
    return ll.simulate(robot, gait, environment, model=model, **{"duration": 4e-3, "step": 1e-3, **options})


@pytest.mark.parametrize(
    ("robot", "around"),
    [
        (IN_SPACE, DRAG),
        (WangSnake(modules=3), Wheels(law="regularised", slip_speed=0.02)),
        (WangSnake(modules=3), Wheels(law="set-valued")),
    ],
)
@pytest.mark.parametrize("actuation", ["motion", "pd"])
@pytest.mark.parametrize("module", [1, -1])
def test_a_clamped_module_stays_and_the_others_move(robot: WangSnake, around: Any, actuation: str, module: int) -> None:
    result = held(robot, (around, Clamp(module=module)), actuation=actuation)
    place, turn = result.dataset["position"].values, result.dataset["orientation"].values
    assert np.abs(place[:, module] - place[0, module]).max() < 1e-14
    assert np.abs(turn[:, module] - turn[0, module]).max() < 1e-14
    assert np.abs(place[-1, 0] - place[0, 0]).max() > 1e-6
    assert {balance.verdict for balance in result.balances()} == {"pass"}


@pytest.mark.parametrize("module", [0, 2, -1])
@pytest.mark.parametrize("joints_given", [True, False])
def test_the_impulse_of_a_clamp_is_that_of_the_geometric_equations(module: int, joints_given: bool) -> None:
    """One recursion and one dense metric, whose clamp is a row of its Jacobian: speeds after it, impulse, energy."""
    model, rng = ll.Geometric(SNAKE), np.random.default_rng(3)
    x, v = rng.uniform(-0.5, 0.5, 7), rng.normal(size=7)
    wanted = model.close_clamp(x, v, module, joints_given)
    peer = ll.NewtonEuler(SNAKE, (), ll.Motion() if joints_given else ll.Torque())
    c, s = np.cos(x[2]), np.sin(x[2])
    position = np.array([x[0], x[1], 0.0, np.cos(x[2] / 2), 0.0, 0.0, np.sin(x[2] / 2), *x[3:]])
    twist = np.array([c * v[0] + s * v[1], c * v[1] - s * v[0], 0.0, 0.0, 0.0, v[2]])
    found = close_clamp(peer._actuated, "planar", range(5)[module], position, twist, v[3:])
    after = wanted.speeds
    base = [c * after[0] + s * after[1], c * after[1] - s * after[0], after[2]]
    assert found.twist[[0, 1, 5]] == pytest.approx(base, abs=1e-12)
    assert found.rates == pytest.approx(after[3:], abs=1e-12)
    assert found.joint_impulse == pytest.approx(wanted.joint_impulse, abs=1e-12)
    assert (found.energy, found.motor_work) == pytest.approx((wanted.energy, wanted.motor_work), rel=1e-11)
    about_base = found.impulse[5] - x[0] * found.impulse[1] + x[1] * found.impulse[0]
    assert [*found.impulse[:2], about_base] == pytest.approx(wanted.impulse[[0, 1, 5]], abs=1e-12)


@pytest.mark.parametrize("module", [0, 2, -1])
@pytest.mark.parametrize("drive", ["motion", "torque"])
def test_a_clamped_run_has_the_forces_of_the_geometric_equations(module: int, drive: str) -> None:
    """Torques or accelerations of every record, and what the clamp carries, from the dense equations of that state."""
    wheels = Wheels(law="regularised", slip_speed=0.05)
    gait = QUICK
    if drive == "torque":
        gait = ll.FunctionGait(function=lambda t, s: np.tile(PUSH, (len(t), 1)), drives="torque")
    data = held(SNAKE, (wheels, Clamp(module=module)), gait, actuation=drive, duration=0.02).dataset
    model = ll.Geometric(SNAKE, wheels)
    for row in (3, 11, 20):
        turn = 2.0 * np.arctan2(data["base_orientation"].values[row, 3], data["base_orientation"].values[row, 0])
        place, twist = data["base_position"].values[row], data["base_twist"].values[row]
        c, s = np.cos(turn), np.sin(turn)
        x = np.array([*place[:2], turn, *data["joint_position"].values[row]])
        speeds = [c * twist[0] - s * twist[1], s * twist[0] + c * twist[1], twist[5]]
        v = np.array([*speeds, *data["joint_velocity"].values[row]])
        torque, change = data["joint_torque"].values[row], data["joint_acceleration"].values[row]
        word, known = ("locomotion", {"acceleration": change}) if drive == "motion" else ("torque-driven", {})
        found = model.solve(x, v, word, force=torque, clamp=module, **known)
        assert found.force[3:] == pytest.approx(torque, abs=1e-9)
        assert found.acceleration[3:] == pytest.approx(change, abs=1e-7)
        wrench = data["clamp_wrench"].values[row]
        pieces = SNAKE.build().segments()
        origin = model.forward_kinematics(x).position[module] - model.forward_kinematics(x).rotation[module] @ (
            0.5 * pieces[module].length * np.eye(3)[0]
        )
        moment = wrench[5] + np.cross(origin - place, wrench[:3])[2]
        assert [*wrench[:2], moment] == pytest.approx(found.clamp_reaction[[0, 1, 5]], abs=1e-9)


def test_smooth_and_contact_steps_hold_the_same_module() -> None:
    """Runge-Kutta and Moreau's rule on the same drag: nearer with the step, clamp's wrench and all."""
    laws, apart = (DRAG, Clamp(module=1)), []
    push = ll.FunctionGait(function=lambda t, s: np.tile((0.05, -0.04), (len(t), 1)), drives="torque")
    often: dict[str, Any] = {"actuation": "torque", "duration": 0.1, "record_every": 0.02}
    for step in (2e-3, 5e-4):
        runs = [
            held(IN_SPACE, laws, push, model, step=step, **often).dataset for model in ("newton-euler", "non-smooth")
        ]
        apart.append(np.abs(runs[0]["position"].values - runs[1]["position"].values).max())
    assert apart[1] < 0.3 * apart[0] and apart[1] < 1e-5
    force = [run["clamp_wrench"].values[-1] for run in runs]  # there at the record, here a mean over the step before
    assert force[0] == pytest.approx(force[1], abs=0.02 * np.abs(force[0]).max())


@pytest.mark.parametrize("law", ["regularised", "set-valued"])
def test_a_clamp_that_is_open_does_nothing(law: str) -> None:
    """The run is that without it, impulse and all."""
    wheels = Wheels(law=law, slip_speed=0.02)
    runs = [held(SNAKE, laws).dataset for laws in ((wheels, Clamp(active=((1.0, 2.0),))), (wheels,))]
    for name in ("base_position", "joint_torque", "impulse", "environment_work"):
        np.testing.assert_allclose(runs[0][name].values, runs[1][name].values, rtol=0, atol=1e-13)
    assert not runs[0]["clamp_wrench"].values.any()


def test_a_clamp_carries_the_weight_and_its_moment() -> None:
    """At rest and bent, held at the base: the force is the weight, the moment that of the weight about the base."""
    bent = ll.FunctionGait(function=lambda t, s: np.full((len(t), len(s)), 0.4), drives="joint")
    for model in ("newton-euler", "non-smooth"):
        data = held(IN_SPACE, (ll.Gravity(), Clamp(module=0)), bent, model).dataset.isel(time=-1)
        weight = np.array([0.0, 0.0, 9.81 * IN_SPACE.build().total_mass])
        assert data["clamp_wrench"].values[:3] == pytest.approx(weight, abs=1e-9)
        arm = data["com_position"].values - data["base_position"].values
        assert np.linalg.norm(arm[:2]) > 0.1
        assert data["clamp_wrench"].values[3:] == pytest.approx(np.cross(arm, weight), abs=1e-9)
        # the part between clamp and tip hangs on the first joint; nothing is left for the base
        assert np.abs(data["internal_wrench"].values[0]).max() < 1e-9


def test_some_joints_may_be_motion_given_in_contact_too() -> None:
    """Joint 1 of a feedback is imposed: it follows the gait to rounding, the others do not; all balances hold."""
    drives = {"kind": "pd", "stiffness": 2.0, "damping": 0.1, "motion_joints": (1,)}
    result = held(SNAKE, Wheels(), model="non-smooth", actuation=drives, duration=0.05)
    wanted = QUICK.sample(result.dataset["time"].values, np.arange(4.0)).value
    apart = np.abs(result.dataset["joint_position"].values - wanted).max(axis=0)
    assert apart[1] < 1e-15 and apart[[0, 2, 3]].min() > 1e-6
    assert {balance.verdict for balance in result.balances()} == {"pass"}


# Phases


@pytest.mark.parametrize("law", ["regularised", "set-valued"])
def test_every_phase_is_the_motion_it_says(law: str) -> None:
    """Before: imposed motion. Then the given torques. In the end the gait again, reached without
    a jump; all balances hold.
    """
    result = crawl(Wheels(law=law, slip_speed=0.02))
    data, plain = result.dataset, crawl(Wheels(law=law, slip_speed=0.02), actuation="motion").dataset
    assert np.array_equal(data["joint_position"].values[:200], plain["joint_position"].values[:200])
    late = 1 if law == "set-valued" else 0  # a record then holds the step that ended
    assert data["joint_torque"].values[200 + late : 400 + late] == pytest.approx(np.tile(PUSH, (200, 1)))
    assert np.abs(data["joint_position"].values[-1] - plain["joint_position"].values[-1]).max() < 1e-12
    assert np.abs(data["joint_position"].values[499] - plain["joint_position"].values[499]).max() > 1e-3
    rate = np.abs(np.diff(data["joint_position"].values, axis=0)) / 1e-3
    jumps = np.abs(np.diff(data["joint_velocity"].values, axis=0)).max(axis=1)
    assert rate.max() < 10.0 and (jumps[500] < 0.05 if law == "regularised" else jumps[500] < 0.2)
    assert all(balance["verdict"] == "pass" for balance in result.summary()["balances"].values())


def test_the_torque_driven_phase_is_that_of_a_run_of_its_own() -> None:
    """From the state at the switch on, a run under the same torques alone."""
    laws = (ll.Drag(along=1.0, lateral=8.0, vertical=8.0),)
    data = crawl(laws, 0.4).dataset
    at = {name: tuple(data[name].values[200]) for name in ("joint_position", "joint_velocity")}
    start = {
        "position": tuple(data["base_position"].values[200]),
        "orientation": tuple(data["base_orientation"].values[200]),
        "twist": tuple(data["base_twist"].values[200] * [1, 1, 0, 0, 0, 1]),
    }
    gait = ll.FunctionGait(function=lambda t, s: np.tile(PUSH, (len(t), 1)), drives="torque")
    peer = ll.simulate(
        SNAKE, gait, laws, model="newton-euler", actuation="torque", duration=0.2, step=1e-3, initial={**start, **at}
    ).dataset
    assert np.abs(peer["joint_position"].values[-1] - data["joint_position"].values[400]).max() < 1e-8
    assert np.abs(peer["base_position"].values[-1] - data["base_position"].values[400]).max() < 1e-8


def test_a_continued_run_is_the_whole_run() -> None:
    laws = (Wheels(), Clamp(active=((0.3, 0.7),)))
    whole, first = crawl(laws), crawl(laws, 0.6)
    rest = crawl(laws, 0.4, initial=first)
    for name in ("base_position", "joint_position", "joint_torque"):
        assert np.array_equal(rest.dataset[name].values, whole.dataset[name].values[600:])


def test_locomotion_manipulation_and_torque_driven_motion_in_one_run() -> None:
    """Crawl, clamp the tail, let the joints go limp: the clamp's energy is the recorded drop, and the tail stays."""
    phases = ({"start": 0.0, "drive": "motion"}, {"start": 0.3, "drive": "torque"})
    data = crawl((Wheels(), Clamp(active=((0.3, 1.0),))), 0.6, switched(phases=phases)).dataset
    energy = data["kinetic_energy"].values
    assert data["clamp_energy"].values[-1] > 0.0 and np.abs(data["joint_torque"].values[301:]).max() == 0.0
    assert np.abs(data["base_position"].values[301:] - data["base_position"].values[300]).max() < 1e-12
    # friction brings the limp snake to rest
    assert energy[-1] < 1e-3 * energy[299]


def test_a_controller_gives_what_a_gait_of_torques_gives() -> None:
    """Half of the torques from the gait and half from a controller are all of them from the gait;
    imposed joints take none.
    """

    def push(share: float, controller: Any = None) -> np.ndarray:
        gait = ll.FunctionGait(function=lambda t, s: np.tile(share * np.array(PUSH), (len(t), 1)), drives="torque")
        run = ll.simulate(
            SNAKE,
            gait,
            Wheels(law="regularised"),
            model="newton-euler",
            actuation="torque",
            duration=0.005,
            step=5e-4,
            controller=controller,
        )
        return run.dataset["joint_velocity"].values

    both = push(0.5, lambda t, _: 0.5 * np.array(PUSH))
    assert both == pytest.approx(push(1.0), abs=1e-13) and np.abs(both[-1]).min() > 1e-5
    with pytest.raises(ll.InputError, match="torques only to torque-given joints"):
        crawl((), 0.005, "motion", controller=lambda t, _: np.array(PUSH))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: switched(phases=()), "at least 1|phases"),
        (lambda: switched(phases=({"start": 1.0, "drive": "pd"},)), "at 0 s"),
        (lambda: switched(phases=(PHASES[0], PHASES[0])), "a later `start`"),
        (lambda: switched(phases=({"start": 0.0, "drive": "pd", "torque": PUSH},)), "drive 'torque'"),
        (lambda: switched(settle=0.0), "greater than 0|must be"),
        (
            lambda: crawl((), actuation=switched(phases=({"start": 0.0, "drive": "torque", "torque": (1.0,)},))),
            "torque must have 4 numbers",
        ),
        (
            lambda: held(SNAKE, (), model={"kind": "newton-euler", "integrator": "sdirk4"}, actuation=switched()),
            "integrator: 'sdirk4' knows no actuation 'switched'.*rk4",
        ),
        (
            lambda: held(SNAKE, Clamp(), model={"kind": "newton-euler", "inertia": False}),
            "without inertia knows no clamp",
        ),
        (lambda: held(SNAKE, (Clamp(), Clamp(module=-1))), "two clamps"),
        (lambda: held(WangSnake(base="fixed"), Clamp()), "fixed already"),
        (
            lambda: held(ll.KhalilEel(joints="spherical"), (), ll.BodyWave(), actuation=switched()),
            "one freedom each.*three revolute",
        ),
        (
            lambda: held(IN_SPACE, (ll.Water(surface=0.3), ll.Gravity(), Clamp())),
            "clamp: a clamp that closes where the surface",
        ),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()
