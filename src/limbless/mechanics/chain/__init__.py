"""Serial chains: what their joints are, how they move, what drives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.chain.actuator_limits import *
    from limbless.mechanics.chain.cell_forces import *
    from limbless.mechanics.chain.cell_pieces import *
    from limbless.mechanics.chain.clamp import *
    from limbless.mechanics.chain.dynamics import *
    from limbless.mechanics.chain.elastic_tendons import *
    from limbless.mechanics.chain.force_balance import *
    from limbless.mechanics.chain.implicit_cells import *
    from limbless.mechanics.chain.joint_actuation import *
    from limbless.mechanics.chain.joints import *
    from limbless.mechanics.chain.kinematics import *
    from limbless.mechanics.chain.lane_batch import *
    from limbless.mechanics.chain.material_law import *
    from limbless.mechanics.chain.motors import *
    from limbless.mechanics.chain.problem import *
    from limbless.mechanics.chain.shape_to_joints import *
    from limbless.mechanics.chain.slow_motion import *
    from limbless.mechanics.chain.strain_cell import *
    from limbless.mechanics.chain.tables import *

__getattr__ = lazy_names(
    __name__,
    {
        "actuator_limits": "active_set_step actuator_torques take_request",
        "cell_forces": "NODES blend drive_to overbent_cell power_of put_efforts strain_freedoms weights_at",
        "cell_pieces": (
            "CellPiece JacobianColumn PieceBands PieceScratch SinglePieces StrainBasis StrainMotion bend_pieces "
            "piece_kinematics piece_of screw_of"
        ),
        "clamp": "clamp_passes clear_hold next_hold return_to_seat without_held wrench_of",
        "dynamics": (
            "BASES account add_force_jacobian balanced_torques base_acceleration body_inertia hybrid_dynamics "
            "nothing rigid_body_inertia singular_joint"
        ),
        "elastic_tendons": (
            "BaseResponse COMMANDS ElasticTendon ElasticTendons TensionTerm WinchState occupy_winches "
            "put_winch_rates remember_winches solve_tensions take_winches tendon_tensions turn_winch"
        ),
        "force_balance": "BalanceScratch at_scaled_speed balance balance_chain solve_free total_wrench",
        "implicit_cells": (
            "brace_by occupy_base occupy_by occupy_free set_cell_implicit_terms stage_by stage_change steer_by "
            "turned_by winch_start"
        ),
        "joint_actuation": (
            "actuate feedforward find_accelerations passive_torques put_joint_rates saturate settle_joints"
        ),
        "joints": (
            "FrameMotion Prismatic Revolute Spherical aba_inward aba_outward angles_by error_by forward_joint "
            "joint_arm known_kinds normalise_joint place_by put_quaternion_rate put_rate put_rate_by reach_by "
            "respond_by settle_by settle_one sliding transmit_by turn_reach turning"
        ),
        "kinematics": "carried forward_kinematics mass_flow mass_speed put_place",
        "lane_batch": "ChainBatch advance_batch",
        "material_law": "Material MaterialStation STRAIN STRESS Sample material_forces spring_forces",
        "motors": "MotorRow Motors keep_voltage motor_impulse motor_slopes motor_torque put_motor_rates",
        "problem": (
            "account_tendons add_span command_and_push efforts find_locked flow_speed keep_cells put_powers "
            "put_state_rates slow_rate spend_actuators spend_laws"
        ),
        "shape_to_joints": "bend_joints",
        "slow_motion": "brace_again brace_bodies hold_stations",
        "strain_cell": "Cells DriveSample Station Stop StrainCell apply_inertia beyond_station",
        "tables": (
            "AccelerationFeedback ActuatorLimit ActuatorRequest AddedMassState Axis AxisRecord Base BaseRecord "
            "Body BodyRecord ChainDrive ChainMemory ChainOptions ChainProblem ChainRecords ChainTables DofRow "
            "ForceJacobian HeldBody INTEGRALS ImplicitForces ImplicitTerm Inertialess IntegralSums LinkRow "
            "MixedActuation PrescribedMotion SlowMotion StrainActuation TendonState VaryingAddedMass"
        ),
    },
)
