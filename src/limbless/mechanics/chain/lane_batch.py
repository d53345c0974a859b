"""Many chains of one kind, eight side by side in one compiled loop: each with its own state, times and torques."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.compiled import LANES, Array, Scalar, as_lane_array, kernel, unpack, unpack_lanes
from limbless.mechanics.integrate.runge_kutta import runge_kutta

if TYPE_CHECKING:
    from limbless.mechanics.chain.tables import ChainProblem


class ChainBatch(NamedTuple):
    """Chains of one kind; what is held over a stretch of steps."""

    states: Array  # (chains, numbers)
    first: Array  # (chains,) number of the step that each begins with
    torques: Array  # (chains, freedoms)
    stuck: Array  # (chains,) whether one of the eight had trouble: then none of them moved


@kernel
def advance_batch(
    problem: ChainProblem, knots: Array, record: Any, x: Array, torque: Any, crew: Any, step: Scalar
) -> None:
    """Step all chains over as many knots as there are, each from its own step on. Nothing is recorded.

    `problem` is that of eight side by side; `knots` (knots, 8), `x` (numbers, 8) and `torque` (1, freedoms, 8), which
    the problem's drive holds, are their memory, filled here number by number.
    """
    eight, unrecorded, times, numbers, held, many = (
        unpack_lanes(problem),
        unpack(record),
        unpack(knots),
        unpack(x),
        unpack(torque),
        unpack(crew),
    )
    count = many.states.shape[0]
    for start in range(0, count, LANES):
        for lane in range(LANES):
            i = min(start + lane, count - 1)
            for c in range(numbers.shape[0]):
                numbers[c, lane] = many.states[i, c]
            for c in range(held.shape[1]):
                held[0, c, lane] = many.torques[i, c]
            for k in range(times.shape[0]):
                times[k, lane] = step * (many.first[i] + k)
        found, _ = runge_kutta(eight, as_lane_array(times), unrecorded, as_lane_array(numbers), 0, len(times) - 1, 0)
        for lane in range(min(LANES, count - start)):
            i = start + lane
            many.stuck[i] = found > 0
            if found == 0:
                for c in range(numbers.shape[0]):
                    many.states[i, c] = numbers[c, lane]
