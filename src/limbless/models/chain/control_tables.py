"""Controllers with state and motors in a chain's problem: their tables, their numbers in a state, their variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from limbless.control.actuation import Actuation, Motor, Muscles
from limbless.control.actuation.feedback import one_each
from limbless.control.controllers.base import ClosedLoop, LoopLayout, PackedLoop
from limbless.core import Array, InputError, nearest
from limbless.mechanics.chain import ChainTables, LinkRow, MotorRow, Motors
from limbless.mechanics.compiled import map_arrays
from limbless.mechanics.control import MusclePairs
from limbless.models import StepLimit, Variable, choose, filled
from limbless.models.chain.chain_problem import control_start, joint_inertia
from limbless.robots.chain import Chain

NAMES = "controller"
"""Of a state's memory: what the numbers of its controller are."""


def named(numbers: list[str]) -> dict[str, Array]:
    """What a state remembers of motors and a controller: what their numbers are."""
    return {NAMES: np.frombuffer("\n".join(numbers).encode(), dtype=np.uint8)} if numbers else {}


def with_field(owner: Any, path: Sequence[str], value: Any) -> Any:
    """A description, or a tuple of them, with one field changed somewhere inside."""
    name, *rest = path
    if isinstance(owner, tuple):
        if not name.isdigit() or int(name) >= len(owner):
            raise InputError(f"controller.{name}: give a number from 0 to {len(owner) - 1}")
        changed = with_field(owner[int(name)], rest, value) if rest else value
        return (*owner[: int(name)], changed, *owner[int(name) + 1 :])
    if name not in type(owner).model_fields:
        raise InputError(f"controller.{name}: no such field; {nearest(name, type(owner).model_fields)}")
    return owner.changed(**{name: with_field(getattr(owner, name), rest, value) if rest else value})


@contextmanager
def in_list(number: int, count: int) -> Iterator[None]:
    """Whatever is wrong with one of several controllers is said of its place in the list."""
    try:
        yield
    except InputError as error:
        raise (
            InputError(str(error).replace("controller.", f"controller.{number}.", 1)) if count > 1 else error
        ) from None


def layout_of(chain: Chain, robot: ChainTables, step: float, gait: Any, others: int = 0) -> LoopLayout:
    """Where a controller finds the joints and bodies of a chain; its own numbers come after so many others."""
    link = LinkRow.of(robot.links)
    columns: list[tuple[int, ...]] = []
    for row in range(1, len(link.kind)):
        behind = next((k for k in range(row, len(link.kind)) if link.has_body[k]), row)
        before = next((k for k in range(row - 1, -1, -1) if link.has_body[k]), 0)
        for c in range(link.freedoms[row]):
            if link.positions[row] != link.freedoms[row]:
                raise InputError("controller: spherical joints take none; describe them as three revolute joints")
            columns.append((link.position[row] + c, link.velocity[row] + c, behind, before))
    position, velocity, behind_of, before_of = np.array(columns, dtype=np.int64).reshape(-1, 4).T
    pieces = {piece.body: piece for piece in chain.segments()}
    own = [pieces.get(int(row)) for row in behind_of]
    last = max(row for row in range(len(link.kind)) if link.has_body[row])
    ends = [piece for piece in chain.segments() if piece.body == last]
    tip = ends[-1].start + ends[-1].length * ends[-1].frame[:, 0] if ends else np.zeros(3)
    return LoopLayout(
        chain,
        position,
        velocity,
        behind_of,
        before_of,
        control_start(robot) + others,
        np.array([0.0 if piece is None else piece.half_width for piece in own]),
        np.array([1.0 if piece is None else piece.length for piece in own]),
        (last, 1.0) if chain.head == "tip" else (0, -1.0),
        (last, (float(tip[0]), float(tip[1]), float(tip[2]))),
        step,
        gait,
        bool(len(link.given) > 1 and link.given[1:].all()),
    )


class AskedLaw(NamedTuple):
    """A law of a controller that is asked in Python at every stage."""

    slot: Any
    law: Any


class ChainLoop:
    """Controllers and the robot that they drive, perhaps by muscles; a later one may sense what an earlier one does."""

    def __init__(self, controllers: Sequence[ClosedLoop], layout: LoopLayout, actuation: Actuation) -> None:
        self.controllers, self.layouts, self._actuation = controllers, list[LoopLayout](), actuation
        self.packed: list[PackedLoop] = []
        driving = [k for k, one in enumerate(controllers) if getattr(one, "output", "") == "gait"]
        if len(driving) > 1:
            raise InputError(f"controller.{driving[1]}.output: controller {driving[0]} drives the gait already")
        own = layout
        for number, controller in enumerate(controllers):
            with in_list(number, len(controllers)):
                self.packed.append(controller.pack(own))
            self.layouts.append(own)
            own = own._replace(
                first=own.first + len(self.packed[-1].start), earlier=(*own.earlier, controller.signals(own))
            )
        self.count = own.first - layout.first
        self.columns = slice(layout.first, own.first)
        self.fastest = max((packed.fastest, packed.why) for packed in self.packed)
        self.asked = tuple(
            AskedLaw(packed.slot, getattr(one, "law", None))
            for packed, one in zip(self.packed, controllers, strict=True)
            if packed.slot is not None
        )
        self.places_joints = any(bool(getattr(packed.tables, "placed", np.zeros(1))[0]) for packed in self.packed)
        self._muscles: MusclePairs | None = None
        if isinstance(actuation, Muscles):
            each = [
                one_each(getattr(actuation, name), layout.freedoms, name)
                for name in ("alpha", "beta", "gamma", "delta", "epsilon", "rest")
            ]
            self._muscles = MusclePairs(
                np.column_stack([layout.position, layout.velocity]),
                np.column_stack(each),
                np.array([actuation.power], dtype=np.int64),
            )

    def tables(self) -> tuple[Any, ...]:
        """With memory of their own: two runs of one model are two problems."""
        all_of_them = (*(one.tables for one in self.packed), *(() if self._muscles is None else (self._muscles,)))
        return tuple(map_arrays(np.copy, table) for table in all_of_them)

    def count_muscles(self, inertia: Array) -> None:
        """Explicit steps follow muscles, too, which joints of such inertia answer to."""
        if self._muscles is None:
            return
        _, beta, gamma, delta, epsilon, _ = self._muscles.law.T
        rates = np.concatenate([(delta + 2.0 * epsilon) / inertia, np.sqrt(beta * (2.0 + gamma) / inertia)])
        self.fastest = max(self.fastest, (float(rates.max()), "muscles (model.integrator sdirk4 is not)"))

    def retuned(self, fields: Mapping[str, Any]) -> ChainLoop:
        """The same with other numbers in fields, such as `drive` or, of a list, `0.coupling.weight`."""
        changed = self.controllers
        for path, value in fields.items():
            changed = with_field(changed if len(changed) > 1 else changed[0], path.split("."), value)
            changed = changed if isinstance(changed, tuple) else (changed,)
        made = ChainLoop(changed, self.layouts[0], self._actuation)
        if made.names() != self.names() or made.asked or self.asked:
            raise InputError(f"controller.{next(iter(fields))}: it cannot change on the way; set it before the start")
        return made

    def names(self) -> list[str]:
        """What all their numbers are; in a list each ends with the number of its controller."""
        return self._labelled([one.names for one in self.packed])

    def _labelled(self, names: Sequence[Sequence[str]]) -> list[str]:
        alone = len(names) == 1
        return [one if alone else f"{one} ({number})" for number, part in enumerate(names) for one in part]

    def start(self, x: Array, joints: Array | None = None) -> list[str]:
        """Put their own numbers where they start. Returns what they are."""
        x[self.columns] = np.concatenate([one.start for one in self.packed])
        return self.names()

    def step_limit(self, interval: float) -> StepLimit:
        """The longest step with which an explicit scheme follows the controllers."""
        return StepLimit(interval / max(self.fastest[0], 1e-300), self.fastest[1])

    def neurons(self) -> list[list[str]]:
        return [one.neurons(own) for one, own in zip(self.controllers, self.layouts, strict=True)]

    def variables(self, x: Array, joint_velocity: Array | None = None) -> dict[str, Array]:
        parts = [
            one.activity(x[:, own.first : own.first + len(packed.start)], len(names))
            for one, own, packed, names in zip(self.controllers, self.layouts, self.packed, self.neurons(), strict=True)
        ]
        return {"controller_state": x[:, self.columns], "activity": np.concatenate(parts, axis=1)}

    def schema(self) -> dict[str, Variable]:
        return choose("controller_state", "activity")

    def coordinates(self) -> dict[str, Any]:
        return {
            "controller_number": (("controller_number",), self.names(), {}),
            "neuron": (("neuron",), self._labelled(self.neurons()), {}),
        }


class MotorBank:
    """The motors of a chain."""

    def __init__(self, actuation: Motor, chain: Chain, robot: ChainTables) -> None:
        n, first = chain.freedoms, control_start(robot)
        if int(LinkRow.of(robot.links).velocity[0]) - 7 != n:
            raise InputError("actuation: spherical joints take no motor; describe them as three revolute joints")
        stall, current, speed = (
            one_each(getattr(actuation, name), n, name) for name in ("stall_torque", "stall_current", "no_load_speed")
        )
        spring, rotor = actuation.series_stiffness, chain.arrays().rotor_inertia
        if spring is not None and not (rotor > 0.0).all():
            raise InputError(
                "actuation.series_stiffness: a motor behind a spring needs an inertia of its own; set rotor_inertia of "
                f"joint {chain.joint_names[int(np.argmin(rotor))]!r}"
            )
        largest = actuation.largest_current
        rows = filled(
            MotorRow,
            n,
            stall=stall,
            drop=stall / speed,
            limit=np.inf if largest is None else largest * stall / current,
            rate=1.0 / (actuation.electrical_time or 1.0),
            stiffness=spring or 0.0,
            damping=actuation.series_damping,
            inertia=rotor,
        )
        self.electric, self.elastic = actuation.electrical_time is not None, spring is not None
        behind = first + n + n * self.electric
        place = np.array([first, first + n if self.electric else -1, behind if self.elastic else -1], dtype=np.int64)
        self.tables = Motors(rows, place, np.zeros(n), np.zeros(n), np.zeros(n))
        self.count = n + n * self.electric + 2 * n * self.elastic
        self.moving = range(first + n, first + self.count)
        self.rotors = np.zeros(n) if self.elastic else rotor
        self._volts, self._amperes, self._names = actuation.voltage / stall, current / stall, chain.joint_names
        self._inertia = joint_inertia(robot, chain.base)

    def start(self, x: Array, joints: Array) -> list[str]:
        """Motors stand and turn as their joints do, whose positions and velocities these are, without current. Returns
        what their numbers are.
        """
        parts = ["voltage", *["current"] * self.electric, *["angle", "rate"] * self.elastic]
        if self.elastic:
            x[self.tables.place[2] :][: len(joints)] = joints
        return [f"{part} of the motor of {name}" for part in parts for name in self._names]

    def step_limit(self, interval: float) -> StepLimit | None:
        """The longest step with which an explicit scheme follows the numbers of the motors."""
        row = MotorRow.of(self.tables.rows)
        light = np.maximum(self._inertia, 1e-300)
        rates = {"the current of the motors (actuation.electrical_time)": row.rate * self.electric}
        if self.elastic:
            both = 1.0 / row.inertia + 1.0 / light
            rates["the springs of the motors (actuation.series_stiffness)"] = np.sqrt(row.stiffness * both)
            rates["the dampers of the motors (actuation.series_damping)"] = row.damping * both
            rates["motors of so little rotor_inertia (actuation.no_load_speed)"] = row.drop / row.inertia
        why = max(rates, key=lambda name: float(rates[name].max()))
        fastest = float(rates[why].max())
        return StepLimit(interval / fastest, why) if fastest > 0.0 else None

    def variables(self, x: Array, joint_velocity: Array) -> dict[str, Array]:
        """Voltage, current and, behind springs, angle of every motor."""
        n, (voltage, current, angle) = len(self._names), self.tables.place
        given = x[:, voltage : voltage + n]
        speed = x[:, angle + n : angle + 2 * n] if self.elastic else joint_velocity
        torque = x[:, current : current + n] if self.electric else given - MotorRow.of(self.tables.rows).drop * speed
        found = {"joint_voltage": given * self._volts, "joint_current": torque * self._amperes}
        return found | ({"motor_position": x[:, angle : angle + n]} if self.elastic else {})

    def schema(self) -> dict[str, Variable]:
        return choose("joint_voltage", "joint_current", *["motor_position"] * self.elastic)
