"""What is likely a slip of the hand though it can be computed: said in a note before a run,
and where a run diverges.

Numbers that cannot be computed with: an overflow, a division by zero or a singular system becomes a
sentence that names them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.actuation.shape_map import turns
from limbless.control.gaits.joint_wave import JointWave
from limbless.core import Description, InputError, dotted, leaves, name_of, told, unit_of
from limbless.environments.sand import Sand
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.robots.chain import Chain

if TYPE_CHECKING:
    from limbless.robots.base import Robot
    from limbless.scenarios.scenario import Scenario


_MOST_TURNS = 6.29
"""rad: no joint and no heading of a gait goes farther than a turn, which may be written as 6.2832."""
_FASTEST = 10.0 * math.pi
"""rad/s: five waves a second; robots without limbs have fewer."""
_LONGEST = 10.0
"""m: of a robot."""
_TIMES_AS_LARGE = 10.0
"""A body this much thicker than what stands in its way was measured in another unit."""

_OF_MOTION = {"head", "damping_time", "friction", "stop_stiffness", "tendon_stiffness"}
NO_LAYER = 1.0
"""Reynolds' number below which no law of a skin or of a square holds at all."""
_STEEP = 0.1
"""Sine of the slope of the base's x axis from which a body does not lie on level ground."""
_SHORT_WAVE = 0.1
"""Of the length of a wave: a section may be so wide."""


def notes(scenario: Scenario) -> list[str]:
    """Everything about a scenario as written that is probably not meant: one sentence each, which names the field."""
    scenario = scenario.model_copy(update=scenario._animal) if scenario._animal else scenario
    if scenario.task is not None:
        return list(_at_rest(scenario.robot))
    robot = scenario.robot.build()
    return [
        *_angles(scenario.gait),
        *_size(robot),
        *_surroundings(scenario, robot),
        *_creeping(scenario, robot),
        *_steps(scenario),
        *_driven(scenario.gait, robot),
        *_idle(scenario, robot),
    ]


def _angles(gait: Any) -> Iterator[str]:
    for name, field in type(gait).model_fields.items():
        value, unit = getattr(gait, name), unit_of(field)
        most = {"rad": _MOST_TURNS, "rad/s": _FASTEST}.get(unit)
        if most is not None and isinstance(value, float) and abs(value) > most:
            turned = f"{abs(value) / (2.0 * math.pi):.2g} turns{' a second' if unit == 'rad/s' else ''}"
            yield (
                f"gait.{name}: {value:g} {unit} is {turned}; if degrees are meant, write "
                f"'{value:g} {unit.replace('rad', 'deg')}'"
            )


def _size(robot: Robot) -> Iterator[str]:
    length = length_of(robot)
    if length > _LONGEST:
        yield (
            f"robot: it is {length:.3g} m long; if its lengths are in centimetres or millimetres, write them with "
            f"their unit, such as '5 cm'"
        )


def length_of(robot: Robot) -> float:
    """Of all segments together, m; 0 of a robot without any."""
    try:
        return float(sum(piece.length for piece in robot.segments()))
    except NotImplementedError:
        return 0.0


def _surroundings(scenario: Scenario, robot: Robot) -> Iterator[str]:
    environment, base = scenario.environment, robot.base
    heavy = any(item.pull is not None for item in environment)
    hard = [item for item in environment if item.role == "contact"]
    grounds = [item.kind for item in hard if item.is_ground]
    if grounds and not heavy and base == "free":
        yield (
            f"environment.{grounds[0]}: no `gravity` is listed: nothing presses the robot onto it; add "
            "{kind: gravity}"
        )
    sinks = heavy and base == "free" and not any(item.lifts for item in environment)
    if sinks and any(item.kind == "water" for item in environment):
        yield (
            "environment.gravity: no `buoyancy` is listed: in this water the robot falls as if it were a stone; add "
            "{kind: buoyancy}, or leave gravity out for a body as dense as the water"
        )
    for sand in (item for item in environment if isinstance(item, Sand) and item.depth is None):
        height = scenario.initial.position[2]
        if height - max(piece.half_height for piece in robot.segments()) > sand.height:
            yield (
                f"environment.sand.surface: the base starts at {height:g} m, above the sand ({sand.height:g} m), and "
                "what is above feels nothing; raise `surface`, lower initial.position, or give the sand a `depth`"
            )
    steep = abs(float(quaternion_to_matrix(scenario.initial.orientation)[2, 0])) > _STEEP
    if any(item.kind == "regularised-friction" for item in environment) and (steep or (heavy and base != "planar")):
        hangs = (
            "it does not lie level" if steep else f"with a `gravity` listed, a body whose base is {base!r} can leave it"
        )
        yield (
            f"environment.regularised-friction: it rubs wherever the body is, also in the air: {hangs}; it is for a "
            "body that lies on level ground with all its weight (the model non-smooth has a ground that ends)"
        )
    yield from _waves(scenario, robot)
    for item in hard:
        thick, small = _thickness(robot), item.smallest()
        if small and thick > _TIMES_AS_LARGE * small:
            yield (
                f"environment.{item.kind}: the body is {thick:.3g} m thick, and what stands in its way "
                f"{small:.2g} m; are both in metres?"
            )
    if hard and scenario.actuation.kind == "motion" and scenario.model.kind != "soft":  # whose strains give way
        yield (
            "actuation: 'motion' does not give way: where the robot hits something, its torques are as large as the "
            "step is short; {kind: pd} gives way"
        )


def _waves(scenario: Scenario, robot: Robot) -> Iterator[str]:
    """A body that is thick beside the waves: the law takes the water as the same across a section."""
    objects = [body.half.max() for item in scenario.environment for _, body in item.free_bodies()]
    thick = max([_thickness(robot), *(2.0 * half for half in objects)])
    for flow in (flow for item in scenario.environment for flow in getattr(item, "flow", ()) if flow.has_waves):
        length = 2.0 * math.pi / flow.number
        if thick > _SHORT_WAVE * length:
            yield (
                f"environment.water.flow: waves {length:.3g} m long are short beside a body {thick:.3g} m thick: "
                f"the water is taken as the same across a section, which is good up to a tenth of the wave's length"
            )


def _creeping(scenario: Scenario, robot: Robot) -> Iterator[str]:
    """Water whose laws hold only for what is faster than this gait can make any part of the body."""
    laws: list[Any] = [item for item in scenario.environment if item.kind == "water"]
    gait = scenario.gait
    shapes = gait.kind == "body-wave"
    if not laws or not (shapes or isinstance(gait, JointWave)):
        return
    times, length = np.linspace(0.0, scenario.duration, 257), length_of(robot)
    if shapes:
        turning = gait.sample(times, np.linspace(0.0, length, 65)).rate
    elif isinstance(robot, Chain):
        turning = np.cumsum(gait.sample_joints(times, turns(robot)).rate, axis=1)
    else:
        return
    for item in laws:
        number = length * length * float(np.abs(turning).max(initial=0.0)) / item.viscosity
        if 0.0 < number < NO_LAYER and not item.moving:
            yield (
                f"environment.{item.kind}: with this gait Reynolds' number stays below {number:.2g}, and no law of "
                "this kind holds there; {kind: drag} is for so slow a body, and Drag.slow_water finds its coefficients"
            )


def _thickness(robot: Robot) -> float:
    return max((2.0 * max(piece.half_width, piece.half_height) for piece in robot.segments()), default=0.0)


def _steps(scenario: Scenario) -> Iterator[str]:
    cycle = scenario.gait.cycle
    if cycle and scenario.step > 0.1 * cycle:
        yield (
            f"step: {scenario.step:g} s is more than a tenth of the gait's period, {cycle:.3g} s: the motion "
            f"between two steps is not seen; try {0.01 * cycle:.2g} s"
        )


def _driven(gait: Any, robot: Robot) -> Iterator[str]:
    """What a gait does with joints that each yaw or pitch, or turn about an axis between."""
    skew = [turn for turn, _ in turns(robot) if turn == "skew"] if isinstance(robot, Chain) else []
    if skew and (isinstance(gait, JointWave) or gait.drives == "shape"):
        yield f"gait: {len(skew)} joints turn about axes between y and z; each takes what the gait has along its axis"
    if isinstance(gait, JointWave) and isinstance(robot, Chain):
        doing = turns(robot)  # where each joint does one thing
        if len(doing) == len(robot.links) - 1 and len({what for what, _ in doing}) > 1:
            yield gait.told_of(doing)


def _idle(scenario: Scenario, robot: Robot) -> Iterator[str]:
    """Fields that nothing here uses."""
    theta, actuation = getattr(scenario.model, "theta", 0.0), scenario.actuation.kind
    if theta and scenario.model.kind != "soft" and actuation not in ("pd", "servo", "motor"):
        yield (
            f"model.theta: {theta:g} has no effect: actuation {actuation!r} has no position feedback to take at the "
            "end of a step; {kind: pd} has"
        )
    if getattr(scenario.robot, "contact_radius", None) and not any(
        item.role == "contact" for item in scenario.environment
    ):
        yield "robot.contact_radius: it has no effect: there is nothing hard to touch; a {kind: ground} is"
    gait: Any = scenario.gait
    if any(getattr(loop, "output", "") == "gait" for loop in scenario.loops):
        for name in gait.given(*gait.start_fields):
            yield f"gait.{name}: it has no effect: a controller takes the gait's cycle, without its start"
    if getattr(gait, "stop", 0.0) is None and gait.given("settle"):
        yield "gait.settle: it has no effect without `stop`"
    if isinstance(robot, Chain):
        if gait.kind == "shape-loop" and gait.given("length"):
            yield "gait.length: it has no effect: a chain is as long as its links; a rod needs it"
        arrays = robot.arrays()
        if arrays.rotor_inertia.any() and not getattr(scenario.model, "inertia", True):
            yield "robot: `rotor_inertia` of joints has no effect in a motion without inertia"
        if (
            actuation == "motor"
            and np.isclose(arrays.damping + arrays.viscous_friction, _slope(scenario), rtol=0.2).any()
        ):
            yield (
                "robot: `damping` of joints is what their motors' stall_torque over no_load_speed already takes off "
                "with speed, as files state it that know no motors: it counts twice; set it to 0"
            )
        if ((arrays.rest != 0.0) & (arrays.stiffness == 0.0)).any():
            yield "robot: `rest` has no effect on joints without `stiffness`: they have no spring"


def _at_rest(robot: Description) -> Iterator[str]:
    """Fields of motion that were given to a spine at rest."""
    for name in robot.given(*_OF_MOTION & type(robot).model_fields.keys()):
        yield f"robot.{name}: it has no effect at rest; {{kind: soft}} uses it"


def _slope(scenario: Scenario) -> float:
    """N m s/rad by which the torque of motors falls, in the mean."""
    motor: Any = scenario.actuation
    return float(np.mean(motor.stall_torque) / np.mean(motor.no_load_speed))


def likely_causes(scenario: Scenario) -> list[str]:
    """What may have made a run diverge, the likeliest first; empty where nothing stands out but its step."""
    found = [
        *_gains(scenario),
        *_frictions(scenario),
        *_angles(scenario.gait),
        *_size(scenario.robot.build()),
        *_steps(scenario),
        *_laws(scenario),
    ]
    return [cause.partition(";")[0] for cause in found]


def _gains(scenario: Scenario) -> Iterator[str]:
    """Feedback that answers within a step."""
    robot, h = scenario.robot.build(), scenario.step
    turned = [float(np.linalg.eigvalsh(inertia)[-1]) for inertia in robot.bodies().inertia[1:]]
    J = min((inertia for inertia in turned if inertia > 0.0), default=0.0)  # of the lightest link
    for name in ("stiffness", "damping") if J and isinstance(robot, Chain) else ():
        stated = getattr(scenario.actuation, name, None)
        gain = 0.0 if stated is None else float(np.max(stated))
        rate = math.sqrt(gain / J) if name == "stiffness" else gain / J
        if rate * h > 1.0:
            yield (
                f"actuation.{name}: {gain:g} makes the lightest link answer in {1.0 / rate:.2g} s, which steps of "
                f"{h:g} s cannot follow; leave the gains out (they then come from the robot's inertia)"
            )


def _laws(scenario: Scenario) -> Iterator[str]:
    """Laws of a user's own, which may give anything."""
    for loop in scenario.loops:
        if law := getattr(loop, "law", None):
            yield f"controller.law: {name_of(law)} gave no number (NaN or infinity), or one that is far too large"


def _frictions(scenario: Scenario) -> Iterator[str]:
    """Coefficients that no two materials have."""
    for item in scenario.environment:
        for name in ("forward", "lateral", "backward"):
            value = getattr(item, name, None)
            if isinstance(value, float) and item.role in ("contact", "friction") and value > 5.0:
                yield (
                    f"environment.{item.kind}.{name}: a friction coefficient of {value:g} is more than any material has"
                )


@contextmanager
def computable(source: Mapping[str, Any] | Description) -> Iterator[None]:
    """Refuse arithmetic that fails inside, with the numbers of a scenario (or its data) that are the likely cause."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise InputError(
            f"the numbers of this scenario cannot be computed with ({told(error)}); {extremes(source)}"
        ) from error


def extremes(source: Mapping[str, Any] | Description) -> str:
    """The largest and the smallest number of a scenario, in words."""
    data = source.model_dump(mode="json") if isinstance(source, Description) else source
    plain = ((dotted(path), value) for path, value in leaves(data) if isinstance(value, int | float))
    found = sorted((abs(value), path, value) for path, value in plain if value and not isinstance(value, bool))
    if not found:
        return "all of them are zero"
    (_, small, least), (_, large, most) = found[0], found[-1]
    return (
        f"its largest is {large} = {most:g} and its smallest {small} = {least:g}; look also for zeros where a mass or "
        "a stiffness is needed"
    )
