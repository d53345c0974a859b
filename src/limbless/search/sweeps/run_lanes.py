"""Up to eight robots of one make, side by side through time: chains and soft bodies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.mechanics.chain import AccelerationFeedback, BodyRecord, ChainDrive, PrescribedMotion
from limbless.mechanics.compiled import TANGENTS as LANES, clip_infinite, map_arrays, pack, stack_lanes
from limbless.mechanics.forces import (
    AtStation,
    BodyDragLaw,
    LawBands,
    MorisonLaw,
    SmoothFrictionLaw,
    TendonElement,
    WeightLaw,
)
from limbless.mechanics.integrate import (
    UNLIMITED,
    ObjectiveTotals,
    clear_objective_totals,
    dirk,
    new_objective_totals,
    runge_kutta,
)
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.models.chain.soft.soft_derivatives import has_kinks, is_plain
from limbless.models.chain.soft.soft_model import Soft
from limbless.scenarios.scenario import Scenario
from limbless.search.sweeps.lane_drive import Buffers, LaneDrive, aligned
from limbless.simulation.simulate import knots_between, recorded, stage_times

Knots = tuple[Array, NDArray[np.bool_]]
"""The knots of a run, and which of them are kept."""
BLOCK = 100
"""Steps of a block: the drive of eight robots then stays in the second-level cache."""


def knots_of(scenario: Scenario, model: Any = None) -> Knots:
    """The knots of a run, and which of them are kept; without its model, at least those that are kept."""
    end, gait = scenario.duration, scenario.gait
    switches = scenario.switches(0.0, end)
    own = [] if model is None else model.breakpoints(gait, 0.0, end)
    knots = knots_between(0.0, end, scenario.step, [*switches, *own])
    keep = recorded(knots, scenario.record_every, end)
    keep[0] = True
    return knots, keep


def waiting(runs: Sequence[Knots]) -> list[Knots]:
    """Runs with as many knots each from record to record: whoever has fewer comes to the
    next record and waits there.
    """
    marks = [np.unique([*np.flatnonzero(keep), len(keep) - 1]) for _, keep in runs]
    most = np.max([np.diff(mark) for mark in marks], axis=0)
    made = []
    for (knots, keep), mark in zip(runs, marks, strict=True):
        steps = [
            np.minimum(begin + np.arange(count), end)
            for begin, end, count in zip(mark[:-1], mark[1:], most, strict=True)
        ]
        rows = np.concatenate([*steps, mark[-1:]])
        kept = np.zeros(len(rows), dtype=bool)
        kept[np.concatenate([[0], np.cumsum(most)])] = keep[mark]
        made.append((knots[rows], kept))
    return made


class Lanes(ABC):
    """Robots that go side by side."""

    models: list[Any]
    least = 1
    """How many at least: fewer are done sooner one after the other."""

    def __init__(self, scenarios: Sequence[Scenario], models: Sequence[Any], buffers: Buffers | None = None) -> None:
        self.buffers, spare = {} if buffers is None else buffers, LANES - len(scenarios)
        self.scenarios, self.models = [*scenarios, *[scenarios[0]] * spare], [*models, *[models[0]] * spare]
        knots = waiting(
            [knots_of(scenario, model) for scenario, model in zip(self.scenarios, self.models, strict=True)]
        )
        self.keep = knots[0][1]
        self.knots = aligned(np.stack([times for times, _ in knots], axis=-1))

    def go(self, spare: Any = None) -> tuple[Array, ObjectiveTotals]:
        """States (records, numbers, 8) and sums (actuators, 8). `spare`: the `problem` of the same
        robots, which did other gaits.
        """
        x = self.start()
        kept: list[Array] = []
        problem, steps = spare, len(self.keep) - 1
        if spare is not None:
            clear_objective_totals(spare.memory.tally)
        self.ends: list[Array] = []  # bodies at the first and at the last record
        blocks = range(0, steps, BLOCK)
        room = max(int(self.keep[first : first + BLOCK + 1].sum()) for first in blocks)
        for first in blocks:
            knots, record = self.knots[first : first + BLOCK + 1], self.keep[first : first + BLOCK + 1].copy()
            record[-1] &= first + BLOCK >= steps
            problem = self.packed(problem, room, knots)
            if self._advance(problem, np.ascontiguousarray(knots), record, x):  # one robot stopped them all: alone
                x[:], problem.records.x[:] = np.nan, np.nan
            count = int(record.sum())
            kept.append(problem.records.x[:count].copy())
            if first == 0:
                self.ends.append(problem.records.bodies[0].copy())
        self.ends.append(problem.records.bodies[count - 1].copy())
        self.problem: Any = problem
        return np.concatenate(kept), self.problem.memory.tally

    def start(self) -> Array:
        """The first states (numbers, 8)."""
        return aligned(
            np.stack(
                [self._first(model, scenario) for model, scenario in zip(self.models, self.scenarios, strict=True)],
                axis=-1,
            )
        )

    def packed(self, before: Any, records: int, knots: Array) -> Any:
        """The problem of a block; the robots, and what is summed, go on from block to block."""
        drive = self._driven(aligned(stage_times(knots)))
        if before is not None and before.records.x.shape[0] == records:
            return before._replace(drive=drive)
        alike = len(set(map(id, self.models))) == 1
        made = self._beside([self._problem(model, records) for model in self.models[: 1 if alike else LANES]])
        tally = made.memory.tally if before is None else before.memory.tally
        return made._replace(drive=drive, memory=made.memory._replace(tally=tally))

    def _problem(self, model: Any, records: int) -> Any:
        score = new_objective_totals(np.minimum(self.limits(model), UNLIMITED), strained=False)
        return model.problem(model.still(), records, score, None)

    # What chains and soft bodies do each in their own way

    @classmethod
    @abstractmethod
    def fits(cls, model: Any) -> bool:
        """Whether robots of a model may go side by side."""

    @staticmethod
    def pace(model: Any, knots: Array, keep: NDArray[np.bool_]) -> Any:
        """What must be the same of the knots of robots side by side, where nothing depends on the time."""
        return len(knots), keep.tobytes()

    @staticmethod
    @abstractmethod
    def make(model: Any) -> tuple[Any, ...]:
        """What must be the same of robots side by side, but for their numbers (see `make_of`): tables,
        forces, options and more.
        """

    @staticmethod
    @abstractmethod
    def limits(model: Any) -> Array:
        """(actuators,) what they can give."""

    @staticmethod
    @abstractmethod
    def traits(model: Any) -> tuple[float, float]:
        """Mass (kg) and length (m) of a robot."""

    @staticmethod
    @abstractmethod
    def moved(model: Any, bodies: Any) -> Array:
        """Of the centre of mass (3,), from the first of two records of all bodies to the second."""

    @staticmethod
    @abstractmethod
    def named(model: Any, x: Array) -> dict[str, Array]:
        """States (times, numbers) by name."""

    @staticmethod
    def peak_of(model: Any) -> str:
        """What the largest effort of each actuator is called."""
        return "peak_torque"

    def _first(self, model: Any, scenario: Scenario) -> Array:
        return np.asarray(model.initial_state(scenario.initial, scenario.gait).x)

    def _beside(self, problems: Sequence[Any]) -> Any:
        return stack_lanes(problems)

    @abstractmethod
    def _driven(self, times: Array) -> Any:
        """The gaits of all robots at times (T, 8)."""

    def _advance(self, problem: Any, knots: Array, record: NDArray[np.bool_], x: Array) -> int:
        """A block. Returns what stopped it, or 0."""
        failed, _ = runge_kutta.advance_lanes(problem, knots, record, x)
        return int(failed)


class ChainLanes(Lanes):
    """Chains of `newton-euler`."""

    models: list[NewtonEuler]

    def __init__(self, scenarios: Sequence[Scenario], models: Sequence[Any], buffers: Buffers | None = None) -> None:
        super().__init__(scenarios, models, buffers)
        self.drive = LaneDrive(self.models, [scenario.gait for scenario in self.scenarios], self.buffers)

    @classmethod
    def fits(cls, model: Any) -> bool:
        return (
            isinstance(model, NewtonEuler)
            and model.explicit
            and not isinstance(model._options.actuation, AccelerationFeedback)
        )

    @staticmethod
    def make(model: NewtonEuler) -> tuple[Any, ...]:
        still = ChainDrive(*(np.zeros((1, model.chain.freedoms)) for _ in ChainDrive._fields))
        problem = model.problem(still, 0, None, None)
        return problem.robot, problem.forces, problem.options

    @staticmethod
    def limits(model: NewtonEuler) -> Array:
        return np.asarray(model.chain.arrays().torque_limit)

    @staticmethod
    def traits(model: NewtonEuler) -> tuple[float, float]:
        return model.chain.total_mass, float(model._recorder.length.sum())

    @staticmethod
    def moved(model: NewtonEuler, bodies: Any) -> Array:
        recorder = model._recorder
        R, origin = bodies.rotation[:, recorder.rows], bodies.origin[:, recorder.rows]
        first, last = recorder.centre(R.reshape(2, -1, 3, 3), origin)
        return np.asarray(last - first)

    @staticmethod
    def named(model: NewtonEuler, x: Array) -> dict[str, Array]:
        return {
            "base_position": x[:, :3],
            "base_orientation": x[:, 3:7],
            "base_twist": x[:, model._split :][:, :6],
            "joint_position": model._recorder.joint_position(x[:, model._joints]),
            "joint_velocity": x[:, model._rates],
        }

    def _driven(self, times: Array) -> ChainDrive:
        return self.drive(times)

    def _first(self, model: NewtonEuler, scenario: Scenario) -> Array:
        """That of the last run, where joints stand as the drive has them whatever the gait."""
        initial, first = model._desk.get("first", (None, None))
        if initial is not scenario.initial or not isinstance(model._options.actuation, PrescribedMotion):
            initial, first = scenario.initial, super()._first(model, scenario)
            model._desk["first"] = initial, first
        return first


class SoftLanes(Lanes):
    """Soft bodies. Steps may be implicit: each robot finds its own stages."""

    models: list[Soft]
    least = 3

    @classmethod
    def fits(cls, model: Any) -> bool:
        """Not with forces whose formulas ask for one number: a surface, a wake, a force at one point."""
        return (
            isinstance(model, Soft)
            and not has_kinks(model)
            and not is_plain(model)
            and all(
                isinstance(force, LawBands | TendonElement) or isinstance(getattr(force, "kind", None), WeightLaw)
                for force in model.forces
            )
        )

    @staticmethod
    def make(model: Soft) -> tuple[Any, ...]:
        problem = model.problem(model.still(), 0, None, None)
        return (problem.robot, problem.forces, problem.options, problem.memory.cells, model.settings.integrator)

    @staticmethod
    def limits(model: Soft) -> Array:
        return np.full(model.tendons or model.freedoms, np.inf)

    @staticmethod
    def traits(model: Soft) -> tuple[float, float]:
        return model.robot.total_mass, float(model.recorder.coordinates()["section_length"][1].sum())

    @staticmethod
    def moved(model: Soft, bodies: Any) -> Array:
        first, last = model.recorder.centre(bodies.rotation.reshape(2, -1, 3, 3), bodies.origin)
        return np.asarray(last - first)

    @staticmethod
    def named(model: Soft, x: Array) -> dict[str, Array]:
        q, velocity = model.recorder.motion(x)
        return {
            "base_position": x[:, :3],
            "base_orientation": x[:, 3:7],
            "base_twist": velocity[:, :6],
            **model.recorder.shape(q, velocity[:, 6:]),
        }

    @staticmethod
    def peak_of(model: Soft) -> str:
        return "peak_tension" if model.tendons else "peak_torque"

    @staticmethod
    def pace(model: Soft, knots: Array, keep: NDArray[np.bool_]) -> Any:
        """As many records; who has fewer knots in between waits. Not so soon that nothing is there to guess from."""
        first = int(np.flatnonzero(keep[1:])[0]) + 1 if keep[1:].any() else len(keep) - 1
        stages = 4 if model.steps is None else len(model.steps.method.b)
        return int(keep.sum()), bool(keep[-1]), first if first * stages < 2 else 0

    def start(self) -> Array:
        self._scratch = (
            None
            if self.models[0].steps is None
            else stack_lanes(
                [
                    dirk.scratch_for(steps.method, *steps.sizes, steps.tolerance)
                    for steps in (model.steps for model in self.models)
                    if steps is not None
                ]
            )
        )
        return super().start()

    def _beside(self, problems: Sequence[Any]) -> Any:
        return stack_lanes([clip_infinite(problem) for problem in problems])

    def _driven(self, times: Array) -> Any:
        found: dict[tuple[int, int], Any] = {}
        for lane, (model, scenario) in enumerate(zip(self.models, self.scenarios, strict=True)):
            if (id(model), id(scenario)) not in found:
                found[id(model), id(scenario)] = _drive_with_waits(model, scenario.gait, times[:, lane])
        return stack_lanes(
            [found[id(model), id(scenario)] for model, scenario in zip(self.models, self.scenarios, strict=True)]
        )

    def _advance(self, problem: Any, knots: Array, record: NDArray[np.bool_], x: Array) -> int:
        steps = self.models[0].steps
        if steps is None:
            return super()._advance(pack(problem), knots, record, x)
        failed, _ = dirk.advance_lanes(pack(problem), steps.method, self._scratch, knots, record, x)
        return int(failed)


def _drive_with_waits(model: Soft, gait: Any, times: Array) -> Any:
    """The drive at knots and middles of steps some of which have no length: gaits are asked where time goes on."""
    goes = np.diff(times[::2]) > 0.0
    own = np.concatenate([times[:1], np.stack([times[1::2], times[2::2]], axis=1)[goes].ravel()])
    drive = model.drive(gait, own)
    if goes.all():
        return drive
    before = np.concatenate([[0], np.cumsum(goes)])  # steps that go, up to each knot
    rows = np.append((4 * before[:-1, None] + goes[:, None] * np.arange(4)).ravel(), 4 * before[-1])
    return map_arrays(lambda part: np.ascontiguousarray(part[rows]), drive)


def kind_of(model: Any) -> type[Lanes] | None:
    """How robots of a model go side by side; None: they do not."""
    return next((kind for kind in (ChainLanes, SoftLanes) if kind.fits(model)), None)


def make_of(kind: type[Lanes], make: tuple[Any, ...]) -> tuple[Any, ...]:
    """What must be the same of robots that go side by side: kinds, codes and sizes."""

    def look(part: Any) -> Iterator[Any]:
        if isinstance(part, tuple):
            yield type(part).__name__
            for item in part:
                yield from look(item)
        elif isinstance(part, np.ndarray):
            yield part.shape, part.dtype.str, b"" if part.dtype == np.float64 else part.tobytes()
        else:
            yield part

    return kind, *look(make)


TIMELESS = (BodyDragLaw, MorisonLaw, SmoothFrictionLaw, WeightLaw, TendonElement)
"""What pushes alike at all times. Kernels have one time for all robots side by side, whose knots may differ."""


def is_timeless(make: tuple[Any, ...]) -> bool:
    """Whether all forces of a robot push alike at all times; `make` as kinds of lanes give it."""
    elements = [law for element in make[1] for law in (element.laws if isinstance(element, LawBands) else [element])]
    kinds = [getattr(element, "kind", element) for element in elements]
    return all(isinstance(kind.law if isinstance(kind, AtStation) else kind, TIMELESS) for kind in kinds)


def bodies_of(ends: Sequence[Array], lane: int) -> Any:
    """The first and the last record of all bodies of one robot."""
    return BodyRecord.of(np.ascontiguousarray(np.stack([end[..., lane] for end in ends])))
