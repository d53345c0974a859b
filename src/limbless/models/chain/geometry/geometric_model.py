"""`Geometric` through time: crawling, clamped, or driven by torques, with switches between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation import Actuation
from limbless.control.gaits.base import Gait
from limbless.core import InputError
from limbless.environments.base import Environment
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.mechanics.chain import INTEGRALS, Body, ChainDrive, IntegralSums, LinkRow
from limbless.mechanics.compiled import pack
from limbless.mechanics.contact import WarmStart
from limbless.mechanics.geometry import one_state
from limbless.mechanics.geometry.base_charts import FixedBase
from limbless.mechanics.geometry.tables import (
    Clamped,
    GeometricOptions,
    GeometricProblem,
    GeometricRecords,
    Wheels,
)
from limbless.mechanics.geometry.wheel_stepping import LIMITS
from limbless.mechanics.integrate import moreau, runge_kutta
from limbless.mechanics.integrate.running_totals import RunTotals, Totals
from limbless.models.base import Records, State, Status, law_failure
from limbless.models.chain import chain_problem
from limbless.models.chain.geometry import base_coordinates, clamp_recorder, geometric_tables, phases
from limbless.models.chain.geometry.geometric_equations import Equations
from limbless.models.geometric import GeometricSettings
from limbless.models.recording.body_recorder import mean_powers
from limbless.models.step_limit import MOREAU, StepLimit
from limbless.robots.base import Preset, Robot

Array = NDArray[np.float64]


class Geometric(Equations):
    """Locomotion and manipulation of a chain as one set of equations on a Riemannian manifold (paper 003, in corrected
    form).

    Parameters
    ----------
    robot, environment, actuation, settings : as for `Equations`, whose functions of one state it has.
    """

    worst = ("contact_residual",)

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: GeometricSettings | None = None,
    ) -> None:
        super().__init__(robot, environment, actuation, settings)
        if any(getattr(wheels, "load", "") == "solved" for wheels in self.wheels):
            raise InputError(
                "wheels.load: the geometric model takes loads that are given (own or shared); solved ones "
                "need the model non-smooth"
            )
        if any(getattr(wheels, "cone", "") == "weighted" for wheels in self.wheels):
            raise InputError(
                "wheels.cone: set-valued friction weighted by the direction of slip has no potential, "
                "which the geometric model needs; take cone ellipse or box, law: regularised, or the "
                "model non-smooth"
            )
        if self.settings.equations == "printed":
            self.notes = (
                "model.equations: 'printed' leaves the mixed terms out of (22), as the paper does: momentum "
                "is not conserved, and the motion is not that of a robot",
            )
        self._driven_robot, n = geometric_tables.robot_on(self.frame, self._actuated), self.chain.freedoms
        self._given = np.zeros(self.freedoms, dtype=np.int64)
        self._given[self.frame.speeds :] = LinkRow.of(self._actuated.links).given[1:]
        self._phases = phases.phases_of(self.actuation, self._given, self._feedback, n)
        self._leads = chain_problem.leads(self._actuated)
        self._size = geometric_tables.state_size(self.frame, n)
        self._wheels = geometric_tables.wheels_of(self.chain, self.wheels, self.freedoms) if self.wheels else None
        if self.wheels:
            self._interval = MOREAU
        self._clamp_rows = [clamp.row(self.chain) for clamp in self.clamps]
        self._refuse_two_clamps()
        self._schema = clamp_recorder.schema_of(bool(self.clamps), bool(self.wheels))
        self._tallies = self._tallies_of(self._wheel_count())

    def _wheel_count(self) -> int:
        return len(self._wheels.touching.contact) if self._wheels is not None else 0

    def _refuse_two_clamps(self) -> None:
        windows = sorted(window for clamp in self.clamps for window in clamp.windows())
        for (_, end), (start, _) in pairwise(windows):
            if start < end:
                when = "from the start on" if np.isinf(start) else f"at {start:g} s"
                raise InputError(
                    f"clamp: two clamps are closed {when}; a run holds one module at a time, since with "
                    "two of them motion-given joints have no way to move: give them `active` windows that "
                    "do not overlap (for one instant with force-given joints: `Geometric.solve`)"
                )
        if self.clamps and isinstance(self.frame, FixedBase):
            raise InputError(
                "clamp: the base is fixed already; give the robot `base: planar` or `base: free` to clamp a module"
            )

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """The state at time 0: pose and twist as given, joints as given or where the gait has them."""
        chain_problem.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
        x = np.zeros(self._size)
        home, x[: self.frame.coordinates] = base_coordinates.seat(self.frame, initial.position, initial.orientation)
        self._put_joints(x, initial, gait)
        self._set_base_twist(home, x, np.array(initial.twist))
        memory = {
            "home": home,
            "seat": base_coordinates.AT_ORIGIN.copy(),
            "seated": np.array([-1.0]),
            "impacts": np.zeros(7),
            "friction": np.zeros((self._wheel_count(), WarmStart.width)),
            "phase": np.zeros(1),
            "handover": np.zeros(1 + 2 * self.chain.freedoms),
        }
        return State(0.0, x, memory)

    def _set_base_twist(self, home: Array, x: Array, twist: Array) -> None:
        """Speeds of the base that make a twist given in the base frame."""
        speeds = x[self._split : self._split + self.freedoms]
        if np.any(twist != 0.0):
            frame = self.frame._replace(home=home)
            one_state.place_state(self._robot, frame, x[: self._split], np.zeros(self.freedoms), self._geometry)
            one_state.add_base_twist(frame, twist, self._geometry, speeds)

    def _rows_at_rest(self, times: Array) -> int:
        return len(times)  # a stretch takes its own rows of the drive

    def step_limit(self, state: State) -> StepLimit | None:
        imposed = all((phase.given[self.frame.speeds :] == 1).all() for phase in self._phases)
        if imposed and any(clamp.active is None for clamp in self.clamps):
            return None  # a clamp and imposed joints decide the motion: there is nothing to brake
        return super().step_limit(state)

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], drive: ChainDrive
    ) -> tuple[State, Records, Status]:
        """Steps from knot to knot: Runge-Kutta with smooth forces, Moreau's scheme with set-valued
        wheels; clamps close in between.
        """
        x, memory = state.x.copy(), {name: np.array(values) for name, values in state.memory.items()}
        times, wheels = knots[record], self._fresh_wheels(memory)
        tally, tallied = self._tallies.start(memory, state.time), self._tallies.records(len(times))
        kept = geometric_tables.geometric_records(self._plain, self._wheel_count(), len(times), tallied)
        clamped, impulse, energy = np.full(len(times), -1.0), np.zeros((len(times), 6)), np.zeros(len(times))
        done, r, found = len(knots) - 1, 0, 0
        for first, last, closed, phase in self._stretches(knots):
            self._switch(x, memory, closed, self._phases[phase], tally)
            local = record[first : last + 1].copy()
            local[-1] &= last == len(knots) - 1
            piece = self._driven(
                x, memory, geometric_tables.rows_of(drive, 2 * first, 2 * last + 1), knots[first : last + 1], phase
            )
            problem = self.problem(
                piece, memory, closed, self._phases[phase], wheels, tally, geometric_tables.records_from(kept, r)
            )
            found, step = self._step(problem, knots[first : last + 1], local, x)
            count = int((local if found == 0 else local[:step]).sum())
            clamped[r : r + count] = -1.0 if closed < 0 else self._clamp_rows[closed]
            impulse[r : r + count], energy[r : r + count] = memory["impacts"][:6], memory["impacts"][6]
            r += count
            if found:
                done = first + step
                break
        if wheels is not None:
            memory["friction"] = geometric_tables.impulses(wheels).copy()
            memory["unrecorded"] = wheels.touching.counts[2:3].copy()
        status = Status(self._failure(found), float(knots[done])) if found else law_failure(self.environment)
        memory |= self._tallies.named(tally)
        records = {"time": times, **clamp_recorder.kept_arrays(kept)}
        if self.clamps:
            records |= {"clamped": clamped, "clamp_impulse": impulse, "clamp_energy": energy}
        reached = Records({name: values[:r] for name, values in records.items()})
        return State(float(knots[done]), x, memory), reached, status

    def _fresh_wheels(self, memory: dict[str, Array]) -> Wheels | None:
        """Memory of the wheels for a run that goes on from a state: friction as it was, and the worst residual since
        the last record.
        """
        if self._wheels is None:
            return None
        wheels = geometric_tables.copied(self._wheels)
        geometric_tables.impulses(wheels)[:] = memory["friction"]
        wheels.touching.counts[2] = memory.get("unrecorded", np.zeros(1))[0]
        return wheels

    def problem(
        self,
        drive: ChainDrive,
        memory: dict[str, Array],
        closed: int,
        phase: phases.Phase,
        wheels: Wheels | None,
        tally: Totals,
        records: GeometricRecords,
    ) -> GeometricProblem:
        """Everything that an engine needs for a stretch of steps in one phase with one clamp closed (-1: none)."""
        given = phase.given.copy()
        clamp = None
        if closed >= 0 and self._clamp_rows[closed] == 0:
            given[: self.frame.speeds] = 1  # the base itself is clamped: (25)
        elif closed >= 0:
            clamp = Clamped(self._clamp_rows[closed], memory["seat"])
        robot = chain_problem.mark_given(self._driven_robot, given[self.frame.speeds :].astype(bool))
        leads = self._leads and phase.feedback
        options = GeometricOptions(
            chain_problem.actuation_of(robot, leads),
            self._mixed_terms(),
            self.frame._replace(home=memory["home"]),
            clamp,
            given,
            phase.feedback,
            (LIMITS.slack if self.wheels else 0.0) if leads else None,
        )
        run = geometric_tables.memory_of(self.frame, robot, len(self._tallies.laws), tally)
        return GeometricProblem(robot, chain_problem.fresh(self._forces), options, drive, run, records, wheels)

    def _step(self, problem: GeometricProblem, knots: Array, record: NDArray[np.bool_], x: Array) -> tuple[int, int]:
        """One stretch. Returns 0 or what failed, and the step."""
        engine = moreau if self.wheels else runge_kutta
        found, step = engine.advance(pack(problem), knots, record, x)
        if found == 0 and problem.memory.trouble[0]:  # within the last step, at whose end nothing was asked
            found, step = int(problem.memory.trouble[0]), step - 1
        given, drive = problem.options.given[self.frame.speeds :] == 1, problem.drive
        x[self._joints][given] = drive.position[2 * step][given]
        x[self._rates][given] = drive.velocity[2 * step][given]
        return int(found), int(step)

    def _driven(self, x: Array, memory: dict[str, Array], piece: ChainDrive, knots: Array, number: int) -> ChainDrive:
        """The drive of a stretch in its phase: constant torques, and a way back to the gait
        from where the joints are.
        """
        phase, n = self._phases[number], self.chain.freedoms
        if number != int(memory["phase"][0]):
            returns = phase.given > self._phases[int(memory["phase"][0])].given
            memory["phase"] = np.array([float(number)])
            gap = np.concatenate([x[self._joints] - piece.position[0], x[self._rates] - piece.velocity[0]])
            memory["handover"] = np.concatenate([knots[:1], np.tile(returns[self.frame.speeds :], 2) * gap])
        piece = piece._replace(torque=piece.torque + phase.torque)
        start, offset, rate = memory["handover"][0], memory["handover"][1 : 1 + n], memory["handover"][1 + n :]
        if not (offset.any() or rate.any()):
            return piece
        times = np.sort(np.concatenate([knots, 0.5 * (knots[:-1] + knots[1:])]))
        settle: float = self.actuation.settle  # type: ignore[attr-defined]
        return phases.handed_over(piece, times, float(start), offset, rate, settle)

    def _stretches(self, knots: Array) -> Iterator[tuple[int, int, int, int]]:
        """First and last knot of each stretch of steps with the same clamp closed in the same phase, and their numbers
        (-1: no clamp).
        """
        middles = 0.5 * (knots[:-1] + knots[1:])
        closed = np.full(len(middles), -1)
        for number, clamp in enumerate(self.clamps):
            for start, end in clamp.windows():
                closed[(start <= middles) & (middles <= end)] = number
        phase = phases.phase_at(self._phases, middles)
        edges = [0, *(np.flatnonzero(np.diff(closed) | np.diff(phase)) + 1), len(middles)]
        for first, last in pairwise(edges):
            yield int(first), int(last), int(closed[first]), int(phase[first])

    def _switch(self, x: Array, memory: dict[str, Array], closed: int, phase: phases.Phase, tally: Totals) -> None:
        """Open or close a clamp: closing stops the module by an impulse and keeps where it is."""
        if closed == int(memory["seated"][0]):
            return
        memory["seated"] = np.array([float(closed)])
        if closed < 0:
            return
        position, speeds = x[: self._split], x[self._split : self._split + self.freedoms]
        impact = self._close_clamp(
            self.frame._replace(home=memory["home"]),
            position,
            speeds,
            self.clamps[closed].module,
            bool(phase.given[self.frame.speeds :].all()),
        )
        row, body = self._clamp_rows[closed], Body.of(self._memory.bodies)
        base = body.origin[0].copy()
        memory["seat"] = np.concatenate([body.origin[row], matrix_to_quaternion(body.rotation[row].reshape(3, 3))])
        speeds[:] = impact.speeds
        about_world = np.concatenate([impact.impulse[:3], impact.impulse[3:] + np.cross(base, impact.impulse[:3])])
        memory["impacts"] = memory["impacts"] + np.array([*about_world, impact.energy])
        sums = IntegralSums.of(x[None, -INTEGRALS:])
        sums.actuators += impact.motor_work
        sums.environment -= impact.energy + impact.motor_work
        sums.impulse += about_world
        works = impact.joint_impulse * impact.speeds[self.frame.speeds :]  # of motors that keep their joints moving
        tally.work[:] += works
        tally.positive[:] += np.maximum(works, 0.0)
        RunTotals.of(tally.whole).exchanged[:] += abs(impact.motor_work) + abs(impact.energy + impact.motor_work)

    # What is recorded

    def _named(self, records: Records) -> dict[str, Array]:
        extra: dict[str, Array] = {}
        if self.clamps:
            extra, base = clamp_recorder.clamp_variables(records, self.chain.base == "planar")
            records = Records({**records, "base": base})
        named = self._recorder.variables(records) | extra
        return named | clamp_recorder.wheel_variables(records) | mean_powers(named) if self.wheels else named

    def _base_of(self, state: State) -> tuple[Array, Array, Array]:
        speeds = state.x[self._split : self._split + self.freedoms]
        frame = self.frame._replace(home=state.memory["home"])
        one_state.place_state(self._robot, frame, state.x[: self._split], speeds, self._geometry)
        body = Body.of(self._memory.bodies)
        R, V = body.rotation[0].reshape(3, 3), body.velocity[0]
        return body.origin[0].copy(), matrix_to_quaternion(R), np.concatenate([R.T @ V[:3], R.T @ V[3:]])

    def coordinates(self) -> dict[str, Any]:
        names = [f"wheel {number}" for number in range(self._wheel_count())]
        return {**super().coordinates(), "contact": (("contact",), names, {})} if self.wheels else super().coordinates()
