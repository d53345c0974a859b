"""What resists the strains of a cell: springs and dampers of its own table, or a user's material law.

A law gives the stress σ(ξ, ξ̇, X) of a section. Along freedom j of a cell, which strains its sections by P_j e_c, it
gives -Σ w P_j σ_c over the stations of the cell; a vertebra is one section, strained by ±1 / length. An implicit stage
takes its slopes ahead, found by differences at the strains of the instant: a stage is then solved as fast as one with
springs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import Twist
from limbless.mechanics.chain.tables import ChainMemory, ChainTables, LinkRow
from limbless.mechanics.compiled import Array, Rows, Table, call_pointer, constants, func, noinline_func, table

if TYPE_CHECKING:
    from limbless.mechanics.chain.strain_cell import Cells

NUDGE = 1e-6  # of 1 and the strain: of the differences that find slopes


@constants
class MaterialStation(Table):
    """A station at which a law is asked."""

    abscissa: float  # m
    weight: float  # length that it stands for, m
    column: int  # the first freedom of its cell
    address: int  # of the function, `void law(double *buffer)`


@table
class Sample(Table):
    """What a user's law finds, and where it writes its answer."""

    time: float  # not used: the law of a material does not change by itself
    abscissa: float  # m
    strain: Twist  # stretch (1: as long as unloaded), shears; twist and curvatures, 1/m
    rate: Twist  # 1/s, 1/(m s)
    stress: Twist  # answer: forces, N, and couples, N m, along the same axes


STRAIN, STRESS = Sample.fields["strain"].column, Sample.fields["stress"].column


class Material(NamedTuple):
    """A user's law at all stations of a rod, or vertebrae of a spine."""

    rows: Rows[MaterialStation]  # (stations,)
    shapes: Array  # (stations, terms) P_j at each
    parts: Array  # (strains,) numbers of the strains that the body has, and whether a freedom
    signs: Array  # (strains,) makes each of them larger, 1, or smaller, -1
    buffer: Rows[Sample]  # one row; strains that the body does not have stay natural
    stress: Array  # (strains,)
    slopes: Array  # (2, strains, strains) of σ with the strains, and with their rates


@func
def spring_forces(robot: ChainTables, memory: ChainMemory) -> None:
    """`material_forces` where stiffness and damping are numbers, those of `Cells`."""
    cells = memory.cells
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        for j in range(link.freedoms):
            v, force = link.column + j, 0.0
            for i in range(link.freedoms):
                u = link.column + i
                force -= cells.elastic[v, i] * (cells.strain[u] - cells.rest[u]) + (
                    cells.viscous[v, i] * cells.strain_rate[u]
                )
            memory.passive[v] = force


@noinline_func
def material_forces(law: Material, robot: ChainTables, memory: ChainMemory) -> None:
    """Forces along all freedoms, from their values and rates in `Cells`, into `memory.passive`."""
    cells = memory.cells
    ahead = cells.span[0] > 0.0
    for v in range(cells.strain.shape[0]):
        memory.passive[v] = 0.0
        for i in range(cells.elastic.shape[1] if ahead else 0):
            cells.elastic[v, i] = 0.0
            cells.viscous[v, i] = 0.0
    for s in range(law.shapes.shape[0]):
        fibre = MaterialStation(law.rows, s)
        strain_section(law, s, fibre, cells)
        call_pointer(fibre.address, law.buffer)
        for p in range(law.parts.shape[0]):
            law.stress[p] = law.buffer[0, STRESS + law.parts[p]]
            for j in range(law.shapes.shape[1]):
                v = fibre.column + p * law.shapes.shape[1] + j
                memory.passive[v] -= fibre.weight * law.signs[p] * law.shapes[s, j] * law.stress[p]
        if ahead:
            find_slopes(law, fibre)
            add_slopes(law, s, fibre, cells)


@noinline_func
def strain_section(law: Material, s: int, fibre: MaterialStation, cells: Cells) -> None:
    """Strains and rates of a section into the buffer."""
    terms = law.shapes.shape[1]
    Sample(law.buffer, 0).abscissa = fibre.abscissa
    for p in range(law.parts.shape[0]):
        c = law.parts[p]
        strain, rate = 1.0 if c == 0 else 0.0, 0.0
        for j in range(terms):
            v = fibre.column + p * terms + j
            strain += law.signs[p] * law.shapes[s, j] * cells.strain[v]
            rate += law.signs[p] * law.shapes[s, j] * cells.strain_rate[v]
        law.buffer[0, STRAIN + c] = strain
        law.buffer[0, STRAIN + 6 + c] = rate


@noinline_func
def find_slopes(law: Material, fibre: MaterialStation) -> None:
    """∂σ/∂ξ and ∂σ/∂ξ̇ by differences, from the section that was asked last."""
    parts = law.parts.shape[0]
    for kind in range(2):
        for p in range(parts):
            column = STRAIN + 6 * kind + law.parts[p]
            there = law.buffer[0, column]
            step = NUDGE * (1.0 + abs(there))
            law.buffer[0, column] = there + step
            call_pointer(fibre.address, law.buffer)
            for r in range(parts):
                law.slopes[kind, r, p] = (law.buffer[0, STRESS + law.parts[r]] - law.stress[r]) / step
            law.buffer[0, column] = there


@noinline_func
def add_slopes(law: Material, s: int, fibre: MaterialStation, cells: Cells) -> None:
    """The slopes of one section into those of its cell: their symmetric part, as the recursion has it, and nothing of a
    strain that softens (its matrix could be singular). What is left out only makes a stage slower.
    """
    parts, terms = law.parts.shape[0], law.shapes.shape[1]
    for p in range(parts):
        for r in range(parts):
            soft = law.slopes[0, p, p] < 0.0 or law.slopes[0, r, r] < 0.0
            thin = law.slopes[1, p, p] < 0.0 or law.slopes[1, r, r] < 0.0
            stiffness = 0.0 if soft else 0.5 * (law.slopes[0, p, r] + law.slopes[0, r, p])
            damping = 0.0 if thin else 0.5 * (law.slopes[1, p, r] + law.slopes[1, r, p])
            for j in range(terms):
                v = fibre.column + p * terms + j
                for i in range(terms):
                    both = fibre.weight * law.signs[p] * law.signs[r] * law.shapes[s, j] * law.shapes[s, i]
                    cells.elastic[v, r * terms + i] += both * stiffness
                    cells.viscous[v, r * terms + i] += both * damping
