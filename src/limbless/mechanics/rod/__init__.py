"""Cosserat rods whose strains are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.rod.actuator_forces import *
    from limbless.mechanics.rod.composite_inertia import *
    from limbless.mechanics.rod.constraints import *
    from limbless.mechanics.rod.head_motion import *
    from limbless.mechanics.rod.magnus import *
    from limbless.mechanics.rod.problem import *
    from limbless.mechanics.rod.shape_batch import *
    from limbless.mechanics.rod.slice_forces import *
    from limbless.mechanics.rod.tables import *

__getattr__ = lazy_names(
    __name__,
    {
        "actuator_forces": ("find_needs look_and_keep_strains look_at_strains put_efforts"),
        "composite_inertia": "inertia_matrices inertial_wrench sum_composite_inertia",
        "constraints": "ConstraintFit HeldSections NOWHERE ResidualScales constrained_twists track_supports",
        "head_motion": "find_acceleration find_twist head_pose_of place_head put_inertia",
        "magnus": (
            "BetweenNodes FromHead ToHead ToSections carry_records first_half from_head integrate_shape "
            "magnus_first magnus_second reach_many second_half to_head to_section"
        ),
        "problem": "FreeSurfaceSlices rod_rate",
        "shape_batch": "current lay_slab make_desk shape_all take_shape",
        "slice_forces": (
            "NodeRows SliceBands SliceRows add_wrench keep_loads load load_all load_rows nothing push_paced "
            "push_rod slice_of"
        ),
        "tables": (
            "AHEAD HeadState Instant Load Muscle RodDrive RodMemory RodOptions RodProblem "
            "RodRecords RodScratch RodShape RodTables Section ShapeSums StrainRow Strains TURN"
        ),
    },
)
