"""The dynamics of one instant, called from Python: few arrays, because each one costs such a call a tenth of a microsecond."""
from __future__ import annotations

from limbless.mechanics.chain.row_motion import PUSH
from limbless.mechanics.chain.rows import LAYOUT_POSITIONS, WORK_COLUMNS, ChainTable, hybrid_dynamics, move
from limbless.mechanics.compiled.kernel import inline, kernel
from limbless.mechanics.forces.chain_rows import apply_laws


@inline
def divide(layout, freedoms, memory):
    """One block of memory as position, velocity, acceleration, torque, push, wrench and work."""
    bodies, positions = layout.shape[0], 7 + layout[0, LAYOUT_POSITIONS]
    a = positions + 6 + freedoms
    b = a + 6 + freedoms
    c = b + freedoms
    d = c + PUSH
    e = d + 6 * bodies
    return (memory[:positions], memory[positions:a], memory[a:b], memory[b:c], memory[c:d], memory[d:e].reshape((bodies, 6)),
            memory[e:e + WORK_COLUMNS * bodies].reshape((bodies, WORK_COLUMNS)))


@kernel
def evaluate(links, layout, joints, base, memory):
    """Accelerations and torques of a chain on which only the wrenches in `memory` act."""
    chain = ChainTable(links, layout, joints)
    position, velocity, acceleration, torque, push, wrench, work = divide(layout, joints.shape[0], memory)
    move(chain, position, velocity, acceleration, work)
    hybrid_dynamics(chain, base, torque, wrench, work, push, acceleration)


@kernel
def evaluate_among(links, layout, joints, base, laws, time, memory):
    """The same among force laws, which fill the wrenches."""
    chain = ChainTable(links, layout, joints)
    position, velocity, acceleration, torque, push, wrench, work = divide(layout, joints.shape[0], memory)
    move(chain, position, velocity, acceleration, work)
    apply_laws(laws, time, time, work, wrench)
    hybrid_dynamics(chain, base, torque, wrench, work, push, acceleration)
