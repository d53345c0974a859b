"""Where a soft body starts, and the posture in which it rests: spines by tendon statics, then against their stops;
others by relaxation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.core.registry import find
from limbless.environments import Buoyancy, Environment, Water
from limbless.mechanics.chain import COMMANDS, Body, Stop, TendonState
from limbless.models import State, numbers
from limbless.models.chain import slow_motion
from limbless.models.chain.control_tables import named
from limbless.models.chain.soft.linearisation import MOVES
from limbless.robots.tendon_spine import TendonSpine

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_model import Soft

_BEFORE = 1e-9  # s: tensions just before the start are those at minus this


class PostureLimits(NamedTuple):
    """Of the search for a posture against stops."""

    turns: int = 60
    nudge: float = 1e-7  # rad, of differences
    still: float = 1e-10  # rad: nothing more to correct
    farthest: float = 0.1  # rad, of one step
    least_share: float = 1e-3  # of a step
    noise: float = 1e-8  # of the fastest rate: what differences leave of a slow one
    turned: float = 0.5  # rad, of the whole body in one step of a relaxation


PATIENCE = PostureLimits()


def state_at_start(model: Soft, initial: Any, gait: Gait) -> State:
    """The state in which a run starts; see `Soft.initial_state`."""
    twist = np.array(initial.twist, dtype=np.float64)
    locked = [c for c in range(6) if c not in MOVES[model.plan.base] and twist[c] != 0.0]
    if locked:
        raise InputError(
            f"initial.twist: the base {model.plan.base!r} holds entry {locked[0]} of it at 0; got {initial.twist}"
        )
    strain, rate = np.concatenate([cell.rest for cell in model.plan.cells]), np.zeros(model.freedoms)
    if initial.joint_position is not None:
        strain = numbers("initial.joint_position", initial.joint_position, model.freedoms)
    if initial.joint_velocity is not None:
        rate = numbers("initial.joint_velocity", initial.joint_velocity, model.freedoms)
    if len(model._given):
        motion = model.drive(gait, np.zeros(1))
        strain[model._given], rate[model._given] = motion.position[0], motion.velocity[0]
    if initial.posture is not None and initial.posture.kind != "equilibrium":
        raise InputError(
            f"initial.posture: {initial.posture.kind!r} needs something hard around (a ground, a pipe, pegs), and "
            "there is none; leave it out"
        )
    place = initial.position, initial.orientation
    if initial.posture is not None:
        x = state_at_rest(model, gait, strain, twist, *place)
    else:
        x = model.flat(strain, rate, twist, base_position=place[0], base_orientation=place[1])
    if model.steps is not None and not model.settings.inertia:
        slow_motion.refuse_start(initial)
        x = slow_motion.started(model, x, model.drive(gait, np.zeros(1)), model.steps, MOVES[model.plan.base])
    return State(0.0, x, {} if model._loop is None else named(model._loop.start(x)))


def state_at_rest(
    body: Soft, gait: Gait, start: Array, twist: Array, position: ArrayLike, orientation: ArrayLike
) -> Array:
    """The flat state in equilibrium with what the gait gives just before the start; strains that it states are those of
    `start`."""
    place: dict[str, Any] = {"base_position": position, "base_orientation": orientation}
    if not body.tendons:
        if np.any(body.drive(gait, np.zeros(1)).torque):
            raise InputError(
                f"initial.posture: 'equilibrium' is that of loads and tendons, and gait {gait.kind!r} begins with "
                "efforts of muscles; let a damped body come to rest, and continue from that result"
            )
        return body.flat(_by_relaxation(body, start, {}, place), 0.0, twist, **place)
    value, _, how = body.strung.commands(gait, np.array([-_BEFORE]))
    if how == COMMANDS.length:
        return body.flat(equilibrium(body, length=value[0], **place), 0.0, twist, **place)
    tension = value[0] / (body.strung.radius if how == COMMANDS.torque else 1.0)
    if tension.min(initial=0.0) < 0.0:
        raise InputError(
            f"initial.posture: the winches unwind with {value[0].min():g} N m before the start; no "
            "equilibrium holds that: give torques from 0"
        )
    strain = equilibrium(body, tension, **place)
    if how == COMMANDS.tension:
        return body.flat(strain, 0.0, twist, **place)
    still = body.instant(body.flat(strain, 0.0, twist, **place), tension)
    stretched = TendonState.of(still.memory.cells.pulls).length - tension / body.strung.stiffness
    angle = (body.strung.straight - stretched) / body.strung.radius
    return body.flat(strain, 0.0, twist, winch_angle=angle, **place)


def equilibrium(body: Soft, tension: ArrayLike | None = None, length: ArrayLike | None = None, **place: Any) -> Array:
    """The freedoms at rest under these tensions (N), or with these unstretched lengths (m); `place` is the base's
    position and orientation.
    """
    own: dict[str, Any] = {"tension": 0.0 if tension is None else tension} if length is None else {"length": length}
    if not isinstance(body.robot, TendonSpine) or body.robot.material is not None:
        return _by_relaxation(body, np.concatenate([cell.rest for cell in body.plan.cells]), own, place)
    loads = _loads_of(body)
    floats = any(isinstance(item, Buoyancy) and item.surface is not None for item in loads)
    stretch = None if length is None else tuple(body.strung.stiffness.tolist())
    told: dict[str, Any] = {"tension": tension} if length is None else {"length": length}
    statics = find("model", "tendon-statics")(stops=False, tendon_stiffness=stretch)
    bends = statics.bends_at_rest(body.robot, loads, place, **told)
    strain = np.asarray(bends[:, [2, 0, 1]] if bends.shape[1] == 3 else bends).ravel()
    return against_stops(
        body, strain, floats, lambda q: body.forward(body.flat(q, **place), **told).strain_acceleration
    )


def _by_relaxation(body: Soft, strain: Array, told: dict[str, Any], place: dict[str, Any]) -> Array:
    """The freedoms of any clamped body at rest, from `strain` on: where nothing accelerates, by Newton's method along
    the flow dq/ds = M^-1 F, which only loses energy, so that it ends in a posture that is stable.

    With S the slopes of the accelerations a, each step is (σ - S)^-1 a; σ is 0 where all of S's eigenvalues are
    negative and the step is short, else as large as it takes.
    """
    if body.plan.base != "fixed":
        raise InputError(
            f"initial.posture: an equilibrium is that of a clamped body, and robot.base is {body.plan.base!r}; set it "
            "to 'fixed', or let a damped body come to rest"
        )
    free, names = body._free, [name for cell in body.plan.cells for name in cell.names]
    size = np.array([body.plan.length if "curvature" in names[k] or "twist" in names[k] else 1.0 for k in free])
    q, steps = strain.copy(), PATIENCE.nudge / size

    def acceleration(at: Array) -> Array:
        return np.asarray(body.forward(body.flat(at, **place), **told).strain_acceleration)[free]

    for _ in range(4 * PATIENCE.turns):
        left = acceleration(q)
        slopes = slopes_of(acceleration, q, left, steps[:, None] * np.eye(len(q))[free])
        rates = np.linalg.eigvals(slopes)
        rising = float(rates.real.max(initial=-1.0))
        shift = 2.0 * rising if rising > PATIENCE.noise * np.abs(rates).max(initial=1.0) else 0.0
        change = np.linalg.solve(shift * np.eye(len(free)) - slopes, left)
        while (longest := float(np.abs(size * change).max(initial=0.0))) > PATIENCE.turned:
            shift = max(4.0 * shift, float(np.abs(left).max()), 1e-3)
            change = np.linalg.solve(shift * np.eye(len(free)) - slopes, left)
        q[free] += change
        if shift == 0.0 and longest < PATIENCE.still:
            return q
    raise InputError(
        "initial.posture: no equilibrium was found; let a damped body come to rest, and continue from that result"
    )


def slopes_of(acceleration: Callable[[Array], Array], q: Array, left: Array, steps: Array) -> Array:
    """Slopes of accelerations along the freedoms in which these steps lead, from their values `left` at q."""
    return np.array([(acceleration(q + step) - left) / step.sum() for step in steps]).T


def workspace(body: Soft, tensions: ArrayLike, **place: Any) -> Array:
    """(N, 3) where the tip rests under each row of tensions (N, tendons), world, m."""
    found = []
    for pull in np.asarray(tensions, dtype=np.float64).reshape(-1, body.tendons):
        x = body.flat(equilibrium(body, pull, **place), **place)
        now = Body.of(body.instant(x, pull).memory.bodies)
        found.append(body.recorder.tip(now.rotation.reshape(-1, 3, 3), now.origin).copy())
    return np.array(found).reshape(-1, 3)


def _loads_of(body: Soft) -> list[Environment]:
    """What acts at rest: water with a surface, or gravity of its own, lifts as `buoyancy` does."""
    loads = [item for item in body.environment if "load" in (item.role, *item.also)]
    waters = [item for item in body.environment if isinstance(item, Water)]
    if any(item.moving for item in waters):
        raise InputError(
            "initial.posture: an equilibrium is that of still water, and this water moves (flow or "
            "current); leave the flow out, or let a damped body come to rest"
        )
    return loads + [
        Buoyancy(density=item.density, acceleration=item.gravity, surface=item.surface) for item in waters if item.lifts
    ]


def against_stops(body: Soft, strain: Array, floats: bool, acceleration: Callable[[Array], Array]) -> Array:
    """The posture with its stops, which are springs here, and at a surface, which cuts it at its stations: Newton's
    method until nothing accelerates.
    """
    stop = Stop.of(body.cells().stops)
    within = np.where(stop.stiffness > 0.0, np.clip(strain, stop.low, stop.high), strain)
    if (within == strain).all() and not floats:
        return strain
    strain = within
    for _ in range(PATIENCE.turns):
        left = acceleration(strain)
        nudges = PATIENCE.nudge * np.eye(body.freedoms)
        inverse: Any = np.linalg.pinv(slopes_of(acceleration, strain, left, nudges))
        change = -(inverse @ left)
        if np.abs(change).max() < PATIENCE.still:
            return strain + change
        strain = strain + share_of_step(strain, change, inverse, acceleration) * change
    raise InputError(
        "initial.posture: no equilibrium against the stops"
        f"{' and at the surface' if floats else ''} was found under these tensions; start from smaller "
        "ones, or set model.stops to false"
    )


def share_of_step(strain: Array, change: Array, inverse: Array, acceleration: Callable[[Array], Array]) -> float:
    """How much of Newton's step to take: stops are kinks, over which a whole step may go back and forth. The correction
    that the same slopes would make next must shrink (Deuflhard's natural monotonicity test).
    """
    share = min(1.0, PATIENCE.farthest / float(np.abs(change).max()))
    while share > PATIENCE.least_share and (
        np.linalg.norm(inverse @ acceleration(strain + share * change)) > (1.0 - 0.25 * share) * np.linalg.norm(change)
    ):
        share *= 0.5
    return share
