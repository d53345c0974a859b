"""The same motion of a chain with derivatives: `chain_motion.advance` and a gait's sampler on dual numbers."""
from __future__ import annotations

from limbless.mechanics.chain.row_motion import DriveTable, Records, Scratch, advance
from limbless.mechanics.chain.shape import bend_joints
from limbless.mechanics.compiled.kernel import kernel
from limbless.mechanics.compiled.scalars import as_duals


@kernel
def bend_dual_joints(shape, yaw_column, yaw_sign, pitch_column, pitch_sign, joints):
    """`bend_joints` on arrays of duals."""
    bend_joints(as_duals(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, as_duals(joints))


@kernel
def advance_duals(chain, laws, setting, drive, knots, record, x, split, scratch, records):
    """`advance` on arrays of duals: the flat state, the drive, the scratch memory and the records all carry tangents."""
    table = DriveTable(as_duals(drive.position), as_duals(drive.velocity), as_duals(drive.acceleration), as_duals(drive.torque))
    room = Scratch(as_duals(scratch.work), as_duals(scratch.wrench), as_duals(scratch.push), as_duals(scratch.acceleration),
                   as_duals(scratch.torque), as_duals(scratch.effort), as_duals(scratch.stage), as_duals(scratch.rate),
                   as_duals(scratch.total), as_duals(scratch.wish), as_duals(scratch.powers), as_duals(scratch.given))
    kept = Records(as_duals(records.x), as_duals(records.acceleration), as_duals(records.torque), as_duals(records.powers),
                   as_duals(records.rotation), as_duals(records.origin), as_duals(records.twist), as_duals(records.twist_rate),
                   as_duals(records.wrench), as_duals(records.hold))
    return advance(chain, laws, setting, table, knots, record, as_duals(x), split, room, kept, None, None)
