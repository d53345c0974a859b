"""`TendonStatics`: a tendon-driven spine at rest, one load at a time or along a path of tensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbless.control.actuation import Actuation
from limbless.core import Array, InputError, SimulationError
from limbless.environments.base import Environment, together
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.mechanics.statics import equilibrium_solver
from limbless.mechanics.statics.tables import (
    Loads,
    MomentForm,
    SolveStatus,
    Spine,
    SpineProblem,
    SpineState,
    StaticsMethod,
)
from limbless.models import Prefer, TendonStaticsSettings, actuation_or_motion, unit_quaternion
from limbless.models.statics.equilibrium import Equilibrium, equilibrium_of
from limbless.models.statics.routing_design import Design, improve
from limbless.models.statics.spine_problem import (
    FROM_PAPER,
    coefficients_at_disks,
    dead_loads,
    dense,
    friction_of,
    iteration_arrays,
    numbers,
    posture_arrays,
    rubbing,
    spine_arrays,
    stretching,
    water_around,
)
from limbless.models.statics.tension_choice import Antagonists
from limbless.models.statics.tip_following import FollowedPath, TipFollower, components_and_targets
from limbless.models.statics.workspace import Workspace, scan
from limbless.robots import Preset, Robot, TendonSpine

ITERATIONS = 200
_ESCAPES = 6  # how often a saddle is left along its steepest direction
_PULLED = 1.0  # the usual slip
_NUDGE = 0.1  # rad: how far


class TendonStatics:
    """Equilibria of a tendon-driven spine (Gautreau, Bonnet and Laribi 2024, in corrected form).

    Parameters
    ----------
    robot : a `TendonSpine`, or a preset that builds one.
    environment : gravity, buoyancy (all around, or up to a `surface`), a force at a disk.
    actuation : statics has none: tensions, lengths or targets are given, whatever it says.
    settings : form of the equations, friction, stops, elasticity of the tendons.
    base_position, base_orientation : pose of the clamped disk in the world (quaternion scalar first).
    """

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: TendonStaticsSettings | None = None,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    ) -> None:
        self.actuation = actuation_or_motion(actuation)
        self.settings = TendonStaticsSettings.or_default(settings)
        own, built = self.settings, robot.build()
        if not isinstance(built, TendonSpine):
            raise InputError(f"tendon statics takes a tendon spine; got {type(built).__name__}")
        self.robot, self.form, self.stops = built, own.form, own.stops
        self.environment = together(environment)
        self.spine, self.tendons = spine_arrays(built, own.form), len(built.tendons)
        self.base_position, self.base_orientation = numbers("base_position", base_position, (3,)), base_orientation
        self.base_rotation = quaternion_to_matrix(unit_quaternion(base_orientation))
        self.to_base = (self.base_rotation @ FROM_PAPER).T
        self._dead = dead_loads(built, self.environment, self.to_base)
        self._water = water_around(built, self.environment, self.spine, self.to_base, self.base_position)
        self.friction_law = friction_of(rubbing(built, own.friction))
        self._at_tip = own.tension_at == "tip"
        stretch = stretching(built) if own.tendon_stiffness is None else own.tendon_stiffness
        self._elastic = None if stretch is None else numbers("tendon_stiffness", stretch, (self.tendons,))
        self._stiffening = numbers("tendon_stiffening", own.tendon_stiffening, (self.tendons,))
        self.antagonists = Antagonists(built)
        self._unbent = np.clip(self.spine.rest, self.spine.low, self.spine.high) if self.stops else self.spine.rest
        form = None if own.form == "energy" else MomentForm(own.drop_axial)
        method = StaticsMethod(form, self.stops, ITERATIONS)
        self._problem = SpineProblem(
            self.spine,
            self.loads(np.zeros(self.tendons)),
            method,
            posture_arrays(self.spine),
            iteration_arrays(self.spine, self._water is not None, self._elastic is not None),
        )

    def changed(
        self,
        *,
        robot: Robot | Preset | None = None,
        environment: Sequence[Environment] | Environment | None = None,
        base_position: ArrayLike | None = None,
        base_orientation: ArrayLike | None = None,
        **settings: Any,
    ) -> TendonStatics:
        """The same with another robot, environment or pose, or with some fields of its settings changed."""
        return TendonStatics(
            self.robot if robot is None else robot,
            self.environment if environment is None else environment,
            self.actuation,
            self.settings.changed(**settings) if settings else self.settings,
            base_position=self.base_position if base_position is None else base_position,
            base_orientation=self.base_orientation if base_orientation is None else base_orientation,
        )

    # What every solution needs

    def to_world(self, points: Array) -> Array:
        """Points (.., 3) along the paper's axes of disk 0 into the world."""
        return np.asarray(self.base_position + points @ self.to_base)

    def levers(self, q: Array) -> tuple[Array, Array, Array]:
        """The tip's components (6,) (see `Equilibrium.tip_components`), their derivatives (6, unknowns) by q, and d
        length/dq (unknowns, tendons)."""
        posture, found = self.posture_at(q), self._problem.iteration
        return found.component.copy(), found.component_rate.copy(), posture.lever.copy()

    def posture_at(self, q: Array, spine: Spine | None = None) -> SpineState:
        """Poses and tendons at a posture, of this spine or of another with as many vertebrae and tendons; the next
        call overwrites them.
        """
        problem = self._problem if spine is None else self._problem._replace(spine=spine)
        equilibrium_solver.evaluate_posture(problem, q)
        return problem.posture

    def problem(self, loads: Loads, limit: int = ITERATIONS) -> SpineProblem:
        """Everything that a solution under these loads needs."""
        return self._problem._replace(loads=loads, method=self._problem.method._replace(limit=limit))

    def loads(
        self,
        command: Array,
        *,
        lengths: bool = False,
        tip_force: ArrayLike | None = None,
        tip_moment: ArrayLike | None = None,
        slip: ArrayLike = _PULLED,
        before: Array | None = None,
        friction: bool = True,
    ) -> Loads:
        """Everything that acts, as kernels take it; `before` turns stick and slip on (see `Loads`)."""
        disk, joint, moment = self._dead
        if tip_force is not None:
            disk = disk.copy()
            disk[-1] += self.to_base @ numbers("tip_force", tip_force, (3,))
        if tip_moment is not None:
            moment = moment + self.to_base @ numbers("tip_moment", tip_moment, (3,))
        m = self.tendons
        elastic = self._elastic if lengths and self._elastic is not None else np.zeros(m)
        slips = np.ones(m) if slip is _PULLED else numbers("slip", slip, (m,))
        if slip is not _PULLED and np.abs(slips).max() > 1.0:
            raise InputError(
                f"slip must lie between -1 (released) and +1 (pulled); got {slips[np.abs(slips).argmax()]:g}"
            )
        law = self.friction_law if friction else None
        return Loads(
            disk,
            joint,
            moment,
            command,
            elastic,
            self._stiffening,
            law,
            slips,
            np.zeros(m) if before is None else before,
            before is not None and bool(law),
            self._at_tip,
            self._water,
        )

    # One load

    def solve(
        self,
        tension: ArrayLike | None = None,
        *,
        length: ArrayLike | None = None,
        tip_force: ArrayLike | None = None,
        tip_moment: ArrayLike | None = None,
        slip: ArrayLike = _PULLED,
        before: Array | None = None,
        start: Array | None = None,
    ) -> Equilibrium:
        """Where the spine comes to rest.

        Parameters
        ----------
        tension : (tendons,) N, none negative; or `length`, (tendons,) m, commanded lengths of elastic tendons (a longer
            one is slack).
        tip_force, tip_moment : on the last disk, directions fixed in the world, N and N m; added to the environment.
        slip : with friction, +1 where a tendon is being pulled, -1 where it is released, between them where it sticks;
            one or one each.
        before : (tendons,) m; lengths that the tendons had: each keeps its length or slides, and `slip` is only where
            the search begins.
        start : (v, 2 or 3) posture `q` to start from; the unbent one if absent. It decides between several equilibria.

        Raises
        ------
        SimulationError : no equilibrium was found, or a vertebra would fold over by more than half a turn.
        """
        return self._rest(
            self.loads(
                self.command(tension, length),
                lengths=length is not None,
                tip_force=tip_force,
                tip_moment=tip_moment,
                slip=slip,
                before=before,
            ),
            start,
        )

    def command(self, tension: ArrayLike | None, length: ArrayLike | None) -> Array:
        """Checked tensions or lengths."""
        if (tension is None) == (length is None):
            raise InputError("give either tension or length")
        if length is None:
            command = numbers("tension", 0.0 if tension is None else tension, (self.tendons,))
            if command.min() < 0.0:
                raise InputError(
                    f"tension: a tendon can only pull; got {command.min():g} N for "
                    f"{self._name(int(command.argmin()))}, allowed are numbers from 0"
                )
            return command
        if self._elastic is None:
            raise InputError("length: tendon lengths need elastic tendons; give tendon_stiffness (N/m)")
        command = numbers("length", length, (self.tendons,))
        if command.min() <= 0.0:
            raise InputError(
                f"length must be greater than 0 m; got {command.min():g} for {self._name(int(command.argmin()))}"
            )
        return command

    def _name(self, tendon: int) -> str:
        return repr(self.robot.tendon_names[tendon])

    def _start(self, start: Array | None) -> Array:
        if start is None:
            return self._unbent.copy()
        q = numbers("start", start, self.spine.stiffness.shape)
        return np.clip(q, self.spine.low, self.spine.high) if self.stops else q

    def _rest(self, loads: Loads, start: Array | None) -> Equilibrium:
        q = self._start(start)
        conservative = self.form == "energy" and not loads.friction and not loads.tip_moment.any()
        if conservative:
            return equilibrium_of(self, loads, q, *self._minimum(loads, q))
        if start is None:
            smooth = loads._replace(friction=None, tip_moment=np.zeros(3), sticking=False)
            self._minimum(smooth, q)
        code, iterations = equilibrium_solver.solve_residual(self.problem(loads), q)
        self._refuse(int(code), q)
        return self.equilibrium(loads, q, int(iterations))

    def _refuse(self, code: int, q: Array) -> None:
        if code != SolveStatus.SOLVED:
            raise SimulationError(self.failure(code, q), place=self._most_bent(q))

    def _minimum(self, loads: Loads, q: Array) -> tuple[int, float, float]:
        """A minimum of the energy, in q: a saddle (a spine standing straight) is left along the direction in which the
        energy falls. Returns iterations, energy (J) and the largest unbalanced moment (N m).
        """
        for _ in range(_ESCAPES):
            code, iterations, stored, residual = equilibrium_solver.minimise_energy(self.problem(loads), q)
            if code != SolveStatus.SADDLE:
                break
            direction = np.linalg.eigh(dense(*self._problem.iteration.hessian[:3]))[1][:, 0]
            direction *= np.sign(direction[np.argmax(np.abs(direction))])
            q += _NUDGE * (direction / np.abs(direction).max()).reshape(q.shape)
            if self.stops:
                np.clip(q, self.spine.low, self.spine.high, out=q)
        self._refuse(int(code), q)
        return int(iterations), stored, residual

    def equilibrium(self, loads: Loads, q: Array, iterations: int) -> Equilibrium:
        """All about a posture at which the loads balance."""
        return equilibrium_of(self, loads, q, iterations, *equilibrium_solver.evaluate_forces(self.problem(loads), q))

    def holding(self, found: Equilibrium) -> Equilibrium:
        """The same posture with the lengths held that give elastic tendons their tensions: what stiffens a tip between
        antagonists.

        A tendon of tension T is stretched by x = ln(1 + a T/k)/a (k: `tendon_stiffness`, a: `tendon_stiffening`), or
        T/k where a = 0. A slack one is left slack.
        """
        if self._elastic is None:
            raise InputError("holding lengths needs elastic tendons; give tendon_stiffness (N/m)")
        pull, k, a = found.proximal_tension, self._elastic, self._stiffening
        stretch = np.where(a > 0.0, np.log1p(a * pull / k) / np.where(a > 0.0, a, 1.0), pull / k)
        return self.equilibrium(self.loads(found.tendon_length - stretch, lengths=True), found.q, found.iterations)

    def failure(self, code: int, q: Array) -> str:
        """A sentence for a code of the solver."""
        if code == SolveStatus.FOLDED:
            return (
                f"{self._most_bent(q)} is bent by more than half a turn, or until its disks touch at a tendon: the "
                "spine folds on itself; lower the tensions, make it stiffer, or give it stops"
            )
        return (
            "no equilibrium was found; the load may be far beyond what the spine carries: start from a posture "
            "near the solution (`start`), or reach the load in steps"
        )

    def _most_bent(self, q: Array) -> str:
        return f"vertebra {int(np.argmax((q[:, :2] ** 2).sum(axis=1))) + 1}"

    # A path

    def path(
        self,
        tension: ArrayLike | None = None,
        *,
        length: ArrayLike | None = None,
        start: Array | None = None,
        kept: list[Equilibrium] | None = None,
    ) -> list[Equilibrium]:
        """Equilibria along a path of tensions (points, tendons) or lengths, each from the one before.

        With friction the tendons slide, stick and slide back: the state before the first point is the unloaded spine.
        `kept` receives the equilibria as they are found, so that a failure leaves those before it.
        """
        values = np.array(tension if length is None else length, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.tendons:
            raise InputError(f"a path has shape (points, {self.tendons}); got {values.shape}")
        found = [] if kept is None else kept
        held, slip, q = None, np.zeros(self.tendons), start
        last = np.zeros(self.tendons) if length is None else values[0]
        if self.friction_law:
            rest = self.solve(np.zeros(self.tendons), slip=0.0)
            held, q = rest.tendon_length, rest.q if start is None else start
        for row in values:
            given: dict[str, Any] = {"tension": row} if length is None else {"length": row}
            pulled = np.sign(row - last) if length is None else np.sign(last - row)
            # where the search begins
            point = self.solve(**given, start=q, before=held, slip=np.where(pulled == 0.0, slip, pulled))
            found.append(point)
            last = row
            q, slip = point.q, point.slip
            held = None if held is None else point.tendon_length
        return found

    # Tip positions

    def inverse(
        self,
        targets: ArrayLike,
        follow: Sequence[str] = ("y", "z"),
        *,
        largest_tension: float = 2.5,
        prefer: Prefer = "antagonists",
        stiffness: float | None = None,
        direction: ArrayLike | None = None,
        start: ArrayLike | None = None,
        kept: list[Equilibrium] | None = None,
    ) -> FollowedPath:
        """Tensions that bring the tip along a trajectory.

        Parameters
        ----------
        targets : (points, components) in the frame of the clamped disk (x along the unbent body), the components that
            `follow` names: x, y, z in m, and heading, elevation, roll of the last disk in rad (see
            `Equilibrium.tip_components`).
        largest_tension : bound on every tension, N (the paper's sensors end at 2.5 N).
        prefer : `antagonists`: one tendon of each pair or triple is slack, as in the paper. With more tendons than
            components: least `tension` (sum of squares), least positive `work` from point to point, or a wanted tip
            `stiffness` (N/m) along `direction` (base frame; the first followed axis if absent). With a
            `tendon_stiffness` lengths are held, so that antagonists stiffen.
        start : (tendons,) tensions from which to begin, for another branch than the one that continues from rest; N.
        kept : receives the equilibria as they are found.

        A target out of reach is answered with the nearest tip within the bounds; `error` and `angle_error` tell how far
        that is. A stiffness that no tensions give is answered with the nearest one; `stiffness` tells it, `wish_met`
        whether it is the wanted one.
        """
        components, wanted = components_and_targets(follow, targets)
        follower = TipFollower(self, components, largest_tension, prefer, stiffness, direction)
        return follower.follow(wanted, start, [] if kept is None else kept)

    def workspace(self, largest: float = 1.2, count: int = 13) -> Workspace:
        """Where the tip goes for all tensions up to `largest` (N): `count` signed ones of each antagonist pair, as many
        steps of each tendon of a triple, one of which is slack, and of any other tendon."""
        return scan(self, largest, count)

    def design(self, targets: ArrayLike, **options: Any) -> Design:
        """The stiffness profile and routing that spend least along a trajectory of the tip: see `design.improve`
        beside this file.
        """
        return improve(self, targets, **options)

    def pulley_angles(self, tendon_length: ArrayLike) -> Array:
        """Angles by which pulleys have wound up tendons of these lengths (.., tendons), rad; 0
        when the spine is straight.
        """
        if self.robot.pulley_radius is None:
            raise InputError("the robot has no pulley_radius")
        straight = self.posture_at(np.zeros(self.spine.stiffness.shape)).total.copy()
        return np.asarray((straight - np.asarray(tendon_length, dtype=np.float64)) / self.robot.pulley_radius)

    def friction_coefficients(self, found: Equilibrium) -> Array:
        """(v, tendons) coefficient at each disk that a tendon passes; 0 on its anchor disk and beyond."""
        holes = found.origin[:, None] + np.einsum("dij,dcj->dci", found.rotation, self.spine.holes)
        return coefficients_at_disks(self.friction_law, holes, self.spine.end)
