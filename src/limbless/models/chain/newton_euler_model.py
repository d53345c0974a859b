"""`NewtonEuler`: a chain in its environment, one state at a time or through time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.actuation import Actuation, Switched
from limbless.control.actuation.feedback import SampledReference
from limbless.control.controllers.base import ClosedLoop
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.mechanics.chain import (
    AccelerationFeedback,
    BalanceScratch,
    ChainDrive,
    ChainProblem,
    DofRow,
    Inertialess,
    implicit_joints as _stiff_versions,  # noqa: F401 - and an implicit one beside
    problem as _chain_versions,  # noqa: F401 - what an engine asks of a chain
)
from limbless.mechanics.integrate import dirk
from limbless.models import (
    STAGE_TOLERANCE,
    UNSOLVED,
    NewtonEulerSettings,
    Records,
    StandingModel,
    State,
    Status,
    StepLimit,
    quarters,
    refuse_explicit_tolerance,
    steps_of,
)
from limbless.models.chain import chain_problem, slow_motion, smooth_problem
from limbless.models.chain.equation_terms import SINGULAR, ChainInstants
from limbless.models.chain.standing_chain import StandingChain
from limbless.robots.base import Preset, Robot

_UNBALANCED = (
    "the forces leave the motion of the base undetermined (without inertia every direction needs a drag or "
    "friction, and a body above its sand has none); add one, set robot.base to planar where the robot lies on the "
    "ground, or model.inertia to true"
)


class NewtonEuler(ChainInstants, StandingModel):
    """Recursive Newton-Euler dynamics of a serial chain with a free, planar or fixed base, O(n).

    Parameters
    ----------
    robot : a `Chain`, or a preset that builds one.
    environment : what acts on it; wrench environments only.
    actuation : how a gait drives it in a simulation (default: imposed motion). `inverse`, `forward` and `hybrid` do not
        use it.
    settings : `inertia: false` leaves all inertia out of a simulation: outer forces balance at every instant.
    """

    name = "Newton-Euler"

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: NewtonEulerSettings | None = None,
    ) -> None:
        super().__init__(robot, environment, actuation)
        self.settings = NewtonEulerSettings.or_default(settings)
        self._options = smooth_problem.options_of(
            self._plain, self._actuated, self._base, self._feedback, getattr(self.actuation, "feedforward", False)
        )
        if not self.settings.inertia:
            self._slow_down()
        self._refuse_integrator()
        self._desk: dict[str, Any] = {}  # of runs side by side: see `run_lanes`
        self._given_positions, self._given_velocities = chain_problem.given_columns(self._actuated)
        self._make_room()

    def _make_room(self) -> None:
        """The size of a state, and what implicit steps need of it."""
        self._size = chain_problem.state_size(self._actuated, self._controlled)
        self.switching = self._prepare_switches()
        tolerance, laws = self.settings.tolerance or STAGE_TOLERANCE, len(self._tallies.laws)
        self.steps = steps_of(self.settings.integrator, tolerance, self._size, self.chain.freedoms, laws)

    def close_loop(self, controllers: Sequence[ClosedLoop], step: float, gait: Any = None) -> None:
        super().close_loop(controllers, step, gait)
        if self._loop is not None and self.actuation.kind == "muscles":
            self._loop.count_muscles(chain_problem.joint_inertia(self._plain, self.chain.base))
        self._make_room()

    @property
    def _answers(self) -> bool:
        """Whether joints answer to torques without inertia: velocities of base and joints balance all forces."""
        return not self.settings.inertia and self._any_free

    def _slow_down(self) -> None:
        """No inertia: neither in the equations nor in energy and momentum."""
        self._recorder.forget_inertia()
        if self._answers:
            if self.settings.integrator == "rk4":  # elasticity is stiff in first order
                if "integrator" in self.settings.model_fields_set:
                    raise InputError(slow_motion.STIFF)
                self.settings = self.settings.changed(integrator="sdirk4")
            if isinstance(self._options.actuation, AccelerationFeedback):
                raise InputError(
                    "actuation: without inertia (model.inertia: false) there are no accelerations, and torques of "
                    "inverse dynamics (feedforward) or gains on them have no effect; leave them out"
                )
            self._actuated = slow_motion.weightless(self._actuated)
            return
        if self.chain.base == "fixed":
            raise InputError(
                "model.inertia: the base is fixed, so that no balance of forces has anything to decide; "
                "leave inertia: true, or set robot.base to free or planar"
            )
        self._actuated = slow_motion.without_rotors(self._actuated)

    @property
    def explicit(self) -> bool:
        """Whether Runge-Kutta steps move it: lanes, derivatives and lean loops know these alone."""
        return self.steps is None and self.switching is None

    def _refuse_integrator(self) -> None:
        """An implicit step needs forces that do not jump, and inertia; an explicit one has no tolerance."""
        name = self.settings.integrator
        switches = "clamp" if self.clamps else f"actuation {self.actuation.kind!r}"
        if (self.clamps or isinstance(self.actuation, Switched)) and not (name == "rk4" and self.settings.inertia):
            what = f"integrator: {name!r}" if self.settings.inertia else "inertia: without inertia"
            raise InputError(
                f"model.{what} knows no {switches}, which switches on the way; leave it out, for rk4 with inertia"
            )
        refuse_explicit_tolerance(self.settings, "sdirk4")
        if getattr(self.actuation, "backlash", 0.0):
            raise InputError(
                "actuation.backlash: torque that jumps is for the model non-smooth; leave it out, or set model.kind"
            )
        if name == "rk4":
            return
        if not self.settings.inertia and not self._answers:
            raise InputError(
                f"model.integrator: without inertia the base follows from a balance of forces, and "
                f"{name!r} has nothing to step; leave it out (rk4)"
            )
        if self._any_free and (DofRow.of(self._plain.freedoms).coulomb > 0.0).any():
            raise InputError(
                f"model.{'integrator' if self.settings.inertia else 'inertia: false'}: the dry friction of the joints "
                f"(coulomb_friction) jumps, and {name!r} solves smooth forces; leave it out, use viscous_friction, or "
                "set model.kind to non-smooth"
            )

    def _calm(self) -> Inertialess:
        """What the balance of forces works with."""
        free = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0]) if self.chain.base == "planar" else np.ones(6)
        return Inertialess(BalanceScratch(free, np.zeros((6, 6)), np.zeros((6, 7)), np.zeros(6)), np.zeros(1))

    def problem(self, drive: ChainDrive, records: int, tally: Any, tallied: Any) -> ChainProblem:
        """Everything that an engine needs, with memory of its own: two runs of one model are two problems."""
        memory = chain_problem.memory_of(self._actuated, len(self._tallies.laws), tally, self._size)
        memory = memory._replace(clamp=self._held_body())
        if self.steps is not None:
            memory = memory._replace(ahead=smooth_problem.ahead_of(self._actuated, self.chain, drive))
            drive = smooth_problem.halves(drive)
        kept = chain_problem.records_of(self._actuated, records, tallied, self._size, len(self._actuated.links.codes))
        options = self._options
        if self._answers:
            memory = slow_motion.slowed(memory, self._size, self.environment)
        elif not self.settings.inertia:
            options = options._replace(actuation=self._calm())
        if self._loop is not None:
            options = options._replace(controllers=self._loop.tables())
        options = options._replace(motors=self._motor_tables())
        forces = chain_problem.fresh(self._forces)
        return smooth_problem.afloat(ChainProblem(self._actuated, forces, options, drive, memory, kept))

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """The state at time 0: pose and twist as given, joints as given or where the gait has them."""
        x = self._start(self._size, initial, gait)
        if self._answers and self.steps is not None:
            slow_motion.refuse_start(initial)
            moves = {"free": range(6), "planar": (0, 1, 5)}.get(self.chain.base, ())
            x = slow_motion.started(self, x, self.drive(gait, np.zeros(1)), self.steps, moves)
        return self._started(x)

    def drive(self, gait: Any, times: Array) -> ChainDrive:
        """The gait at the stage times, as joint motion or as torques; one that the actuation cannot use is refused."""
        if self.actuation.takes_torques != (gait.drives == "torque"):
            wanted = "torque" if self.actuation.takes_torques else "shape or joint"
            raise InputError(
                f"actuation {self.actuation.kind!r} needs a gait that drives {wanted}; this one drives {gait.drives!r}"
            )
        if self._holds_reference:
            times = np.full_like(times, 0.5 * (times[0] + times[-1]))
        return super().drive(gait, times if self.steps is None else quarters(times))

    def breakpoints(self, gait: Gait, start: float, end: float) -> list[float]:
        return self.actuation.arrivals(start, end) if isinstance(self.actuation, SampledReference) else []

    def jumps(self, gait: Gait, start: float, end: float) -> list[float]:
        return self.breakpoints(gait, start, end) if self._holds_reference else []

    @property
    def _holds_reference(self) -> bool:
        """Whether what the joints follow is held from one jump to the next."""
        return isinstance(self.actuation, SampledReference) and self.actuation.refresh is not None

    def step_limit(self, state: State) -> StepLimit | None:
        """Without inertia friction brakes nothing, and implicit steps solve it: any step follows it."""
        return super().step_limit(state) if self.settings.inertia and self.steps is None else None

    def standing_problem(self) -> StandingChain:
        return StandingChain(self)

    def status_at(self, row: int, done: float, records: Records) -> Status:
        """How steps ended that reached this time; `row` is what `failure_code` said."""
        if row == dirk.UNSOLVED:
            return Status(f"{UNSOLVED}; try a shorter step", done)
        if row and self._answers:
            return Status(slow_motion.UNSETTLED, done)
        if row and self.settings.inertia:
            return Status(self._locked_sentence(row), done, self._joint_of_row(row))
        if row and done == 0.0:
            raise InputError(f"model.inertia: at t = 0 s {_UNBALANCED}")
        if row:
            return Status(_UNBALANCED, done, "the base")
        times = records["time"]
        if len(times) and times[0] == 0.0 and not np.isfinite(records["base"][0]).all():
            return Status(SINGULAR, 0.0)
        return Status()

    def _take_given(self, x: Array, drive: ChainDrive, row: int = -1) -> None:
        """Motion-given joints stand where the drive has them at the last knot, row `row` of it (the last
        step left them at its start).
        """
        p, v = self._given_positions, self._given_velocities
        if not len(p) or (self._loop is not None and self._loop.places_joints):
            return
        x[self._joints.start + p], x[self._rates.start + v] = drive.position[row, p], drive.velocity[row, v]

    def still(self) -> ChainDrive:
        """A drive of one row that gives nothing."""
        return ChainDrive(*(np.zeros((1, self.chain.freedoms)) for _ in ChainDrive._fields))

    def state_columns(self) -> list[tuple[str, str, slice]]:
        """Where named variables stand in the flat state: name, dimension (or none), columns."""
        return chain_problem.state_columns(self._split, self._size)
