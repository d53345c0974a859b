"""Non-smooth contact: gaps, friction laws, and their solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.contact.base_answer import *
    from limbless.mechanics.contact.body_body import *
    from limbless.mechanics.contact.body_equations import *
    from limbless.mechanics.contact.cell_problem import *
    from limbless.mechanics.contact.cell_response import *
    from limbless.mechanics.contact.cell_rows import *
    from limbless.mechanics.contact.cell_step import *
    from limbless.mechanics.contact.cell_sweeps import *
    from limbless.mechanics.contact.contact_law import *
    from limbless.mechanics.contact.fallback import *
    from limbless.mechanics.contact.free_objects import *
    from limbless.mechanics.contact.homotopy import *
    from limbless.mechanics.contact.immersed_hull import *
    from limbless.mechanics.contact.impulse_response import *
    from limbless.mechanics.contact.joint_control import *
    from limbless.mechanics.contact.joint_friction import *
    from limbless.mechanics.contact.moving_bodies import *
    from limbless.mechanics.contact.narrowphase import *
    from limbless.mechanics.contact.nonnegative_qp import *
    from limbless.mechanics.contact.objects_in_water import *
    from limbless.mechanics.contact.problem import *
    from limbless.mechanics.contact.scene import *
    from limbless.mechanics.contact.semismooth_newton import *
    from limbless.mechanics.contact.step import *
    from limbless.mechanics.contact.step_outcome import *

__getattr__ = lazy_names(
    __name__,
    {
        "base_answer": "TWIST accept_base answer_at_base clear factorise_base first_twist hold_rows solve_by",
        "body_body": "MOST_MUTUAL solve_body_body",
        "body_equations": (
            "body_equation carried_water keep_body prepare prepare_water pushed screw screw_by twist_at_start"
        ),
        "cell_problem": "SINGULAR stand_cells",
        "cell_response": "accept_cells pull_ropes respond_cells turn_winches",
        "cell_rows": (
            "Lanes answer_of carry_row carry_rows cell_contact_law columns_at matrix_and_wrench put_wrench_in rates_of "
            "rows_of rows_times sum_of unit_wrenches wrench_in"
        ),
        "cell_step": (
            "CellFreedom CellRecord CellResponse CellSolve SoftContactProblem SoftContactRecords "
            "SoftLayout SoftRule StationStep SweptCells"
        ),
        "cell_sweeps": (
            "answer_at cell_backward_pass cell_forward_pass cell_slope column given_efforts prepare_stations "
            "start_twists"
        ),
        "contact_law": (
            "STATES along contact_wrench explicit_impulse held_directions impulse_of law_matrix6 linearise "
            "load_of_force natural_map no_impulse no_law put_impulse put_law_impulse put_rates roll_scale "
            "slip_scales state_of"
        ),
        "fallback": "run_fallback",
        "free_objects": "end_objects keep_objects move_surfaces place_objects push_other start_objects",
        "homotopy": ("Homotopy HomotopyRow MOST ROW_KINDS RowLaw make_homotopy put_contacts put_row take_solution"),
        "immersed_hull": "Hull HullCut Rule cut_hull no_cut",
        "impulse_response": (
            "add_impulse add_response propagate_impulses solve_objects store_response_factor with_contacts"
        ),
        "joint_control": (
            "RATE_SLACK control_joints end_joints finish_joints row_of run_controllers take_middle violates_limits"
        ),
        "joint_friction": "joint_friction_impulses joint_friction_limits linearise_joint_friction rubbed rubs stops",
        "moving_bodies": (
            "CarriedSurface Factors ImpulseResponse MovingBodies ObjectPose ObjectStep PLACED ResponseFactor "
            "UniformField depth_scale from_other is_fixed is_on_robot last_of_robot mean_twist relative_before "
            "relative_twist twist_before"
        ),
        "narrowphase": "find_contacts is_asleep wake_contacts",
        "nonnegative_qp": "nonnegative_least_norm",
        "objects_in_water": "BluntBodyDrag ObjectsInWater add_object_water carried_force",
        "problem": "DEEPEST ENDS gather_touch go_to_gaps store_warm_start",
        "scene": (
            "AffineLaw AffineLoad CONSTANTS ContactRow ContactSurface Equation Feature Impulse LastPose Pair PatchRow "
            "Scene SleepState VELOCITY WarmStart"
        ),
        "semismooth_newton": "PLAIN contact_velocities give_torques newton_iteration solve_contacts solve_linearised",
        "step": (
            "BaseStep BodyInertia BodyOutcome BodyStep BodyVelocity ContactMemory ContactOptions ContactProblem "
            "ContactRecord ContactRecords FallbackRequest JointFriction JointStep StateLayout Step StepCounters "
            "StepFeedback StepRecord"
        ),
        "step_outcome": (
            "add_sums contact_means finish finish_contacts keep_instant keep_step measure_gaps spend_step stand"
        ),
    },
)
