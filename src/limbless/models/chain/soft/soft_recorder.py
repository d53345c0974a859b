"""Recorded states of a soft body as variables of a result, in NumPy, apart from the kernels that integrated them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.environments.base import Pack
from limbless.mechanics.chain import INTEGRALS, AxisRecord, Cells, Station, TendonState
from limbless.models import Records, Variable, choose, spine_coordinates
from limbless.models.chain.soft.cell_material import CellMaterial
from limbless.models.chain.soft.cell_plan import ALONG, CellPlan, PlannedCell, PlannedPiece
from limbless.models.chain.soft.tendon_tables import RoutedTendons
from limbless.models.recording.body_recorder import (
    BALANCES,
    POSES,
    BaseMotion,
    BodyMotion,
    BodyRecorder,
    chain_motion,
    following_quaternions,
    section_coordinates,
)
from limbless.robots import ACTUATED, AXES, Chain, Rod, Segment, TendonSpine, names_of

SCHEMA = choose(*POSES, "tip_position", "fluid_force", "elastic_energy", "damping_power", *BALANCES, "iterations")
TENDONS = choose("tension", "tendon_length", "tendon_rate", "pulley_power")
STRETCHING = choose("command_length", "tendon_energy")
WINDING = choose("winch_angle", "winch_rate")
RUBBING = choose("distal_tension", "friction_power")
SPINE = choose("bend", "stop_moment", "pulley_angle")
CHAIN = choose("joint_position", "joint_velocity", "joint_torque")
ROD = choose("strain", "strain_rate", "joint_torque")


class SoftRecorder(BodyRecorder):
    """Turns what was recorded of one soft body into variables; what spines, chains and rods have in common."""

    sections: NDArray[np.int64]
    # (sections, bodies) whose forces count as those on a section; None: its own body's
    pushed: Array | None = None
    alone: dict[str, Variable]

    def __init__(
        self,
        robot: Any,
        plan: CellPlan,
        cells: Cells,
        packs: Sequence[Pack],
        strung: RoutedTendons,
        lawful: CellMaterial,
    ) -> None:
        bodies, self.mass = len(plan.masses), plan.masses
        super().__init__(packs, bodies)
        self.robot, self.plan, self.strung, self.lawful, self.freedoms = robot, plan, strung, lawful, len(cells.rest)
        solids: list[PlannedCell | PlannedPiece] = [*plan.cells, *(piece for _, piece in plan.stations)]
        self.own = np.array([np.zeros(6), *((solid.mass, solid.mass, solid.mass, *solid.turn) for solid in solids)])
        self.added, station = np.zeros((bodies, 6)), Station.of(cells.stations)
        heavy = station.has_mass == 1
        rows, whole = station.body[heavy], np.concatenate([station.mass, station.turn], axis=1)[heavy]
        self.added[rows] = whole - self.own[rows]
        # the end of a cell is as thick as its last station, the base as the first end
        last = [[(0.0, 0.0), *(piece.axes for piece in cell.inner if piece.span > 0.0)][-1] for cell in plan.cells]
        self.axes = np.maximum([last[0], *last, *(piece.axes for _, piece in plan.stations)], 1e-12)

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
        return {**SCHEMA, **self.alone, **strung, **self.water.schema()}

    def coordinates(self) -> dict[str, Any]:
        """Labels, and what does not change in time."""
        raise NotImplementedError

    def variables(self, records: Records) -> dict[str, Array]:
        """All variables at the recorded times."""
        q, velocity = self.motion(records["x"])
        found = self.body_variables(records["time"], *chain_motion(records, self.freedoms, self.freedoms, slice(None)))
        found |= {**self._springs(q, velocity[:, 6:]), "iterations": records["iterations"]}
        found["potential_energy"] = found["potential_energy"] + found["elastic_energy"]
        found |= self._special(records, q, velocity[:, 6:])
        return found | self._tendons(records, found) if self.strung.tendons else found

    def section_variables(self, base: BaseMotion, bodies: BodyMotion, outside: Array) -> dict[str, Array]:
        """Poses of the sections, and the force of the environment on each, along its axes."""
        R, tip = bodies.rotation[:, self.sections], self.tip(bodies.rotation, bodies.origin)
        force = outside[:, self.sections, :3]
        if self.pushed is not None:
            world = np.einsum("rbij,rbj->rbi", bodies.rotation, outside[..., :3])
            force = np.einsum("rsji,rsj->rsi", R, self.pushed @ world)
        return {
            "position": self._places(bodies),
            "orientation": following_quaternions(base.orientation, R),
            "tip_position": tip,
            "head_position": tip if self.robot.head == "tip" else base.position,
            "fluid_force": force,
        }

    def motion(self, x: Array) -> tuple[Array, Array]:
        """Freedoms (R, freedoms), and velocities of base and freedoms (R, 6 + freedoms), of flat states."""
        n = self.freedoms
        return x[:, 7 : 7 + n], x[:, 7 + n : 13 + 2 * n]

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        """The freedoms and their rates as the states that a result names."""
        raise NotImplementedError

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
            # without inertia a winch has no state of its own: it follows what it has wound up
            angle, rate = (strung.straight - pulls.wound) / strung.radius, -pulls.wound_rate / strung.radius
            own["winch_angle"] = np.where(rotors > 0.0, x[:, last - 2 * m : last - m], angle)
            own["winch_rate"] = np.where(rotors > 0.0, x[:, last - m : last], rate)
            own["kinetic_energy"] = found["kinetic_energy"] + 0.5 * own["winch_rate"] ** 2 @ rotors
        return own

    def _places(self, bodies: BodyMotion) -> Array:
        """(R, sections, 3): middles of the sections."""
        return np.asarray(bodies.origin[:, self.sections])

    def tip(self, rotation: Array, origin: Array) -> Array:
        """Of bodies with these matrices (.., B, 3, 3) at these places (.., B, 3), m."""
        return np.asarray(origin[..., len(self.plan.cells), :])

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        """What a spine, a rod or a chain alone has."""
        raise NotImplementedError

    def _blocks(self, values: Array) -> list[Array]:
        """Freedoms (R, freedoms) cell by cell."""
        return [values[:, own] for own in self.plan.freedoms]

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


class SpineRecorder(SoftRecorder):
    """Of a spine: sections are its disks, the base first."""

    def __init__(self, robot: TendonSpine, plan: CellPlan, *others: Any) -> None:
        super().__init__(robot, plan, *others)
        self.sections = np.arange(len(plan.cells) + 1)
        self.pushed = np.eye(len(self.sections), len(self.mass))
        for k, rows in enumerate(plan.station_rows, 1):  # the stations of a vertebra count to its disk
            self.pushed[k, rows] = 1.0
        self.alone = SPINE if robot.pulley_radius else {name: SPINE[name] for name in SPINE if name != "pulley_angle"}

    def coordinates(self) -> dict[str, Any]:
        robot, r = self.robot, self.robot.disk_radius
        axes = (r, r) if robot.section is None else (robot.section.half_width, robot.section.half_height)
        spine = spine_coordinates(robot, self._stops())
        names, length = spine["section"][1], np.concatenate([[0.0], robot.values("length")])
        told = "length of the vertebra before each disk"
        return {**spine, **section_coordinates(names, length, np.tile(axes, (len(names), 1)), told)}

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


class ChainRecorder(SoftRecorder):
    """Of a chain: sections are the pieces of body of its links."""

    alone = CHAIN

    def __init__(self, chain: Chain, plan: CellPlan, *others: Any) -> None:
        super().__init__(chain, plan, *others)
        self.pieces = chain.segments() or [
            Segment(row, np.zeros(3), np.eye(3), 0.0, 0.0, 0.0) for row in range(len(plan.cells) + 1)
        ]
        self.sections = np.array([piece.body for piece in self.pieces])
        links = np.eye(len(plan.cells) + 1, len(self.mass))
        for k, (cell, rows) in enumerate(zip(plan.cells, plan.station_rows, strict=True), 1):
            # stations on a link count to it; those of the base stand before the first joint
            moved = np.cumsum([piece.first.any() for piece in cell.inner]) > 0
            links[np.where(moved, k, k - 1), rows] = 1.0
        self.pushed = links[self.sections]

    def coordinates(self) -> dict[str, Any]:
        chain = self.robot
        names = chain.section_names or [f"link {row}" for row in self.sections]
        return {
            **section_coordinates(
                names,
                np.array([piece.length for piece in self.pieces]),
                [(piece.half_width, piece.half_height) for piece in self.pieces],
                "length of each link",
            ),
            "joint": (("joint",), chain.joint_names, {}),
            "tendon": (("tendon",), names_of(chain.tendons), {}),
        }

    def _places(self, bodies: BodyMotion) -> Array:
        R = bodies.rotation[:, self.sections]
        middle = np.array([piece.start + 0.5 * piece.length * piece.frame[:, 0] for piece in self.pieces])
        return np.asarray(bodies.origin[:, self.sections] + np.einsum("rsij,sj->rsi", R, middle))

    def tip(self, rotation: Array, origin: Array) -> Array:
        last = self.pieces[-1]
        end = last.start + last.length * last.frame[:, 0]
        return np.asarray(origin[..., last.body, :] + rotation[..., last.body, :, :] @ end)

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        return {**self.shape(q, rates), "joint_torque": AxisRecord.of(records["axes"]).torque}

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        return {"joint_position": q, "joint_velocity": rates}


class RodRecorder(SoftRecorder):
    """Of a rod: sections are its stations."""

    alone = ROD

    def __init__(self, rod: Rod, plan: CellPlan, cells: Cells, *others: Any) -> None:
        super().__init__(rod, plan, cells, *others)
        self.sections = np.array([row for row, _ in plan.stations])
        self.components, self.modes = list(ACTUATED[rod.strains]), plan.degree + 1
        self.effort_at = cells.effort_at.reshape(-1, self.modes, self.modes)

    def coordinates(self) -> dict[str, Any]:
        pieces = [piece for _, piece in self.plan.stations]
        axes = [AXES[c] for c in self.components for _ in range(self.modes)] * len(self.plan.cells)
        places = [
            place
            for cell in self.plan.cells
            if cell.points is not None
            for _ in self.components
            for place in cell.points.at
        ]
        names = [f"{axis} at X = {place:.6g} m" for axis, place in zip(axes, places, strict=True)]
        return {
            **section_coordinates(
                [f"X = {piece.place:.4g} m" for piece in pieces],
                np.array([piece.span for piece in pieces]),
                [piece.axes for piece in pieces],
                "length of the section when not stretched",
            ),
            "abscissa": (
                ("section",),
                np.array([piece.place for piece in pieces]),
                {"units": "m", "long_name": "abscissa of each section"},
            ),
            "joint": (("joint",), names, {}),
            "joint_axis": (
                ("joint",),
                axes,
                {"long_name": "axis that the actuator bends about, or strain that it works along"},
            ),
            "joint_abscissa": (
                ("joint",),
                np.array(places),
                {"units": "m", "long_name": "where along the body its effort is"},
            ),
            **({"tendon": (("tendon",), names_of(self.strung.tendons), {})} if self.strung.tendons else {}),
        }

    def _springs(self, q: Array, rates: Array) -> dict[str, Array]:
        """Of springs, or of a user's own law."""
        if self.lawful.law is None:
            return super()._springs(q, rates)
        stored, spent = self.lawful.energies(*self._strains(q, rates))
        return {"elastic_energy": stored, "damping_power": spent}

    def _special(self, records: Records, q: Array, rates: Array) -> dict[str, Array]:
        modes = AxisRecord.of(records["axes"]).torque
        effort = np.einsum("rgj,gij->rgi", modes.reshape(len(q), *self.effort_at.shape[:2]), self.effort_at)
        return {**self.shape(q, rates), "joint_torque": effort.reshape(modes.shape)}

    def shape(self, q: Array, rates: Array) -> dict[str, Array]:
        strain, rate = self._strains(q, rates)
        return {"strain": strain, "strain_rate": rate}

    def _strains(self, q: Array, rates: Array) -> tuple[Array, Array]:
        """The six strains at every station (R, stations, 6), and their rates."""
        strain, rate = (np.zeros((len(q), len(self.sections), 6)) for _ in range(2))
        strain[..., :] = ALONG
        cells = zip(self.plan.polynomials, self._blocks(q), self._blocks(rates), strict=True)
        for (_, stations, P), own, speed in cells:
            for number, c in enumerate(self.components):
                columns = slice(number * self.modes, (number + 1) * self.modes)
                strain[:, stations, c] += own[:, columns] @ P.T
                rate[:, stations, c] += speed[:, columns] @ P.T
        return strain, rate
