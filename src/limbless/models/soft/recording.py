"""Recorded states of a soft body as the variables of a result, in NumPy, apart from the kernels that integrated them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Pack
from limbless.mechanics.algebra.rotations import matrix_to_quaternion, quaternion_to_matrix
from limbless.mechanics.chain.cell import Cells, Pull, Station
from limbless.mechanics.chain.tables import INTEGRALS, AxisRecord, BaseRecord, BodyRecord
from limbless.mechanics.forces.weight import WeightLaw
from limbless.models.base import Records, Variable
from limbless.models.chain_recording import inertial_wrench, turn
from limbless.models.force_elements import packed_rows
from limbless.models.soft.plan import Plan
from limbless.models.variables import choose
from limbless.robots.tendon_spine import TendonSpine

Array = NDArray[np.float64]

SCHEMA = choose(
    "base_position", "base_orientation", "base_twist", "base_acceleration", "base_reaction", "head_position",
    "com_position", "com_velocity", "position", "orientation", "tip_position", "bend", "stop_moment", "tension",
    "tendon_length", "tendon_rate", "pulley_power", "pulley_angle", "fluid_force", "kinetic_energy",
    "potential_energy", "elastic_energy", "damping_power", "actuator_power", "environment_power", "passive_power",
    "actuator_work", "environment_work", "passive_work", "momentum", "impulse", "iterations")


class Recorder:
    """Turns what was recorded of one soft body into variables."""

    def __init__(self, robot: TendonSpine, plan: Plan, cells: Cells, disks: Array, packs: Sequence[Pack]) -> None:
        self.robot, self.plan, self.packs = robot, plan, packs
        self.freedoms = len(cells.rest)
        self.rest, self.elastic = cells.rest, cells.elastic
        self.cells = cells
        self.mass = plan.masses
        bodies = len(self.mass)
        self.inertia, self.added = np.zeros((bodies, 6, 6)), np.zeros((bodies, 6, 6))
        diagonal = np.zeros((bodies, 6))
        diagonal[1:1 + len(plan.cells)] = [(cell.mass,) * 3 + tuple(cell.turn) for cell in plan.cells]
        for row, piece in plan.stations:
            diagonal[row] = (piece.mass,) * 3 + tuple(piece.turn)
        self.inertia[:, range(6), range(6)] = diagonal
        station = Station.of(cells.stations)
        for s in np.flatnonzero(station.has_mass):
            whole = np.concatenate([station.mass[s], station.turn[s]])
            self.added[station.body[s], range(6), range(6)] = whole - diagonal[station.body[s]]
        self.blocks = np.cumsum([0, *(len(cell.names) for cell in plan.cells)])
        self.nodes = np.arange(len(plan.cells) + 1)

    @property
    def present(self) -> dict[str, Variable]:
        """The variables of the schema that this robot has."""
        missing = set() if self.robot.pulley_radius is not None else {"pulley_angle"}
        return {name: variable for name, variable in SCHEMA.items() if name not in missing}

    def coordinates(self) -> dict[str, Any]:
        """Labels, and what does not change in time."""
        robot, v = self.robot, len(self.plan.cells)
        r = robot.disk_radius
        section = (r, r) if robot.section is None else (robot.section.half_width, robot.section.half_height)
        stiffness = [robot.values("lateral_stiffness"), robot.values("vertical_stiffness")]
        return {
            "section": (("section",), np.array([f"disk {number}" for number in range(v + 1)]), {}),
            "vertebra": (("vertebra",), np.array([f"vertebra {number}" for number in range(1, v + 1)]), {}),
            "tendon": (("tendon",), np.array(robot.tendon_names), {}),
            "radius": (("section", "transverse"), np.tile(section, (v + 1, 1)),
                       {"units": "m", "long_name": "half axes of the section"}),
            "section_length": (("section",), np.concatenate([[0.0], robot.values("length")]),
                               {"units": "m", "long_name": "length of the vertebra before each disk"}),
            "vertebra_length": (("vertebra",), robot.values("length"),
                                {"units": "m", "long_name": "length of each vertebra"}),
            "bend_stiffness": (("vertebra", "transverse"), np.stack(stiffness, axis=1),
                               {"units": "N m/rad", "long_name": "bending stiffness of each vertebra"}),
        }

    def variables(self, records: Records) -> dict[str, Array]:
        """All variables at the recorded times."""
        x, base, axes = records["x"], BaseRecord.of(records["base"]), AxisRecord.of(records["axes"])
        bodies, pulls = BodyRecord.of(records["bodies"]), Pull.of(records["tendons"])
        count, n = len(x), self.freedoms
        q, velocity = x[:, 7:7 + n], x[:, 7 + n:13 + 2 * n]
        R = bodies.rotation.reshape(count, len(self.mass), 3, 3)
        rate = base.acceleration.copy()
        rate[:, :3] += np.cross(velocity[:, 3:6], velocity[:, :3])
        sums, held = x[:, -INTEGRALS:], quaternion_to_matrix(x[:, 3:7])
        found = {
            "time": records["time"], "base_position": x[:, :3], "base_orientation": x[:, 3:7],
            "base_twist": velocity[:, :6], "base_acceleration": rate,
            "base_reaction": turn(held.swapaxes(1, 2), base.held), "actuator_power": base.actuators,
            "environment_power": base.environment, "passive_power": base.passive, "actuator_work": sums[:, 0],
            "environment_work": sums[:, 1], "passive_work": sums[:, 2], "impulse": sums[:, 3:9],
            "position": bodies.origin[:, self.nodes], "orientation": self._orientations(x, R),
            "tip_position": bodies.origin[:, len(self.plan.cells)], "tension": pulls.tension,
            "tendon_length": pulls.length, "tendon_rate": pulls.rate, "pulley_power": pulls.power,
            "iterations": records["iterations"],
        }
        found["head_position"] = found["tip_position"] if self.robot.head == "tip" else x[:, :3]
        if self.robot.pulley_radius is not None:
            straight = self._straight_lengths()
            found["pulley_angle"] = (straight - pulls.length) / self.robot.pulley_radius
        return found | self._masses(R, bodies) | self._strains(q, velocity[:, 6:], axes) | self._pushes(R, bodies)

    def _straight_lengths(self) -> Array:
        """(tendons,) m, of the straight spine: from disk to disk as the holes lie."""
        lengths = self.robot.values("length")
        found = []
        for tendon in self.robot.tendons:
            holes = np.array(tendon.holes if len(tendon.holes) > 1 else tendon.holes * (len(lengths) + 1))
            steps = np.column_stack([lengths, np.diff(holes, axis=0)])[tendon.start:tendon.anchor or len(lengths)]
            found.append(np.linalg.norm(steps, axis=1).sum())
        return np.array(found)

    def _orientations(self, x: Array, R: Array) -> Array:
        """Quaternions of the disks; each has the sign of the one before, from the base on, whose own follows the
        motion.
        """
        found = matrix_to_quaternion(R[:, self.nodes])
        before = x[:, 3:7]
        for k in range(found.shape[1]):
            found[:, k] *= np.where((found[:, k] * before).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
            before = found[:, k]
        return found

    def _masses(self, R: Array, bodies: Any) -> dict[str, Array]:
        """Energy, momentum and centre of mass."""
        twist = turn(R.swapaxes(2, 3), bodies.twist)
        carried = np.einsum("bij,rbj->rbi", self.inertia + self.added, twist)
        momentum, total = turn(R, carried), self.mass.sum()
        angular = momentum[..., 3:] + np.cross(bodies.origin, momentum[..., :3])
        energy = np.zeros(len(R))
        for weight in packed_rows(self.packs, WeightLaw):
            if np.isinf(weight.since):
                energy -= weight.mass * bodies.origin[:, weight.body] @ np.array(weight.field)
        return {
            "kinetic_energy": 0.5 * np.einsum("rbi,rbi->r", twist, carried), "potential_energy": energy,
            "momentum": np.concatenate([momentum[..., :3].sum(axis=1), angular.sum(axis=1)], axis=1),
            "com_position": np.einsum("b,rbi->ri", self.mass, bodies.origin) / total,
            "com_velocity": np.einsum("b,rbi->ri", self.mass, bodies.twist[..., :3]) / total,
        }

    def _strains(self, q: Array, rates: Array, axes: Any) -> dict[str, Array]:
        """Bends, elastic energy, what dampers take and what stops give."""
        elastic, spent = np.zeros(len(q)), np.zeros(len(q))
        v = len(self.plan.cells)
        bend, stop = np.zeros((len(q), v, 2)), np.zeros((len(q), v, 2))
        for k, cell in enumerate(self.plan.cells):
            columns = slice(self.blocks[k], self.blocks[k + 1])
            away, speed = q[:, columns] - cell.rest, rates[:, columns]
            elastic += 0.5 * np.einsum("ri,ij,rj->r", away, cell.elastic, away)
            spent -= np.einsum("ri,ij,rj->r", speed, cell.viscous, speed)
            over = q[:, columns] - np.clip(q[:, columns], cell.low, cell.high)
            over = np.where(cell.stop[:, 0] > 0.0, over, 0.0)
            moment = -(cell.stop[:, 0] * over + cell.stop[:, 1] * np.where(over != 0.0, speed, 0.0))
            elastic += 0.5 * (cell.stop[:, 0] * over**2).sum(axis=1)
            spent -= (cell.stop[:, 1] * np.where(over != 0.0, speed**2, 0.0)).sum(axis=1)
            bend[:, k], stop[:, k] = q[:, columns][:, -2:], moment[:, -2:]
        return {"bend": bend, "stop_moment": stop, "elastic_energy": elastic, "damping_power": spent}

    def _pushes(self, R: Array, bodies: Any) -> dict[str, Array]:
        """Force of the environment on each vertebra, added mass included, along the axes of its disk."""
        twist, rates = (turn(R.swapaxes(2, 3), part) for part in (bodies.twist, bodies.twist_rate))
        outside = bodies.wrench[..., :3] - turn(R, inertial_wrench(self.added, twist, rates))[..., :3]
        force = outside[:, self.nodes].copy()
        row = len(self.plan.cells) + 1
        for k, cell in enumerate(self.plan.cells, 1):
            inner = len(cell.pieces) - 1
            force[:, k] += outside[:, row:row + inner].sum(axis=1)
            row += inner
        return {"fluid_force": np.einsum("rbji,rbj->rbi", R[:, self.nodes], force)}
