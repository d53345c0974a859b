"""Fields that a soft body in motion has no use for: refused by their names, or said in a note."""

from __future__ import annotations

from limbless.core import InputError
from limbless.models import SoftSettings, refuse_unused
from limbless.models.chain.soft.cell_plan import CellPlan
from limbless.robots import Rod, TendonSpine

LAW_INSTEAD = "the law of robot.material takes its place; leave one of both out"
SPRINGS = (
    "lateral_stiffness",
    "vertical_stiffness",
    "rest_lateral",
    "rest_vertical",
    "damping_lateral",
    "damping_vertical",
    "damping_twist",
)
NO_STOP = 1e8  # rad: plans have 1e9 where there is none


def refuse_of_spine(robot: TendonSpine, settings: SoftSettings) -> tuple[str, ...]:
    """Refuse what only a rod has, and stops that are not there; what remains without effect comes back as notes."""
    notes = refuse_cells(settings, f"a spine has one cell per vertebra, {len(robot.vertebrae)} of them")
    if robot.kinematics == "hinge" and settings.stations is not None:
        raise InputError(
            "model.stations: a vertebra with a hinge has its mass at the hinge alone; leave it out, or "
            "set robot.kinematics to arc"
        )
    if robot.kinematics == "arc":
        refuse_unused(robot, ["hinge_at"], "an arc has no hinge; leave it out, or set robot.kinematics to hinge")
    for number, one in enumerate(robot.vertebrae, 1):
        if one.damping_twist and one.twist_stiffness is None:
            raise InputError(
                f"robot: damping_twist of vertebra {number} has no twist to act on; give it a "
                "twist_stiffness, or leave it out"
            )
        if (one.stop_lateral, one.stop_up, one.stop_down) == (None, None, None):
            for name in one.given("stop_stiffness", "stop_damping"):
                raise InputError(
                    f"robot: {name} of vertebra {number} has no stop to act at; give stop_lateral (or one "
                    "up and down), or leave it out"
                )
    if robot.material is not None:
        refuse_beside_law(robot, settings.stops)
    return notes


def refuse_beside_law(robot: TendonSpine, stops: bool) -> None:
    """Refuse what a law of a user's own takes the place of in a spine."""
    refuse_unused(robot, ["damping_time"], LAW_INSTEAD)
    for number, one in enumerate(robot.vertebrae, 1):
        refuse_unused(one, SPRINGS, LAW_INSTEAD, f"robot: {{}} of vertebra {number}")
        if one.twist_stiffness is not None:
            raise InputError(
                f"robot: twist_stiffness of vertebra {number}: vertebrae with a law (robot.material) bend "
                "and do not twist; leave one of both out"
            )
        if stops and (one.stop_lateral or one.stop_up or one.stop_down) and one.stop_stiffness is None:
            raise InputError(
                f"robot: the stops of vertebra {number} need a stop_stiffness (N m/rad) beside "
                "robot.material, for without it they are 20 times as stiff as its springs; give one, or "
                "set model.stops to false"
            )


def refuse_cells(settings: SoftSettings, told: str) -> tuple[str, ...]:
    """Refuse what only the cells of a rod have; their number, without effect elsewhere, comes back as a note."""
    refuse_unused(settings, ("degree", "breaks"), f"{told}, of constant strain; leave it out", "model.{}")
    return tuple(f"model.{name}: {told}; {name}: {settings.cells} has no effect" for name in settings.given("cells"))


def refuse_of_rod(robot: Rod) -> None:
    """Refuse what a rod's other fields take the place of, and limits that nothing keeps."""
    refuse_unused(
        robot,
        ["effort_limit"],
        "the model 'soft' looks at no limits of efforts; leave it out, or set model.kind to macro-continuous",
    )
    if robot.material is not None:
        refuse_unused(robot, ("stiffness", "damping", "youngs_modulus", "damping_time", "rest"), LAW_INSTEAD)
        if robot.passive is not None:
            told = "a law of robot.material has no springs that could rest where a gait says; leave one of both out"
            refuse_unused(robot.passive, ["follows_gait"], told, "robot.passive.{}")


def refuse_of_mesh(robot: Rod, settings: SoftSettings) -> None:
    """Refuse cells that the stations cannot tell apart, breaks that are not on the rod,
    tendons that nothing follows.
    """
    if settings.stations is not None and settings.stations <= settings.degree:
        raise InputError(
            f"model.stations: strains of degree {settings.degree} need {settings.degree + 1} stations or "
            f"more in a cell; got {settings.stations}: leave it out, or make model.degree smaller"
        )
    outside = [x for x in settings.breaks if not 0.0 <= x <= robot.length]
    if outside:
        raise InputError(f"model.breaks: {outside[0]:g} m is not on the rod, which is {robot.length:g} m long")
    for number, tendon in enumerate(robot.tendons):
        end = robot.length if tendon.anchor is None else tendon.anchor
        passive = robot.passive
        last = None if passive is None else robot.length if passive.end is None else passive.end
        if passive is None or last is None or tendon.start >= last or end <= passive.start:
            raise InputError(
                f"robot: tendon {number} passes no passive strain that it could move; say in "
                "robot.passive where the rod is passive (`passive: {}` is all of it)"
            )


def refuse_no_stops(plan: CellPlan, settings: SoftSettings) -> None:
    """Refuse to leave out stops where there are none."""
    if not settings.stops and not any(
        (cell.low > -NO_STOP).any() or (cell.high < NO_STOP).any() for cell in plan.cells
    ):
        raise InputError("model.stops: this body has no stops that could be left out; leave it out (true)")
