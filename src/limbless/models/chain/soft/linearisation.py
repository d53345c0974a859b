"""What questions about one state of a soft body return: accelerations; and small motions about it, with their
frequencies, damping ratios and modes, by differences of its dynamics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.core import Array, InputError
from limbless.mechanics.algebra import Quaternion, quaternion_product, rotate, rotation_vector_to_quaternion
from limbless.mechanics.chain import COMMANDS, AxisRecord, BaseRecord, Body, ChainProblem, TendonState
from limbless.mechanics.compiled import kernel_array, pack
from limbless.mechanics.integrate import runge_kutta
from limbless.models import (
    RUNGE_KUTTA,
    State,
    StepLimit,
    refuse_law_failure,
)
from limbless.models.chain.soft import cell_tables
from limbless.models.chain.soft.soft_body import SoftBody

if TYPE_CHECKING:
    from limbless.control.gaits.base import Gait
    from limbless.models.chain.soft.soft_model import Soft

MOVES = {"free": range(6), "planar": (0, 1, 5), "line": (0,), "pinned": (3, 4, 5), "fixed": ()}
"""Components of the base's motion that each base leaves."""
_STEP = 1e-5
_TRIED = 1e-4  # of the coordinates: how far a shape is tried to find out how large it is
_TAUT = 1.0 - 1e-6  # of its length: a tendon that begins to pull
_ROUNDS = 12  # of power iterations
_STILL = 1e-6  # of the largest eigenvalue: a rigid motion


@dataclass(frozen=True)
class SoftSolution:
    """Accelerations of one instant.

    Attributes
    ----------
    base_acceleration : (6,) rate of the components of the base's twist, base axes.
    strain_acceleration : (freedoms,) of every freedom.
    effort : (freedoms,) what the actuators give along every freedom: tendons and muscles, or what a given motion takes.
    base_reaction : (6,) wrench that holds the base, about its origin, world axes.
    origin : (cells + 1, 3) where every cell ends, the base first, world, m.
    rotation : (cells + 1, 3, 3) the axes there in columns, world.
    """

    base_acceleration: Array
    strain_acceleration: Array
    effort: Array
    base_reaction: Array
    origin: Array
    rotation: Array


@dataclass(frozen=True)
class Modes:
    """Small motions about a state: x(t) = Re(mode exp(λ t)).

    Attributes
    ----------
    frequency : (modes,) circular frequency |λ|, rad/s, from the lowest; rigid motions have 0.
    damping_ratio : (modes,) -Re λ / |λ|; 0 for an undamped mode, 1 for one that creeps.
    shape : (modes, coordinates) complex: base translation (3) and rotation (3) where it can move, base axes, then all
        free freedoms.
    eigenvalue : (modes,) λ.
    """

    frequency: Array
    damping_ratio: Array
    shape: NDArray[np.complex128]
    eigenvalue: NDArray[np.complex128]


def displaced(x: Array, split: int, base: list[int], free: NDArray[np.int64], direction: Array, rates: bool) -> Array:
    """A flat state moved along a direction of (base, free freedoms), in its positions or in its velocities."""
    moved = x.copy()
    part = np.zeros(6)
    part[base] = direction[: len(base)]
    if rates:
        moved[split : split + 6] += part
        moved[split + 6 + free] += direction[len(base) :]
        return moved
    moved[:3] += rotate(x[3:7], part[:3])
    turn = Quaternion(*rotation_vector_to_quaternion(part[3:]))
    moved[3:7] = quaternion_product(Quaternion(*x[3:7]), turn)
    moved[7 + free] += direction[len(base) :]
    return moved


def modes_about(
    x: Array,
    split: int,
    held: list[int],
    free: NDArray[np.int64],
    scale: Array,
    accelerations: Callable[[Array], Array],
) -> Modes:
    """Modes of ẍ = f(x, ẋ) about a state, by central differences along components of the base's motion and free
    freedoms; `scale` is the size of each coordinate.
    """
    n = len(held) + len(free)
    slopes = []
    for rates in (False, True):
        columns = []
        for k in range(n):
            step = _STEP * scale[k] * (np.arange(n) == k)
            more, less = (accelerations(displaced(x, split, held, free, sign * step, rates)) for sign in (1.0, -1.0))
            columns.append((more - less) / (2.0 * _STEP * scale[k]))
        slopes.append(np.array(columns).T.reshape(n, n))
    A = np.block([[_carried(x[split : split + 6], held, n), np.eye(n)], [slopes[0], slopes[1]]])
    values, vectors = np.linalg.eig(A)
    kept = values.imag >= 0.0
    values, vectors = values[kept], vectors[:n, kept]
    size = np.abs(values)
    size[size < _STILL * size.max(initial=0.0)] = 0.0
    order = np.argsort(size, kind="stable")
    ratio = np.divide(-values.real, size, out=np.zeros(len(size)), where=size > 0.0)
    return Modes(size[order], ratio[order], vectors[:, order].T, values[order])


def _carried(twist: Array, held: list[int], n: int) -> Array:
    """(n, n): rate of a displacement of the base, along its own axes, while these go on with their twist (v, w): -w x a
    - v x b of its translation a, -w x b of its rotation b.
    """
    v, w = (np.cross(np.eye(3), part).T for part in (-twist[:3], -twist[3:]))
    found = np.zeros((n, n))
    whole = -np.block([[w, v], [np.zeros((3, 3)), w]])
    found[: len(held), : len(held)] = whole[np.ix_(held, held)]
    return found


def fastest_rate(
    x: Array,
    split: int,
    held: list[int],
    free: NDArray[np.int64],
    scale: Array,
    accelerations: Callable[[Array], Array],
) -> float:
    """About the largest |λ| of ẍ = f(x, ẋ), 1/s: a frequency, or the rate of a damper; by power iterations."""
    n = len(held) + len(free)
    found = [0.0]
    for rates in (False, True):
        way = scale * np.where(np.arange(n) % 2, -1.0, 1.0)  # neighbours against each other: a high mode
        for _ in range(_ROUNDS if n else 0):
            step = _STEP * way / np.abs(way / scale).max()
            more, less = (accelerations(displaced(x, split, held, free, sign * step, rates)) for sign in (1.0, -1.0))
            answer = 0.5 * (more - less)
            size = float(np.linalg.norm(answer / scale) / np.linalg.norm(step / scale))
            way = answer if size > 0.0 else way
        if n:
            found.append(size if rates else float(np.sqrt(size)))
    return max(found)


class SoftInstants(SoftBody):
    """What a soft body does at one state: the part of `Soft` that asks no time loop."""

    def instant(
        self,
        x: ArrayLike,
        tension: ArrayLike = 0.0,
        time: float = 0.0,
        *,
        length: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> ChainProblem:
        """The problem evaluated at a flat state (`flat`), with these tensions, unstretched lengths or torques."""
        if self._one is None:
            alone = self.problem(self.still(), 1, None, None)
            self._one = alone, pack(alone)
        problem, packed = self._one
        drive: Any = problem.drive
        command = length if length is not None else tension if torque is None else torque
        how = COMMANDS.length if length is not None else COMMANDS.tension if torque is None else COMMANDS.torque
        if how != COMMANDS.tension and not (self.strung.elastic and (self.strung.winds or how == COMMANDS.length)):
            raise InputError("length and torque: the tendons need a stiffness, and for torques a winch")
        if self.strung.elastic:
            problem.memory.cells.ropes.how[0] = how
        drive.command[:] = command
        state = kernel_array(np.array(x, dtype=np.float64))
        if state.shape != (self._size,):
            raise InputError(f"x: a flat state of this body has {self._size} numbers (`flat`); got {state.shape}")
        drive.position[:] = state[7 + self._given]
        drive.velocity[:] = state[self._split + 6 + self._given]
        runge_kutta.advance(packed, np.array([time]), np.ones(1, dtype=bool), state)
        refuse_law_failure(self.asked)
        self.lawful.refuse()
        return problem

    def still(self) -> cell_tables.SoftDrive:
        """A drive of one row that gives nothing."""
        given = [np.zeros((1, len(self._given))) for _ in range(3)]
        return cell_tables.SoftDrive(
            given[0],
            given[1],
            given[2],
            np.zeros((1, 0 if self.tendons else self.freedoms)),
            np.zeros((1, self.tendons)),
            np.zeros((1, self.tendons)),
        )

    def flat(
        self,
        strain: ArrayLike = 0.0,
        strain_rate: ArrayLike = 0.0,
        base_twist: ArrayLike = (0.0,) * 6,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        winch_angle: ArrayLike = 0.0,
        winch_rate: ArrayLike = 0.0,
    ) -> Array:
        """A flat state: base pose, freedoms (bends in rad, cell by cell), base twist, their rates, and winches."""
        x, n = np.zeros(self._size), self.freedoms
        x[:3], x[3:7] = base_position, base_orientation
        x[7 : 7 + n], x[self._split : self._split + 6] = strain, base_twist
        x[self._split + 6 : self._split + 6 + n] = strain_rate
        angle, rate = self._winch_columns
        x[angle], x[rate] = winch_angle, winch_rate
        return x

    @property
    def _winch_columns(self) -> tuple[slice, slice]:
        """Where a state has the angles and the rates of the winches."""
        first, m = self._split + 6 + self.freedoms, self.strung.winches
        first += 0 if self._loop is None else self._loop.count
        return slice(first, first + m), slice(first + m, first + 2 * m)

    def forward(self, x: ArrayLike, tension: ArrayLike = 0.0, time: float = 0.0, **given: ArrayLike) -> SoftSolution:
        """Accelerations at a flat state (`flat`), with these tensions (N), `length`s (m) or `torque`s (N m)."""
        found = self.instant(x, tension, time, **given)
        base, axes = BaseRecord.of(found.records.base), AxisRecord.of(found.records.axes)
        ends, count = Body.of(found.memory.bodies), len(self.plan.cells) + 1
        return SoftSolution(
            base.acceleration[0].copy(),
            axes.acceleration[0].copy(),
            axes.torque[0].copy(),
            base.held[0].copy(),
            np.array(ends.origin[:count]),
            np.array(ends.rotation[:count]).reshape(count, 3, 3),
        )

    def linearise(
        self, x: ArrayLike | State, tension: ArrayLike = 0.0, time: float = 0.0, *, length: ArrayLike | None = None
    ) -> Modes:
        """Frequencies, damping ratios and shapes of small motions about a state, the tensions held, or (`length`, m)
        the unstretched lengths of elastic tendons.
        """
        return modes_about(*self._small_motions(x, tension, time, length))

    def _small_motions(
        self, x: ArrayLike | State, tension: ArrayLike, time: float, length: ArrayLike | None = None
    ) -> tuple[Any, ...]:
        """What differences of the dynamics about a state need to know."""
        flat = x.x if isinstance(x, State) else np.asarray(x, dtype=np.float64)
        held, free = list(MOVES[self.plan.base]), self._free
        scale = np.concatenate(
            [np.where(np.array(held) < 3, self.plan.length, 1.0), self.plan.length / self.cells().scale[free]]
        )

        def accelerations(state: Array) -> Array:
            answer = self.forward(state, tension, time, **({} if length is None else {"length": length}))
            return np.concatenate([answer.base_acceleration[held], answer.strain_acceleration[free]])

        return flat, self._split, held, free, scale, accelerations

    def step_limit(self, state: State) -> StepLimit | None:
        """Explicit steps follow nothing that is faster than they are."""
        if self.steps is not None:
            return None
        taut = None
        if self.strung.elastic and not self.strung.follows:  # as stiff as tendons make it: all of them just taut
            taut = _TAUT * TendonState.of(self.instant(state.x, 0.0, state.time).memory.cells.pulls).length
        rate = fastest_rate(*self._small_motions(state, 0.0, state.time, taut))
        if not rate > 0.0:
            return None
        return StepLimit(
            RUNGE_KUTTA / rate,
            f"rk4: the fastest motion of this body has a rate of {rate:.3g} 1/s, and "
            "sdirk4 (model.integrator) has no such limit",
        )


class SmallMotions:
    """Modes about the posture of a state, at rest, under what the gait gives at its time.

    Attributes
    ----------
    time : of the state, s.
    frequency, damping_ratio, shape : as `Soft.linearise` has them, without rigid motions, the lowest first.
    """

    def __init__(self, model: Soft, gait: Gait, state: State) -> None:
        self._model, self.time = model, float(state.time)
        self._x = state.x.copy()
        self._x[model._split : model._split + 6 + model.freedoms] = 0.0
        self._drive = model.drive(gait, np.full(3, state.time))
        held: dict[str, Any] = {"tension": 0.0}
        if model.tendons:
            value, _, how = model.strung.commands(gait, np.array([state.time]))
            held = (
                {"length": value[0]}
                if how == COMMANDS.length
                else {"tension": value[0] / (model.strung.radius if how == COMMANDS.torque else 1.0)}
            )
        modes = model.linearise(self._x, time=state.time, **held)
        swings = modes.frequency > 0.0
        self.frequency, self.damping_ratio = modes.frequency[swings], modes.damping_ratio[swings]
        self.shape = modes.shape[swings]

    def posture(self, direction: Array) -> tuple[Array, Array]:
        """Positions (sections, 3), m, and quaternions of the sections, moved along the coordinates of the shapes."""
        model, base = self._model, list(MOVES[self._model.plan.base])
        moved = displaced(self._x, model._split, base, model._free, direction, rates=False)
        knots = np.full(2, self.time)
        _, records, _ = model.advance(State(self.time, moved), knots, np.array([True, False]), self._drive)
        found = model.variables(records)
        return found["position"][0], found["orientation"][0]

    def swing(self, number: int, reach: float, count: int) -> list[tuple[Array, Array]]:
        """`count` postures of one swing of a mode, in which no section goes farther than about `reach`, m."""
        still, _ = self.posture(np.zeros(self.shape.shape[1]))
        shape = self.shape[number] / np.abs(self.shape[number]).max()
        ways = [self.posture(_TRIED * part)[0] - still for part in (np.real(shape), np.imag(shape))]
        farthest = np.sqrt(sum((way**2).sum(axis=-1) for way in ways)).max()
        factor = _TRIED * reach / max(float(farthest), np.finfo(float).tiny)
        phases = 2.0 * np.pi * np.arange(count) / count
        return [self.posture(factor * np.real(shape * np.exp(1j * phase))) for phase in phases]
