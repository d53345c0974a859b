"""Gaits, laws and controllers of users may raise anything: it ends in a sentence with the
function's name and the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.base import Drive, Gait

ERRORS = (
    StopIteration(),
    MemoryError(),
    RecursionError("too deep"),
    SystemExit(3),
    ValueError("no more angles"),
    GeneratorExit(),
)
SWIMMER = ll.UniformChain(links=3)


def failing(error: BaseException, when: float, answer: Callable) -> Callable:
    def mine(t: Any, *rest: Any) -> Any:
        if np.min(t) >= when:
            raise error
        return answer(t, *rest)

    return mine


def wave(t: np.ndarray, s: np.ndarray) -> np.ndarray:
    return 0.1 * np.tanh(t[:, None]) ** 3 * np.sin(t[:, None] - s)


def drag(t: float, position: Any, axes: Any, velocity: np.ndarray, rate: Any) -> np.ndarray:
    return -velocity


def swim(duration: float = 6.0, gait: Any = None, environment: Any = None, **options: Any) -> ll.Result:
    return ll.simulate(
        SWIMMER,
        gait or ll.FunctionGait(function=wave),
        environment or ll.Water(),
        duration=duration,
        step=0.02,
        **options,
    )


ROLES: dict[str, Callable[[BaseException, float], Any]] = {
    "gait function": lambda error, when: swim(20.0, gait=ll.FunctionGait(function=failing(error, when, wave))),
    "force law": lambda error, when: swim(6.0, environment=ll.ForceLaw(law=failing(error, when, drag), points=1)),
    "controller": lambda error, when: swim(
        6.0, controller=failing(error, when, lambda t, seen: None), control_period=0.5
    ),
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_whatever_is_raised_becomes_a_sentence(role: str, error: BaseException) -> None:
    kind = type(error).__name__
    with pytest.raises(ll.InputError, match=f"{role} mine failed") as at_once:
        ROLES[role](error, -1.0)
    assert kind in str(at_once.value) and "t = 0 s" in str(at_once.value) and at_once.value.__cause__ is error
    if role == "force law" and error is not ERRORS[0]:
        # a law is slow: one kind of error later is enough
        return
    with pytest.raises(ll.SimulationError, match=f"{role} mine failed") as later:
        ROLES[role](error, 5.5)
    # a gait is asked for blocks of 5.12 s
    told, when = later.value, "t = 10.24" if role == "gait function" else "t = 5.5"
    assert kind in str(told) and when in str(told) and told.__cause__ is error
    assert told.result.dataset.sizes["time"] > 100 and told.result.status.startswith("failed: ")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (
            lambda: swim(gait=ll.FunctionGait(function=lambda t: t)),
            r"gait function <lambda> failed at t = 0 s .*called "
            r"as <lambda>\(t, s\)",
        ),
        (
            lambda: swim(controller=lambda t: None),
            r"controller <lambda> failed at t = 0 s .*called as <lambda>\(time, "
            r"observation\)",
        ),
        (
            lambda: swim(environment=ll.ForceLaw(law=lambda t, p: p)),
            "at t = 0 s the force law <lambda> failed with TypeError",
        ),
        (lambda: swim(controller=lambda t, seen: {1: 2.0}), "must name gait fields"),
        (lambda: ll.Terrain(function=lambda x: x), "height function <lambda> must take two arrays"),
        (
            lambda: ll.Terrain(function=failing(SystemExit(), -np.inf, wave)),
            "height function mine must take two arrays.*SystemExit",
        ),
    ],
)
def test_wrong_signatures_are_said(run: Callable, said: str) -> None:
    with pytest.raises(ll.InputError, match=said):
        run()


def test_ctrl_c_is_no_failure() -> None:
    assert swim(6.0, controller=failing(KeyboardInterrupt(), 5.5, lambda t, seen: None)).status == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        swim(gait=ll.FunctionGait(function=failing(KeyboardInterrupt(), -1.0, wave)))


def test_a_law_that_fails_once_at_its_first_call_is_not_overlooked() -> None:
    calls = []

    def moody(*arguments: Any) -> np.ndarray:
        calls.append(1)
        if len(calls) == 1:
            raise OSError("not yet")
        return np.zeros(3)

    with pytest.raises(ll.InputError, match="the force law moody failed with OSError: not yet"):
        swim(environment=ll.ForceLaw(law=moody))


def test_one_state_at_a_time_says_it_too() -> None:
    law = ll.ForceLaw(law=failing(StopIteration("dry"), -1.0, drag))
    for call in (
        lambda: ll.NewtonEuler(SWIMMER, law).inverse([0.0, 0.0], [0.0, 0.0], [0.0, 0.0]),
        lambda: ll.Geometric(ll.WangSnake(modules=2), law).solve(np.zeros(4), np.zeros(4)),
    ):
        with pytest.raises(ll.SimulationError, match="the force law mine failed with StopIteration: dry"):
            call()


def test_a_compiled_law_that_fails_leaves_no_old_answer() -> None:
    """An exception cannot leave compiled code: it must neither be printed nor leave the answer of the call before."""
    from limbless.environments.user_law import compiled_law

    def short_lived(buffer):
        if buffer[0] > 0.1:
            raise ValueError
        buffer[19], buffer[20], buffer[21] = -buffer[4], -buffer[5], -buffer[6]

    with pytest.raises(ll.SimulationError, match=r"diverged between t = 0\.1 s"):
        swim(0.3, environment=ll.ForceLaw(law=compiled_law(short_lived)))


class Stubborn(Gait):
    """A gait of a user's own class."""

    kind: Literal["stubborn-of-a-test"] = "stubborn-of-a-test"
    when: float = 0.0
    drives: ClassVar[str] = "joint"

    def sample(self, times: np.ndarray, stations: np.ndarray) -> Drive:
        if times[0] >= self.when:
            raise SystemExit("enough")
        none = np.zeros((len(times), len(stations)))
        return Drive(none, none, none)


def test_gaits_of_a_users_own_class_too() -> None:
    with pytest.raises(ll.InputError, match="gait Stubborn failed at t = 0 s with SystemExit: enough"):
        swim(gait=Stubborn())
    with pytest.raises(
        ll.SimulationError,
        match=r"gait Stubborn failed between t = 5.12 and 6 s with SystemExit: "
        r"enough",
    ):
        swim(gait=Stubborn(when=5.0))


def test_a_file_that_exits_is_said(tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text("raise SystemExit(4)")
    with pytest.raises(ll.InputError, match="could not be run: SystemExit: 4"):
        ll.Scenario.load(
            {"robot": {"preset": "uniform"}, "gait": {"kind": "function", "function": f"{tmp_path}/mine.py:wave"}},
            allow_code=True,
        )
