"""Bad inputs of soft bodies: each is answered in a sentence that names the field and the cure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError, SimulationError
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.soft import SoftSettings
from limbless.robots.rod import Rod
from limbless.robots.tendon_spine import Tendon, TendonSpine, Vertebra

HOLE = ((0.01, 0.0),)
SOFT = {"base": "fixed", "strains": "planar-reissner", "length": 0.5, "half_width": 0.01, "passive": {}}


def spine(tendon: dict[str, Any] | None = None, vertebra: dict[str, Any] | None = None, **fields: Any) -> TendonSpine:
    return TendonSpine(
        vertebrae=(Vertebra(**(vertebra or {})),) * 3, tendons=(Tendon(**{"holes": HOLE, **(tendon or {})}),), **fields
    )


def run(robot: Any, gait: Any = None, **options: Any) -> Any:
    return ll.simulate(
        robot,
        gait or ll.Still(),
        ll.Gravity(acceleration=(0.0, -9.81, 0.0)),
        duration=0.5,
        step=0.005,
        record_every=0.1,
        **{"model": SoftSettings(), **options},
    )


PULL = ll.TensionStep(after=(1.0,))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: run(spine(), ll.TensionStep(after=(-1.0,))), r"can only pull; found -1 N, allowed are numbers from 0"),
        (lambda: run(Rod(**SOFT, youngs_modulus=1e6), PULL), "tension"),
        (lambda: run(spine(), ll.TensionStep(after=(1.0, 1.0))), "2 tensions, but the robot has 1"),
        (lambda: spine({"start": 3}), r"tendon 0 starts on disk 3, not before its anchor on disk 3; give a `start`"),
        (
            lambda: spine({"holes": ((0.1, 0.0),)}),
            r"tendon 0 has a hole 0\.1 m from the axis, outside the disk .* move it",
        ),
        (lambda: Rod(**{**SOFT, "passive": {"strains": ["twist"]}}), "'twist' is locked by strains: planar-reissner"),
        (lambda: Rod(**SOFT, stiffness=(1.0, 1.0, 1.0, 1.0, 1.0, -1.0)), "stiffness must not be negative"),
        (lambda: Rod(**SOFT, damping=-1.0), "damping must not be negative"),
        (lambda: Rod(**SOFT, youngs_modulus=0.0), r"youngs_modulus"),
        (lambda: spine(vertebra={"damping_lateral": -1.0}), "damping_lateral"),
        (lambda: Rod(**SOFT, rest={"twist": 1.0}), "rest: only strains that strains: planar-reissner leaves free"),
        (lambda: Rod(**SOFT, rest={"stretch": ((0.0, 1.0), (0.5, -0.1))}), "rest: a stretch must be positive"),
        (lambda: Rod(**{**SOFT, "passive": {"follows_gait": True}}, rest={"yaw curvature": 1.0}), "give one of both"),
        (
            lambda: Soft(spine(vertebra={"joint_mass": 0.0, "disk_inertia": (0.0, 1e-6, 1e-6)}, base="free")),
            r"nothing resists its roll .* joint_radius, or a disk_inertia",
        ),
        (lambda: Soft(Rod(**SOFT), (), None, SoftSettings(stations=1)), r"model\.stations: strains of degree 1 need 2"),
        (lambda: Soft(Rod(**SOFT), (), None, SoftSettings(breaks=(0.9,))), r"model\.breaks: 0\.9 m is not on the rod"),
        (
            lambda: Soft(Rod(**{**SOFT, "passive": {"start": 0.3}}, tendons=[{"place": (0.005, 0.0), "anchor": 0.2}])),
            "tendon 0 passes no passive strain",
        ),
        (lambda: ll.MuscleWave(start=0.5, end=0.2), "`start` lies before `end`"),
        (
            lambda: run(Rod(**SOFT, stiffness=1.0), ll.MuscleWave(start=0.6)),
            r"gait\.start: the muscles begin at 0\.6 m",
        ),
        (lambda: Soft(spine(hinge_at=0.3)), r"robot\.hinge_at: an arc has no hinge"),
        (lambda: Soft(spine(vertebra={"damping_twist": 1e-3})), r"damping_twist of vertebra 1 has no twist"),
        (lambda: spine(vertebra={"disk_inertia": (-1e-6, 1e-6, 1e-6)}), "no body has the moments"),
        (lambda: spine(vertebra={"disk_inertia": (1e-5, 1e-6, 1e-6)}), "none larger than the sum of the other two"),
        (
            lambda: run(spine(), PULL, initial={"posture": "equilibrium", "joint_velocity": (0.1,) * 6}),
            "joint_velocity: the posture 'equilibrium' finds it",
        ),
        (lambda: ll.LengthStep(after=(1e-3,), at=0.1, ramp=0.0), "winds at once"),
        (lambda: Soft(spine(), (), None, SoftSettings(integrator="rk4", tolerance=1e-9)), r"model\.tolerance: .* rk4"),
        (lambda: Soft(spine(kinematics="hinge"), (), None, SoftSettings(stations=4)), r"model\.stations: .* hinge"),
        (
            lambda: run(Rod(**SOFT, youngs_modulus=1e6), model=SoftSettings(integrator="rk4")),
            r"step: 0\.005 s is too long for rk4: .* sdirk4 \(model\.integrator\).* set step to",
        ),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_bad_inputs_are_refused_before_a_run(make: Any, said: str) -> None:
    with pytest.raises((InputError, ValueError), match=said):
        make()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: run(Rod(**SOFT, stiffness=(1e4, 1e4, 1e4, 1.0, 1.0, 1e-4)), model=SoftSettings(cells=1)),
            r"cell 1 turns by more than 1 rad .* set model\.cells to 2",
        ),
        (
            lambda: run(
                Rod(**SOFT, stiffness=(0.5, 100.0, 100.0, 1.0, 1.0, 10.0)),
                initial={"orientation": (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))},
            ),
            r"stretch of nothing: its stiffness along itself .* robot\.stiffness",
        ),
        (
            lambda: run(spine(vertebra={"lateral_stiffness": 1e-4}, damping_time=0.05), ll.TensionStep(after=(5.0,))),
            r"vertebra \d bends by more than 180 degrees: .* stiffness or stops, or smaller tensions",
        ),
    ],
    ids=["turns", "stretch", "bends"],
)
def test_what_a_body_cannot_do_ends_its_run(make: Any, said: str) -> None:
    with pytest.raises(SimulationError, match=said):
        make()


def test_breaks_that_differ_by_rounding_are_one() -> None:
    rod = Rod(
        **{**SOFT, "passive": {"start": 0.3}},
        stiffness=1.0,
        tendons=[{"place": (0.005, 0.0), "start": 0.1 * 3, "anchor": 0.5}],
    )
    ends = [cell.pieces[-1].place for cell in Soft(rod, (), None, SoftSettings(breaks=(0.3,))).plan.cells]
    assert len(ends) == 8 and np.diff(ends).min() > 0.05


def test_a_mechanism_runs_and_is_named() -> None:
    model = Soft(Rod(**{**SOFT, "strains": "planar"}))
    assert any(
        note.startswith("robot.stiffness: the passive yaw curvature of cell 1 has neither stiffness nor damping")
        for note in model.notes
    )


def test_a_step_that_does_not_see_the_gait_is_named() -> None:
    wave = ll.CurvatureWave(curvature=1.0, period=0.04)
    rod = Rod(**{**SOFT, "strains": "planar", "passive": {"start": 0.2}}, stiffness=1.0)
    told = "step: 0.005 s is more than a tenth of the gait's period"
    assert any(note.startswith(told) for note in run(rod, wave).notes)


def test_a_body_that_drag_stops_at_once_is_named_as_such() -> None:
    """A worm of a millimetre: the message once spoke of tendons and cells."""
    rod = ll.Rod(strains="planar", base="planar", length=1e-3, half_width=3e-5)
    gait = ll.BodyWave(amplitude=1.4, growth=1.0, wavelength=6.5e-4, period=0.5, ramp=0.5)
    with pytest.raises(ll.SimulationError, match=r"drag stops this body in 2.2e-08 s .* it moves without inertia"):
        ll.simulate(
            rod,
            gait,
            ll.Drag(along=3.2, lateral=128.0, vertical=128.0),
            model=ll.SoftSettings(),
            duration=0.1,
            step=0.005,
        )
