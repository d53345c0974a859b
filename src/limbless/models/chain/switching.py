"""What changes in the course of a run: clamps that close and open, and phases of the actuation (paper 003: crawl, then
clamp, then reach).

A run is cut into stretches of steps in which nothing changes. Between them a clamp that closes stops its module by an
impulse, and joints pass from one drive to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation import Actuation, ProportionalDerivative, Switched
from limbless.core import Array, InputError, SimulationError
from limbless.environments import Clamp, Environment
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.mechanics.chain import BASES, BaseRecord, Body, ChainDrive, ChainTables, HeldBody, IntegralSums
from limbless.mechanics.integrate.running_totals import RunTotals
from limbless.models import Records, StandingModel, State, Status, choose
from limbless.models.chain.chain_evaluation import ChainEvaluator
from limbless.models.chain.chain_problem import given_freedoms
from limbless.robots.chain import Chain

if TYPE_CHECKING:
    from limbless.models.chain.chain_model import ChainModel

CLAMP_SCHEMA = choose("clamp_wrench", "clamp_impulse", "clamp_energy")
_CLAMP = "clamp"
_OPEN = np.array([-1.0, -1.0, *np.zeros(3), 1.0, *np.zeros(9)])
"""In the memory of a state: number of the clamp that is closed, row of its body, seat (7), its wrench (6)."""


@dataclass(frozen=True)
class ClampImpulse:
    """A clamp that closes on a moving module.

    Attributes
    ----------
    seat : (7,) where the module is: position and quaternion.
    twist, rates : of the base (6, in its own frame) and of the joints after it.
    impulse : (6,) of the clamp, about the world's origin (N s, N m s).
    joint_impulse : (joints,) of the motors that keep the motion-given joints as they are (N m s).
    clamp_work, motor_work : what the two do, J; the kinetic energy that is lost is minus their sum.
    """

    seat: Array
    twist: Array
    rates: Array
    impulse: Array
    joint_impulse: Array
    clamp_work: float
    motor_work: float

    @property
    def energy(self) -> float:
        return -(self.clamp_work + self.motor_work)


def held_body(base: str) -> HeldBody:
    """Memory of a clamp, open, on a chain with such a base."""
    body = np.array([-1, 3 if base == "planar" else 6], dtype=np.int64)
    return HeldBody(body, np.zeros(7), np.zeros(6), np.zeros(6), np.zeros(6), np.zeros((6, 6)), np.zeros((6, 7)))


def restore_clamp(clamp: HeldBody | None, memory: Mapping[str, Array]) -> None:
    """The clamp as it is kept in the memory of a state."""
    if clamp is not None:
        kept = memory.get(_CLAMP, _OPEN)
        clamp.body[0], clamp.seat[:], clamp.hold[:] = int(kept[1]), kept[2:9], kept[9:]


def remembered_clamp(clamp: HeldBody | None, memory: Mapping[str, Array]) -> dict[str, Array]:
    """The way back: what a run leaves of a clamp that the memory of its state has."""
    if clamp is None or _CLAMP not in memory:
        return {}
    return {_CLAMP: np.concatenate([memory[_CLAMP][:9], clamp.hold])}


def clamp_variables(records: Mapping[str, Array]) -> dict[str, Array]:
    """What is recorded of clamps: forces of the instant, or means over the step that ended."""
    wrench = records["clamp_wrench"] if "clamp_wrench" in records else BaseRecord.of(records["base"]).clamp
    return {"clamp_wrench": wrench, "clamp_impulse": records["clamp_impulse"], "clamp_energy": records["clamp_energy"]}


def close_clamp(robot: ChainTables, base: str, row: int, position: Array, twist: Array, rates: Array) -> ClampImpulse:
    """The impulse that stops body `row` of a chain: motion-given joints keep their speeds, all others jump."""
    clamp = held_body(base)
    now = ChainEvaluator(robot, getattr(BASES, base), (), clamp)
    now.position[:], now.velocity[:6], now.velocity[6:] = position, twist, rates
    now()
    body = Body.of(now.bodies)
    V, origin = body.velocity[row].copy(), body.origin[row].copy()
    clamp.body[0], clamp.target[:] = row, -V
    now.velocity[:], now.acceleration[:], now.torque[:] = 0.0, 0.0, 0.0
    now()
    if not np.isfinite(now.acceleration).all() or not np.abs(body.delta[row] - clamp.target).max() <= 1e-9 * (
        1.0 + np.abs(V).max()
    ):
        raise SimulationError(
            "the clamp cannot be closed: the motion-given joints leave the base no way to follow; release a joint or "
            "the base"
        )
    motors, after = np.where(given_freedoms(robot), now.torque, 0.0), rates + now.acceleration[6:]
    impulse = np.concatenate([clamp.hold[:3], clamp.hold[3:] + np.cross(origin, clamp.hold[:3])])
    return ClampImpulse(
        np.concatenate([origin, matrix_to_quaternion(body.rotation[row].reshape(3, 3))]),
        twist + now.acceleration[:6],
        after,
        impulse,
        motors,
        float(0.5 * clamp.hold @ V),
        float(motors @ (0.5 * (rates + after))),
    )


# --------------------------------------------------------------------------------------------------- phases of a drive


def phase_actuations(actuation: Actuation, joints: int) -> list[tuple[float, Actuation, Array]]:
    """Start, actuation and constant torques of each phase; one phase, unless the actuation switches.

    All are feedback, of motion-given joints or without gains where need be, so that one kernel serves them all.
    """
    if not isinstance(actuation, Switched):
        return [(-np.inf, actuation, np.zeros(joints))]
    fields = [name for name in ProportionalDerivative.model_fields if name != "kind"]
    own = {name: getattr(actuation, name) for name in actuation.given(*fields)}
    none = {name: value for name, value in own.items() if name in ("saturation", "motion_joints")}
    none |= {"stiffness": 0.0, "damping": 0.0}
    kinds = {"motion": none | {"motion_joints": tuple(range(joints))}, "pd": own, "torque": none}
    found: list[tuple[float, Actuation, Array]] = []
    for number, phase in enumerate(actuation.phases):
        torque = np.zeros(joints) if phase.torque is None else np.array(phase.torque)
        if len(torque) != joints:
            raise InputError(
                f"actuation.phases[{number}].torque must have {joints} numbers, one per joint; got {len(torque)} "
                "(did the number of modules change?)"
            )
        start = phase.start if number else -np.inf
        found.append((start, ProportionalDerivative(**kinds[phase.drive]), torque))
    return found


def handed_over(piece: ChainDrive, times: Array, start: float, offset: Array, rate: Array, settle: float) -> ChainDrive:
    """The drive with a correction that begins at `start` with this offset and rate and is gone, smoothly, `settle`
    seconds later.
    """
    s = np.clip((times - start) / settle, 0.0, 1.0)[:, None]
    value = (1 - 10 * s**3 + 15 * s**4 - 6 * s**5, s - 6 * s**3 + 8 * s**4 - 3 * s**5)
    slope = (-30 * s**2 + 60 * s**3 - 30 * s**4, 1 - 18 * s**2 + 32 * s**3 - 15 * s**4)
    bend = (-60 * s + 180 * s**2 - 120 * s**3, -36 * s + 96 * s**2 - 60 * s**3)
    a, b = offset, settle * rate
    return piece._replace(
        position=piece.position + value[0] * a + value[1] * b,
        velocity=piece.velocity + (slope[0] * a + slope[1] * b) / settle,
        acceleration=piece.acceleration + (bend[0] * a + bend[1] * b) / settle**2,
    )


def rows_of(drive: ChainDrive, first: int, last: int) -> ChainDrive:
    """The rows of a stretch; what is held has one row for all."""
    return ChainDrive(*(part if len(part) == 1 else part[first:last] for part in drive))


def refuse_clamps(clamps: list[Clamp], environment: list[Environment], chain: Chain) -> None:
    """Clamps that no run can hold."""
    windows = sorted(window for clamp in clamps for window in clamp.windows())
    for (_, end), (start, _) in pairwise(windows):
        if start < end:
            when = "from the start on" if np.isinf(start) else f"at {start:g} s"
            raise InputError(
                f"clamp: two clamps are closed {when}; a run holds one module at a time, since with "
                "two of them motion-given joints have no way to move: give them `active` windows that "
                "do not overlap (for one instant with force-given joints: `Geometric.solve`)"
            )
    if clamps and chain.base not in ("planar", "free"):
        raise InputError(
            f"clamp: the base is {chain.base} already; give the robot `base: planar` or `base: free` to clamp a module"
        )
    if clamps and any(getattr(item, "has_surface", False) for item in environment):
        raise InputError(
            "clamp: a clamp that closes where the surface of the water cuts the body is not known; leave "
            "water.surface out, or set robot.base to fixed"
        )


# ----------------------------------------------------------------------------------------------------- through time


class Switching:
    """The clamps and phases of a model's run.

    Attributes
    ----------
    models : the model under the actuation of each phase.
    """

    def __init__(self, model: ChainModel, clamps: list[Clamp]) -> None:
        self.model, self.clamps, n = model, clamps, model.chain.freedoms
        self.rows = [clamp.row(model.chain) for clamp in clamps]
        if isinstance(model.actuation, Switched) and model._recorder.positions != n:
            raise InputError(
                "actuation 'switched' takes joints of one freedom each: describe spherical joints as three revolute "
                "ones (khalil-eel: `joints: revolute`)"
            )
        phases = phase_actuations(model.actuation, n)
        self._starts, self._torques = [start for start, _, _ in phases], [torque for _, _, torque in phases]
        self.models: list[Any] = [
            model if actuation is model.actuation else model.under(actuation) for _, actuation, _ in phases
        ]
        self._given = [phase.given_joints() for phase in self.models]

    @property
    def decides_all(self) -> bool:
        """Whether a clamp and imposed joints decide the motion from the start to the end."""
        return all(given.all() for given in self._given) and any(clamp.active is None for clamp in self.clamps)

    def stretches(self, knots: Array) -> Iterator[tuple[int, int, int, int]]:
        """First and last knot of each stretch of steps with the same clamp closed in the same phase, and their numbers
        (-1: no clamp).
        """
        middles = 0.5 * (knots[:-1] + knots[1:])
        closed = np.full(len(middles), -1)
        for number, clamp in enumerate(self.clamps):
            for start, end in clamp.windows():
                closed[(start <= middles) & (middles <= end)] = number
        phase = np.searchsorted(self._starts, middles, side="right") - 1
        edges = [0, *(np.flatnonzero(np.diff(closed) | np.diff(phase)) + 1), len(middles)]
        for first, last in pairwise(edges):
            yield int(first), int(last), int(closed[first]), int(phase[first])

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], drive: ChainDrive
    ) -> tuple[State, Records, Status]:
        """Steps from knot to knot, stretch by stretch."""
        parts: list[Records] = []
        status = Status()
        for first, last, closed, phase in self.stretches(knots) if len(knots) > 1 else [(0, 0, -1, 0)]:
            model, here = self.models[phase], knots[first : last + 1]
            state = self._switch(state, closed, model)
            local = record[first : last + 1].copy()
            local[-1] &= last == len(knots) - 1
            piece, state = self._driven(state, rows_of(drive, 2 * first, 2 * last + 1), here, phase)
            state, records, status = StandingModel.advance(model, state, here, local, piece)
            if self.clamps:
                impacts = np.tile(state.memory.get("impacts", np.zeros(7)), (len(records["time"]), 1))
                records = Records({**records, "clamp_impulse": impacts[:, :6], "clamp_energy": impacts[:, 6]})
            parts.append(records)
            if status.failure:
                break
        return state, Records({name: np.concatenate([part[name] for part in parts]) for name in parts[0]}), status

    def _driven(self, state: State, piece: ChainDrive, knots: Array, number: int) -> tuple[ChainDrive, State]:
        """The drive of a stretch in its phase: constant torques, and a way back to the gait
        from where the joints are.
        """
        if len(self.models) == 1:
            return piece, state
        model, n, x = self.model, self.model.chain.freedoms, state.x
        before = int(state.memory.get("phase", np.zeros(1))[0])
        handover = state.memory.get("handover", np.zeros(1 + 2 * n))
        if number != before:
            returns = self._given[number] & ~self._given[before]
            gap = np.concatenate([x[model._joints] - piece.position[0], x[model._rates] - piece.velocity[0]])
            handover = np.concatenate([knots[:1], np.tile(returns, 2) * gap])
        memory = {**state.memory, "phase": np.array([float(number)]), "handover": handover}
        piece = piece._replace(torque=piece.torque + self._torques[number])
        start, offset, rate = handover[0], handover[1 : 1 + n], handover[1 + n :]
        if offset.any() or rate.any():
            times = np.sort(np.concatenate([knots, 0.5 * (knots[:-1] + knots[1:])]))
            settle: float = model.actuation.settle  # type: ignore[attr-defined]
            piece = handed_over(piece, times, float(start), offset, rate, settle)
        return piece, State(state.time, x, memory)

    def _switch(self, state: State, closed: int, phase: ChainModel) -> State:
        """Open or close a clamp: closing stops the module by an impulse and keeps where it is."""
        model, before = self.model, state.memory.get(_CLAMP, _OPEN)
        if closed == int(before[0]):
            return state
        if closed < 0:
            return State(state.time, state.x, {**state.memory, _CLAMP: _OPEN.copy()})
        x, row, split = state.x.copy(), self.rows[closed], model._split
        impact = close_clamp(phase._actuated, model.chain.base, row, x[:split], x[split : split + 6], x[model._rates])
        x[split : split + 6], x[model._rates] = impact.twist, impact.rates
        model.after_jump(state.x, x)
        sums = IntegralSums.of(x[None, model._rates.stop : model._rates.stop + IntegralSums.width])
        sums.actuators += impact.motor_work
        sums.environment += impact.clamp_work
        sums.impulse += impact.impulse
        memory, tally = dict(state.memory), model._tallies.start(state.memory, state.time)
        works = impact.joint_impulse * impact.rates  # of motors that keep their joints moving
        tally.work[:] += works
        tally.positive[:] += np.maximum(works, 0.0)
        RunTotals.of(tally.whole).exchanged[:] += abs(impact.motor_work) + abs(impact.clamp_work)
        memory |= model._tallies.named(tally)
        memory[_CLAMP] = np.concatenate([[closed, row], impact.seat, np.zeros(6)])
        memory["impacts"] = memory.get("impacts", np.zeros(7)) + np.array([*impact.impulse, impact.energy])
        return State(state.time, x, memory)
