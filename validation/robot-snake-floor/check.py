"""A snake robot of 14 joints on a floor: three gaits, commands held for 50 ms, net speed of the head."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import limbless as ll
from validation.experiments import drawn

GAITS = ("sidewinding", "rolling", "slithering")
DURATION, RATE = 10.0, 20.0
USUAL = {"friction": 0.55, "stiffness": 40.0, "damping": 0.6, "limit": 3.5}


def chain(robot: Mapping[str, Any], damping: float) -> ll.Chain:
    """15 modules in a row; the first joint pitches, the second yaws, and so on."""
    made = ll.ModuleSnake(
        modules=robot["links"],
        length=robot["pitch_of_joints_m"],
        radius=robot["disc_radius_m"],
        module_mass=robot["mass_kg"] / robot["links"],
        rotor_inertia=robot["armature_kg_m2"],
        viscous_friction=damping,
        torque_limit=None,
        skin=None,
    ).build()
    masses = [0.16, *[0.15] * 13, 0.05]
    return made.changed(
        links=tuple(_link(robot, number, link, masses[number]) for number, link in enumerate(made.links))
    )


def _link(robot: Mapping[str, Any], number: int, link: ll.Link, mass: float) -> ll.Link:
    """With its own mass, the rims of its disc as spheres, and a joint that pitches if its number is odd."""
    share, up = mass / link.mass, link.contact_shapes[0].centre[2]
    at, half, radius = robot["disc_behind_joint_m"], robot["disc_half_length_m"], robot["disc_radius_m"]
    made = link.changed(
        mass=mass,
        first_moment=tuple(share * value for value in link.first_moment),
        inertia=tuple(share * value for value in link.inertia),
        contact_shapes=tuple(ll.Sphere(centre=(at + side * half, 0.0, up), radius=radius) for side in (-1.0, 1.0)),
    )
    if number == 0:
        return made
    axis, label = ((0.0, 1.0, 0.0), "pitch") if number % 2 else ((0.0, 0.0, 1.0), "yaw")
    return made.changed(joint=link.joint.changed(axis=axis, label=label))


def commands(gait: Mapping[str, float]) -> np.ndarray:
    """(rows, 1 + 14): time and angles, 20 a second."""
    t = np.arange(round(DURATION * RATE) + 1) / RATE
    joint = np.arange(1, 15)
    a, e, lead = np.radians([gait["a_deg"], gait["e_deg"], gait["lead_deg"]])
    odd = joint % 2 == 1
    phase = joint * e + np.where(odd, 0.0, lead) + np.outer(t, np.where(odd, gait["w_odd"], gait["w_even"]))
    return np.column_stack([t, a * np.sin(phase)])


def speed(case: Any, name: str, how: Mapping[str, float], step: float = 5e-4) -> float:
    """m/s from first to last."""
    robot = case.numbers["snake_robot"]["robot"]
    rows = commands(robot["gaits"][name])
    mu = how["friction"]
    data = ll.simulate(
        chain(robot, how["damping"]),
        ll.RecordedGait(table=tuple(map(tuple, rows.tolist())), between="hold"),
        [ll.Ground(forward=mu, backward=mu, lateral=mu), ll.Gravity()],
        model=ll.NonSmoothSettings(),
        actuation=ll.ProportionalDerivative(stiffness=how["stiffness"], damping=0.0, saturation=how["limit"]),
        initial={"joint_position": [0.0] * 14},
        duration=DURATION,
        step=step,
        record_every=0.05,
    ).dataset
    head = data.head_position.values[:, :2]
    return float(np.linalg.norm(head[-1] - head[0])) / DURATION


def values(case: Any, changes: Mapping[str, Any]) -> dict[str, float]:
    how = {**USUAL, **changes}
    return {name: speed(case, name, how) for name in GAITS}


def check(case: Any, sheet: Any) -> dict[str, float]:
    return drawn(case, sheet, values(case, {}))
