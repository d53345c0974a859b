"""The door to all runs: scenarios by name, robots from Python, tasks without time, runs that go on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limbless.control.actuation import Actuation
from limbless.control.controllers import AskedFunction, Controller
from limbless.control.controllers.base import ClosedLoop
from limbless.control.gaits.base import Gait
from limbless.core import InputError, SimulationError, knots_between, on_grid, recorded, stage_times
from limbless.environments.base import Environment
from limbless.models.base import Model, ModelSettings, State, StaticModel
from limbless.robots.base import Preset, Robot
from limbless.scenarios.plausibility import computable
from limbless.scenarios.scenario import Initial, Scenario
from limbless.simulation import checkpoints
from limbless.simulation.checkpoints import Checkpoints, Unfinished
from limbless.simulation.prefetch import asking
from limbless.simulation.result import Result
from limbless.simulation.time_loop import Progress, Run, run_clock

__all__ = [
    "Controller",
    "Progress",
    "knots_between",
    "on_grid",
    "recorded",
    "run",
    "run_scenario",
    "simulate",
    "stage_times",
]


def run(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    controller: Controller | None = None,
    progress: Progress | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: float = checkpoints.EVERY,
    resume: bool = False,
    allow_code: bool = False,
) -> Result:
    """Run a scenario by name, from a file, or from a mapping.

    Parameters
    ----------
    source : name of a built-in scenario, path of a `.yaml` file, mapping of fields, or a `Scenario`.
    changes : fields to change, by path: `{"gait.amplitude": 0.08}`.
    controller : a function that limbless calls once per control period; see `Controller`.
    progress : a function that limbless calls during the run; see `Progress`.
    checkpoint : folder for the state and records of a long run, written every `checkpoint_every` seconds of real time.
        `result.write(folder)` into the same folder removes them.
    resume : continue the unfinished run in that folder, bit for bit.
    allow_code : allow Python code that a file names to run. Otherwise limbless refuses such a file.

    Returns
    -------
    Result : recorded motion, summary and balances.

    Examples
    --------
    >>> result = ll.run("eel-planar", {"gait.amplitude": 0.08, "duration": 1.0})
    """
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    return run_scenario(
        scenario,
        controller=controller,
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=resume,
        told=False,
    )


def simulate(
    robot: Robot | Preset | str | Mapping[str, Any],
    gait: Gait | str | Mapping[str, Any] | None,
    environment: Environment | Sequence[Environment | str | Mapping[str, Any]] = (),
    model: ModelSettings | str | Mapping[str, Any] = "newton-euler",
    duration: float | str = 10.0,
    step: float | str = 0.01,
    initial: Initial | Mapping[str, Any] | Result | None = None,
    actuation: Actuation | str | Mapping[str, Any] = "motion",
    controller: Controller | ClosedLoop | Mapping[str, Any] | Sequence[ClosedLoop | Mapping[str, Any]] | None = None,
    control_period: float | str | None = None,
    record_every: float | str | None = None,
    name: str = "untitled",
    progress: Progress | None = None,
) -> Result:
    """Simulate a robot that follows a gait in an environment.

    The time loop takes fixed steps; a step also ends where the gait or an environment switches.

    Parameters
    ----------
    robot : the body to move, such as `ll.ModuleSnake(modules=16)`.
    gait : the motion that the robot is asked to make; None with a controller that has state.
    environment : everything that acts on the robot. Empty means free space without gravity.
    model : kind of a model, or its settings.
    duration : simulated time (s).
    step : integration step (s).
    initial : where the run starts (fields of `Initial`), or a result to continue from, bit for bit.
    actuation : `motion`, `torque`, `pd`, or a description with gains.
    controller : a function that limbless calls every `control_period` seconds (see `Controller`), or a controller with
        state, such as `Oscillators(...)`.
    control_period : time between two calls of the controller (s); the step if absent.
    record_every : time between two records (s), a multiple of the step; the step if absent.
    name : name of the run.
    progress : a function that limbless calls during the run; see `Progress`.

    Returns
    -------
    Result : recorded motion, summary and balances.

    Examples
    --------
    >>> result = ll.simulate(ll.UniformChain(links=5), ll.BodyWave(), ll.Water(), duration=1.0)
    """
    loop = controller if isinstance(controller, ClosedLoop | Mapping | list | tuple) else None
    scenario = Scenario(
        name=name,
        robot=robot,
        gait=gait,  # type: ignore[arg-type]  # None where a controller drives
        environment=(environment,) if isinstance(environment, Environment) else tuple(environment),
        model=model,
        duration=duration,
        step=step,
        record_every=record_every,  # type: ignore[arg-type]  # absent: every step
        actuation=actuation,
        control_period=control_period,
        controller=loop,  # type: ignore[arg-type]
        initial=Initial() if initial is None or isinstance(initial, Result) else initial,
    )
    return run_scenario(
        scenario,
        controller=controller if loop is None else None,  # type: ignore[arg-type]
        progress=progress,
        after=initial if isinstance(initial, Result) else None,
        told=False,
    )


def run_scenario(
    scenario: Scenario,
    *,
    controller: Controller | None = None,
    progress: Progress | None = None,
    after: Result | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_every: float = checkpoints.EVERY,
    resume: bool = False,
    told: bool = True,
) -> Result:
    """Run a scenario, continuing `after` an earlier result if one is given; the other arguments as for `run`. Unless
    its caller has `told` so, the first run of all says that it compiles.

    Raises
    ------
    SimulationError : the run could not go on; `error.result` holds what was computed.
    """
    if controller is not None:
        scenario = scenario.model_copy(update={"driven_by": AskedFunction(function=controller)})
    scenario.refuse_incomplete()
    unfinished = _unfinished(scenario, checkpoint, resume)
    if after is None and scenario.initial.result is not None and unfinished is None:
        after = Result.load(scenario.initial.result)
    with computable(scenario):
        model = scenario.assemble()
    if isinstance(model, StaticModel):
        if scenario.driven_by is not None or after is not None:
            raise InputError("statics has no time: it takes no controller and continues no earlier result")
        return _solved(scenario, model, progress)
    if scenario.robot.build().total_mass <= 0.0:
        raise InputError(
            "robot: it has no mass at all, and nothing without mass is moved by forces; give its links "
            "solids with a density"
        )
    with asking(scenario.gait, "at t = 0 s"), computable(scenario):
        state = (
            model.initial_state(scenario.initial, scenario.gait)
            if after is None
            else _last_state(after, model, scenario)
        )
    keeper = None if checkpoint is None else Checkpoints(checkpoint, scenario, checkpoint_every)
    return Run(scenario, model, state, progress, keeper, unfinished, told).go()


def _unfinished(scenario: Scenario, checkpoint: str | Path | None, resume: bool) -> Unfinished | None:
    """What a run that is to be resumed has left."""
    if checkpoint is None:
        if resume:
            raise InputError("resume: name the folder of the unfinished run as `checkpoint`")
        return None
    if scenario.driven_by is not None:
        raise InputError(
            "checkpoint: a run with a controller cannot be resumed, because what the controller remembers is not "
            "known; save its result from time to time and continue with `simulate(initial=result)`"
        )
    return checkpoints.read(checkpoint, scenario) if resume else None


def _solved(scenario: Scenario, model: StaticModel, progress: Progress | None) -> Result:
    """The result of a task; a failure or an interruption keeps what was found before it."""
    began = run_clock()
    tell = (lambda share: None) if progress is None else lambda share: progress(share, share * scenario.duration, 0.0)
    with computable(scenario):
        records, status = model.solve(str(scenario.task), scenario.gait, scenario.initial, tell)
    interrupted = isinstance(status.cause, KeyboardInterrupt)
    told = "interrupted" if interrupted else f"failed: {status.failure}" if status.failure else "completed"
    result = Result.from_records([records], model, scenario, told, None, run_clock() - began)
    if status.failure and not interrupted:
        raise SimulationError(status.failure, None, status.place, result) from status.cause
    return result


def _last_state(after: Result, model: Model, scenario: Scenario) -> State:
    if after.state is None:
        raise InputError("the result to continue from does not hold its final state")
    refuse_foreign(after.state, model.initial_state(scenario.initial, scenario.gait), "the result to continue from")
    return after.state


def refuse_foreign(state: State, fresh: State, what: str) -> None:
    """Refuse a state that is not one of the robot, model and controller that begin with the state `fresh`."""
    if state.x.shape != fresh.x.shape:
        raise InputError(
            f"{what} belongs to another robot or model: its state has {state.x.size} numbers, this one {fresh.x.size}"
        )
    theirs, ours = (_controlled_numbers(one) for one in (state, fresh))
    if theirs != ours:
        raise InputError(
            f"{what} was run by another controller or motor (numbers: {_some(theirs)}); this one has {_some(ours)}"
        )


def _controlled_numbers(state: State) -> list[str]:
    """What the numbers of a state's controller are."""
    return np.asarray(state.memory.get("controller", [])).astype(np.uint8).tobytes().decode().splitlines()


def _some(names: list[str]) -> str:
    return f"{len(names)}, the first of them {names[0]!r}" if names else "none"
