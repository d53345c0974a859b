"""A run whose joints are motion-given for a time, then torque-driven, then motion-given again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import Switched
from limbless.control.gaits.serpenoid import Serpenoid
from limbless.environments.clamp import Clamp
from limbless.environments.wheels import Wheels
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
        model="geometric",
        actuation=actuation or switched(),
        duration=duration,
        step=1e-3,
        **extra,
    )


@pytest.mark.parametrize("law", ["regularised", "set-valued"])
def test_every_phase_is_the_motion_it_says(law: str) -> None:
    """Before: imposed motion. Then the given torques. In the end the gait again, reached without
    a jump; all balances hold.
    """
    result = crawl(Wheels(law=law, slip_speed=0.02))
    data, plain = result.dataset, crawl(Wheels(law=law, slip_speed=0.02), actuation="motion").dataset
    assert np.array_equal(data["joint_position"].values[:200], plain["joint_position"].values[:200])
    assert data["joint_torque"].values[200:400] == pytest.approx(np.tile(PUSH, (200, 1)))
    assert np.abs(data["joint_position"].values[-1] - plain["joint_position"].values[-1]).max() < 1e-12
    assert np.abs(data["joint_position"].values[499] - plain["joint_position"].values[499]).max() > 1e-3
    rate = np.abs(np.diff(data["joint_position"].values, axis=0)) / 1e-3
    jumps = np.abs(np.diff(data["joint_velocity"].values, axis=0)).max(axis=1)
    assert rate.max() < 10.0 and (jumps[500] < 0.05 if law == "regularised" else jumps[500] < 0.2)
    assert all(balance["verdict"] == "pass" for balance in result.summary()["balances"].values())


def test_the_torque_driven_phase_is_that_of_newton_euler() -> None:
    """From the state at the switch on, the other model under the same torques."""
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
    assert data["clamp_energy"].values[-1] > 0.0 and np.abs(data["joint_torque"].values[300:]).max() == 0.0
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
            model="geometric",
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
            lambda: ll.simulate(SNAKE, Serpenoid(), (), model="newton-euler", actuation=switched(), duration=0.1),
            "geometric",
        ),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()
