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
    from limbless.mechanics.chain.shape_tangents import *
    from limbless.mechanics.chain.shape_to_joints import *
    from limbless.mechanics.chain.strain_cell import *
    from limbless.mechanics.chain.tables import *

__getattr__ = lazy_names(
    __name__,
    {
        "actuator_limits": "active_set_step take_request",
        "cell_forces": "drive_to overbent_cell put_efforts strain_freedoms",
        "cell_pieces": (
            "CellPiece JacobianColumn PieceBands PieceScratch SinglePieces StrainBasis StrainMotion bend_pieces"
        ),
        "clamp": "clamp_passes clear_hold next_hold return_to_seat without_held wrench_of",
        "dynamics": "BASES account body_inertia nothing rigid_body_inertia",
        "elastic_tendons": (
            "BaseResponse COMMANDS ElasticTendon ElasticTendons TensionTerm WinchState put_winch_rates "
            "tendon_tensions turn_winch"
        ),
        "implicit_cells": "measure occupy_free set_cell_implicit_terms",
        "force_balance": "BalanceScratch at_scaled_speed balance solve_free total_wrench",
        "joint_actuation": "passive_torques",
        "joints": "Prismatic Revolute Spherical known_kinds put_quaternion_rate sliding turning",
        "kinematics": "forward_kinematics",
        "lane_batch": "ChainBatch advance_batch",
        "material_law": "Material MaterialStation STRAIN STRESS Sample",
        "problem": "account_tendons",
        "shape_tangents": "bend_dual_joints bend_lane_joints",
        "shape_to_joints": "bend_joints",
        "strain_cell": "Cells DriveSample Station Stop StrainCell apply_inertia",
        "tables": (
            "AccelerationFeedback ActuatorLimit ActuatorRequest AddedMassState Axis AxisRecord Base BaseRecord "
            "Body BodyRecord ChainDrive ChainMemory ChainOptions ChainProblem ChainRecords ChainTables DofRow "
            "ForceJacobian HeldBody INTEGRALS ImplicitForces ImplicitTerm Inertialess IntegralSums LinkRow "
            "MixedActuation PrescribedMotion StrainActuation TendonState VaryingAddedMass"
        ),
    },
)
