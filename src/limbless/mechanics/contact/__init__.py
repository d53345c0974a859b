"""Non-smooth contact: gaps, friction laws, and their solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.contact.body_body import *
    from limbless.mechanics.contact.body_equations import *
    from limbless.mechanics.contact.cell_problem import *
    from limbless.mechanics.contact.cell_step import *
    from limbless.mechanics.contact.contact_law import *
    from limbless.mechanics.contact.fallback import *
    from limbless.mechanics.contact.homotopy import *
    from limbless.mechanics.contact.immersed_hull import *
    from limbless.mechanics.contact.joint_control import *
    from limbless.mechanics.contact.moving_bodies import *
    from limbless.mechanics.contact.nonnegative_qp import *
    from limbless.mechanics.contact.objects_in_water import *
    from limbless.mechanics.contact.problem import *
    from limbless.mechanics.contact.scene import *
    from limbless.mechanics.contact.step import *
    from limbless.mechanics.contact.step_outcome import *

__getattr__ = lazy_names(
    __name__,
    {
        "body_body": "MOST_MUTUAL",
        "body_equations": "screw",
        "cell_problem": "SINGULAR stand_cells",
        "cell_step": (
            "CellFreedom CellRecord CellResponse CellSolve CellStep SoftContactProblem SoftContactRecords SoftLayout "
            "SoftRule StationStep"
        ),
        "contact_law": "STATES contact_wrench state_of",
        "fallback": "run_fallback",
        "homotopy": "MOST make_homotopy",
        "immersed_hull": "Hull Rule",
        "joint_control": "RATE_SLACK",
        "moving_bodies": (
            "CarriedSurface Factors ImpulseResponse MovingBodies ObjectPose ObjectStep PLACED ResponseFactor "
            "UniformField"
        ),
        "nonnegative_qp": "nonnegative_least_norm",
        "objects_in_water": "BluntBodyDrag ObjectsInWater",
        "problem": "ENDS",
        "scene": "ContactRow ContactSurface Feature LastPose Pair PatchRow Scene SleepState WarmStart",
        "step": (
            "BaseStep BodyInertia BodyOutcome BodyStep BodyVelocity ContactMemory ContactOptions ContactProblem "
            "ContactRecord ContactRecords FallbackRequest JointFriction JointStep StateLayout Step StepCounters "
            "StepFeedback StepRecord"
        ),
        "step_outcome": "contact_means stand",
    },
)
