"""Contacts of a rod: where they are, the motion that they allow, and the forces that this motion takes (paper 000, section IV).

Every contact holds some components of the twist of a section at η(C) = Ad_h⁻¹ (η_o + J): rows of linear equations for η_o, solved in
the sense of least squares. Anchors (six components) and supports (three) are the same here.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.environments.contact import Contact, Places
from limbless.environments.support import Support
from limbless.errors import InputError
from limbless.gaits.base import Gait
from limbless.mechanics import rod as rod_kernels
from limbless.mechanics import rod_contacts
from limbless.models.macro_continuous import moving, refusals
from limbless.models.macro_continuous.mesh import Mesh
from limbless.models.macro_continuous.recording import bracket
from limbless.robots.rod import HELD, Rod

Array = NDArray[np.float64]
REST = 1e-3                # 1/s: of the length, the speed below which slip is not compared with the speed any more
_GUIDES = 17               # sections at which a guided body is asked not to slip
RANK = 1e-8                # singular values below this share of the largest count as zero


class Reached(NamedTuple):
    """Touched sections at E instants, P of them."""

    pose: Array            # (E, P, NODE_COLUMNS) pose, J and A
    strain: Array          # (E, P, 6)
    slope: Array           # (E, P, 6)
    rate: Array            # (E, P, 6)


class Motion(NamedTuple):
    """Motion of the head at E instants, from the contacts."""

    twist: Array           # (E, 6)
    twist_rate: Array      # (E, 6)
    residual: Array        # (E,) relative slip
    given: Array           # (E, P, 6) twist that each touched section must have along its guided components


class Guides(NamedTuple):
    """A body that is guided as a whole, at G of its sections and E instants."""

    rows: Array            # (E, G, 6, 6) head-frame twist -> section twist
    swing: Array           # (E, G, 6) J, head frame
    surge: Array           # (E, G, 6) A, head frame
    given: Array           # (E, G, 6) twist of what guides it, section axes

    def rates(self, twist: Array) -> Guides:
        """The same for the rates, once the head's twist (E, 6) is known: A + ad_{η_o} J takes the place of J."""
        spin = (self.rows @ (twist[:, None] + self.swing)[..., None])[..., 3:, 0]
        return Guides(self.rows, self.surge + bracket(twist[:, None], self.swing), self.surge, moving.turning(spin, self.given))


class Slots(NamedTuple):
    """Columns of the contacts of one environment."""

    item: Contact
    columns: slice


class ContactSet:
    """All contact environments of a run, with a fixed number of slots."""

    def __init__(self, rod: Rod, mesh: Mesh, environment: Sequence[Contact], tolerance: float) -> None:
        self.rod, self.mesh, self.tolerance = rod, mesh, tolerance
        self.items = list(environment)
        self.free = np.array([c not in HELD[rod.base] for c in range(6)])
        self.walls = [item for item in self.items if isinstance(item, Support) and item.along == "body"]
        self._refuse_held()
        ends = np.linspace(0, len(mesh.half), _GUIDES).round().astype(int)
        self.guide_nodes = 2 * np.unique(ends)            # ends of panels: an integral to the middle of one is less accurate

    @property
    def guides_body(self) -> bool:
        """Whether the whole body is guided at some time."""
        return bool(self.walls)

    def walled_at(self, times: Array) -> NDArray[np.bool_]:
        """Whether the whole body is guided, at each time."""
        return np.any([item.open_at(times) for item in self.walls], axis=0) if self.walls else np.zeros(len(times), dtype=bool)

    def _refuse_held(self) -> None:
        """Motions and couples that a base which is not free cannot have."""
        for item in self.items:
            for name in ("twist", "sway"):
                given = np.array(getattr(item, name, (0.0,) * 6))
                if given[~self.free].any():
                    entries = ", ".join(str(c) for c in np.flatnonzero(~self.free))
                    raise InputError(f"anchorage: {name} {tuple(float(v) for v in given)} has entries (of 0 to 5: {entries}) along which "
                                     f"a base "
                                     f"{self.rod.base!r} cannot move; set them to 0, or robot.base to 'free'")
            if getattr(item, "couple_length", None) is not None and not self.free[3]:
                raise InputError(f"support: couple_length matters where supports carry couples, on a free base; this one is "
                                 f"{self.rod.base!r}")

    def slots(self, gait: Gait) -> list[Slots]:
        """How many columns each environment takes."""
        found, start = [], 0
        for item in self.items:
            count = self._count(item, gait)
            found.append(Slots(item, slice(start, start + count)))
            start += count
        return found

    def _count(self, item: Contact, gait: Gait) -> int:
        if isinstance(item, Support):
            entering = 0 if item.spacing is None else int(self.rod.length / item.spacing) + 2
            item.places(gait, np.zeros(1), self.rod.length)
            return max(len(item.abscissae), entering)
        if hasattr(item, "holds") and hasattr(gait, "wavelength") and hasattr(gait, "crests"):
            return int(self.rod.length / gait.wavelength) + 2
        return item.places(gait, np.zeros(1), self.rod.length).place.shape[1]

    def guided(self, slots: list[Slots]) -> NDArray[np.bool_]:
        """(P, 6): components of the touched section that each contact holds, within the group in which the body moves."""
        rows = np.zeros((slots[-1].columns.stop, 6), dtype=bool)
        for item, columns in slots:
            rows[columns, list(item.guided)] = True
        return rows & self.free

    # Where they are

    def start(self, slots: list[Slots]) -> Array:
        """Abscissae of travelling supports at the start of a run, in their slots; others nowhere."""
        places = np.full(slots[-1].columns.stop if slots else 0, rod_contacts.NOWHERE)
        for item, columns in slots:
            if isinstance(item, Support):
                places[columns][:len(item.abscissae)] = item.abscissae
        return places

    def located(self, slots: list[Slots], gait: Gait, knots: Array, places: Array,
                body_speed: dict[tuple[float, float, float], Array] | None) -> tuple[Places, NDArray[np.bool_]]:
        """Where all contacts are at start, middle and end of each step (K, 3, P), and whether each is there throughout the step (K, P).

        body_speed : (2 K + 1, nodes) at which a support runs along the body, by its velocity in space; `places` (P,) moves on.
        """
        steps, count = len(knots) - 1, slots[-1].columns.stop
        middle = 0.5 * (knots[:-1] + knots[1:])
        grid = np.stack([knots[:-1], middle, knots[1:]], axis=1)
        found = Places(*(np.zeros((steps, 3, count)) for _ in range(3)))
        present = np.zeros((steps, count), dtype=bool)
        slack = 1e-9 * self.rod.length
        for item, columns in slots:
            width = columns.stop - columns.start
            if isinstance(item, Support) and item.travel and body_speed is not None:
                path, there = np.zeros((steps, 3, width)), np.zeros((steps, width), dtype=bool)
                moved = places[columns].copy()
                rod_contacts.travel(self.mesh.X, knots, body_speed[item.velocity], item.spacing or 0.0, moved, path, there)
                places[columns] = moved
                found.place[..., columns] = path
            elif isinstance(item, Support):
                there = np.broadcast_to(places[columns] >= 0.0, (steps, width)).copy()
                found.place[..., columns] = np.maximum(places[columns], 0.0)
            else:
                there = self._from_gait(item, gait, grid, columns, found, slack)
            present[:, columns] = there & item.open_at(middle)[:, None]
        return found, present

    def _from_gait(self, item: Contact, gait: Gait, grid: Array, columns: slice, found: Places, slack: float) -> NDArray[np.bool_]:
        """Anchors that a gait (or the user) places: those on the body throughout a step come first in their columns."""
        all_places = item.places(gait, grid.ravel(), self.rod.length)
        steps, width = len(grid), columns.stop - columns.start
        wide = [part.reshape(steps, 3, -1) for part in all_places]
        on_body = ((wide[0] >= -slack) & (wide[0] <= self.rod.length + slack)).all(axis=1)
        if on_body.sum(axis=1).max(initial=0) > width:
            raise InputError("more anchors than expected are on the body at once; the gait's crests must be one wavelength apart")
        order = np.argsort(~on_body, axis=1, kind="stable")[:, :width]
        pick = np.broadcast_to(order[:, None], (steps, 3, order.shape[1]))
        there = np.zeros((steps, width), dtype=bool)
        there[:, :order.shape[1]] = np.take_along_axis(on_body, order, axis=1)
        for target, part in zip(found, wide, strict=True):
            target[..., columns.start:columns.start + order.shape[1]] = np.take_along_axis(part, pick, axis=2)
        found.place[..., columns] = np.clip(found.place[..., columns], 0.0, self.rod.length)
        return there

    # The sections that they touch

    def reach(self, gait: Gait, times: Array, place: Array, stage: NDArray[np.int64], work: Array) -> Reached:
        """Pose, J, A and strain of the touched sections: from the node before each, over a panel of its own with exact strains."""
        X, shape = self.mesh.X, place.shape
        first = 2 * np.clip(np.searchsorted(X[::2], place, side="right") - 1, 0, len(self.mesh.half) - 1)
        start = X[first]
        half = np.maximum(0.5 * (place - start), 0.0)
        stations = np.concatenate([start, start + half, place], axis=1)
        drive = self.rod.strain(gait, times, stations)
        parts = [part.reshape(shape[0], 3, shape[1], 6) for part in drive]
        panels = [np.ascontiguousarray(part.swapaxes(1, 2)).reshape(-1, 3, 6) for part in parts]
        out = np.zeros((half.size, rod_kernels.NODE_COLUMNS))
        rod_kernels.reach_many(*panels, half.ravel(), first.ravel(), work, np.repeat(stage, shape[1]), out)
        value = parts[0][:, 2]
        sloped = any(getattr(item, "holds", "") == "spatial" for item in self.items)
        slope = gait.slope(times, place).value if sloped else np.zeros_like(value)
        return Reached(out.reshape(*shape, -1), value, slope, parts[1][:, 2])

    # The motion that they allow

    def motion(self, slots: list[Slots], times: Array, places: Places, present: NDArray[np.bool_], reached: Reached, work: Array,
               stage: NDArray[np.int64], walled: NDArray[np.bool_], base: Array | None = None) -> Motion:
        """η_o and η̇_o (E, 6) that all contacts agree on. `base` (E, 3, 3): orientation of the head, where supports move through space."""
        guided = self.guided(slots)
        given, given_rate = np.zeros_like(reached.strain), np.zeros_like(reached.strain)
        for item, columns in slots:
            part = Places(*(values[:, columns] for values in places))
            given[:, columns], given_rate[:, columns] = item.demands(times, part, reached.strain[:, columns], reached.slope[:, columns],
                                                                     reached.rate[:, columns])
        drift = self._drift(slots, base, reached.pose, times)
        given = given + drift
        rows = rod_kernels.adjoint_matrices(reached.pose)                                    # (E, P, 6, 6)
        swing, surge = (reached.pose[..., c:c + 6] for c in (rod_kernels.SWING, rod_kernels.SURGE))
        active = guided & present[..., None] & ~self._only_pushes(slots)[:, None]
        body = self._body_rows(work, stage, walled, base, times) if walled.any() else None
        wanted = given - (rows @ swing[..., None])[..., 0]
        twist, left, worst = self._solve(rows, wanted, active, body, 0, times, places.place)
        speeds = (rows @ (twist[:, None] + swing)[..., None])[..., 0]
        pace = np.abs(reached.strain * places.speed[..., None]).max(axis=(1, 2), initial=0.0)
        scale = np.maximum(np.linalg.norm(speeds[..., :3], axis=-1).max(axis=1, initial=0.0), pace)
        scale = np.maximum(scale, np.linalg.norm(twist[:, :3], axis=1))
        residual = left / max(float(scale.max(initial=0.0)), REST * self.rod.length)       # at rest any slip would be all of the speed
        guides = np.repeat(self.mesh.X[self.guide_nodes], int(self._walled_components.sum()))
        refusals.refuse_slip(residual, self.tolerance, times, places.place, guides, worst)
        given_rate = given_rate + self._sliding(slots, reached, speeds, drift)
        rate_bias = (rows @ (surge + bracket(twist[:, None], swing))[..., None])[..., 0]
        body_rate = None if body is None else body.rates(twist)
        twist_rate, *_ = self._solve(rows, given_rate - rate_bias, active, body_rate, 1, times, places.place)
        return Motion(twist, twist_rate, residual, given)

    def guess(self, work: Array) -> Array:
        """The head's twist (T, 6) if the whole body were guided: where supports begin to look for agreement."""
        stage = np.arange(len(work))
        A, b = self._wall(self._body_rows(work, stage, np.ones(len(work), dtype=bool), None, np.zeros(len(work))))
        small = A[..., self.free]
        normal = small.swapaxes(1, 2) @ small
        normal += 1e-12 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(normal.shape[1])
        twist = np.zeros((len(work), 6))
        twist[:, self.free] = np.linalg.solve(normal, small.swapaxes(1, 2) @ b[..., None])[..., 0]
        return twist

    def _wall(self, body: Guides) -> tuple[Array, Array]:
        """Rows and right sides of the guided body, those of rolling as the speed of the skin."""
        guided = self._walled_components
        unit = np.where(np.arange(6) < 3, 1.0, self._radius)[guided]
        A = (body.rows[:, :, guided] * self.free * unit[:, None]).reshape(len(body.rows), -1, 6)
        need = ((body.given - (body.rows @ body.swing[..., None])[..., 0])[..., guided] * unit).reshape(len(body.rows), -1)
        return A, need

    @property
    def _walled_components(self) -> NDArray[np.bool_]:
        """Components of a section's twist that a guided body cannot have."""
        return np.isin(np.arange(6), Support.guided) & self.free

    def _only_pushes(self, slots: list[Slots]) -> NDArray[np.bool_]:
        """(P,): supports that share forces while the whole body is guided."""
        rows = np.zeros(slots[-1].columns.stop, dtype=bool)
        for item, columns in slots:
            rows[columns] = isinstance(item, Support) and item.along == "body"
        return rows

    def _body_rows(self, work: Array, stage: NDArray[np.int64], walled: NDArray[np.bool_], base: Array | None, times: Array) -> Guides:
        """The guided body at some nodes; no rows at the instants at which it is not guided."""
        nodes = work[:, self.guide_nodes]
        pose = nodes[stage]
        swing, surge = (pose[..., column:column + 6] for column in (rod_kernels.SWING, rod_kernels.SURGE))
        drift = np.tile(moving.wall_velocity(self.walls), (pose.shape[1], 1))
        here = walled[:, None, None]
        return Guides(rod_kernels.adjoint_matrices(nodes)[stage] * here[..., None], swing, surge,
                      moving.along_sections(base, pose, drift, self.free, times) * here)

    def _drift(self, slots: list[Slots], base: Array | None, pose: Array, times: Array) -> Array:
        """Twists (E, P, 6) of the supports that move through space, along the axes of the touched sections."""
        velocity = moving.velocities([item for item, _ in slots], [columns.stop - columns.start for _, columns in slots])
        return moving.along_sections(base, pose, velocity, self.free, times)

    def _sliding(self, slots: list[Slots], reached: Reached, twist: Array, drift: Array) -> Array:
        """What the rate of a held component gains as its support wanders at Ċ (33): -η'(C) Ċ, with η' of (7), and the turn of its axes."""
        change = np.zeros_like(twist)
        for item, columns in slots:
            if isinstance(item, Support):
                eta, strain = twist[:, columns], reached.strain[:, columns]
                wander = (drift[:, columns, :1] - eta[..., :1]) / strain[..., :1] * float(item.travel)
                change[:, columns] = (moving.turning(eta[..., 3:] + strain[..., 3:] * wander, drift[:, columns])
                                      - (reached.rate[:, columns] - bracket(strain, eta)) * wander)
        return change

    def _solve(self, rows: Array, wanted: Array, active: NDArray[np.bool_], body: Guides | None, order: int, times: Array,
               place: Array) -> tuple[Array, Array, NDArray[np.int64]]:
        """Least squares for the free components of the head's twist: these, the largest mismatch of a linear velocity, and its row."""
        E, scale = len(rows), np.where(np.arange(6) < 3, 1.0, self.rod.length)
        A = np.where(active[..., None], rows * self.free, 0.0).reshape(E, active[0].size, 6)
        b = np.where(active, wanted, 0.0).reshape(E, active[0].size)
        unit = np.where(np.arange(6) < 3, 1.0, self._radius)                         # rows of rolling count as the speed of the skin
        unit = np.tile(unit, rows.shape[1])
        A, b = A * unit[:, None], b * unit
        if body is not None:
            wall, need = self._wall(body)
            A, b = np.concatenate([A, wall], axis=1), np.concatenate([b, need], axis=1)
        small = (A / scale)[..., self.free]
        normal = small.swapaxes(1, 2) @ small
        if order == 0:
            refusals.refuse_loose(normal, times, place, np.any(active, axis=-1), bool(self.walls))
        answer = np.zeros((E, 6))
        answer[:, self.free] = np.linalg.solve(normal, small.swapaxes(1, 2) @ b[..., None])[..., 0] / scale[self.free]
        left = np.abs((A @ answer[..., None])[..., 0] - b)
        return answer, left.max(axis=1, initial=0.0), left.argmax(axis=1)

    @property
    def _radius(self) -> float:
        return float(self.rod.half_axes(np.array([0.5 * self.rod.length]))[0].mean())
