"""The equations: one file, or folder, per published model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.models.base import *
    from limbless.models.divergence import *
    from limbless.models.force_elements import *
    from limbless.models.implicit_steps import *
    from limbless.models.initial_pose import *
    from limbless.models.macro_continuous import *
    from limbless.models.newton_euler import *
    from limbless.models.soft import *
    from limbless.models.standing_problem import *
    from limbless.models.step_limit import *
    from limbless.models.tendon_statics import *
    from limbless.models.totals import *
    from limbless.models.variables import *

__getattr__ = lazy_names(
    __name__,
    {
        "base": (
            "ChainSettings JointTarget Model ModelSettings Observation Records STAGE_TOLERANCE State StaticModel "
            "Status Variable Variables actuation_or_motion before_failure law_failure numbers refuse_law_failure "
            "refuse_unused unit_quaternion"
        ),
        "divergence": "TOO_FAST TOO_LARGE refuse_lost",
        "force_elements": "filled fresh_element has_surface owners_of packed_rows water_of",
        "implicit_steps": "ImplicitSteps UNSOLVED quarters refuse_explicit_tolerance steps_of",
        "initial_pose": "BasePose Pole Posture pole_of pose_of",
        "macro_continuous": "MacroContinuousSettings",
        "newton_euler": "NewtonEulerSettings",
        "soft": "SoftSettings VERTEBRA_STATIONS touches",
        "standing_problem": "StandingModel StandingProblem arrays_in with_arrays",
        "step_limit": "MOREAU RUNGE_KUTTA StepLimit chain_rate friction_limit rod_rate",
        "tendon_statics": "Prefer TendonStaticsSettings",
        "totals": "TotalsStore",
        "variables": "choose spine_coordinates",
    },
)
