"""A step of strain cells among hard things, in tables: what the sweeps of `cell_sweeps` are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import Twist, Wrench
from limbless.mechanics.compiled import Array, IntArray, Rows, Table, table

if TYPE_CHECKING:
    from limbless.mechanics.chain import (
        Cells,
        ChainRecords,
        ChainTables,
        DriveSample,
        ElasticTendons,
        JacobianColumn,
        Station,
        TendonState,
    )
    from limbless.mechanics.contact import (
        BodyInertia,
        ContactMemory,
        ContactOptions,
        ContactRecord,
        Factors,
        ImpulseResponse,
        Scene,
        StepRecord,
    )


@table
class CellFreedom(Table):
    """A freedom of a cell in the sweeps. D is not symmetric where a contact slips: V is not Uᵀ."""

    need: Wrench  # V and y of a given one, before its row became that of its rate
    needs: float
    before: float  # rate before this pass
    effort: float  # what acts along it over the step, with what is taken ahead


@table
class StationStep(Table):
    """A body of the robot over a step."""

    start: Twist  # V_A: by the columns of the stage, from the rates at the start


@table
class CellRecord(Table):
    numerical: float  # J: what the step rule took since the start, with a minus
    iterations: float  # of Newton's method in the step that ended,
    passes: float  # and evaluations of the body


class SweptCells(NamedTuple):
    """What a step needs of `Cells`, from which it is taken: the whole of it is long to hand on."""

    stations: Rows[Station]
    viscous: Array
    elastic: Array
    given: IntArray
    driven: IntArray
    scale: Array
    present: DriveSample
    pulls: Rows[TendonState]
    ropes: ElasticTendons | None
    columns: Rows[JacobianColumn]
    span: Array

    @classmethod
    def of(cls, cells: Cells) -> SweptCells:
        return cls(*(getattr(cells, name) for name in cls._fields))


class CellSolve(NamedTuple):
    """Cells over a step."""

    cells: SweptCells
    # (cells + 1, 2, 6, 8) [I | f] of the end of each cell, about itself (0), and of the stations within (1), about the
    # inner node: the same in all iterations of a pass
    loads: Array
    # (freedoms, 8) Σ Jᵀ [B X | f] of the stations within, with what acts along the freedom
    own: Array
    gains: Array  # (freedoms, 8) D⁻¹ [V | y]
    freedoms: Rows[CellFreedom]
    stations: Rows[StationStep]  # (bodies,)
    station: IntArray  # (bodies,) number of the station that each is
    ahead: Array  # (freedoms, most) A = θh C + (θh)² K of the free ones
    # With the freedoms of a cell side by side, eight in a group: columns of all stations; of the stations within a cell
    # Σ Xᵀ B J, and Σ Jᵀ f behind it, and D with A; U and D with all beyond, and with contacts
    screws: Array  # (stations, groups, 6, 8)
    sums: Array  # (cells, groups, 7, 8)
    matrix: Array  # (freedoms, groups, 8)
    answers: Array  # (cells, groups, 6, 8)
    whole: Array  # (freedoms, groups, 8)
    # (cells, most, most) of D with the rows of given freedoms replaced, as `lu_factorise` leaves it
    factor: Array
    order: IntArray  # (cells, most)
    right: Array  # (most, 8) V and y,
    found: Array  # (most, 8) D⁻¹ of it
    before: Array  # (state,) slopes before this pass
    ends: Array  # (2, given) values and rates of given freedoms at the end of the step
    # (4,) step and share of it that the state stands at, its time, and length of the step before
    clock: Array
    counts: Array  # (4,) passes and iterations of the last step; passes of all, and halvings
    response: CellResponse | None  # where ropes pull or bodies meet that both move


class CellResponse(NamedTuple):
    """How cells answer to impulses on bodies and along freedoms under the linearised laws, eight cases in one sweep."""

    answers: Rows[ImpulseResponse]  # (bodies, 8)
    pulls: Array  # (freedoms, 8) impulses along freedoms
    rates: Array  # (freedoms, 8)
    held: Array  # (freedoms, 8) what given ones need less
    factors: Factors  # of the base
    ropes: Array  # (terms, terms) factors of 1 + K G
    rope_order: IntArray  # (terms,)
    rope_right: Array  # (terms, 8)
    rope_found: Array  # (terms, 8) changes of tensions, as impulses
    # (terms, 12) twist of the base that answers a unit of each, and the wrench that arrives there
    rope_base: Array


class SoftRule(NamedTuple):
    """How a step of cells is taken."""

    theta: float  # where the stage lies: 1/2 the middle, 1 the end
    tolerance: float  # of a stage, relative to the speed of the body
    most: int  # passes
    halvings: int


class SoftLayout(NamedTuple):
    """Where the parts of a flat state begin, after that of a chain; as `StateLayout`."""

    sums: int
    earlier: int
    speeds: int  # `BodyVelocity` of objects, counted from the first row of the robot
    impulses: int
    torque: int
    numerical: int
    objects: int
    end: int


class SoftContactRecords(NamedTuple):
    """What is kept at recorded instants."""

    chain: ChainRecords
    contacts: Rows[ContactRecord]  # (R, contacts)
    steps: Rows[StepRecord]  # (R,)
    own: Rows[CellRecord]  # (R,)
    objects: Array  # (R, objects)


class SoftContactProblem(NamedTuple):
    """Everything that an engine needs to move cells among hard things."""

    robot: ChainTables
    solids: Rows[BodyInertia]  # (bodies,): of objects
    scene: Scene
    forces: tuple
    options: ContactOptions
    rule: SoftRule
    where: SoftLayout
    drive: tuple  # SoftDrive
    memory: ContactMemory
    records: SoftContactRecords
