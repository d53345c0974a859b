"""The geometric equations of a chain, one state at a time, under the names of paper 003.

What the geometric equations give: poses, one instant, a free motion, the impact of a clamp.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation
from limbless.core import Array, InputError, SimulationError
from limbless.environments import Clamp, Environment
from limbless.mechanics.algebra import Quaternion, Vector, quaternion_rate
from limbless.mechanics.chain import Body, Spherical, passive_torques
from limbless.mechanics.geometry import christoffel as symbols_of
from limbless.mechanics.geometry.base_charts import JointScrew, Spatial
from limbless.mechanics.geometry.screws import weigh_state
from limbless.models.base import numbers, refuse_law_failure
from limbless.models.chain.chain_model import ChainModel
from limbless.models.chain.geometry import planar_closed_form
from limbless.models.chain.geometry.base_coordinates import frame_of, memory_of
from limbless.models.chain.geometry.constrained_dynamics import solve_free
from limbless.models.geometric import GeometricSettings
from limbless.robots.base import Preset, Robot

NEAR_LOCK = 1e-3
"""Cosine of the pitch at which the virtual joints of a base in space count as locked."""


class Poses(NamedTuple):
    """Module frames: x along the body, origin at the module's centre."""

    rotation: Array  # (modules, 3, 3) module to world
    position: Array  # (modules, 3) m


@dataclass(frozen=True)
class GeometricSolution:
    """One instant of M ẍ + Γ(ẋ, ẋ) = Y.

    Attributes
    ----------
    acceleration : (N,) of every degree of freedom, base first.
    force : (N,) what the actuators give along the joints; along the base, what holds it (zero where it is free).
    reaction : (6,) force and moment that hold the robot from outside, about the base origin, world axes (N, N m).
    clamp_reaction : (6,) the part of it that holds the module `clamp`, likewise; what holds the base is the rest.
    """

    acceleration: Array
    force: Array
    reaction: Array
    clamp_reaction: Array


class Geodesic(NamedTuple):
    """A free motion at the asked times."""

    time: Array  # (T,) s
    x: Array  # (T, coordinates) base, then joints
    speeds: Array  # (T, N)


@dataclass(frozen=True)
class Impact:
    """A clamp that closes on a moving module.

    Attributes
    ----------
    speeds : (N,) after it.
    impulse : (6,) of the clamp, about the base origin, world axes (N s, N m s).
    joint_impulse : (joints,) of the motors that keep the motion-given joints as they are (N m s).
    energy : kinetic energy that is lost, J.
    motor_work : work of the motors' impulses, J.
    """

    speeds: Array
    impulse: Array
    joint_impulse: Array
    energy: float
    motor_work: float


Given = Literal["locomotion", "manipulation", "torque-driven"]


class Geometric(ChainModel):
    """The geometric equations of a serial chain, one state at a time (paper 003, in corrected form).

    Product of exponentials, metric, Christoffel symbols and the one solution for all modes. A run (`model: geometric`)
    moves the same chain by the recursion of `NewtonEuler`, which gives the same motion in O(n).

    Parameters
    ----------
    robot : a `Chain` of revolute, prismatic and universal joints, or a preset that builds one.
    environment : what acts on it.
    actuation : of no matter to one state; it is there since all models have the same constructor.
    settings : `coordinates`: `virtual` (the base on virtual joints: PX PY RZ, or PX PY PZ RZ RY RX) or `group` (SE(2)
        or SE(3)); `equations`: `full`, or `printed`: (22) as the paper prints it, without the terms that mix speeds of
        the base and of the joints. A planar robot on virtual joints then swims away without friction; it serves to show
        what that costs, and for nothing else.

    States are x: base coordinates, then joint positions; and speeds: base speeds, then joint velocities. On virtual
    joints the two match. On SE(2) x begins with X, Y, yaw, on SE(3) with position and quaternion, and the speeds with
    the body twist.
    """

    name = "geometric"

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: GeometricSettings | None = None,
    ) -> None:
        super().__init__(robot, environment, actuation)
        self.settings = own = GeometricSettings.or_default(settings)
        self.frame, base = frame_of(self.chain, own.coordinates, own.equations)
        self._names = [*base, *self.chain.joint_names]
        self.freedoms = self.frame.speeds + self.chain.freedoms
        self._lay_out(self.frame.coordinates, self.frame.speeds)
        self._memory = memory_of(len(self._plain.links.codes), self.freedoms)

    def _refuse(self) -> None:
        if any(item.kind == "water" and item.has_surface for item in self.environment):
            raise InputError(
                "water.surface: the geometric equations take deep water only; leave the surface out, or take "
                "NewtonEuler"
            )
        if np.any(self.chain.arrays().joint_kind == Spherical.code):
            raise InputError(
                "the geometric equations have one screw per joint: describe spherical joints as three revolute "
                "joints (khalil-eel: `joints: revolute`)"
            )

    def _pushes(self, item: Environment) -> bool:
        return item.role == "wrench"  # set-valued friction is refused where it would be asked for

    # Kinematics

    def forward_kinematics(self, x: ArrayLike) -> Poses:
        """Poses of all modules by products of exponentials (1)."""
        self._weigh(x, None, None)
        body, pieces = Body.of(self._memory.bodies), self.chain.segments()
        bodies = [piece.body for piece in pieces]
        R = body.rotation[bodies].reshape(-1, 3, 3)
        centre = np.array([piece.start + 0.5 * piece.length * piece.frame[:, 0] for piece in pieces])
        frames = np.array([piece.frame for piece in pieces])
        return Poses(R @ frames, body.origin[bodies] + np.einsum("bij,bj->bi", R, centre))

    def spatial_jacobian(self, x: ArrayLike) -> Array:
        """(6, N): spatial screws of all degrees of freedom (6), about the world's origin."""
        self._weigh(x, None, None)
        columns = JointScrew.of(self._memory.screws).twist.copy()
        columns[:, :3] += np.cross(Body.of(self._memory.bodies).origin[0], columns[:, 3:])
        return columns.T

    def body_jacobian(self, x: ArrayLike, module: int) -> Array:
        """(6, N): twist of a module in its own frame, per speed (3)-(4); columns beyond the module are zero."""
        pieces = self.chain.segments()
        if not -len(pieces) <= module < len(pieces):
            raise InputError(f"module {module} does not exist; the robot has modules 0 to {len(pieces) - 1}")
        poses, columns = self.forward_kinematics(x), JointScrew.of(self._memory.screws).twist
        R, arm = poses.rotation[module], poses.position[module] - Body.of(self._memory.bodies).origin[0]
        linear = columns[:, :3] + np.cross(columns[:, 3:], arm)
        carried = np.arange(self.freedoms) <= self._last_column(pieces[module].body)
        return np.concatenate([linear @ R, columns[:, 3:] @ R], axis=1).T * carried

    def _last_column(self, row: int) -> int:
        return self.frame.speeds - 1 + (int(self.chain.arrays().velocity_column[row]) + 1 if row else 0)

    # Geometry

    def metric(self, x: ArrayLike) -> Array:
        """(N, N): the Riemannian metric M (10)."""
        self._weigh(x, None, None)
        return self._memory.metric.copy()

    def christoffel(
        self, x: ArrayLike, form: Literal["general", "planar"] = "general", kind: Literal["first", "second"] = "first"
    ) -> Array:
        """(N, N, N): symbols of the first kind Γ_ijk (13), k lowered; with a group base those of the Koszul formula.

        `general` is O(n³) for any chain; `planar` is O(n²) before it is written out, for chains in a plane on virtual
        joints. The `second` kind has k raised, Γᵏ_ij = M⁻¹_kl Γ_ijl (12): free motion obeys dv_k/dt = -Γᵏ_ij v_i v_j.
        """
        if kind == "second":
            first, M = self.christoffel(x, form), self.metric(x)
            return np.asarray(np.linalg.solve(M, first.reshape(-1, self.freedoms).T).T.reshape(first.shape))
        if kind != "first":
            raise InputError(f"kind must be 'first' (k lowered) or 'second' (k raised); got {kind!r}")
        if form == "planar":
            return planar_closed_form.planar_christoffel(self._planar(), numbers("x", x, self.freedoms))
        self._weigh(x, None, None)
        symbols = np.empty((self.freedoms,) * 3)  # every entry is written
        screw, nb = JointScrew.of(self._memory.screws), self.frame.speeds
        symbols_of.fill_christoffel(self._plain, self.frame, self._memory, np.ascontiguousarray(screw.twist.T), symbols)
        if self.frame.group:
            symbols[:nb, :nb, :nb] = symbols_of.base_symbols(screw.twist[:nb], screw.pull[:nb])
        return symbols

    def _planar(self) -> planar_closed_form.Levers:
        if self.frame.speeds != 3 or self.frame.group:
            raise InputError("the planar form is for a planar base on virtual joints; use form='general'")
        return planar_closed_form.levers(self.chain)

    def coriolis(self, x: ArrayLike, speeds: ArrayLike) -> Array:
        """(N, N): C_kj = Γ_ijk v^i, in O(n²); C v is the bias, and the rate of M less 2 C is skew."""
        self._weigh(x, speeds, None)
        carried = np.concatenate([np.zeros(self.frame.speeds, dtype=int), 1 + np.arange(self.chain.freedoms)])
        return symbols_of.coriolis(self._memory, carried)

    def bias(self, x: ArrayLike, speeds: ArrayLike) -> Array:
        """(N,): Γ(v, v), in O(n)."""
        self._weigh(x, speeds, None)
        return self._memory.bias.copy()

    def geodesic(self, x: ArrayLike, speeds: ArrayLike, times: ArrayLike, tolerance: float = 1e-10) -> Geodesic:
        """The free motion of the robot from a state: nothing acts, neither environment nor motors nor springs.

        Such a motion is a geodesic of the metric M, the straightest path through its postures, run through at constant
        kinetic energy. `times` (s) begin at the given state or after it and increase; `tolerance` is relative, of every
        step.
        """
        from scipy.integrate import solve_ivp

        instants = np.asarray(times, dtype=float)
        if (
            instants.ndim != 1
            or len(instants) == 0
            or not np.isfinite(instants).all()
            or (np.diff(instants) <= 0).any()
            or instants[0] < 0
        ):
            raise InputError("times must be finite, increase, and begin at 0 s or later")
        split, v = self.frame.coordinates + self.chain.freedoms, numbers("speeds", speeds, self.freedoms)

        def slope(_: float, state: Array) -> Array:
            bias = self.bias(state[:split], state[split:])
            return np.concatenate(
                [self._coordinate_rates(state[:split], state[split:]), -np.linalg.solve(self._memory.metric, bias)]
            )

        start = np.concatenate([numbers("x", x, split), v])
        found = solve_ivp(slope, (0.0, instants[-1]), start, "DOP853", instants, rtol=tolerance, atol=tolerance)
        return Geodesic(instants, found.y[:split].T.copy(), found.y[split:].T.copy())

    def _coordinate_rates(self, x: Array, speeds: Array) -> Array:
        """Rates of base coordinates and joint positions of a free motion, whose screws are in memory."""
        nb = self.frame.speeds
        base = speeds[:nb]
        if self.frame.group:
            twist = base @ JointScrew.of(self._memory.screws).twist[:nb]
            base = twist[[0, 1, 5]] if nb == 3 else twist[:3]
        if self.frame.coordinates == 7:
            base = np.concatenate([base, quaternion_rate(Quaternion(*x[3:7]), Vector(*speeds[3:6]))])
        return np.concatenate([base, speeds[nb:]])

    def generalised_force(self, x: ArrayLike, speeds: ArrayLike, time: float = 0.0) -> Array:
        """(N,): what the environment does along every degree of freedom (17)-(20); set-valued friction is no
        function and not in it.
        """
        without = self.bias(x, speeds)
        self._weigh(x, speeds, time)
        return without - self._memory.bias

    # Dynamics

    def solve(
        self,
        x: ArrayLike,
        speeds: ArrayLike,
        given: Given | ArrayLike = "locomotion",
        *,
        acceleration: ArrayLike | None = None,
        force: ArrayLike | None = None,
        clamp: int | None = None,
        time: float = 0.0,
    ) -> GeometricSolution:
        """Each degree of freedom motion-given or force-given: (22)-(26) in full.

        Parameters
        ----------
        x, speeds : the state.
        given : `locomotion` (joints motion-given, base free), `manipulation` (base and joints motion-given),
            `torque-driven` (none), or a mask of N.
        acceleration : (N,) or (joints,) of the motion-given ones, zero if absent.
        force : (N,) or (joints,) of the force-given ones, zero if absent.
        clamp : number of a module held fast besides (-1: the last); the base then follows from the
            joints. Where the base is motion-given too, both are held: enough joints must be force-given
            to leave the loop a way to move.
        """
        if any(item.role == "friction" for item in self.environment):
            raise InputError(
                "set-valued friction is no function of one state: `solve` needs wheels with `law: regularised`"
            )
        mask, s, mixed = self._mask(given), self._memory, self._left_out(x, speeds)
        self._weigh(x, speeds, time)
        s.bias[: self.frame.speeds] -= mixed
        effort, passive = self._padded("force", force), self._passive(x, speeds)
        J, rate, axes = self._clamp_rows(None if clamp is None else Clamp(module=clamp).row(self.chain))
        known = self._padded("acceleration", acceleration)
        found, pull = solve_free(s.metric, self._names, ~mask, known, effort + passive - s.bias, J, -rate, time)
        return GeometricSolution(
            found,
            np.where(mask, s.metric @ found + s.bias - pull @ J - passive, effort),
            Spatial.of(s.spatial).load[0] + found @ JointScrew.of(s.screws).pull,
            pull @ axes if len(pull) else np.zeros(6),
        )

    def close_clamp(self, x: ArrayLike, speeds: ArrayLike, clamp: int = 0, joints_given: bool = True) -> Impact:
        """The impulse of a clamp that closes on module `clamp`: joint speeds kept by their
        motors, or free to jump as well.
        """
        v, s = numbers("speeds", speeds, self.freedoms), self._memory
        self._weigh(x, v, None)
        joints = np.arange(self.freedoms) >= self.frame.speeds
        J, _, _ = self._clamp_rows(Clamp(module=clamp).row(self.chain))
        still = np.zeros(self.freedoms)
        free = ~joints | (not joints_given)
        jump, pull = solve_free(s.metric, self._names, free, still, still, J, -J @ v)
        after = v + jump
        motors = (s.metric @ jump - pull @ J)[joints] * joints_given
        lost = 0.5 * (v @ s.metric @ v - after @ s.metric @ after)
        impulse = jump @ JointScrew.of(s.screws).pull
        return Impact(after, impulse, motors, float(lost), float(motors @ (0.5 * (v + after)[joints])))

    # Inside

    def _state(self, x: ArrayLike, speeds: ArrayLike | None) -> tuple[Array, Array]:
        """Coordinates and speeds, checked."""
        coordinates = numbers("x", x, self.frame.coordinates + self.chain.freedoms)
        v = np.zeros(self.freedoms) if speeds is None else numbers("speeds", speeds, self.freedoms)
        if self.frame.coordinates == 6 and abs(np.cos(coordinates[4])) < NEAR_LOCK:
            raise SimulationError(
                "the virtual joints of the base are near gimbal lock (pitch of 90 degrees): use coordinates 'group', "
                "a base on SE(3), which has none"
            )
        return coordinates, v

    def _weigh(self, x: ArrayLike, speeds: ArrayLike | None, time: float | None) -> None:
        """Poses, screws, metric and bias at a state; with a time, the environment's forces are taken off the bias."""
        forces = () if time is None else self._forces
        weigh_state(self._plain, forces, self.frame, time or 0.0, *self._state(x, speeds), self._memory)
        if time is not None:
            refuse_law_failure(self.environment)

    def _left_out(self, x: ArrayLike, speeds: ArrayLike) -> Array:
        """What (22) as printed leaves out of the bias of the base: 2 Γ_ijk ẋ_i ẋ_j with i of the base and j of the
        joints. Γ(v, v) is quadratic: it is what all speeds have beyond those of the base and those of the joints alone.
        """
        nb, v = self.frame.speeds, numbers("speeds", speeds, self.freedoms)
        if self.settings.equations == "full":
            return np.zeros(nb)
        base = np.where(np.arange(self.freedoms) < nb, v, 0.0)
        return (self.bias(x, v) - self.bias(x, base) - self.bias(x, v - base))[:nb]

    def _clamp_rows(self, row: int | None) -> tuple[Array, Array, Array]:
        """J and J̇ ẋ of a clamped body, and the axes along which its twist is held: of a planar base three, else the
        world's six at the base origin; none where the base is fixed or nothing is clamped.
        """
        nb, screws = self.frame.speeds, JointScrew.of(self._memory.screws).twist
        axes = (screws[:3] if nb == 3 else np.eye(6)[:nb]) if row is not None else np.zeros((0, 6))
        carried = np.arange(self.freedoms) <= self._last_column(row or 0)
        return axes @ (screws * carried[:, None]).T, axes @ Spatial.of(self._memory.spatial).known[row or 0], axes

    def _passive(self, x: ArrayLike, speeds: ArrayLike) -> Array:
        """(N,): springs, dampers and friction in the joints."""
        position = numbers("x", x, self.frame.coordinates + self.chain.freedoms)[self.frame.coordinates :]
        velocity = numbers("speeds", speeds, self.freedoms)[self.frame.speeds :]
        passive = np.zeros(self.freedoms)
        state = np.concatenate([np.zeros(7), position, np.zeros(6), velocity])
        passive_torques(self._plain, state, passive[self.frame.speeds :])
        return passive

    def _mask(self, given: Given | ArrayLike) -> NDArray[np.bool_]:
        nb = self.frame.speeds
        base = np.arange(self.freedoms) < nb
        words = {"locomotion": ~base, "manipulation": base | ~base, "torque-driven": base & ~base}
        if isinstance(given, str):
            if given not in words:
                raise InputError(
                    f"given must be 'locomotion', 'manipulation', 'torque-driven' or a mask of {self.freedoms}; got "
                    f"{given!r}"
                )
            return words[given]
        mask = np.asarray(given, dtype=bool)
        if mask.shape != (self.freedoms,):
            raise InputError(
                f"given must have {self.freedoms} entries, one per degree of freedom; got shape {mask.shape}"
            )
        return mask

    def _padded(self, name: str, values: ArrayLike | None) -> Array:
        """One number per degree of freedom; numbers of the joints alone get zeros for the base."""
        if values is None:
            return np.zeros(self.freedoms)
        array = np.asarray(values, dtype=np.float64)
        if array.shape == (self.chain.freedoms,):
            array = np.concatenate([np.zeros(self.frame.speeds), array])
        return numbers(name, array, self.freedoms)
