"""Random scenarios for every model: valid parts, put together at random. A case is its model, its half and its seed.

Two ways, in turn. Even seeds make a scenario of scratch, in these ranges (mild | wild, drawn evenly in the logarithm):

=====================  =====================  =====================
number                 mild                   wild
=====================  =====================  =====================
step                   1 to 5 ms              0.1 ms to 0.3 s
steps                  10 to 25               10 to 25
links, vertebrae       2 to 6                 1 to 15
length of a link       5 to 30 cm             1 mm to 10 m
radius over length     0.1 to 0.4             0.01 to 3
density                300 to 3000 kg/m3      1 to 1e6 kg/m3
amplitude              0.01 to 0.4 rad        0.001 to 10 rad
period                 0.5 to 4 s             0.01 to 100 s
gains, springs         0.01 to 1 N m/rad      1e-4 to 1e5 N m/rad
drag, friction         0.05 to 1              1e-4 to 100
tension                0.01 to 0.6 N          1e-3 to 100 N
=====================  =====================  =====================

Odd seeds take a built-in scenario of the model, shortened, and multiply some of its numbers: mild 1 to 3 numbers by 0.8
to 1.25, wild 1 to 8 numbers by 1e-3 to 1e3, with a sign changed or a zero here and there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from limbless.core.errors import InputError
from limbless.scenarios import loader
from limbless.scenarios.document import parse_value
from limbless.scenarios.scenario import Scenario

STEPS = (10, 25)
LABELS = {
    "name",
    "title",
    "paper",
    "figures",
    "kind",
    "preset",
    "task",
    "result",
    "duration",
    "record_every",
    "control_period",
}
"""Fields of a scenario that are not multiplied: words without effect, what a thing is, and how long it lasts."""
COUNTS = {"points", "count", "cells", "links", "modules"}
"""Numbers of things: at most doubled."""

Mapping = dict[str, Any]


class Dice:
    """A seeded generator of numbers in a mild or a wild range."""

    def __init__(self, mild: bool, seed: int) -> None:
        self.mild, self.rng = mild, np.random.default_rng([seed, int(mild)])

    def number(self, mild: tuple[float, float], wild: tuple[float, float]) -> float:
        low, high = mild if self.mild else wild
        return float(math.exp(self.rng.uniform(math.log(low), math.log(high))))

    def count(self, mild: tuple[int, int], wild: tuple[int, int]) -> int:
        low, high = mild if self.mild else wild
        return int(self.rng.integers(low, high + 1))

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def pick(self, *choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def signed(self, mild: float, wild: float) -> float:
        return float(self.rng.uniform(-1.0, 1.0)) * (mild if self.mild else wild)

    def vector(self, mild: float, wild: float, size: int = 3) -> list[float]:
        return [self.signed(mild, wild) for _ in range(size)]

    def direction(self) -> list[float]:
        vector = self.rng.normal(size=3)
        return list(map(float, vector / np.linalg.norm(vector)))

    # ------------------------------------------------------------------------------------------------- numbers of the
    # table above
    def step(self) -> float:
        return self.number((0.001, 0.005), (0.0001, 0.3))

    def length(self) -> float:
        return self.number((0.05, 0.3), (0.001, 10.0))

    def thickness(self) -> float:
        return self.number((0.1, 0.4), (0.01, 3.0))

    def density(self) -> float:
        return self.number((300.0, 3000.0), (1.0, 1e6))

    def amplitude(self) -> float:
        return self.number((0.01, 0.4), (0.001, 10.0))

    def period(self) -> float:
        return self.number((0.5, 4.0), (0.01, 100.0))

    def gain(self) -> float:
        return self.number((0.01, 1.0), (1e-4, 1e5))

    def friction(self) -> float:
        return self.number((0.05, 1.0), (1e-4, 100.0))


# ---------------------------------------------------------------------------------------------------------------- parts


def joint(dice: Dice, kinds: tuple[str, ...]) -> Mapping:
    kind = dice.pick(*kinds)
    made: Mapping = {"kind": kind}
    if kind in ("revolute", "prismatic"):
        made["axis"] = dice.pick([0.0, 0.0, 1.0], [0.0, 1.0, 0.0], dice.direction())
    if kind == "universal":
        made |= {"axis": [0.0, 0.0, 1.0], "second_axis": [0.0, 1.0, 0.0]}
    if dice.chance(0.3):
        made |= {"stiffness": dice.gain(), "damping": 0.01 * dice.gain(), "viscous_friction": 0.01 * dice.gain()}
    if dice.chance(0.2):
        made["torque_limit"] = dice.gain()
    return made


def chain(
    dice: Dice,
    kinds: tuple[str, ...] = ("revolute", "prismatic", "universal", "spherical"),
    bases: tuple[str, ...] = ("free", "planar", "fixed"),
) -> Mapping:
    links = []
    for number in range(dice.count((2, 6), (1, 15))):
        length = dice.length()
        width, height = length * dice.thickness(), length * dice.thickness()
        size = {"length": length, "half_width": width, "half_height": height}
        link: Mapping = {"solids": [{"shape": "elliptic-cylinder", "density": dice.density(), **size}], "body": size}
        if number:
            link |= {"joint": joint(dice, kinds), "position": [links[-1]["body"]["length"], 0.0, 0.0]}
        links.append(link)
    return {"kind": "chain", "base": dice.pick(*bases), "links": links}


def body_wave(dice: Dice) -> Mapping:
    return {
        "kind": "body-wave",
        "amplitude": dice.amplitude(),
        "growth": dice.signed(1.0, 10.0),
        "wavelength": dice.number((0.5, 3.0), (0.01, 100.0)),
        "period": dice.period(),
        "ramp": dice.pick(0.0, dice.period()),
        "turn": dice.signed(0.05, 1.0),
        "dive": dice.signed(0.05, 1.0),
    }


def serpenoid(dice: Dice) -> Mapping:
    return {
        "kind": "serpenoid",
        "amplitude": dice.amplitude(),
        "frequency": 2.0 * math.pi / dice.period(),
        "phase_step": dice.signed(2.0, 6.0),
        "offset": dice.signed(0.1, 3.0),
        "ramp": dice.pick(0.0, dice.period()),
    }


def joint_wave(dice: Dice) -> Mapping:
    rate = 2.0 * math.pi / dice.period()
    return {
        "kind": "joint-wave",
        "yaw_amplitude": dice.amplitude(),
        "yaw_rate": rate,
        "yaw_phase": dice.signed(1.0, 4.0),
        "pitch_amplitude": dice.pick(0.0, dice.amplitude()),
        "pitch_rate": rate,
        "pitch_lead": dice.signed(1.5, 4.0),
        "release": dice.pick(0.0, 0.05),
    }


def forces(dice: Dice, *more: Callable[[Dice], Mapping]) -> list[Mapping]:
    """Some of the environments that push on slices and masses."""
    kinds: tuple[Callable[[Dice], Mapping], ...] = (
        lambda dice: {"kind": "gravity"},
        lambda dice: {
            "kind": "buoyancy",
            "density": dice.density(),
            **dice.pick({}, {"surface": dice.signed(0.2, 5.0)}),
        },
        lambda dice: {
            "kind": "drag",
            "along": dice.friction(),
            "lateral": dice.friction(),
            "vertical": dice.friction(),
        },
        lambda dice: {
            "kind": "water",
            "density": dice.density(),
            "added_mass": dice.pick("paper", "consistent", "none"),
            "current": dice.vector(0.2, 20.0),
        },
        *more,
    )
    return [make(dice) for make in kinds if dice.chance(0.4)]


def flow(dice: Dice) -> Mapping:
    """One of the flows of water."""
    speed = dice.vector(0.2, 20.0)
    length = dice.number((1.0, 5.0), (0.01, 100.0))
    return dice.pick(
        {"kind": "uniform", "velocity": speed},
        {
            "kind": "shear",
            "velocity": speed,
            "rate": dice.signed(0.5, 100.0),
            "along": dice.pick("x", "y", "z"),
            "across": dice.pick("x", "y", "z"),
        },
        {"kind": "oscillating", "amplitude": speed, "period": dice.period(), "phase": dice.signed(3.0, 100.0)},
        {
            "kind": "vortices",
            "places": [dice.vector(0.5, 50.0) for _ in range(3)],
            "circulations": dice.vector(0.1, 100.0),
            "core": dice.number((0.05, 0.5), (1e-4, 10.0)),
            "axis": dice.direction(),
            "drift": dice.vector(0.1, 10.0),
        },
        {
            "kind": "waves",
            "amplitude": length * dice.number((0.001, 0.04), (1e-4, 0.2)),
            "length": length,
            "direction": dice.signed(3.0, 100.0),
            "depth": dice.pick(None, dice.number((0.5, 5.0), (1e-3, 100.0))),
        },
    )


def in_open_water(dice: Dice, around: list[Mapping]) -> list[Mapping]:
    """Some scenarios in water that flows or has a surface, in place of all other fluids: with what these need."""
    if not dice.chance(0.4):
        return around
    flows = [flow(dice) for _ in range(dice.count((0, 2), (0, 3)))]
    water: Mapping = {
        "kind": "water",
        "density": dice.density(),
        "flow": flows,
        "points": dice.pick(2, 4),
        "drag_law": dice.pick("constant", "laminar", "mixed"),
    }
    if dice.chance(0.6) or any(one["kind"] == "waves" for one in flows):
        water["surface"] = dice.signed(0.5, 50.0)
    if dice.chance(0.3):
        water["wake"] = dice.pick("none", None)
    dry = [item for item in around if item["kind"] not in ("water", "buoyancy")]
    heavy = any(item["kind"] == "gravity" for item in dry) or "surface" not in water
    return [water, *dry, *([] if heavy else [{"kind": "gravity"}])]


def regularised_wheels(dice: Dice) -> Mapping:
    return {
        "kind": "wheels",
        "law": "regularised",
        "tangential": 0.1 * dice.friction(),
        "normal": dice.friction(),
        "slip_speed": dice.number((0.05, 0.2), (1e-6, 10.0)),
        "cone": dice.pick("box", "ellipse"),
    }


def borne(dice: Dice, robot: Mapping, around: list[Mapping]) -> Mapping:
    """The robot, in the mild half on a planar base where it stands on wheels: these hold nothing up, and a free base on
    them is refused.
    """
    falls = robot.get("base") == "free" and any(item["kind"] == "wheels" for item in around)
    return {**robot, "base": "planar"} if dice.mild and falls else robot


def point_wrench(dice: Dice) -> Mapping:
    return {
        "kind": "point-wrench",
        "force": dice.vector(0.1, 1e4),
        "torque": dice.vector(0.01, 1e3),
        "frame": dice.pick("world", "body"),
        **dice.pick({}, {"active": [[0.0, 0.01]]}),
    }


def times(dice: Dice, step: float | None = None) -> Mapping:
    step = step or dice.step()
    return {"step": step, "duration": step * dice.count(STEPS, STEPS)}


# ------------------------------------------------------------------------------------------------------------ scenarios


def newton_euler(dice: Dice) -> Mapping:
    actuation = dice.pick({"kind": "motion"}, {"kind": "pd", "stiffness": dice.gain(), "damping": 0.02 * dice.gain()})
    initial, robot = {"position": dice.vector(1.0, 1e3)}, chain(dice)
    bends = {tuple(link["joint"].get("axis", (0, 0, 1))) for link in robot["links"][1:]} >= {
        (0.0, 0.0, 1.0),
        (0.0, 1.0, 0.0),
    }
    gait = dice.pick(body_wave, serpenoid)(dice) if bends else serpenoid(dice)
    around = in_open_water(dice, forces(dice, regularised_wheels, point_wrench))
    return {
        "robot": borne(dice, robot, around),
        "gait": gait,
        "actuation": actuation,
        "initial": initial,
        "environment": around,
        "model": {"kind": "newton-euler"},
        **times(dice),
    }


def geometric(dice: Dice) -> Mapping:
    modules = {
        "kind": "chain",
        "preset": "wang-snake",
        "modules": dice.count((2, 6), (1, 15)),
        "length": dice.length(),
        "mass": dice.number((0.1, 2.0), (1e-4, 1e3)),
        "inertia": dice.number((0.002, 0.02), (1e-9, 1e3)),
    }
    robot = dice.pick(modules, chain(dice, ("revolute",), ("planar", "free", "fixed")))
    held = {"kind": "clamp", "module": 0, "active": [[0.0, 0.01]]}
    wheels = {
        "kind": "wheels",
        "law": "set-valued",
        "tangential": 0.1 * dice.friction(),
        "normal": dice.friction(),
        "cone": dice.pick("box", "ellipse"),
        "placement": dice.pick("centre", "distributed"),
    }
    around = [wheels] if dice.chance(0.5) else forces(dice, regularised_wheels)
    if robot is modules and dice.chance(0.3):
        around.append(held)
    return {
        "robot": borne(dice, robot, around),
        "gait": serpenoid(dice),
        "environment": around,
        **times(dice),
        "model": {"kind": "geometric", "coordinates": dice.pick("group", "virtual")},
    }


def non_smooth(dice: Dice) -> Mapping:
    length = dice.number((0.1, 0.2), (0.001, 5.0))
    radius = length * dice.number((0.2, 0.45), (0.01, 2.0))
    robot = {
        "kind": "chain",
        "preset": "aiko",
        "links": dice.count((2, 6), (1, 15)),
        "length": length,
        "sphere_radius": radius,
        "sphere_distance": 0.3 * length,
        "link_mass": dice.number((0.2, 2.0), (1e-4, 1e3)),
        "inertia": "cylinder",
    }
    laws = {
        "forward": dice.friction(),
        "lateral": dice.friction(),
        "rolling": 0.01 * dice.friction(),
        "restitution": dice.pick(0.0, 0.5),
    }
    around: list[Mapping] = [{"kind": "ground", **laws}, {"kind": "gravity"}]
    if dice.chance(0.3):
        around.append(
            {"kind": "pegs", "feet": [[dice.signed(0.5, 0.5), 4.0 * radius, 0.0] for _ in range(3)], "radius": radius}
        )
    stiffness = dice.number((1.0, 20.0), (1e-3, 1e5))
    actuation = dice.pick(
        {"kind": "pd", "stiffness": stiffness, "damping": 0.02 * stiffness},
        {"kind": "servo", "stiffness": stiffness, "damping": 0.02 * stiffness, "refresh": 10.0},
        {"kind": "motion"},
    )
    made = {
        "robot": robot,
        "gait": {**joint_wave(dice), "pitch_amplitude": 0.0},
        "environment": around,
        "actuation": actuation,
        "initial": {"position": [0.0, 0.0, radius + abs(dice.signed(0.05, 1.0))]},
        **times(dice),
        "model": {"kind": "non-smooth", "theta": dice.pick(0.5, 1.0), "activation": dice.pick("anticipative", "paper")},
    }
    if dice.chance(0.25) and actuation["kind"] == "pd" and len(around) == 2:
        around += [objects(dice, radius), {"kind": "self-contact", "friction": dice.friction()}]
        if dice.chance(0.5):
            around.append({"kind": "water", "surface": dice.signed(0.2, 5.0), "flow": [flow(dice)]})
    return made


def objects(dice: Dice, radius: float) -> Mapping:
    """A box, a capsule and a ball in a row beside a robot of that radius."""
    size = radius * dice.number((0.7, 1.5), (0.1, 10.0))
    laws = {"density": dice.density(), "friction": dice.friction(), "restitution": dice.pick(0.0, 0.5)}
    bodies = [
        {"shape": "box", "sizes": [size, 1.5 * size, 0.8 * size], "yaw": dice.signed(1.0, 3.0)},
        {"shape": "capsule", "radius": 0.5 * size, "length": size},
        {"shape": "sphere", "radius": 0.5 * size},
    ]
    return {
        "kind": "objects",
        "bodies": [
            {
                **body,
                **laws,
                "position": [4.0 * size * number, radius + 3.0 * size, size],
                "velocity": [0.0, -dice.number((0.1, 1.0), (0.01, 10.0)), 0.0],
            }
            for number, body in enumerate(bodies)
        ],
    }


def macro_continuous(dice: Dice) -> Mapping:
    length = dice.length() * 3.0
    robot = {
        "kind": "rod",
        "length": length,
        "half_width": 0.3 * length * dice.thickness() / 3.0,
        "density": dice.density(),
        "taper": dice.pick(0.0, 0.5),
        "strains": dice.pick("universal", "kirchhoff", "reissner"),
        "base": dice.pick("free", "planar", "fixed"),
    }
    free = forces(
        dice,
        lambda dice: {
            "kind": "regularised-friction",
            "forward": dice.friction(),
            "lateral": dice.friction(),
            "speed": dice.number((0.05, 0.2), (1e-6, 10.0)),
        },
    )
    held = [
        {
            "kind": "anchorage",
            "abscissa": length * dice.pick(0.0, 0.5, 1.0),
            "sway": dice.vector(0.05, 1.0, 6),
            "period": dice.period(),
        }
    ]
    gait = {
        **body_wave(dice),
        "x_first": 0.0,
        "wavelength": length * dice.number((0.5, 2.0), (0.01, 100.0)),
        "growth": dice.signed(1.0, 10.0) / length,
    }
    if robot["base"] == "planar":
        gait |= {"dive": 0.0}
    made = {
        "robot": robot,
        "gait": gait,
        "environment": held if dice.chance(0.4) else free,
        **times(dice),
        "model": {
            "kind": "macro-continuous",
            "cells": dice.pick(8, 16),
            "inertia": True,
            "form": dice.pick("velocity", "momentum") if robot["base"] == "free" else "velocity",
        },
    }
    if made["environment"] is held:
        robot["base"] = "free"
        made["model"]["form"] = "velocity"
    return made


def tendon_statics(dice: Dice) -> Mapping:
    count = dice.count((2, 6), (1, 15))
    robot = {
        "kind": "tendon-spine",
        "preset": "snake-neck",
        "count": count,
        "first_stiffness": dice.number((0.03, 0.3), (1e-5, 1e2)),
        "last_stiffness": dice.number((0.03, 0.3), (1e-5, 1e2)),
        "kinematics": dice.pick("arc", "hinge"),
        "head_mass": dice.number((0.001, 0.01), (1e-6, 10.0)),
    }
    pull = lambda: dice.number((0.01, 0.6), (1e-3, 100.0))
    side = lambda: dice.signed(0.01, 1.0)
    task, gait = dice.pick(
        (
            "path",
            {"kind": "tendon-path", "table": [[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, pull(), pull(), 0.0, 0.0]], "points": 5},
        ),
        ("inverse", {"kind": "tip-path", "table": [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, side(), side()]], "points": 5}),
        ("grid", {"kind": "tension-grid", "largest": pull(), "count": 3}),
    )
    around = [{"kind": "gravity"}] if dice.chance(0.7) else []
    if around and dice.chance(0.4):
        around.append({"kind": "buoyancy", "density": dice.density(), "immersed": float(dice.rng.random())})
    friction = dice.pick(None, "gautreau2024", 0.2) if task == "path" else None
    return {
        "robot": robot,
        "gait": gait,
        "environment": around,
        "task": task,
        "model": {"kind": "tendon-statics", "friction": friction, "stops": dice.chance(0.5)},
    }


MAKERS = {
    "newton-euler": newton_euler,
    "macro-continuous": macro_continuous,
    "non-smooth": non_smooth,
    "geometric": geometric,
    "tendon-statics": tendon_statics,
}


# -------------------------------------------------------------------------------------------------- built-in ones, bent


@cache
def built_in(model: str) -> tuple[str, ...]:
    return tuple(name for name in loader.names() if Scenario.load(name).model.kind == model)


@cache
def shortened(name: str) -> str:
    """The text of a built-in scenario with few steps or points."""
    scenario = Scenario.load(name)
    if scenario.task is not None:
        few = {"points": 5, "count": 3}
        return Scenario.load(
            name, {f"gait.{field}": few[field] for field in few if hasattr(scenario.gait, field)}
        ).to_yaml()
    return Scenario.load(name, {"duration": scenario.step * STEPS[1], "record_every": scenario.step}).to_yaml()


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all values but those with a label."""
    if isinstance(data, dict | list):
        for key, part in data.items() if isinstance(data, dict) else enumerate(data):
            if key not in LABELS:
                yield from leaves(part, (*path, key))
    else:
        yield path


def bend(value: Any, dice: Dice) -> Any:
    """Another value in place of one."""
    if isinstance(value, bool):
        return dice.chance(0.5)
    if isinstance(value, int):
        return value + int(dice.rng.integers(-1, 2)) if dice.mild else int(dice.rng.integers(0, 2 * abs(value) + 3))
    if isinstance(value, float):
        factor = dice.number((0.8, 1.25), (1e-3, 1e3))
        if dice.mild:
            return value * factor
        return dice.pick(value * factor, value * factor, -value * factor, 0.0, value or dice.signed(1.0, 10.0))
    return value


def bent(model: str, dice: Dice) -> Mapping:
    """A built-in scenario with some numbers changed; in the mild half it is one that loads (a
    share of 1 times 1.2 is none).
    """
    made = bent_once(model, dice)
    while dice.mild and not loads(made):
        made = bent_once(model, dice)
    return made


def loads(data: Mapping) -> bool:
    try:
        Scenario.load(data)
    except InputError:
        return False
    return True


def bent_once(model: str, dice: Dice) -> Mapping:
    data = parse_value(shortened(dice.pick(*built_in(model))), "built-in")
    places = list(leaves(data))
    for _ in range(dice.count((1, 3), (1, 8))):
        *path, last = places[int(dice.rng.integers(len(places)))]
        holder = data
        for part in path:
            holder = holder[part]
        if not (dice.mild and (last in COUNTS or "initial" in path or isinstance(holder[last], int))):
            holder[last] = bend(holder[last], dice)
    if "step" in data:
        data |= {"record_every": data["step"], "duration": abs(data["step"]) * STEPS[1]}
    return dict(data)


def case(model: str, mild: bool, seed: int) -> Mapping:
    """The scenario of a case, as a file would have it."""
    dice = Dice(mild, seed)
    return bent(model, dice) if seed % 2 else MAKERS[model](dice)
