"""The catalogue of variables: every name in a result, with its dimensions, unit, frame and one meaning in all models.

A model chooses its own by name (`choose`); docs/results.md is written from here (`python docs/variables.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.models.base import Variable

if TYPE_CHECKING:
    from limbless.robots.tendon_spine import TendonSpine

_AXIS, _SCREW, _QUATERNION, _EACH_OBJECT = ("axis",), ("screw",), ("quaternion",), ("object",)
_JOINT, _CONTACT, _TENDON, _ANGLE = ("joint",), ("contact",), ("tendon",), ("angle",)
_EACH_AXIS, _EACH_SCREW, _OBJECT_SCREW = ("section", "axis"), ("section", "screw"), ("object", "screw")
_CONTACT_AXIS, _BEND = ("contact", "axis"), ("vertebra", "transverse")
_FORCE, _WORK, _MOMENTUM = "N, N m", "J", "N s, N m s"

MOVING = {
    "base_position": Variable(
        _AXIS, "m", "position of the base frame", "world", remark="of a rod: of its head section"
    ),
    "base_orientation": Variable(_QUATERNION, "1", "orientation of the base frame, scalar first", "world"),
    "base_twist": Variable(
        _SCREW, "m/s, rad/s", "twist of the base frame", "base", remark="velocity of its origin, angular velocity"
    ),
    "base_acceleration": Variable(
        _SCREW, "m/s2, rad/s2", "classical acceleration of the base origin, angular acceleration", "base"
    ),
    "base_reaction": Variable(
        _SCREW, _FORCE, "wrench that holds the base, about its origin", "base", remark="zero for a free one"
    ),
    "head_position": Variable(_AXIS, "m", "position of the end of the head", "world"),
    "com_position": Variable(_AXIS, "m", "centre of mass", "world"),
    "com_velocity": Variable(_AXIS, "m/s", "velocity of the centre of mass", "world"),
    "position": Variable(
        _EACH_AXIS, "m", "middle of each section", "world", remark="statics: centre of each disk, the clamped one first"
    ),
    "orientation": Variable(
        ("section", "quaternion"), "1", "orientation of each section (x along the body), scalar first", "world"
    ),
    "joint_position": Variable(
        _JOINT,
        "rad or m",
        "joint position (spherical joints: rotation vector)",
        "joint",
        remark="one column per degree of freedom",
    ),
    "joint_velocity": Variable(_JOINT, "rad/s or m/s", "joint velocity", "joint"),
    "joint_acceleration": Variable(_JOINT, "rad/s2 or m/s2", "joint acceleration", "joint"),
    "joint_torque": Variable(
        _JOINT,
        "N m or N",
        "what the actuator gives; positive when it drives",
        "joint",
        remark="of a rod in `soft`: its effort at the Gauss points of every cell, at `joint_abscissa`",
    ),
    "joint_voltage": Variable(_JOINT, "V", "voltage of the motor; positive when it drives the joint forwards", "joint"),
    "joint_current": Variable(_JOINT, "A", "current of the motor, by which it makes torque", "joint"),
    "motor_position": Variable(_JOINT, "rad or m", "angle of the motor, where a spring joins it to its link", "joint"),
    "controller_state": Variable(("controller_number",), "rad or 1", "numbers of the controller, by name"),
    "activity": Variable(("neuron",), "1", "what each oscillator or neuron of the controller gives"),
    "radius": Variable(
        ("section", "transverse"),
        "m",
        "half axes of the section; it swells as it shortens",
        "section",
        remark="rods; of chains it is constant",
    ),
    "strain": Variable(_EACH_SCREW, "1, 1/m", "stretch and shears, twist and curvatures", "section", remark="rods"),
    "strain_rate": Variable(_EACH_SCREW, "1/s, 1/(m s)", "rate of the strain", "section", remark="rods"),
    "internal_wrench": Variable(
        _EACH_SCREW,
        _FORCE,
        "what the body from the front end of a section on does to the part before, about that end",
        "section",
        remark="of a rod: from the middle of a section on",
    ),
    "effort": Variable(
        _EACH_SCREW,
        _FORCE,
        "what the actuators give along the actuated strains; positive when they drive",
        "section",
        remark="rods",
    ),
    "fluid_force": Variable(_EACH_AXIS, "N", "force of the environment on the section, added mass included", "section"),
    "wake_force": Variable(_AXIS, "N", "force of the wake on the tail", "world", remark="water with a wake"),
    "wake_power": Variable(
        (),
        "W",
        "power of the wake; in still water minus the energy left behind per second",
        remark="water with a wake; its integral from every step is `law_work` of `wake`",
    ),
    "wake_reversed": Variable(
        (), "1", "1 while the tail runs backwards, else 0", remark="water with a wake, meant for a tail that trails"
    ),
    "immersion": Variable(
        ("section",), "1", "share of each section that is under water", remark="water with a surface"
    ),
    "water_velocity": Variable(
        _EACH_AXIS, "m/s", "velocity of the water at the middle of each section", "world", remark="water that flows"
    ),
    "tail_wrench": Variable(
        (), "1", "internal wrench beyond the tail, relative to the forces along the body", remark="rods"
    ),
    "kinetic_energy": Variable((), _WORK, "kinetic energy of bodies, rotors and added mass"),
    "potential_energy": Variable(
        (),
        _WORK,
        "energy of weight, buoyancy and passive springs",
        remark="statics: of the spine, weight, buoyancy and tip force, without the tendons",
    ),
    "actuator_power": Variable((), "W", "power of the actuators"),
    "environment_power": Variable((), "W", "power of the environment (velocity terms of added mass included)"),
    "passive_power": Variable((), "W", "power of passive springs, dampers and friction"),
    "actuator_work": Variable((), _WORK, "work of the actuators since the start"),
    "environment_work": Variable((), _WORK, "work of the environment since the start"),
    "passive_work": Variable((), _WORK, "work of passive springs, dampers and friction since the start"),
    "numerical_work": Variable(
        (), _WORK, "what the step rule itself took since the start, never positive", remark="soft bodies in contact"
    ),
    "momentum": Variable(_SCREW, _MOMENTUM, "momentum of bodies and added mass, about the world origin", "world"),
    "impulse": Variable(_SCREW, _MOMENTUM, "integral of all that changes the momentum, since the start", "world"),
    "power_residual": Variable((), "W", "rate of the mismatch between kinetic energy and work since the record before"),
    "clamp_wrench": Variable(
        _SCREW, _FORCE, "what the clamp does to the clamped link, about its origin; zero while open", "world"
    ),
    "clamp_impulse": Variable(
        _SCREW, _MOMENTUM, "impulses of all clamps that closed so far, about the world origin", "world"
    ),
    "clamp_energy": Variable(
        (),
        _WORK,
        "kinetic energy lost when clamps closed, since the start",
        remark="negative where the impulses of motors that keep joints moving add more than the clamp takes",
    ),
}
"""Of whatever moves."""

CONTACTS = {
    "contact_force": Variable(_CONTACT_AXIS, "N", "force of each contact; 0 where open", "world"),
    "contact_couple": Variable(
        _CONTACT_AXIS,
        "N m",
        "couple of each contact on the body, about its place; 0 where open",
        "world",
        remark="rods",
    ),
    "contact_position": Variable(_CONTACT_AXIS, "m", "where each contact touches; 0 where open", "world"),
    "contact_state": Variable(
        _CONTACT,
        "1",
        "0 open, 1 sticking, 2 slipping",
        remark="sticking: it slips in no direction; slipping: in one or more (friction on the "
        "edge of its set, a wheel that rolls, a body that slides along its support)",
    ),
    "contact_gap": Variable(
        _CONTACT,
        "m",
        "distance at the middle of the step that ended; negative where bodies overlap",
        remark="`non-smooth`; 1000 where not measured",
    ),
    "contact_wrench": Variable(_SCREW, _FORCE, "resultant of all contacts about the base's origin", "base"),
    "contact_residual": Variable(
        (),
        "m/s",
        "worst violation of the contact laws in any step since the record before",
        remark="of a rod: slip that remains at the contacts",
    ),
    "contact_depth": Variable(
        (),
        "1",
        "deepest penetration in any step since the record before, as a share of the "
        "radius of the sphere or capsule that sank in",
    ),
    "contact_held": Variable(
        _CONTACT, "1", "number of directions (along, across) in which a wheel sticks", remark="set-valued wheels"
    ),
    "support_wrench": Variable(
        ("contact", "screw"),
        _FORCE,
        "force and couple of each contact along the axes of its section",
        "section",
        remark="rods",
    ),
    "support_abscissa": Variable(
        _CONTACT, "m", "where along the body each contact is; 0 while it is not there", remark="rods"
    ),
    "contact_speed": Variable(
        (),
        "m/s",
        "speed of the body, with which the slip at its contacts is compared",
        remark="rods; elsewhere it is compared with 1 m/s",
    ),
    "contact_conditioning": Variable(
        (), "1", "smallest over largest singular value of the map from contact forces to their resultant", remark="rods"
    ),
    "contact_singular_values": Variable(
        ("resultant",),
        "1",
        "singular values of the map from contact forces to their resultant",
        remark="rods; largest first, one for each component of the head's motion that the base leaves free (moments "
        "divided by the length)",
    ),
}
"""One meaning in every model: spheres on a ground, set-valued wheels, anchorages and supports of a rod."""

COUNTED = {
    "joint_work": Variable(
        _JOINT,
        _WORK,
        "work of the actuator of each joint since the start, from every step",
        remark="their sum is `actuator_work`",
    ),
    "strain_work": Variable(
        _EACH_SCREW,
        _WORK,
        "work of the actuator of each strain of a section since the start, from every step",
        remark="rods, in place of `joint_work`",
    ),
    "pulley_work": Variable(
        _TENDON,
        _WORK,
        "work of the pulley of each tendon since the start, from every step",
        remark="`soft`, in place of `joint_work`",
    ),
    "positive_work": Variable(
        _JOINT,
        _WORK,
        "work of each actuator while it drives, since the start",
        remark="nothing is recovered from braking",
    ),
    "peak_torque": Variable(_JOINT, "N m or N", "largest effort in any step, with its sign", final=True),
    "peak_effort": Variable(
        _EACH_SCREW,
        _FORCE,
        "largest effort in any step, with its sign",
        final=True,
        remark="rods, in place of `peak_torque`",
    ),
    "peak_tension": Variable(
        _TENDON, "N", "largest tension in any step", final=True, remark="`soft`, in place of `peak_torque`"
    ),
    "lasting_torque": Variable(
        _JOINT,
        "N m or N",
        "largest effort that lasted: of all windows of 10 ms, the largest of their least efforts",
        final=True,
        remark="with contacts, where the peak of a step grows as the step shrinks",
    ),
    "peak_time": Variable(_JOINT, "s", "when the largest effort was", final=True),
    "limit_time": Variable(
        _JOINT,
        "s",
        "when the effort first passed its limit; infinite where it never did",
        final=True,
        remark="`joint_limit`, of a rod `effort_limit`",
    ),
    "range_excess": Variable(
        _JOINT,
        "rad or m",
        "farthest that the position was beyond `joint_lower` (negative) or "
        "`joint_upper` in any step; 0 where it never was",
        final=True,
        remark="where a joint has limits, as the next two",
    ),
    "excess_time": Variable(_JOINT, "s", "when the position was farthest beyond", final=True),
    "range_time": Variable(
        _JOINT, "s", "when the position first was beyond by 1e-4 or more; infinite where it never was", final=True
    ),
    "law_work": Variable(
        ("law",),
        _WORK,
        "work of each environment that pushes, since the start; negative where it dissipates",
        remark="along `law` by its kind",
    ),
    "contact_work": Variable(_CONTACT, _WORK, "work of each contact since the start; negative where it dissipates"),
    "com_path": Variable((), "m", "length of the path of the centre of mass since the start, from every step"),
    "work_exchanged": Variable(
        (),
        _WORK,
        "integral of the sizes of actuator, environment and passive power since the start",
        remark="the scale of the power balance",
    ),
}
"""What is counted at every step. Of a rod, actuators are those of the strains: dimensions `section` and `screw`."""

STATICS = {
    "tip_position": Variable(_AXIS, "m", "centre of the last disk", "world"),
    "tip_in_base": Variable(_AXIS, "m", "the same, from the centre of the clamped disk and along its axes", "base"),
    "tip_angles": Variable(
        _ANGLE, "rad", "heading to the left and elevation of the last disk's axis, and its roll about it", "base"
    ),
    "tip_compliance": Variable(
        _AXIS,
        "m/N",
        "way that the tip gives along each axis to a force along it, actuators held",
        "base",
        remark="energy form without friction; actuators hold their tensions, or the lengths of elastic tendons",
    ),
    "bend": Variable(_BEND, "rad", "bend of each vertebra towards y and z of its inner disk", "inner disk"),
    "stop_moment": Variable(_BEND, "N m", "moment of the stops on each disk, in the sense of bend", "inner disk"),
    "tension": Variable(_TENDON, "N", "tension at the clamped disk"),
    "distal_tension": Variable(_TENDON, "N", "tension at the anchor"),
    "tendon_length": Variable(_TENDON, "m", "length of each tendon from the clamped disk to its anchor"),
    "command_length": Variable(_TENDON, "m", "unstretched length that an elastic tendon is given"),
    "pulley_angle": Variable(_TENDON, "rad", "angle by which each pulley has wound up its tendon; 0 when straight"),
    "slip_state": Variable(_TENDON, "1", "+1 pulled, -1 released, between them stuck", remark="with friction"),
    "friction_coefficient": Variable(
        ("vertebra", "tendon"), "1", "coefficient of friction at each disk that a tendon passes, 0 elsewhere"
    ),
    "equivalent_force": Variable(_AXIS, "N", "sum of the tendon forces on the last disk (55)", "world"),
    "min_eigenvalue": Variable((), "N m/rad", "smallest stiffness of the posture; positive means stable"),
    "equilibrium_residual": Variable((), "N m", "largest moment that is not balanced"),
    "target": Variable(
        _AXIS,
        "m",
        "where the tip was asked to be; only the followed components count",
        "base",
        remark="inverse problems",
    ),
    "target_error": Variable((), "m", "distance of the tip from its target, in the followed components"),
    "target_angles": Variable(
        _ANGLE,
        "rad",
        "heading, elevation and roll that were asked for; only followed ones count",
        "base",
        remark="where angles are followed",
    ),
    "target_angle_error": Variable((), "rad", "how far the followed angles are from those asked for"),
}
"""Tasks without time. They also have `position`, `orientation` and `potential_energy`."""

SOFT = {
    "tendon_rate": Variable(_TENDON, "m/s", "rate of the length of each tendon"),
    "pulley_power": Variable(_TENDON, "W", "power of the pulley of each tendon"),
    "winch_angle": Variable(
        _TENDON,
        "rad",
        "angle by which the motor of each winch has wound up its tendon",
        remark="where tendons have winches, as the next",
    ),
    "winch_rate": Variable(_TENDON, "rad/s", "rate of that angle"),
    "tendon_energy": Variable((), _WORK, "energy of all tendons that stretch", remark="elastic tendons"),
    "friction_power": Variable(
        (), "W", "power of the friction of tendons in their holes; never positive", remark="tendons with friction"
    ),
    "elastic_energy": Variable((), _WORK, "energy of all springs of the body, its stops among them"),
    "damping_power": Variable((), "W", "power of all dampers of the body, its stops among them; never positive"),
    "iterations": Variable(
        (),
        "1",
        "evaluations of the dynamics per stage of a step, mean since the block before",
        remark="4 of an explicit step",
    ),
}
"""Of soft bodies in motion, beside those of whatever moves and of spines."""

OBJECTS = {
    "object_position": Variable(("object", "axis"), "m", "centre of each free object", "world"),
    "object_orientation": Variable(
        ("object", "quaternion"), "1", "orientation of each free object, scalar first", "world"
    ),
    "object_twist": Variable(_OBJECT_SCREW, "m/s, rad/s", "twist of each free object at its centre", "object"),
    "object_wrench": Variable(
        _OBJECT_SCREW, _FORCE, "resultant of contacts and water on each free object, about its centre", "world"
    ),
    "object_energy": Variable(_EACH_OBJECT, _WORK, "kinetic energy of each free object, without the water around it"),
    "object_work": Variable(
        _EACH_OBJECT, _WORK, "work of weight, contacts and water on each free object since the start, from every step"
    ),
    "object_momentum": Variable(
        _OBJECT_SCREW, _MOMENTUM, "momentum of each free object, about the world origin", "world"
    ),
    "object_impulse": Variable(
        _OBJECT_SCREW, _MOMENTUM, "integral of all that changes that momentum, since the start", "world"
    ),
}
"""Of free objects among which a robot moves (`objects`)."""

CATALOGUE = {**MOVING, **CONTACTS, **COUNTED, **STATICS, **SOFT, **OBJECTS}


def spine_coordinates(robot: TendonSpine, stops: NDArray[np.float64]) -> dict[str, Any]:
    """Names of disks, vertebrae and tendons, and what does not change in time; `stops` (vertebrae, 2) rad."""
    v, each, bends = len(robot.vertebrae), ("vertebra",), ("vertebra", "transverse")
    volume = {"units": "m3", "long_name": "displaced volume of each vertebra"}
    told = {"units": "rad", "long_name": "bend at which the stops are reached, to the side and down"}
    found = {
        "section": (("section",), np.array([f"disk {number}" for number in range(v + 1)]), {}),
        "vertebra": (each, np.array([f"vertebra {number}" for number in range(1, v + 1)]), {}),
        "tendon": (_TENDON, np.array(robot.tendon_names), {}),
        "vertebra_length": (each, robot.values("length"), {"units": "m", "long_name": "length of each vertebra"}),
        "vertebra_volume": (each, robot.values("volume"), volume),
        "stop": (bends, stops, told),
    }
    if robot.material is None:
        stiffness = np.stack([robot.values("lateral_stiffness"), robot.values("vertical_stiffness")], axis=1)
        told = {"units": "N m/rad", "long_name": "bending stiffness of each vertebra"}
        found["bend_stiffness"] = (bends, stiffness, told)
    return found


def choose(*names: str, **notes: str) -> dict[str, Variable]:
    """Variables of the catalogue, in this order; a note is added to what the variable of its name means."""
    chosen = {name: CATALOGUE[name] for name in names}
    return chosen | {
        name: chosen[name]._replace(long_name=f"{chosen[name].long_name}, {note}") for name, note in notes.items()
    }
