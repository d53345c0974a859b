"""A user's material law in the cells of a rod or a spine: as kernels ask it, and its energy and losses in records."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.core import Array
from limbless.mechanics.chain import Material, MaterialStation, Sample
from limbless.mechanics.compiled import PythonCallback
from limbless.models import Status, filled
from limbless.models.chain.soft.cell_plan import CellPlan
from limbless.robots import ACTUATED, NATURAL, MaterialLaw, TendonSpine

_PATH, _WEIGHT = (
    0.5 * (part + shift) for part, shift in zip(np.polynomial.legendre.leggauss(8), (1.0, 0.0), strict=True)
)
"""Along the way from the natural strain to another: where the law is asked, for the energy."""


class CellMaterial:
    """The law of a body, or none of its own: springs."""

    def __init__(self, robot: Any, plan: CellPlan) -> None:
        self.law: MaterialLaw | None = getattr(robot, "material", None)
        if self.law is None:
            return
        self._slot: Any = (
            self.law.law if hasattr(self.law.law, "address") else PythonCallback(self._answer, Sample.width)
        )
        self._fibres: list[tuple[float, float, int]] = []
        self._shapes: list[Array] = []
        if isinstance(robot, TendonSpine):
            self._in_vertebrae(robot)
        else:
            self._parts = np.array(ACTUATED[robot.strains])
            self._signs = np.ones(len(self._parts))
            self._in_sections(plan)

    def _in_vertebrae(self, robot: TendonSpine) -> None:
        """Each is one section, at its middle: a bend to the left is length times the curvature about z, a
        bend up minus that about y.
        """
        self._parts, self._signs = np.array([5, 4]), np.array([1.0, -1.0])
        lengths = robot.values("length")
        for number, (length, end) in enumerate(zip(lengths, np.cumsum(lengths), strict=True)):
            self._shapes.append(np.array([1.0 / length]))
            self._fibres.append((float(end - 0.5 * length), float(length), len(self._parts) * number))

    def sections(self, bends: Array, natural: bool) -> Array:
        """(R, vertebrae, 6): strains of all vertebrae from their bends (R, freedoms), or (not `natural`) rates."""
        found = np.tile(NATURAL if natural else np.zeros(6), (len(bends), len(self._fibres), 1))
        each = bends.reshape(len(bends), len(self._fibres), len(self._parts))
        found[..., self._parts] += each * self._signs * np.array(self._shapes)
        return found

    def _in_sections(self, plan: CellPlan) -> None:
        """The stations of a rod."""
        for (cell, _, shapes), freedoms in zip(plan.polynomials, plan.freedoms, strict=True):
            self._shapes += [*shapes]
            self._fibres += [(piece.place, piece.span, freedoms.start) for piece in cell.inner]

    def _answer(self, buffer: Array) -> None:
        assert self.law is not None
        given = Sample.of(buffer)
        given.stress[:] = self.law.stress(given.strain, given.rate, float(given.abscissa))

    def table(self) -> Material | None:
        """With memory of its own."""
        if self.law is None:
            return None
        abscissa, weight, column = zip(*self._fibres, strict=True)
        address, n = self._slot.address, len(self._parts)
        return Material(
            filled(MaterialStation, len(column), abscissa=abscissa, weight=weight, column=column, address=address),
            np.array(self._shapes),
            self._parts,
            self._signs,
            filled(Sample, 1, strain=NATURAL),
            np.zeros(n),
            np.zeros((2, n, n)),
        )

    def failure(self, time: float) -> Status:
        """What a law of plain Python raised inside compiled code."""
        error = None if self.law is None else self._slot.error
        if error is None:
            return Status()
        self._slot.error = None
        return Status(str(error), time, None, error)

    def refuse(self) -> None:
        """The same for one state at a time."""
        failed = self.failure(0.0)
        if failed.cause is not None:
            raise failed.cause

    def energies(self, strain: Array, rate: Array) -> tuple[Array, Array]:
        """Elastic energy (R,), J, from the straight body on, and power of the damping (R,), W, from strains and rates
        (R, stations, 6).
        """
        assert self.law is not None
        stored, spent = np.zeros(len(strain)), np.zeros(len(strain))
        none = np.zeros(6)
        for k, (X, weight, _) in enumerate(self._fibres):
            for r, (here, speed) in enumerate(zip(strain[:, k], rate[:, k], strict=True)):
                away, still = here - NATURAL, self.law.stress(here, none, X)
                path = [self.law.stress(NATURAL + share * away, none, X) @ away for share in _PATH]
                stored[r] += weight * float(_WEIGHT @ path)
                spent[r] -= weight * float((self.law.stress(here, speed, X) - still) @ speed)
        return stored, spent
