"""Contacts of a rod: where they are, the motion that they allow, and the forces that this motion takes (paper 000,
section IV).

Every contact holds some components of the twist of a section at η(C) = Ad_h⁻¹ (η_o + J): rows of linear equations for
η_o, solved in the sense of least squares. Anchors (six components) and supports (three) are the same here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.environments import NEVER, Constraint, Places, Support
from limbless.environments.anchorage import Anchorage
from limbless.mechanics.compiled import kernel_array
from limbless.mechanics.rod import (
    NOWHERE,
    BetweenNodes,
    ConstraintFit,
    HeldSections,
    ResidualScales,
    RodShape,
    ToSections,
    constrained_twists,
    reach_many,
    track_supports,
)
from limbless.models.rod import constraint_refusals, moving_supports
from limbless.models.rod.panel_mesh import PanelMesh, step_times
from limbless.models.rod.rod_recorder import bracket, carried
from limbless.robots.rod import HELD, Rod

REST = 1e-3  # 1/s: of the length, the speed below which slip is not compared with the speed any more
_GUIDES = 17  # sections at which a guided body is asked not to slip
RANK = 1e-8  # singular values below this share of the largest count as zero


class Reached(NamedTuple):
    """Touched sections at E instants, P of them."""

    shape: Array  # Shape (E, P)
    strain: Array  # (E, P, 6)
    slope: Array  # (E, P, 6)
    rate: Array  # (E, P, 6)


class ConstrainedMotion(NamedTuple):
    """Motion of the head at E instants, from the contacts."""

    twist: Array  # (E, 6)
    twist_rate: Array  # (E, 6)
    residual: Array  # (E,) slip that remains, m/s
    speed: Array  # (E,) with which it is compared, m/s
    given: Array  # (E, P, 6) twist that each touched section must have along its guided components


class Group(NamedTuple):
    """Columns of the contacts of one environment."""

    item: Constraint
    columns: slice


def per_column(groups: list[Group], values: Sequence[Any]) -> NDArray[Any]:
    """One value of each environment, for every one of its columns (P, ..)."""
    return np.repeat(np.array(values), [columns.stop - columns.start for _, columns in groups], axis=0)


class ConstraintSet:
    """All contact environments of a run, with a fixed number of columns."""

    def __init__(self, rod: Rod, mesh: PanelMesh, environment: Sequence[Constraint], tolerance: float) -> None:
        self.rod, self.mesh, self.tolerance = rod, mesh, tolerance
        self.items = list(environment)
        self.free = np.array([c not in HELD[rod.base] for c in range(6)])
        self.walls = [item for item in self.items if isinstance(item, Support) and item.along == "body"]
        self._refuse_held()
        ends = np.linspace(0, len(mesh.half), _GUIDES).round().astype(int)
        # ends of panels: an integral to the middle of one is less accurate
        self.guide_nodes = 2 * np.unique(ends)

    def walled_at(self, times: Array) -> NDArray[np.bool_]:
        """Whether the whole body is guided, at each time."""
        return np.any([np.zeros(len(times), dtype=bool), *(item.open_at(times) for item in self.walls)], axis=0)

    def _refuse_held(self) -> None:
        """Motions and couples that a base which is not free cannot have."""
        for item in self.items:
            for name in ("twist", "sway") if isinstance(item, Anchorage) else ():
                given = np.array(getattr(item, name))
                if given[~self.free].any():
                    entries = ", ".join(str(c) for c in np.flatnonzero(~self.free))
                    raise InputError(
                        f"anchorage: {name} {tuple(float(v) for v in given)} has entries (of 0 to 5: "
                        f"{entries}) along which a base {self.rod.base!r} cannot move; set them to 0, or "
                        "robot.base to 'free'"
                    )
            if isinstance(item, Support) and item.couple_length is not None and not self.free[3]:
                raise InputError(
                    "support: couple_length matters where supports carry couples, on a free base; this "
                    f"one is {self.rod.base!r}"
                )

    def groups(self, gait: Gait) -> list[Group]:
        """How many columns each environment takes."""
        counts = [item.count(gait, self.rod.length) for item in self.items]
        ends = np.cumsum(counts).tolist()
        return [Group(item, slice(end - n, end)) for item, n, end in zip(self.items, counts, ends, strict=True)]

    def guided(self, groups: list[Group]) -> NDArray[np.bool_]:
        """(P, 6): components of the touched section that each contact holds, within the group in which the body
        moves."""
        return per_column(groups, [np.isin(np.arange(6), item.guided) for item, _ in groups]) & self.free

    # Where they are

    def start(self, groups: list[Group]) -> Array:
        """Abscissae of travelling supports at the start of a run, in their columns; others nowhere."""
        places = np.full(groups[-1].columns.stop if groups else 0, NOWHERE)
        for item, columns in groups:
            if isinstance(item, Support):
                places[columns][: len(item.abscissae)] = item.abscissae
        return places

    def located(
        self,
        groups: list[Group],
        gait: Gait,
        knots: Array,
        places: Array,
        body_speed: dict[tuple[float, float, float], Array],
    ) -> tuple[Places, NDArray[np.bool_]]:
        """Where all contacts are at start, middle and end of each step (K, 3, P), and whether each is there throughout
        the step (K, P).

        body_speed : (2 K + 1, nodes) at which a support runs along the body, by its velocity in space; `places` (P,)
        moves on.
        """
        steps, count, grid = len(knots) - 1, groups[-1].columns.stop, step_times(knots)
        middle = grid[:, 1]
        found = Places(*(np.zeros((steps, 3, count)) for _ in range(3)))
        present = np.zeros((steps, count), dtype=bool)
        for item, columns in groups:
            width = columns.stop - columns.start
            if isinstance(item, Support) and item.travel:
                path, there = np.zeros((steps, 3, width)), np.zeros((steps, width), dtype=bool)
                track_supports(
                    self.mesh.X,
                    knots,
                    body_speed[item.velocity],
                    item.spacing or 0.0,
                    item.timetable(width),
                    places[columns],  # moves on
                    path,
                    there,
                )
                found.place[..., columns] = path
            elif isinstance(item, Support):
                first, last, entry = item.timetable(width).T
                scheduled = first > -NEVER
                now = (middle[:, None] >= first) & (middle[:, None] < last)
                there = np.where(scheduled, now, places[columns] >= 0.0)
                found.place[..., columns] = np.where(scheduled, entry, np.maximum(places[columns], 0.0))
            else:
                there = self._from_gait(item, gait, grid, columns, found)
            present[:, columns] = there & item.open_at(middle)[:, None]
        return found, present

    def _from_gait(self, item: Constraint, gait: Gait, grid: Array, columns: slice, found: Places) -> NDArray[np.bool_]:
        """Anchors that a gait (or the user) places: those on the body throughout a step come first in their columns."""
        steps, width, slack = len(grid), columns.stop - columns.start, 1e-9 * self.rod.length
        wide = [part.reshape(steps, 3, -1) for part in item.places(gait, grid.ravel(), self.rod.length)]
        on_body = ((wide[0] >= -slack) & (wide[0] <= self.rod.length + slack)).all(axis=1)
        if on_body.sum(axis=1).max(initial=0) > width:
            raise InputError(
                "more anchors than expected are on the body at once; the gait's crests must be one wavelength apart"
            )
        order = np.argsort(~on_body, axis=1, kind="stable")[:, :width]
        pick = np.broadcast_to(order[:, None], (steps, 3, order.shape[1]))
        there = np.zeros((steps, width), dtype=bool)
        there[:, : order.shape[1]] = np.take_along_axis(on_body, order, axis=1)
        for target, part in zip(found, wide, strict=True):
            target[..., columns.start : columns.start + order.shape[1]] = np.take_along_axis(part, pick, axis=2)
        found.place[..., columns] = np.clip(found.place[..., columns], 0.0, self.rod.length)
        return there

    # The sections that they touch

    def reach(self, gait: Gait, times: Array, place: Array, stage: NDArray[np.int64], shapes: Array) -> Reached:
        """Pose, J, A and strain of the touched sections: from the node before each, over a panel of its own with exact
        strains."""
        X, shape = self.mesh.X, place.shape
        first = 2 * np.clip(np.searchsorted(X[::2], place, side="right") - 1, 0, len(self.mesh.half) - 1)
        start = X[first]
        half = np.maximum(0.5 * (place - start), 0.0)
        stations = np.concatenate([start, start + half, place], axis=1)
        drive = rod_strain(self.rod, gait, times, stations)
        parts = [part.reshape(shape[0], 3, shape[1], 6) for part in drive]
        panels = [np.ascontiguousarray(part.swapaxes(1, 2)).reshape(-1, 3, 6) for part in parts]
        out = RodShape.zeros(half.size)
        reach_many(BetweenNodes(tuple(panels), half.ravel(), first.ravel(), np.repeat(stage, shape[1])), shapes, out)
        value = parts[0][:, 2]
        sloped = any(item.needs_slope for item in self.items)
        slope = gait.slope(times, place).value if sloped else np.zeros_like(value)
        return Reached(out.reshape(*shape, -1), value, slope, parts[1][:, 2])

    # The motion that they allow

    def motion(
        self,
        groups: list[Group],
        times: Array,
        places: Places,
        present: NDArray[np.bool_],
        reached: Reached,
        shapes: Array,
        stage: NDArray[np.int64],
        walled: NDArray[np.bool_],
        base: Array | None = None,
    ) -> ConstrainedMotion:
        """η_o and η̇_o (E, 6) that all contacts agree on. `base` (E, 3, 3): orientation of the head, where supports
        move through space."""
        guided = self.guided(groups)
        given, given_rate = np.zeros_like(reached.strain), np.zeros_like(reached.strain)
        for item, columns in groups:
            part = Places(*(values[:, columns] for values in places))
            given[:, columns], given_rate[:, columns] = item.demands(
                times, part, reached.strain[:, columns], reached.slope[:, columns], reached.rate[:, columns]
            )
            constraint_refusals.refuse_locked(item, given[:, columns], self.free, self.rod.base, times)
        drift = self._drift(groups, base, reached.shape, times)
        given = given + drift
        # supports of a body that is guided as a whole share forces alone
        leads = per_column(groups, [not (isinstance(item, Support) and item.along == "body") for item, _ in groups])
        active = guided & present[..., None] & leads[:, None]
        held = self._with_body(
            HeldSections(reached.shape, active, given, places.place), shapes, stage, walled, base, times
        )
        twist, left, worst, normal = self._least_squares(held, np.zeros((len(times), 6)), 0)
        constraint_refusals.refuse_loose(
            normal[:, self.free][:, :, self.free], times, held.place, np.any(held.active, axis=-1), bool(self.walls)
        )
        speeds = carried(ToSections(), held.shape, twist[:, None] + RodShape.of(held.shape).swing)
        points = places.place.shape[1]
        pace = np.abs(reached.strain * places.speed[..., None]).max(axis=(1, 2), initial=0.0)
        scale = np.maximum(np.linalg.norm(speeds[:, :points, :3], axis=-1).max(axis=1, initial=0.0), pace)
        scale = np.maximum(scale, np.linalg.norm(twist[:, :3], axis=1))
        scale = np.maximum(scale, REST * self.rod.length)  # at rest any slip would be all of the speed
        slip = left / float(scale.max(initial=REST * self.rod.length))
        constraint_refusals.refuse_slip(slip, self.tolerance, times, held.place, worst)
        rates = moving_supports.turning(speeds[..., 3:], held.given)  # of what guides a body that turns
        rates[:, :points] = given_rate + self._sliding(groups, reached, speeds[:, :points], drift)
        twist_rate, *_ = self._least_squares(held._replace(given=rates), twist, 1)
        return ConstrainedMotion(twist, twist_rate, left, scale, given)

    def guess(self, shapes: Array) -> Array:
        """The head's twist (T, 6) if the whole body were guided: where supports begin to look for agreement."""
        T = len(shapes)
        nothing = HeldSections(shapes[:, :0], np.zeros((T, 0, 6), dtype=bool), np.zeros((T, 0, 6)), np.zeros((T, 0)))
        held = self._with_body(nothing, shapes, np.arange(T), np.ones(T, dtype=bool), None, np.zeros(T))
        return self._least_squares(held, np.zeros((T, 6)), 0, ridge=1e-12)[0]

    def _with_body(
        self,
        held: HeldSections,
        shapes: Array,
        stage: NDArray[np.int64],
        walled: NDArray[np.bool_],
        base: Array | None,
        times: Array,
    ) -> HeldSections:
        """The same, and sections of the body where it is guided as a whole."""
        if not walled.any():
            return held
        pose = shapes[stage[:, None], self.guide_nodes]
        drift = np.tile(moving_supports.wall_velocity(self.walls), (pose.shape[1], 1))
        kept = np.isin(np.arange(6), Support.guided) & self.free
        active = np.broadcast_to(walled[:, None, None] & kept, (*pose.shape[:2], 6))
        place = np.broadcast_to(self.mesh.X[self.guide_nodes], pose.shape[:2])
        more = HeldSections(pose, active, moving_supports.along_sections(base, pose, drift, self.free, times), place)
        if held.shape.shape[1] == 0:
            return more
        return HeldSections(*(np.concatenate(parts, axis=1) for parts in zip(held, more, strict=True)))

    def _drift(self, groups: list[Group], base: Array | None, pose: Array, times: Array) -> Array:
        """Twists (E, P, 6) of the supports that move through space, along the axes of the touched sections."""
        velocity = per_column(groups, [moving_supports.velocity_of(item) for item, _ in groups])
        return moving_supports.along_sections(base, pose, velocity, self.free, times)

    def _sliding(self, groups: list[Group], reached: Reached, twist: Array, drift: Array) -> Array:
        """What the rate of a held component gains as its support wanders at Ċ (33): -η'(C) Ċ, with η' of (7), and the
        turn of its axes."""
        change = np.zeros_like(twist)
        for item, columns in groups:
            if isinstance(item, Support):
                eta, strain = twist[:, columns], reached.strain[:, columns]
                wander = (drift[:, columns, :1] - eta[..., :1]) / strain[..., :1] * float(item.travel)
                change[:, columns] = (
                    moving_supports.turning(eta[..., 3:] + strain[..., 3:] * wander, drift[:, columns])
                    - (reached.rate[:, columns] - bracket(strain, eta)) * wander
                )
        return change

    def _least_squares(
        self, held: HeldSections, twist: Array, order: int, ridge: float = 0.0
    ) -> tuple[Array, Array, NDArray[np.int64], Array]:
        """η_o, or η̇_o if the order is 1; the largest remaining mismatch at each instant, of which section, and the
        matrix of the normal equations."""
        E, linear = len(twist), np.arange(6) < 3
        fit = ConstraintFit(
            np.zeros((E, 6)),
            np.zeros(E),
            np.zeros(E, dtype=np.int64),
            np.zeros((E, 6, 6)),
            np.zeros(6),
            np.zeros(6),
            np.zeros((6, 7)),
        )
        unit = np.where(linear, 1.0, self._radius)  # rolling counts as the speed of the skin
        measure = ResidualScales(unit, self.free.astype(float), np.where(linear, 1.0, self.rod.length), ridge)
        ordered = HeldSections(
            kernel_array(held.shape),
            np.ascontiguousarray(held.active),
            kernel_array(held.given),
            kernel_array(held.place),
        )
        constrained_twists(ordered, kernel_array(twist), order, measure, fit)
        return fit.answer, fit.left, fit.worst, fit.normal

    @property
    def _radius(self) -> float:
        return float(self.rod.half_axes(np.array([0.5 * self.rod.length]))[0].mean())
