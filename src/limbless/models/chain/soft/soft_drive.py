"""What a gait gives to a soft body: strains, tensions, lengths, torques or efforts, at the times an engine asks for."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag

from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.gaits.base import DRIVES, Gait
from limbless.control.gaits.muscle_wave import MuscleWave
from limbless.core import Array, InputError
from limbless.mechanics.compiled import kernel_array
from limbless.models.chain.soft import cell_tables
from limbless.models.chain.soft.cell_plan import CLOSE, CellPlan, gauss, legendre
from limbless.models.chain.soft.tendon_tables import HOW, RoutedTendons
from limbless.models.implicit_steps import quarters
from limbless.robots import ACTUATED, Chain, Rod, TendonSpine

_BESIDE = 1e-9
"""Of a block of steps: as near to a jump as its own time."""
_POINTS = 5
"""Gauss points from one end of a muscle to the next."""


def gauss_pieces(ends: list[float]) -> tuple[Array, Array]:
    """Abscissae and weights (m) of Gauss's rule on every piece between these ends."""
    at, share = gauss(_POINTS)
    starts, lengths = np.array(ends[:-1]), np.diff(ends)
    return (starts[:, None] + lengths[:, None] * at).ravel(), (lengths[:, None] * share).ravel()


def within_jumps(gait: Gait, times: Array) -> Array:
    """Times of a block whose ends, where a gait jumps there, lie on this side of the jump."""
    near = _BESIDE * (times[-1] - times[0])
    if not near > 0.0:
        return times
    inside = times.copy()
    for end, sign in ((0, 1.0), (-1, -1.0)):
        if gait.jumps(times[end] - near, times[end] + near):
            inside[end] += 2.0 * sign * near
    return inside


class Driving:
    """How the gaits that a body understands become its drive; `given` are the freedoms that they state."""

    def __init__(
        self, robot: TendonSpine | Rod | Chain, plan: CellPlan, strung: RoutedTendons, given: NDArray[np.intp]
    ) -> None:
        self.robot, self.plan, self.strung, self.given = robot, plan, strung, given

    def drive(self, gait: Gait, times: Array) -> cell_tables.SoftDrive:
        """The gait at the quarters of all steps; `times` are knots and middles."""
        every = quarters(within_jumps(gait, times) if self.strung.tendons else times)
        rows = len(every)
        none = np.zeros((rows, 0))
        if self.strung.tendons or not isinstance(self.robot, Rod):
            held, still = self._held(rows)
            return cell_tables.SoftDrive(held, still, still, none, *self.strung.commands(gait, every))
        if gait.drives in HOW:
            raise InputError(
                f"gait {gait.kind!r} drives {DRIVES[gait.drives]}, but the robot has no tendons; give it "
                "`tendons`, or another gait"
            )
        if gait.drives == "effort":
            if self.robot.passive is not None and self.robot.passive.follows_gait:
                raise InputError(
                    f"robot.passive.follows_gait: gait {gait.kind!r} drives the efforts of muscles, not "
                    "strains to rest at; leave it out, or choose a gait of strains"
                )
            efforts = self._muscles(gait, every)
            if np.any(efforts[:, self.given]):
                raise InputError(
                    f"gait {gait.kind!r} drives the efforts of muscles, but the strain that they act on "
                    "is not passive all along them: say so in robot.passive (`passive: {}`, "
                    "without `start` and `end`, is all of it)"
                )
            held, still = self._held(rows)
            return cell_tables.SoftDrive(held, still, still, efforts, none, none)
        motion = rod_strain(self.robot, gait, every, self._abscissae)
        given = [kernel_array(self._project(part, True)[:, self.given]) for part in motion]
        if len(given[0]) and 0 in ACTUATED[self.robot.strains]:
            given[0] = given[0] - self._natural[self.given]
        return cell_tables.SoftDrive(given[0], given[1], given[2], self._pulls_to(motion[0]), none, none)

    def _pulls_to(self, strains: Array) -> Array:
        """(T, freedoms): what springs give more where the gait says at what strains they rest, or nothing."""
        assert isinstance(self.robot, Rod)
        if self.robot.passive is None or not self.robot.passive.follows_gait:
            return np.zeros((len(strains), len(self._natural)))
        away = self._project(strains, True)
        if 0 in ACTUATED[self.robot.strains]:
            away = away - self._natural
        springs = block_diag(*(cell.elastic for cell in self.plan.cells))
        springs[self.given] = 0.0
        return kernel_array(away @ springs.T)

    def _muscles(self, gait: Gait, times: Array) -> Array:
        """(T, freedoms): efforts of muscles; cells in which they begin or end are integrated from piece to piece."""
        efforts = self._project(gait.sample(times, self._abscissae).value, False)
        if isinstance(gait, MuscleWave) and gait.start >= self.plan.length:
            raise InputError(
                f"gait.start: the muscles begin at {gait.start:g} m, behind the end of the rod, which is "
                f"{self.plan.length:g} m long; give a smaller one"
            )
        breaks, components = gait.breaks(), ACTUATED[self.robot.strains]  # type: ignore[union-attr]
        near = CLOSE * self.plan.length
        for cell, own in zip(self.plan.cells, self.plan.freedoms, strict=True):
            start, last = cell.start, cell.pieces[-1].place
            inner = [x for x in breaks if start + near < x < last - near]
            if inner:
                X, weight = gauss_pieces([start, *sorted(inner), last])
                P = legendre((X - start) / (last - start), self.plan.degree)
                there = gait.sample(times, X).value[..., list(components)] * weight[:, None]  # (T, points, strains)
                efforts[:, own] = np.einsum("tpc,pj->tcj", there, P).reshape(len(times), -1)
        return efforts

    def _held(self, rows: int) -> tuple[Array, Array]:
        """So many rows of given freedoms that stay at their rest values, and of their rates."""
        return self._rest[np.zeros(rows, dtype=np.intp)], np.zeros((rows, len(self.given)))

    @cached_property
    def _rest(self) -> Array:
        return np.concatenate([cell.rest for cell in self.plan.cells])[None, self.given]

    @cached_property
    def _abscissae(self) -> Array:
        return np.array([piece.place for _, piece in self.plan.stations])

    @cached_property
    def _natural(self) -> Array:
        """(freedoms,) 1 where a freedom is the mean stretch of its cell: freedoms are counted from the straight rod."""
        return np.array([float(name == "stretch 0") for cell in self.plan.cells for name in cell.names])

    @cached_property
    def _polynomials(self) -> list[tuple[slice, Array, float]]:
        """Of each cell: its stations, its polynomials there (stations, degree + 1), each times what the station stands
        for, and its length."""
        return [
            (own, np.array([[piece.span] for piece in cell.inner]) * P, cell.length)
            for cell, own, P in self.plan.polynomials
        ]

    def _project(self, values: Array, strains: bool) -> Array:
        """(T, freedoms): a field (T, stations, 6) on the polynomials of the cells, as strains or as efforts."""
        assert isinstance(self.robot, Rod)
        fields = [np.ascontiguousarray(values[..., c]) for c in ACTUATED[self.robot.strains]]
        factor = 2.0 * np.arange(self.plan.degree + 1) + 1.0
        parts = [
            field[:, own] @ (P * factor / length if strains else P)
            for own, P, length in self._polynomials
            for field in fields
        ]
        return kernel_array(np.concatenate(parts, axis=1))
