"""Equilibria as the variables of a result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array
from limbless.models.base import Records
from limbless.models.statics.equilibrium import Equilibrium
from limbless.models.statics.spine_problem import FROM_PAPER, NO_STOP
from limbless.models.statics.statics_model import TendonStatics
from limbless.models.variables import choose, spine_coordinates

SCHEMA = choose(
    "tip_position",
    "tip_in_base",
    "tip_angles",
    "position",
    "orientation",
    "bend",
    "stop_moment",
    "tension",
    "distal_tension",
    "tendon_length",
    "command_length",
    "pulley_angle",
    "slip_state",
    "friction_coefficient",
    "equivalent_force",
    "potential_energy",
    "min_eigenvalue",
    "tip_compliance",
    "equilibrium_residual",
    "target",
    "target_error",
    "target_angles",
    "target_angle_error",
)


def records_of(model: TendonStatics, found: Sequence[Equilibrium]) -> Records:
    """All variables of some equilibria, one record each."""
    rows = {
        "tip_position": _stack([one.tip_position for one in found], (3,)),
        "tip_in_base": _stack([one.tip_in_base for one in found], (3,)),
        "position": _stack([one.position for one in found], (len(model.robot.vertebrae) + 1, 3)),
        "orientation": _stack([one.orientation for one in found], (len(model.robot.vertebrae) + 1, 4)),
        "bend": _stack([one.bend for one in found], (len(model.robot.vertebrae), 2)),
        "stop_moment": _stack([one.stop_moment for one in found], (len(model.robot.vertebrae), 2)),
        "tension": _stack([one.proximal_tension for one in found], (model.tendons,)),
        "distal_tension": _stack([one.distal_tension for one in found], (model.tendons,)),
        "tendon_length": _stack([one.tendon_length for one in found], (model.tendons,)),
        "equivalent_force": _stack([equivalent_force(one) for one in found], (3,)),
        "potential_energy": np.array([one.potential_energy for one in found]),
        "min_eigenvalue": np.array([one.min_eigenvalue for one in found]),
        "equilibrium_residual": np.array([one.residual for one in found]),
    }
    rows["tip_angles"] = _stack([one.tip_components[3:] for one in found], (3,))
    if model.form == "energy" and not model.friction_law:
        turn = model.base_rotation
        rows["tip_compliance"] = _stack([np.diagonal(turn.T @ one.tip_compliance @ turn) for one in found], (3,))
    if found and found[0].command_length is not None:
        rows["command_length"] = _stack(
            [one.command_length for one in found if one.command_length is not None], (model.tendons,)
        )
    if model.robot.pulley_radius is not None:
        rows["pulley_angle"] = model.pulley_angles(rows.get("command_length", rows["tendon_length"]))
    if model.friction_law:
        rows["slip_state"] = _stack([one.slip for one in found], (model.tendons,))
        shape = (len(model.robot.vertebrae), model.tendons)
        rows["friction_coefficient"] = _stack([model.friction_coefficients(one) for one in found], shape)
    return Records(rows)


def _stack(parts: list[Array], shape: tuple[int, ...]) -> Array:
    """Records in one array, also when there are none."""
    return np.array(parts, dtype=np.float64).reshape(len(parts), *shape)


def equivalent_force(one: Equilibrium) -> Array:
    """Sum of the tendon forces on the last disk (55), world, N."""
    spine, last = one.model.spine, len(one.q)
    outer = one.origin[last] + spine.holes[last] @ one.rotation[last].T
    inner = one.origin[last - 1] + spine.holes[last - 1] @ one.rotation[last - 1].T
    along = inner - outer
    pull = np.where(spine.end == last, one.tension[last - 1], 0.0) / np.linalg.norm(along, axis=1)
    return np.asarray(one.model.base_rotation @ FROM_PAPER @ (pull @ along))


def coordinates(model: TendonStatics) -> dict[str, Any]:
    """Labels, and what does not change from record to record."""
    robot = model.robot
    v = len(robot.vertebrae)
    stops = np.where((model.spine.high < NO_STOP) & model.stops, model.spine.high, np.inf)[:, :2]
    return {
        **spine_coordinates(robot, stops),
        "angle": (("angle",), np.array(COMPONENTS[3:]), {}),
        "radius": (
            ("section", "transverse"),
            np.full((v + 1, 2), robot.disk_radius),
            {"units": "m", "long_name": "radius of the disks"},
        ),
        "vertebra_mass": (
            ("vertebra",),
            robot.values("joint_mass") + robot.values("disk_mass"),
            {"units": "kg", "long_name": "mass of each vertebra"},
        ),
    }
