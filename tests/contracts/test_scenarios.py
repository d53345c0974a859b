"""What every scenario keeps: it loads, comes back from its own text, and every leaf of it
can be set and is then seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from limbless.core.citations import PAPERS
from limbless.core.errors import InputError, SimulationError
from limbless.scenarios import loader
from limbless.scenarios.document import parse_value
from limbless.scenarios.scenario import Scenario
from limbless.simulation.simulate import run_scenario
from tests.contracts.samples import marks

Place = tuple[str | int, ...]

FIXED = {
    "kind",
    "preset",
    "model",
    "result",
    "joint_position",
    "joint_velocity",
    "target",
    "task",
    "file",
    "drop_axial",
    "tip_stiffness",
    "tension_at",
    "profile",
    "repeat",
    "travel",
    "spacing",
    "patches",
    "motion_joints",
    "integrator",
    "theta",
    "links",
    "vertebrae",
    "shear_modulus",
    "shear_factor",
    "pieces",
    "damping_time",
    "skin_factor",
    "start",
    "drive",
    "torque",
    "motion",
    "distance",
    "schedule",
    "law",
    "rate",
    "tendon_stiffening",
    "acceleration",
    "wake",
    "tail",
    "active",
    "flow",
    "parts",
    "added_mass",
    "surface",
    "gravity",
    "viscosity",
    "drag_law",
    "period",
    "posture",
    "heading",
    "slope",
    "height",
    "wheel_radius",
    "bend_radius",
    "along",
    "settle",
    "strains",
    "rest",
    "passive",
    "count",
    "segments",
    "tendon_count",
    "winch",
    "tendon_damping",
    "slip_speed",
    "tendons",
    "material",
    "joints",
    "side",
    "of",
    "axis",
    "output",
    "heading_of",
    "body",
    "limbs",
    "feedback",
    "point",
    "function",
    "between",
    "drives",
    "shapes",
}
"""Leaves that may have no other value here: what a thing is; an earlier run, a file or a function, which would have to
exist; joints that the gait moves; what a gait that does not stop would stop at; fields that go with another one (a
phase's torque and its drive, the start of the first phase, tendons that stiffen and their stiffness) or against it (a
rate makes gains, which are stated here; lift has no other acceleration than weight; the wake of morison, a surface
without gravity, the viscosity of constant drag, the period of a wave whose length is given; the plane of wheels whose
loads are solved for; the heading of a posture that lies; elbows of a straight pipe; what a posture at rest is not laid
along and need not settle from; winches where lengths are given; vertebrae in equal pieces, each with two tendons;
dampers of tendons that do not stretch, the slip of those that do not rub, tendons or a material where a model
takes none; what a controller senses, is made of and gives; what a body that rests gives its freedoms to; which shapes
a loop of two numbers goes through); lists and postures that no single number describes.
"""
FOUND = {
    "snake-pipe": {"position", "orientation"},
    "snake-pole": {"position", "orientation"},
    "snake-push": {"shape", "radius", "length", "sizes", "rolling", "drag"},
    "snake-coil": {"joints"},
    "snake-flotsam": {"shape", "radius", "length", "sizes", "rolling"},
    "chain-tendons": {"skin"},
    "strip-lift": {"position", "orientation", "youngs_modulus"},
    "worm-muscles": {"youngs_modulus"},
    "eel-passive-tail": {"youngs_modulus"},
    "flying-spaghetti": {"youngs_modulus"},
    "rod-on-pole": {"position", "orientation", "youngs_modulus"},
    "rod-on-stairs": {"youngs_modulus"},
    "rod-hangs": {"stiffness"},
    "snake-soft": {"position", "orientation", "stiffness", "shear_modulus", "shear_factor"},
    "arm-pushes-box": {"youngs_modulus", "envelope", "shape", "radius", "length", "rolling"},
    "agnathax": {"skin"},
    "agnathax-cut": {"skin"},
    "lamprey-cord": {"frequency", "amplitude"},
    "snake-cpg": {"bounds"},
    "sandfish": {"form", "medium", "zeta", "faces", "leading", "skin", "density"},
    "sand-sidewind": {"form", "medium", "depth", "lateral", "along_slip", "gamma", "end"},
}
"""Leaves that a scenario's posture finds, that an object of another shape or in water has, that its gait needs, that
belong to sand of the other form, that a skin or a drive says link by link or by its own law, or in whose place another
one is given (stiffness for youngs_modulus): refused here."""
CALLED = {
    "acceleration": "gravity",
    "law": "too long for regularised friction",
    "dive": "elevation",
    "axis": "axes",
    "second_axis": "axes",
    "drives": "drive",
    "inertia": "too long for sand",
    "kind": "elasticity",
    "position": "above its sand",
    "sides": "oscillators",
    "stop": "has corners",
    "tendon_count": "tendons",
    "pitch_rate": "has corners",
    "yaw_rate": "has corners",
}
"""What a refusal calls a field: the step that has to follow a law, the elevation that a dive asks for, the shape that a
gait without whole periods has, what another kind of actuation brings along."""
SILENT = {"name", "title", "paper", "control_period", "figures"}
"""Fields that a run's data cannot show: labels, and the period of a controller that is not there."""
LIMITS = {"tolerance", "contact_tolerance", "bound"}
"""Fields that say how much of an error is accepted: a run that stays below shows nothing of them."""
ROUND = {("drag", 3), ("inertia", 2)}
"""Coefficients of roll, which a round section does not feel."""
FLAT = {("drag", 2), ("inertia", 1)}
"""Coefficients of motion up and down, which a body in its plane does not feel."""
_NEURONS = {"threshold", "hysteresis", "bias", "asymmetry"}
_SPINE = {"cells", "stop_stiffness"}
_APART = {"activation", "recovery", "compliance"}
_LATER = {"until", "reach", "rise", "lift", "half_width", "half_height", "eight_period", "stiffness", "gain", "origin"}
UNUSED: dict[str, set[Any]] = {
    "worm-swims": {"inhibition", "reach", "stretch_weight", "senses", "delay", "noise"},
    "worm-crawls": {"inhibition", "reach", "stretch_weight", "senses", "delay", "noise", *_NEURONS},
    "arm-follows-tip": {(1, 1), *_SPINE},
    "neck-grasps-pole": _SPINE | _APART,
    "spine-ashore": {*_SPINE, *_APART, *ROUND},
    "serpent-ashore": {"vertical_ratio", *_SPINE, *_LATER, *ROUND},
    "kinematic-snake-map": {"load"},
    "agnathax": {"of"},
    "snake-follows-path": {(0, 0), (1, 0)},
    "snake": {"stribeck_rate"},
    "neck-": {"head"},
    "snake-coil": {"pitch_rate", "pitch_phase", "pitch_lead", "release"},
    "wheeled-snake": {"points", "roll_inertia", "load", "stop"},
    "wheeled-snake-manipulate": {"coordinates", "equations"},
    "snake-shear": {"until"},
    "snake-roll": {"release"},
    "float": {
        "amplitude",
        "growth",
        "wavelength",
        "period",
        "ramp",
        "turn",
        "dive",
        "spacing",
        "x_first",
        "joint",
        "axis",
        "rotor_inertia",
        "coulomb_friction",
        "viscous_friction",
        "stiffness",
        "rest",
        "damping",
        "torque_limit",
        "lower",
        "upper",
        "head",
        "contact_radius",
        "kind",
        *ROUND,
    },
    "eel-in-a-street": {("axis", 2), ("drift", 2), *((number, 2) for number in range(16))},
    "snake-shore": {*ROUND},
    "snake-flotsam": {*ROUND},
    "neck-winch": {"cells"},
    "chain-tendons": {"cells", "stribeck_rate"},
    "neck-swing": {"cells", *ROUND},
    "arm-release": {"cells", "head_density"},
    "spine-45-swim": {"cells", "vertical_ratio", *FLAT, *ROUND},
    "eel-passive-tail": {*FLAT, *ROUND},
    "worm-muscles": {"vertical", "roll"},
    "flying-spaghetti": {("stiffness", 2), ("stiffness", 3), ("stiffness", 4)},
}
"""Fields that only another choice of the same description uses, by the beginning of the scenario's name: equal modules
share their load, a clamped tail moves in no coordinates and needs no term of its motion, the wave stops after this
short run, so does it before a gait is no longer found, joints without friction at rest have no rate at which it
fades, the link that a joint carries is its own and the one behind, neurons on agar switch later, stops are not
reached and nothing is touched yet, a serpent lifts its head later, joints that all begin near zero are within any
band of release, a float of one link has neither joints nor a tail, a worm switches later, points may move along
their line, a spine has its vertebrae in place of cells, upright vortices go on along their axis wherever on it a
place is given, a neck without a head no density of it, a body that stays in its plane has no use for what resists
other motion.
"""
IDLE = {("environment", 1, "points")}
"""Gauss points of a buoyancy without a surface have nothing to integrate."""
SOONER: dict[str, dict[str, Any]] = {
    "agnathax": {"controller.initial.amplitude": 0.6},
    "agnathax-cut": {"controller.initial.amplitude": 0.6},
    "lamprey-cord": {
        "controller.drive": [[0.0, 1.2], [0.02, 1.2], [0.05, 6.0]],
        "controller.initial.phase": [0.3 * number for number in range(20)],
    },
    "snake-cpg": {"controller.0.initial.phase": 0.3, "controller.0.initial.amplitude": 0.5},
    "snake-follows-path": {"record_every": 0.02},
    "snake-soft": {"record_every": 0.02},
    "snake-follows-path-in-water": {"gait.ramp": 0.02},
    "arm-follows-tip": {
        "controller.reference": [[0.0, [0.0, 0.0]], [0.01, [0.2, 0.1]], [0.02, [0.2, 0.01]], [0.03, [-0.2, 0.01]]],
        "controller.bounds": [0.25, 0.35],
    },
    "snake-compliant-pegs": {"controller.dead_band": 0.001},
    "float-in-waves": {"gait.dive": 0.0},
    "sandfish": {"gait.dive": 0.0},
    "snake-shore": {
        "gait.dive": 0.0,
        "initial.position": [-1.2, 0.0, 0.0667],
        "initial.orientation": [0.99904822, 0.0, 0.04361939, 0.0],
    },
    "snake-shore-soft": {
        "initial.position": [-1.2, 0.0, 0.072],
        "initial.orientation": [0.99862953, 0.0, 0.05233596, 0.0],
    },
    "wheeled-snake-crawl-then-reach": {
        "gait.stop": 0.02,
        "gait.settle": 0.2,
        "environment.clamp.active": [[0.03, 0.05]],
        "environment.point-wrench.active": [[0.01, 0.045]],
    },
    "wheeled-snake-switch": {
        "environment.clamp.active": [[0.01, 0.05]],
        "actuation.phases.1.start": 0.01,
        "actuation.phases.2.start": 0.02,
        "actuation.phases.3.start": 0.03,
        "actuation.phases.4.start": 0.04,
    },
    "neck-swing-air": {"robot.stop_lateral": 0.001, "robot.stop_vertical": 0.001, "gait.after": [0.7, 0.5, 0.0, 0.0]},
    "neck-swing-water": {"robot.stop_lateral": 0.001, "robot.stop_vertical": 0.001, "gait.after": [0.7, 0.5, 0.0, 0.0]},
    "neck-winch": {
        "robot.stop_lateral": 0.001,
        "robot.stop_vertical": 0.001,
        "gait.ramp": 0.03,
        "gait.after": [0.0042, 0.0012, 0.0002, -0.0038],
    },
    "flying-spaghetti": {"environment.point-wrench.active": [[0.0, 0.03]], "record_every": 0.02},
    "strip-lift": {"record_every": 0.02},
    "snake-coil": {
        "gait.pitch_amplitude": 0.0,
        "initial.joint_position": [1.8279, 1.8279] + [0.0] * 13,
        "initial.joint_velocity": [1.0, 1.0] + [0.0] * 13,
    },
    "snake-flotsam": {
        "gait.dive": 0.0,
        **{
            f"environment.objects.bodies.{number}.{field}": value
            for number, place in enumerate(([0.25, 0.105, 0.0], [0.55, -0.165, 0.0], [0.9, 0.145, 0.0]))
            for field, value in (
                ("position", place),
                ("yaw", 0.0),
                ("velocity", [0.3, 0.5 if place[1] < 0.0 else -0.5, -0.1]),
            )
        },
    },
    "snake-push": {
        f"environment.objects.bodies.{number}.{field}": value
        for number, place in enumerate(([0.8, 0.0, 0.07], [1.0, -0.05, 0.04], [1.25, -0.2, 0.06]))
        for field, value in (("position", place), ("velocity", [0.3, 0.1, -1.0]))
    },
    "snake-steered": {
        "gait.route": [[0.0, 10.0, 0.6, 1.2, 0.0], [0.005, 8.0, 0.5, -1.2, -0.4]],
        "gait.pace": [[0.01, 0.02, -0.3]],
    },
}
"""What happens late in a scenario happens within its short run here."""
WORDS = [
    "planar",
    "spherical",
    "full",
    "consistent",
    "tip",
    "pd",
    "base",
    "free",
    "fixed",
    "group",
    "regularised",
    "ellipse",
    "distributed",
    "shared",
    "own",
    "virtual",
    "body",
    "hinge",
    "moment",
    "tension",
    "tendon-length",
    "x",
    "momentum",
    "spatial",
    "weighted",
    "points",
    "outer",
    "yaw",
    "universal",
    "cylinder",
    "paper",
    "motion",
    "printed",
    "laminar",
    "midpoint",
    "amplitude",
    "sine",
    "other-word",
]
"""Other values to try where a field holds a word."""


def leaves(data: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Every value that is not a mapping or list, and every empty list, with its path."""
    if isinstance(data, dict):
        for key, item in data.items():
            yield from leaves(item, (*path, key))
    elif isinstance(data, list) and data:
        for number, item in enumerate(data):
            yield from leaves(item, (*path, number))
    else:
        yield path, data


def at(data: Any, path: Place) -> Any:
    for part in path:
        data = data[part]
    return data


def others(value: Any) -> list[Any]:
    """Values to try in place of one: near ones first, so that a limit is not passed."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, float):
        return [value * 1.5 or 0.25, value * 2, value * 1.004, value / 2, 0.001]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if isinstance(value, str):
        return [*WORDS, 0.25]
    lists = [[0.01] * 36, [[0.0, 0.005]], [0], [0.1, 0.2, -9.0], [0.1, 0.2, 0.3], ["energy-balance"]]
    return [0.25, "other-word", *lists, 1.75, 5, 0.05]


@cache
def excited(name: str) -> Scenario:
    """A short run in which everything moves, so that every number has something to act on; few points of a task."""
    whole = Scenario.load(name)
    if whole.task is not None:
        return Scenario.load(name, {f"gait.{field}": 5 for field in ("points", "count") if hasattr(whole.gait, field)})
    beating = {"ramp": 0.3, "until": 0.6} if hasattr(whole.gait, "pulse") else {}
    lively = {"turn": 0.01, "dive": 0.01, "turn_start": -0.5, "pitch_amplitude": 0.01, "release": 0.0, **beating}
    bends = {f"gait.{field}": value for field, value in lively.items() if hasattr(whole.gait, field)}
    decided = any(item.role == "constraint" for item in whole.environment)  # contacts decide how the base moves
    base = "decided" if decided else getattr(whole.robot.build(), "base", "free")
    twist = {"planar": [0.1, 0.2, 0.0, 0.0, 0.0, 0.6], "fixed": [0.0] * 6, "decided": [0.0] * 6}.get(
        base, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    )
    return Scenario.load(
        name, {"duration": 0.5 if beating else 0.06, "initial.twist": twist, **bends, **SOONER.get(name, {})}
    )


@cache
def written(name: str) -> dict[Place, Any]:
    return dict(leaves(excited(name).model_dump(mode="json")))


@cache
def undisturbed(name: str) -> dict[str, Any]:
    return fingerprint(excited(name))


def fingerprint(scenario: Scenario) -> dict[str, Any]:
    """All that a run records, comparable bit by bit."""
    dataset = run_scenario(scenario).dataset
    recorded = {str(name): (variable.shape, variable.values.tobytes()) for name, variable in dataset.variables.items()}
    return {"attributes": dataset.attrs, **recorded}


def accepted(scenario: Scenario, path: Place, value: Any) -> tuple[Any, Scenario] | None:
    """The first other value that the scenario takes at that path; what it refuses, it refuses in clear words."""
    dotted = ".".join(map(str, path))
    for other in others(value):
        if other == value:
            continue
        try:
            return other, Scenario.load(scenario, {dotted: other})
        except InputError as error:
            text = str(error)
            assert f"--set {dotted}=" in text or names_it(text, path), text
            assert "pydantic" not in text and "Traceback" not in text and len(text) > len(dotted) + 20
    return None


def names_it(text: str, path: Place) -> bool:
    """Whether a refusal names a leaf: by its own name, that of the list that it stands in, or that of the part whose
    kind it is."""
    field = _named(path)
    part = [str(part) for part in path[:-1] if isinstance(part, str)][-1:] if field == "kind" else []
    return any(name in text for name in (field, CALLED.get(field, field), *part))


def slow(name: str, path: Place) -> list[Any]:
    """Another engine for a chain is compiled anew for each set of forces: its own tests have one."""
    engine = path == ("model", "integrator") and excited(name).model.kind == "newton-euler"
    return [*marks(name), *([pytest.mark.long] if engine else [])]


LEAVES = [
    pytest.param(name, path, id=f"{name}:{'.'.join(map(str, path))}", marks=slow(name, path))
    for name in loader.names()
    for path in written(name)
    if path[:2] != ("robot", "links") and not (path[0] == "actuation" and path[-1] in range(1, 64))
]
"""Without links that are written one by one: their fields go together, and tests/unit/robots holds them; of numbers of
many muscles the first."""


@pytest.mark.parametrize("name", loader.names())
def test_loads_and_comes_back_from_its_own_text(name: str) -> None:
    scenario = Scenario.load(name)
    assert scenario.name == name and scenario.title and scenario.paper in PAPERS
    assert Scenario.from_yaml(scenario.to_yaml()) == scenario
    same = {"duration": scenario.duration} if scenario.task is None else {"task": scenario.task}
    assert Scenario.load(scenario, same) == scenario


@pytest.mark.parametrize("name", loader.names())
def test_figures_exist(name: str) -> None:
    from limbless.view import figures

    assert all(figures.find(figure) for figure in Scenario.load(name).figures)


@pytest.mark.parametrize(("name", "path"), LEAVES)
def test_every_leaf_can_be_set_and_is_seen_in_the_saved_file_and_in_the_result(name: str, path: Place) -> None:
    before = written(name)
    taken = accepted(excited(name), path, before[path])
    if taken is None:
        assert _named(path) in FIXED | FOUND.get(name, set())
        return
    other, scenario = taken
    saved = parse_value(scenario.to_yaml(), "saved")
    if not _is_direction(path):
        assert at(saved, path) == (pytest.approx(other, rel=1e-2) if "orientation" in path else other)
    after = dict(leaves(saved))
    changed = {place for place in {*before, *after} if before.get(place) != after.get(place)}
    around = path[:1] if path[-1] in ("kind", "preset") else path[:-1] if _is_direction(path) else path
    assert all(place[: len(around)] == around for place in changed), "nothing else changes"
    if _is_direction(path) and not changed:
        return  # (w, 0, 0, 0) is the same quaternion for every w, (0, 0, z) the same direction for every z
    assert changed
    plane = getattr(excited(name).robot.build(), "base", "free") == "planar" and _in_plane(path)
    unused = (
        plane
        or path in IDLE
        or any(
            path[-1] in fields or _named(path) in fields or path[-2:] in fields
            for start, fields in UNUSED.items()
            if name.startswith(start)
        )
    )
    if path[0] not in SILENT and path[-1] not in {"name", *LIMITS} and not unused:
        assert_in_result(name, path, scenario)


def _named(path: Place) -> str:
    """The last name of a path: an entry of a list goes by its list's."""
    return [part for part in path if isinstance(part, str)][-1]


def _in_plane(path: Place) -> bool:
    """Whether a leaf resists a motion that a body in its plane does not have: up and down, or about its own axis."""
    return path[-1] in ("vertical", "roll") or path[-2:] in FLAT | ROUND


def _is_direction(path: Place) -> bool:
    """Whether a leaf is part of a quaternion or of a unit vector, which is made one again."""
    return not {"orientation", "axis", "second_axis"}.isdisjoint(path)


def assert_in_result(name: str, path: Place, scenario: Scenario) -> None:
    try:
        after = fingerprint(scenario)
    except SimulationError:
        return  # it acts so strongly that the run ends
    except InputError as error:
        fits = str(error).startswith("initial")  # a body of another size may no longer fit where it is put
        assert fits or names_it(str(error), path), "a refusal names the field"
    else:
        whole = ".".join(part for part in path if isinstance(part, str))
        told = any(_named(path) in note or whole.startswith(note.partition(":")[0]) for note in scenario.notes())
        assert told or after != undisturbed(name), "no effect, no word"
