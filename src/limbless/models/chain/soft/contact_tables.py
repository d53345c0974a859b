"""Memory and records of a soft body in contact, as a `SoftContactProblem` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.chain import INTEGRALS, Body, Station
from limbless.mechanics.compiled import LANES, aligned_zeros
from limbless.mechanics.contact import (
    PLACED,
    BodyVelocity,
    CellFreedom,
    CellRecord,
    CellResponse,
    CellSolve,
    ContactMemory,
    ContactRecord,
    ContactRow,
    ImpulseResponse,
    ObjectPose,
    SoftContactRecords,
    SoftLayout,
    StationStep,
    StepRecord,
    SweptCells,
    WarmStart,
)
from limbless.models.chain import chain_problem
from limbless.models.chain.contact import contact_scene, moving_body_tables

if TYPE_CHECKING:
    from limbless.models.chain.soft.contact_model import SoftContact


def layout_of(size: int, freedoms: int, rows: int, contacts: int, objects: int) -> SoftLayout:
    """Where the parts of a flat state begin, after the `size` numbers of a soft body."""
    ends = size + np.cumsum(
        [0, 6 + freedoms, BodyVelocity.width * objects, WarmStart.width * contacts, freedoms, 1, PLACED * objects]
    )
    earlier, speeds, *others = map(int, ends)
    return SoftLayout(size - INTEGRALS, earlier, speeds - BodyVelocity.width * rows, *others)


def solve_memory(model: SoftContact, cells: Any, rows: int) -> CellSolve:
    n, most = cells.elastic.shape
    count, groups = len(model.plan.cells), -(-most // LANES)
    return CellSolve(
        SweptCells.of(cells),
        aligned_zeros((count + 1, 2, 6, LANES)),
        aligned_zeros((n, LANES)),
        aligned_zeros((n, LANES)),
        CellFreedom.zeros(n),
        StationStep.zeros(rows),
        np.argsort(np.concatenate([[-1], Station.of(cells.stations).body])) - 1,
        aligned_zeros((n, most)),
        aligned_zeros((len(Station.of(cells.stations).body), groups, 6, LANES)),
        aligned_zeros((count, groups, 7, LANES)),
        aligned_zeros((n, groups, LANES)),
        aligned_zeros((count, groups, 6, LANES)),
        aligned_zeros((n, groups, LANES)),
        aligned_zeros((count, most, most)),
        np.zeros((count, most), dtype=np.int64),
        aligned_zeros((most, LANES)),
        aligned_zeros((most, LANES)),
        np.zeros(len(model.flat())),
        np.zeros((2, len(cells.driven))),
        np.zeros(4),
        np.zeros(4),
        None if model._crowd is None and cells.ropes is None else response_memory(model, cells, rows),
    )


def response_memory(model: SoftContact, cells: Any, rows: int) -> CellResponse:
    n, terms = len(cells.rest), 0 if cells.ropes is None else len(cells.ropes.terms)
    return CellResponse(
        ImpulseResponse.zeros(rows + len(model._company.objects), words=(LANES,)),
        aligned_zeros((n, LANES)),
        aligned_zeros((n, LANES)),
        aligned_zeros((n, LANES)),
        moving_body_tables.factors_of(0),
        np.zeros((terms, terms)),
        np.zeros(terms, dtype=np.int64),
        aligned_zeros((terms, LANES)),
        aligned_zeros((terms, LANES)),
        np.zeros((terms, 12)),
    )


def contact_rows(model: SoftContact) -> Any:
    """All contacts, and how firm the ground is under the stations of a rod."""
    table = ContactRow.zeros(len(model._scene.owner))
    if model.touching.borne is not None:
        fixed = model.outer
        firm = model.touching.borne[model._scene.owner[fixed]]
        ContactRow.of(table).firm[fixed], ContactRow.of(table).ease[fixed] = firm, 1.0 / firm
    return table


def memory_for(model: SoftContact, drive: Any, records: int, tally: Any) -> ContactMemory:
    """Working memory of a run with so many records."""
    cells, rows = model.cells(records, drive.how), len(model.touching.links)
    chain = chain_problem.memory_of(model._links, len(tally.laws), tally, len(model.flat()), cells)
    chain = chain._replace(bodies=Body.zeros(rows + len(model._company.objects)))
    solve = solve_memory(model, cells, rows)
    return contact_scene.memory_for(chain, model._scene, model._crowd, contact_rows(model), False, solve)


def records_for(model: SoftContact, memory: ContactMemory, count: int, tally: Any) -> SoftContactRecords:
    """Memory for `count` records, and for as many of `tally`."""
    objects = len(model._company.objects)
    return SoftContactRecords(
        chain_problem.records_of(model._links, count, tally, len(model.flat()), len(model.touching.links) + objects),
        ContactRecord.zeros(count, len(model._scene.owner)),
        StepRecord.zeros(count),
        CellRecord.zeros(count),
        ObjectPose.zeros(count, objects),
    )
