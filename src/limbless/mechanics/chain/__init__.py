"""Serial chains: what their joints are, how they move, what drives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.chain.actuator_limits import *
    from limbless.mechanics.chain.cell_pieces import *
    from limbless.mechanics.chain.dynamics import *
    from limbless.mechanics.chain.elastic_tendons import *
    from limbless.mechanics.chain.force_balance import *
    from limbless.mechanics.chain.joint_actuation import *
    from limbless.mechanics.chain.joints import *
    from limbless.mechanics.chain.kinematics import *
    from limbless.mechanics.chain.lane_batch import *
    from limbless.mechanics.chain.material_law import *
    from limbless.mechanics.chain.problem import *
    from limbless.mechanics.chain.shape_tangents import *
    from limbless.mechanics.chain.shape_to_joints import *
    from limbless.mechanics.chain.strain_cell import *
    from limbless.mechanics.chain.tables import *

__getattr__ = lazy_names(
    __name__,
    {
        "actuator_limits": "active_set_step actuator_torques take_request",
        "cell_pieces": "CellPiece JacobianColumn PieceBands PieceScratch SinglePieces StrainBasis StrainMotion",
        "dynamics": "BASES body_inertia nothing",
        "elastic_tendons": (
            "BaseResponse COMMANDS ElasticTendon ElasticTendons TensionTerm WinchState tendon_tensions"
        ),
        "force_balance": "BalanceScratch at_scaled_speed balance solve_free total_wrench",
        "joint_actuation": "actuate_joints follow passive_torques put_joint_rates",
        "joints": "Prismatic Revolute Spherical known_kinds put_quaternion_rate sliding turning",
        "kinematics": "forward_kinematics mass_flow",
        "lane_batch": "ChainBatch advance_batch",
        "material_law": "Material MaterialStation STRAIN STRESS Sample",
        "problem": "chain_add chain_work check_limits",
        "shape_tangents": "bend_dual_joints bend_lane_joints",
        "shape_to_joints": "bend_joints",
        "strain_cell": "Cells DriveSample Station Stop StrainCell",
        "tables": (
            "AccelerationFeedback ActuatorLimit ActuatorRequest AddedMassState Axis AxisRecord Base BaseRecord "
            "Body BodyRecord ChainDrive ChainMemory ChainOptions ChainProblem ChainRecords ChainTables DofRow "
            "ForceJacobian INTEGRALS ImplicitForces ImplicitTerm Inertialess IntegralSums JointScrew LinkRow "
            "MixedActuation PrescribedMotion Spatial StrainActuation TendonState VaryingAddedMass"
        ),
    },
)
