"""The geometric model as a problem: options, working memory and records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.chain import (
    AccelerationFeedback,
    ActuatorLimit,
    ActuatorRequest,
    AxisRecord,
    Base,
    BaseRecord,
    Body,
    BodyRecord,
    ChainDrive,
    ChainTables,
    JointScrew,
    MixedActuation,
    PrescribedMotion,
    Spatial,
)
from limbless.mechanics.compiled import Array, IntArray, Rows, func

if TYPE_CHECKING:
    from limbless.mechanics.contact import ContactRow, Dense, Scene, SleepState
    from limbless.mechanics.geometry.base_charts import Frame
    from limbless.mechanics.integrate.running_totals import Totals


class Clamped(NamedTuple):
    """One module is held by rows J of its twist."""

    body: int
    seat: Array  # (7,) position and quaternion at which it is held


class Solver(NamedTuple):
    """Working memory of the dense solution; N degrees of freedom, base first."""

    free: IntArray  # (N,) numbers of the force-given ones
    factor: Array  # (N, N) of their metric
    short: Array  # (N,)
    rows: Array  # (6, N) J of the clamp
    row_rates: Array  # (6,) J̇ ẋ
    target: Array  # (6,) what J times the answer must be
    mobility: Array  # (6, N) M⁻¹ Jᵀ
    held: Array  # (6, 6) factor of J M⁻¹ Jᵀ
    pull: Array  # (6,) λ


class Touching(NamedTuple):
    """All places where set-valued friction acts; C contacts, two directions each."""

    owner: IntArray  # (C,) row of the body
    contact: Rows[ContactRow]  # Contact; impulses are kept from step to step
    active: IntArray  # (C,)
    rows: Array  # (2C, N) slip along each direction = row . speeds
    mobility: Array  # (2C, N)
    counts: Array  # (3,) steps, iterations, largest residual since the last record (m/s)
    # (3,) in the step at hand: how many touch, how many degrees of freedom are free, rows of a clamp
    found: IntArray


class Wheels(NamedTuple):
    """Set-valued wheels, and the working memory of their solution."""

    touching: Touching  # what most kernels take
    scene: Scene
    rest: SleepState
    dense: Dense
    descent: float  # ρ, kg


class WheelRecords(NamedTuple):
    """What is kept of the contacts at recorded instants."""

    force: Array  # (R, C, 3) world
    place: Array  # (R, C, 3) world
    held: Array  # (R, C) number of directions that stick
    state: Array  # (R, C) one of `law.STATES`
    residual: Array  # (R,) m/s


class Geometry(NamedTuple):
    """What kernels of `chain.screws` take of any memory: its type does not change with wheels or tallies, and so they
    are compiled once.
    """

    bodies: Rows[Body]
    spatial: Rows[Spatial]
    screws: Rows[JointScrew]
    base: Rows[Base]
    bounds: Rows[ActuatorLimit]
    metric: Array  # (N, N)
    bias: Array  # (N,)


class GeometricMemory(NamedTuple):
    """Working memory of one run: what holds at the instant that was evaluated last."""

    bodies: Rows[Body]
    spatial: Rows[Spatial]
    screws: Rows[JointScrew]  # Screw, N rows
    base: Rows[Base]  # one row
    bounds: Rows[ActuatorLimit]
    metric: Array  # (N, N)
    bias: Array  # (N,)
    rates: Array  # (N,) accelerations, or changes of the speeds over a step
    acceleration: Array  # (joints,) the last of them
    forces: Array  # (N,) right-hand side
    effort: Array  # (N,) what acts along each degree of freedom
    torque: Array  # (joints,) what the actuators give
    passive: Array  # (joints,) springs, dampers, friction
    wishes: Rows[ActuatorRequest]
    solver: Solver
    trouble: IntArray  # (1,) 0, or what could not be solved: see `mixed_dynamics.Trouble`
    powers: Array  # (4, joints) W, of each actuator at the stages of a step
    law_powers: Array  # (environments,) W
    tally: Totals | None  # Tally
    state: Array  # of the integrator: the state of a stage,
    slope: Array  # its rate,
    total: Array  # and the sum of rates


@func
def geometry_of(memory: GeometricMemory) -> Geometry:
    return Geometry(
        memory.bodies, memory.spatial, memory.screws, memory.base, memory.bounds, memory.metric, memory.bias
    )


class GeometricRecords(NamedTuple):
    """What is kept at recorded instants, in the layout that all models of a chain record."""

    x: Array  # (R, state of a chain)
    base: Rows[BaseRecord]  # (R,)
    axes: Rows[AxisRecord]  # (R, joints)
    bodies: Rows[BodyRecord]  # (R, bodies)
    tally: Totals  # (R, ...)
    wheels: WheelRecords | None


class GeometricOptions(NamedTuple):
    """Chosen by type where that spares compilation."""

    # Imposed, Actuated or Answering, as of a chain
    actuation: AccelerationFeedback | MixedActuation | PrescribedMotion
    mixed: Array  # (N,) memory for the terms that (22) as printed leaves out; None: all terms count
    frame: Frame  # of the base: see `chain.frames`
    # Clamped; None: no module is held, or the base itself, whose motion is then given
    clamp: Clamped | None
    given: IntArray  # (N,) whether each degree of freedom is motion-given
    feedback: bool  # whether torque-given joints follow the gait
    # rad/s: what rates may miss where feedback answers to accelerations within bounds; None: none does
    rate_slack: Any


class GeometricProblem(NamedTuple):
    """Everything that an engine needs to move a chain on its manifold.

    The state holds coordinates (base, then joints), speeds (base, then joints) and `IntegralSums`.
    """

    robot: ChainTables  # its links say where their numbers stand in such a state
    forces: tuple
    options: GeometricOptions
    drive: ChainDrive
    memory: GeometricMemory
    records: GeometricRecords
    wheels: Wheels | None  # Wheels, or None: apart from memory, which would be long to hand on
