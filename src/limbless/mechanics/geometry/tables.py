"""The geometric model as a problem: options, working memory and records."""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.chain.tables import ChainDrive, ChainTables
from limbless.mechanics.compiled.kernel import func


class Full(NamedTuple):
    """All terms of the equations."""


class Printed(NamedTuple):
    """(22) as the paper prints it, without the terms that mix speeds of the base and of the joints."""


class Unclamped(NamedTuple):
    """No module is held, or the base itself, whose motion is then given."""


class Clamped(NamedTuple):
    """One module is held by rows J of its twist."""

    body: int
    seat: Any  # (7,) position and quaternion at which it is held


class Solver(NamedTuple):
    """Working memory of the dense solution; N degrees of freedom, base first."""

    free: Any  # (N,) numbers of the force-given ones
    factor: Any  # (N, N) of their metric
    short: Any  # (N,)
    rows: Any  # (6, N) J of the clamp
    row_rates: Any  # (6,) J̇ ẋ
    target: Any  # (6,) what J times the answer must be
    mobility: Any  # (6, N) M⁻¹ Jᵀ
    held: Any  # (6, 6) factor of J M⁻¹ Jᵀ
    pull: Any  # (6,) λ


class Touching(NamedTuple):
    """All places where set-valued friction acts; C contacts, two directions each."""

    owner: Any  # (C,) row of the body
    contact: Any  # Contact; impulses are kept from step to step
    active: Any  # (C,)
    rows: Any  # (2C, N) slip along each direction = row . speeds
    mobility: Any  # (2C, N)
    counts: Any  # (3,) steps, iterations, largest residual since the last record (m/s)
    found: Any  # (3,) in the step at hand: how many touch, how many degrees of freedom are free,
    # rows of a clamp


class Wheels(NamedTuple):
    """Set-valued wheels, and the working memory of their solution."""

    touching: Touching  # what most kernels take
    scene: Any  # Scene
    rest: Any  # Rest
    dense: Any  # Dense
    descent: float  # ρ, kg


class NoWheels(NamedTuple):
    """In place of `Wheels`, where forces are smooth."""


class WheelRecords(NamedTuple):
    """What is kept of the contacts at recorded instants."""

    force: Any  # (R, C, 3) world
    place: Any  # (R, C, 3) world
    held: Any  # (R, C) number of directions that stick
    state: Any  # (R, C) one of `law.STATES`
    residual: Any  # (R,) m/s


class Geometry(NamedTuple):
    """What kernels of `chain.screws` take of any memory: its type does not change with wheels or tallies, and so they
    are compiled once.
    """

    bodies: Any  # Body
    spatial: Any  # Spatial
    screws: Any  # Screw
    base: Any  # Base
    bounds: Any  # Bound
    metric: Any  # (N, N)
    bias: Any  # (N,)


class GeometricMemory(NamedTuple):
    """Working memory of one run: what holds at the instant that was evaluated last."""

    bodies: Any  # Body
    spatial: Any  # Spatial
    screws: Any  # Screw, N rows
    base: Any  # Base, one row
    bounds: Any  # Bound
    metric: Any  # (N, N)
    bias: Any  # (N,)
    rates: Any  # (N,) accelerations, or changes of the speeds over a step
    acceleration: Any  # (joints,) the last of them
    forces: Any  # (N,) right-hand side
    effort: Any  # (N,) what acts along each degree of freedom
    torque: Any  # (joints,) what the actuators give
    passive: Any  # (joints,) springs, dampers, friction
    wishes: Any  # Wish
    solver: Solver
    trouble: Any  # (1,) 0, or what could not be solved: see `mixed_dynamics.Trouble`
    powers: Any  # (4, joints) W, of each actuator at the stages of a step
    law_powers: Any  # (environments,) W
    tally: Any  # Tally
    state: Any  # of the integrator: the state of a stage,
    slope: Any  # its rate,
    total: Any  # and the sum of rates


@func
def geometry_of(memory):
    return Geometry(
        memory.bodies, memory.spatial, memory.screws, memory.base, memory.bounds, memory.metric, memory.bias
    )


class GeometricRecords(NamedTuple):
    """What is kept at recorded instants, in the layout that all models of a chain record."""

    x: Any  # (R, state of a chain)
    base: Any  # BaseRecord (R,)
    axes: Any  # AxisRecord (R, joints)
    bodies: Any  # BodyRecord (R, bodies)
    tally: Any  # Tally (R, ...)
    wheels: Any  # WheelRecords or NoWheels


class GeometricOptions(NamedTuple):
    """Chosen by type where that spares compilation."""

    actuation: Any  # Imposed, Actuated or Answering, as of a chain
    equations: Any  # Full or Printed
    frame: Any  # of the base: see `chain.frames`
    clamp: Any  # Unclamped or Clamped
    given: Any  # (N,) whether each degree of freedom is motion-given
    feedback: bool  # whether torque-given joints follow the gait


class GeometricProblem(NamedTuple):
    """Everything that an engine needs to move a chain on its manifold.

    The state holds coordinates (base, then joints), speeds (base, then joints) and `Sums`.
    """

    robot: ChainTables  # its links say where their numbers stand in such a state
    forces: tuple
    options: GeometricOptions
    drive: ChainDrive
    memory: GeometricMemory
    records: GeometricRecords
    wheels: Any  # Wheels or NoWheels: apart from memory, which would be long to hand on
