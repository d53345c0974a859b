"""Recorded states of a soft body as variables of a result, in NumPy, apart from the kernels that integrated them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Pack
from limbless.mechanics.algebra.array_rotations import matrix_to_quaternion, quaternion_to_matrix
from limbless.mechanics.chain.strain_cell import Cells, Station, TendonState
from limbless.mechanics.chain.tables import INTEGRALS, AxisRecord, BaseRecord, BodyRecord
from limbless.mechanics.forces.weight import WeightLaw
from limbless.models.base import Records, Variable
from limbless.models.chain.soft.cell_material import CellMaterial
from limbless.models.chain.soft.cell_plan import ALONG, CellPlan, legendre
from limbless.models.chain.soft.tendon_tables import RoutedTendons
from limbless.models.force_elements import packed_rows
from limbless.models.recording.body_recorder import inertial_wrench, times_twist, turn
from limbless.models.recording.water_recorder import WaterRecorder, share_below
from limbless.models.statics.equilibrium_records import STOP_MEANS, VOLUME_MEANS
from limbless.models.variables import choose
from limbless.robots.base import Segment
from limbless.robots.chain import Chain
from limbless.robots.tendon import names_of
from limbless.robots.tendon_spine import TendonSpine

Array = NDArray[np.float64]

SCHEMA = choose(
    "base_position",
    "base_orientation",
    "base_twist",
    "base_acceleration",
    "base_reaction",
    "head_position",
    "com_position",
    "com_velocity",
    "position",
    "orientation",
    "tip_position",
    "fluid_force",
    "kinetic_energy",
    "potential_energy",
    "elastic_energy",
    "damping_power",
    "actuator_power",
    "environment_power",
    "passive_power",
    "actuator_work",
    "environment_work",
    "passive_work",
    "momentum",
    "impulse",
    "iterations",
)
TENDONS = choose("tension", "tendon_length", "tendon_rate", "pulley_power")
STRETCHING = choose("command_length", "tendon_energy")
WINDING = choose("winch_angle", "winch_rate")
RUBBING = choose("distal_tension", "friction_power")
SPINE = choose("bend", "stop_moment", "pulley_angle")
CHAIN = choose("joint_position", "joint_velocity", "joint_torque")
ROD = choose("strain", "strain_rate", "joint_torque")


class SoftRecorder:
    """Turns what was recorded of one soft body into variables; what spines and rods have in common."""

    sections: NDArray[np.int64]  # rows of the bodies that a result calls sections
    own: dict[str, Variable]

    def __init__(self, head: str, plan: CellPlan, cells: Cells, packs: Sequence[Pack], strung: RoutedTendons) -> None:
        self.head, self.plan, self.packs, self.water = head, plan, packs, WaterRecorder(packs)
        self.strung = strung
        self.freedoms = len(cells.rest)
        self.mass = plan.masses
        bodies = len(self.mass)
        self.inertia, self.added = np.zeros((bodies, 6, 6)), np.zeros((bodies, 6, 6))
        diagonal = np.zeros((bodies, 6))
        diagonal[1 : 1 + len(plan.cells)] = [(cell.mass,) * 3 + tuple(cell.turn) for cell in plan.cells]
        for row, piece in plan.stations:
            diagonal[row] = (piece.mass,) * 3 + tuple(piece.turn)
        self.inertia[:, range(6), range(6)] = diagonal
        station = Station.of(cells.stations)
        for s in np.flatnonzero(station.has_mass):
            whole = np.concatenate([station.mass[s], station.turn[s]])
            self.added[station.body[s], range(6), range(6)] = whole - diagonal[station.body[s]]
        axes = dict.fromkeys(range(bodies), (0.0, 0.0)) | {row: piece.axes for row, piece in plan.stations}
        for row, cell in enumerate(plan.cells, 1):  # the end of a cell is as thick as its last
            inner = [piece.axes for piece in cell.pieces[:-1] if piece.span > 0.0]  # station, the base as the first
            axes[row] = inner[-1] if inner else (0.0, 0.0)
        axes[0] = axes[1]
        self.axes = np.maximum([axes[row] for row in range(bodies)], 1e-12)  # (bodies, 2) half axes, m
        self.blocks = np.cumsum([0, *(len(cell.names) for cell in plan.cells)])

    @property
    def present(self) -> dict[str, Variable]:
        """The variables that this robot has."""
        kinds = (
            (TENDONS, self.strung.tendons),
            (STRETCHING, self.strung.elastic),
            (WINDING, self.strung.winds),
            (RUBBING, self.strung.rubs),
        )
        strung = {name: variable for chosen, there in kinds if there for name, variable in chosen.items()}
        return {**SCHEMA, **self.own, **strung, **self.water.schema()}

    def coordinates(self) -> dict[str, Any]:
        """Labels, and what does not change in time."""
        raise NotImplementedError

    def variables(self, records: Records) -> dict[str, Array]:
        """All variables at the recorded times."""
        x, base, bodies = records["x"], BaseRecord.of(records["base"]), BodyRecord.of(records["bodies"])
        count = len(x)
        q, velocity = self.motion(x)
        R = bodies.rotation.reshape(count, len(self.mass), 3, 3)
        rate = base.acceleration.copy()
        rate[:, :3] += np.cross(velocity[:, 3:6], velocity[:, :3])
        sums, held = x[:, -INTEGRALS:], quaternion_to_matrix(x[:, 3:7])
        found = {
            "time": records["time"],
            "base_position": x[:, :3],
            "base_orientation": x[:, 3:7],
            "base_twist": velocity[:, :6],
            "base_acceleration": rate,
            "base_reaction": turn(held.swapaxes(1, 2), base.held),
            "actuator_power": base.actuators,
            "environment_power": base.environment,
            "passive_power": base.passive,
            "actuator_work": sums[:, 0],
            "environment_work": sums[:, 1],
            "passive_work": sums[:, 2],
            "impulse": sums[:, 3:9],
            "position": self._places(R, bodies),
            "orientation": self._orientations(x, R),
            "tip_position": self._tip(R, bodies),
            "iterations": records["iterations"],
        }
        found["head_position"] = found["tip_position"] if self.head == "tip" else x[:, :3]
        share = self._shares(records["time"], R, bodies)
        added = self.added if share is None else share[..., None, None] * self.added
        found |= self._masses(R, bodies, added) | self._springs(q, velocity[:, 6:]) | self._pushes(R, bodies, added)
        found["potential_energy"] = found["potential_energy"] + found["elastic_energy"]
        found |= self.water.sections(
            records["time"],
            found["position"],
            None if share is None else share[:, self.sections, None],
            np.ones(len(self.sections)),
        )
        found |= self.water.variables(records["time"], lambda k: (R[:, k], bodies.origin[:, k], bodies.twist[:, k]))
        found |= self._special(records, q, velocity[:, 6:])
        return found | self._tendons(records, found) if self.strung.tendons else found

    def motion(self, x: Array) -> tuple[Array, Array]:
        """Freedoms (R, freedoms), and velocities of base and freedoms (R, 6 + freedoms), of flat states."""
        n = self.freedoms
        return x[:, 7 : 7 + n], x[:, 7 + n : 13 + 2 * n]

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        """The freedoms and their rates as the states that a result names."""
        raise NotImplementedError

    def centre(self, origin: Array) -> Array:
        """(R, 3): centre of mass, from the places of all bodies (R, bodies, 3)."""
        return np.asarray(np.einsum("b,rbi->ri", self.mass, origin) / self.mass.sum())

    def _tendons(self, records: Records, found: dict[str, Array]) -> dict[str, Array]:
        """Tendons and winches, with what they add to the energies and losses of the body."""
        pulls, strung, x = TendonState.of(records["tendons"]), self.strung, records["x"]
        own = {
            "tension": pulls.tension,
            "tendon_length": pulls.length,
            "tendon_rate": pulls.rate,
            "pulley_power": pulls.power,
            "command_length": pulls.wound,
            "distal_tension": pulls.distal,
            "friction_power": (pulls.given + pulls.tension * pulls.rate).sum(axis=1),
        }
        stretch = np.maximum(pulls.length - pulls.wound, 0.0)
        own["tendon_energy"] = 0.5 * stretch**2 @ strung.stiffness
        own["damping_power"] = found["damping_power"] + (pulls.damped + pulls.braked).sum(axis=1)
        if strung.winds:
            m, last = strung.winches, x.shape[1] - INTEGRALS
            rotors = np.array([tendon.winch.rotor_inertia for tendon in strung.tendons])
            follows = (strung.straight - pulls.wound) / strung.radius, -pulls.wound_rate / strung.radius
            for name, own_state, led in zip(
                ("winch_angle", "winch_rate"),
                (x[:, last - 2 * m : last - m], x[:, last - m : last]),
                follows,
                strict=True,
            ):
                own[name] = np.where(rotors > 0.0, own_state, led)  # without inertia it has no state of its own
            own["kinetic_energy"] = found["kinetic_energy"] + 0.5 * own["winch_rate"] ** 2 @ rotors
        return own

    def _places(self, R: Array, bodies: Any) -> Array:
        """(R, sections, 3): middles of the sections."""
        return np.asarray(bodies.origin[:, self.sections])

    def _tip(self, R: Array, bodies: Any) -> Array:
        return np.asarray(bodies.origin[:, len(self.plan.cells)])

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        """What a spine, a rod or a chain alone has."""
        raise NotImplementedError

    def _orientations(self, x: Array, R: Array) -> Array:
        """Quaternions of the sections; each has the sign of the one before, from the base on, whose own follows the
        motion.
        """
        found = matrix_to_quaternion(R[:, self.sections])
        before = x[:, 3:7]
        for k in range(found.shape[1]):
            found[:, k] *= np.where((found[:, k] * before).sum(axis=1) < 0.0, -1.0, 1.0)[:, None]
            before = found[:, k]
        return found

    def _shares(self, time: Array, R: Array, bodies: Any) -> Array | None:
        """(R, bodies): immersed share of the section at every body; None without a surface."""
        if self.water.floats is None:
            return None
        a, b = self.axes.T
        times = np.broadcast_to(time[:, None], bodies.origin.shape[:2])
        return share_below(self.water.floats, a, b, times, bodies.origin, R)

    def _masses(self, R: Array, bodies: Any, added: Array) -> dict[str, Array]:
        """Energy, momentum and centre of mass."""
        twist = turn(R.swapaxes(2, 3), bodies.twist)
        carried = times_twist(self.inertia + added, twist)
        momentum, total = turn(R, carried), self.mass.sum()
        angular = momentum[..., 3:] + np.cross(bodies.origin, momentum[..., :3])
        energy = np.zeros(len(R))
        for weight in packed_rows(self.packs, WeightLaw):
            if np.isinf(weight.since):
                energy -= weight.mass * bodies.origin[:, weight.body] @ np.array(weight.field)
        return {
            "kinetic_energy": 0.5 * np.einsum("rbi,rbi->r", twist, carried),
            "potential_energy": energy,
            "momentum": np.concatenate([momentum[..., :3].sum(axis=1), angular.sum(axis=1)], axis=1),
            "com_position": self.centre(bodies.origin),
            "com_velocity": np.einsum("b,rbi->ri", self.mass, bodies.twist[..., :3]) / total,
        }

    def _blocks(self, values: Array) -> list[Array]:
        """Freedoms (R, freedoms) cell by cell."""
        return [values[:, start:end] for start, end in zip(self.blocks[:-1], self.blocks[1:], strict=True)]

    def _springs(self, q: Array, rates: Array) -> dict[str, Array]:
        """Elastic energy, and what dampers take."""
        elastic, spent = np.zeros(len(q)), np.zeros(len(q))
        for cell, own, speed in zip(self.plan.cells, self._blocks(q), self._blocks(rates), strict=True):
            away, over = own - cell.rest, own - np.clip(own, cell.low, cell.high)
            meets = (over != 0.0) & (cell.stop[:, 0] > 0.0)
            elastic += 0.5 * np.einsum("ri,ij,rj->r", away, cell.elastic, away)
            elastic += 0.5 * (cell.stop[:, 0] * over**2).sum(axis=1)
            spent -= np.einsum("ri,ij,rj->r", speed, cell.viscous, speed)
            spent -= (cell.stop[:, 1] * meets * speed**2).sum(axis=1)
        return {"elastic_energy": elastic, "damping_power": spent}

    @staticmethod
    def _outside(R: Array, bodies: Any, added: Array) -> Array:
        """(R, bodies, 3): force of the environment on each body, added mass included, world axes."""
        twist, rates = (turn(R.swapaxes(2, 3), part) for part in (bodies.twist, bodies.twist_rate))
        return np.asarray(bodies.wrench[..., :3] - turn(R, inertial_wrench(added, twist, rates))[..., :3])

    def _pushes(self, R: Array, bodies: Any, added: Array) -> dict[str, Array]:
        """Force of the environment on each section, along its axes."""
        force = self._outside(R, bodies, added)[:, self.sections]
        return {"fluid_force": np.einsum("rbji,rbj->rbi", R[:, self.sections], force)}


class SpineRecorder(SoftRecorder):
    """Of a spine: sections are its disks, the base first."""

    def __init__(
        self,
        robot: TendonSpine,
        plan: CellPlan,
        cells: Cells,
        packs: Sequence[Pack],
        strung: RoutedTendons,
        lawful: CellMaterial,
    ) -> None:
        super().__init__(robot.head, plan, cells, packs, strung)
        self.robot, self.lawful = robot, lawful
        self.sections = np.arange(len(plan.cells) + 1)
        winds = robot.pulley_radius is not None
        self.own = {name: variable for name, variable in SPINE.items() if winds or name != "pulley_angle"}

    def coordinates(self) -> dict[str, Any]:
        robot, v = self.robot, len(self.plan.cells)
        r = robot.disk_radius
        section = (r, r) if robot.section is None else (robot.section.half_width, robot.section.half_height)
        stiffness = [robot.values("lateral_stiffness"), robot.values("vertical_stiffness")]
        springs = {
            "bend_stiffness": (
                ("vertebra", "transverse"),
                np.stack(stiffness, axis=1),
                {"units": "N m/rad", "long_name": "bending stiffness of each vertebra"},
            )
        }
        return {
            "section": (("section",), np.array([f"disk {number}" for number in range(v + 1)]), {}),
            "vertebra": (("vertebra",), np.array([f"vertebra {number}" for number in range(1, v + 1)]), {}),
            "tendon": (("tendon",), np.array(robot.tendon_names), {}),
            "radius": (
                ("section", "transverse"),
                np.tile(section, (v + 1, 1)),
                {"units": "m", "long_name": "half axes of the section"},
            ),
            "section_length": (
                ("section",),
                np.concatenate([[0.0], robot.values("length")]),
                {"units": "m", "long_name": "length of the vertebra before each disk"},
            ),
            "vertebra_length": (
                ("vertebra",),
                robot.values("length"),
                {"units": "m", "long_name": "length of each vertebra"},
            ),
            "stop": (("vertebra", "transverse"), self._stops(), {"units": "rad", "long_name": STOP_MEANS}),
            "vertebra_volume": (("vertebra",), robot.values("volume"), {"units": "m3", "long_name": VOLUME_MEANS}),
            **(springs if robot.material is None else {}),
        }

    def _springs(self, q: Array, rates: Array) -> dict[str, Array]:
        """Of springs and stops; of a user's own law and stops."""
        found = super()._springs(q, rates)
        if self.lawful.law is None:
            return found
        stored, spent = self.lawful.energies(self.lawful.sections(q, True), self.lawful.sections(rates, False))
        return {"elastic_energy": found["elastic_energy"] + stored, "damping_power": found["damping_power"] + spent}

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        """Bends, what stops give, tendons."""
        stop = np.zeros((len(q), len(self.plan.cells), 2))
        for k, (cell, own, speed) in enumerate(zip(self.plan.cells, self._blocks(q), self._blocks(rates), strict=True)):
            over = np.where(cell.stop[:, 0] > 0.0, own - np.clip(own, cell.low, cell.high), 0.0)
            moment = -(cell.stop[:, 0] * over + cell.stop[:, 1] * np.where(over != 0.0, speed, 0.0))
            stop[:, k] = moment[:, -2:]
        found = {**self.shape(q, rates), "stop_moment": stop}
        if self.robot.pulley_radius is not None:
            wound = TendonState.of(records["tendons"]).wound  # a tendon that stretches is longer than that
            found["pulley_angle"] = (self.strung.straight - wound) / self.robot.pulley_radius
        return found

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        return {"bend": np.stack([own[:, -2:] for own in self._blocks(q)], axis=1)}

    def _stops(self) -> Array:
        """(vertebrae, 2) rad, to the side and down; infinite where there is none, or it is left out."""
        return np.array(
            [np.where(cell.stop[-2:, 0] > 0.0, (cell.high[-2], -cell.low[-1]), np.inf) for cell in self.plan.cells]
        )

    def _pushes(self, R: Array, bodies: Any, added: Array) -> dict[str, Array]:
        """Force on each vertebra, along the axes of its disk."""
        outside = self._outside(R, bodies, added)
        force, row = outside[:, self.sections].copy(), len(self.plan.cells) + 1
        for k, cell in enumerate(self.plan.cells, 1):
            inner = len(cell.pieces) - 1
            force[:, k] += outside[:, row : row + inner].sum(axis=1)
            row += inner
        return {"fluid_force": np.einsum("rbji,rbj->rbi", R[:, self.sections], force)}


class ChainRecorder(SoftRecorder):
    """Of a chain: sections are the pieces of body of its links."""

    def __init__(
        self, chain: Chain, plan: CellPlan, cells: Cells, packs: Sequence[Pack], strung: RoutedTendons
    ) -> None:
        super().__init__(chain.head, plan, cells, packs, strung)
        self.chain, self.own = chain, CHAIN
        self.pieces = chain.segments() or [
            Segment(row, np.zeros(3), np.eye(3), 0.0, 0.0, 0.0) for row in range(len(plan.cells) + 1)
        ]
        self.sections = np.array([piece.body for piece in self.pieces])

    def coordinates(self) -> dict[str, Any]:
        chain = self.chain
        names = chain.section_names or [f"link {row}" for row in self.sections]
        return {
            "section": (("section",), names, {}),
            "section_length": (
                ("section",),
                np.array([piece.length for piece in self.pieces]),
                {"units": "m", "long_name": "length of each link"},
            ),
            "radius": (
                ("section", "transverse"),
                np.array([(p.half_width, p.half_height) for p in self.pieces]),
                {"units": "m", "long_name": "half axes of the section"},
            ),
            "joint": (("joint",), chain.joint_names, {}),
            "tendon": (("tendon",), names_of(chain.tendons), {}),
        }

    def _places(self, R: Array, bodies: Any) -> Array:
        middle = np.array([piece.start + 0.5 * piece.length * piece.frame[:, 0] for piece in self.pieces])
        return np.asarray(bodies.origin[:, self.sections] + np.einsum("rsij,sj->rsi", R[:, self.sections], middle))

    def _tip(self, R: Array, bodies: Any) -> Array:
        last = self.pieces[-1]
        return np.asarray(bodies.origin[:, last.body] + R[:, last.body] @ (last.start + last.length * last.frame[:, 0]))

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        return {**self.shape(q, rates), "joint_torque": AxisRecord.of(records["axes"]).torque}

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        return {"joint_position": q, "joint_velocity": rates}

    def _pushes(self, R: Array, bodies: Any, added: Array) -> dict[str, Array]:
        """Force on each link, along its axes: of its origin and of all stations on it; those of the base stand before
        the first joint.
        """
        outside = self._outside(R, bodies, added)
        links, row = outside[:, : len(self.plan.cells) + 1].copy(), len(self.plan.cells) + 1
        for k, cell in enumerate(self.plan.cells, 1):
            moved = False
            for piece in cell.pieces[:-1]:
                moved = moved or bool(piece.first.any())
                links[:, k if moved else k - 1] += outside[:, row]
                row += 1
        force = links[:, self.sections]
        return {"fluid_force": np.einsum("rbji,rbj->rbi", R[:, self.sections], force)}


class RodRecorder(SoftRecorder):
    """Of a rod: sections are its stations."""

    def __init__(
        self,
        head: str,
        plan: CellPlan,
        cells: Cells,
        packs: Sequence[Pack],
        strung: RoutedTendons,
        degree: int,
        components: Sequence[int],
        lawful: CellMaterial,
    ) -> None:
        super().__init__(head, plan, cells, packs, strung)
        self.lawful = lawful
        self.sections = np.array([row for row, _ in plan.stations])
        self.own, self.degree, self.components = ROD, degree, list(components)

    def coordinates(self) -> dict[str, Any]:
        pieces = [piece for _, piece in self.plan.stations]
        names = [f"{name}, cell {k}" for k, cell in enumerate(self.plan.cells, 1) for name in cell.names]
        return {
            "section": (("section",), [f"X = {piece.place:.4g} m" for piece in pieces], {}),
            "abscissa": (
                ("section",),
                np.array([piece.place for piece in pieces]),
                {"units": "m", "long_name": "abscissa of each section"},
            ),
            "section_length": (
                ("section",),
                np.array([piece.span for piece in pieces]),
                {"units": "m", "long_name": "length of the section when not stretched"},
            ),
            "radius": (
                ("section", "transverse"),
                np.array([piece.axes for piece in pieces]),
                {"units": "m", "long_name": "half axes of the section"},
            ),
            "joint": (("joint",), names, {}),
            **({"tendon": (("tendon",), names_of(self.strung.tendons), {})} if self.strung.tendons else {}),
        }

    def _springs(self, q: Array, rates: Array) -> dict[str, Array]:
        """Of springs, or of a user's own law."""
        if self.lawful.law is None:
            return super()._springs(q, rates)
        stored, spent = self.lawful.energies(*self._strains(q, rates))
        return {"elastic_energy": stored, "damping_power": spent}

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        return {**self.shape(q, rates), "joint_torque": AxisRecord.of(records["axes"]).torque}

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        strain, rate = self._strains(q, rates)
        return {"strain": strain, "strain_rate": rate}

    def _strains(self, q: Array, rates: Array) -> tuple[Array, Array]:
        """The six strains at every station (R, stations, 6), and their rates."""
        strain, rate = (np.zeros((len(q), len(self.sections), 6)) for _ in range(2))
        strain[..., :] = ALONG
        row = 0
        for cell, own, speed in zip(self.plan.cells, self._blocks(q), self._blocks(rates), strict=True):
            inner = cell.pieces[:-1]
            length = sum(piece.length for piece in cell.pieces)
            start = cell.pieces[-1].place - length
            P = legendre([(piece.place - start) / length for piece in inner], self.degree)
            for number, c in enumerate(self.components):
                columns = slice(number * (self.degree + 1), (number + 1) * (self.degree + 1))
                strain[:, row : row + len(inner), c] += own[:, columns] @ P.T
                rate[:, row : row + len(inner), c] += speed[:, columns] @ P.T
            row += len(inner)
        return strain, rate
