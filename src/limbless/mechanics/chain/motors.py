"""Geared motors behind a voltage, in units of torque at the joint: a voltage is the torque of its stall current.

A motor gives m = V - drop ω, where V is within ±stall, and such that m stays within what the largest current gives.
With an electrical time 1/rate the current is a number of the state, m' = rate (V - drop ω - m). Behind a spring the
motor has an angle θ and a rate ω of its own, J ω' = m - τ, and the joint feels τ = K (θ - q) + C (ω - q̇).
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.chain.tables import ChainMemory, DofRow, LinkRow
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Rows,
    Scalar,
    Table,
    constants,
    func,
    maximum,
    minimum,
    noinline_func,
)


@constants
class MotorRow(Table):
    """A motor by its data sheet."""

    stall: float  # N m: of full voltage, at standstill
    drop: float  # N m s/rad: by which torque falls with speed
    limit: float  # N m: of the largest current
    rate: float  # 1/s: of the current, where that is a number of the state
    stiffness: float  # N m/rad: of the spring between motor and link, where there is one
    damping: float  # N m s/rad: of that spring
    inertia: float  # kg m2: of the motor behind it


class Motors(NamedTuple):
    rows: Rows[MotorRow]  # (freedoms,)
    # (3,) where voltages begin in a state, currents (as torques) and angles, with rates behind them; -1: there are none
    place: IntArray
    voltage: Array  # (freedoms,) of this instant, N m
    given: Array  # (freedoms,) torque m of the motor,
    growth: Array  # (freedoms,) and its rate


@func
def within(limit: Scalar, number: Scalar) -> Scalar:
    return minimum(maximum(number, -limit), limit)


@func
def motor_torque(motors: Motors, freedom: DofRow, v: int, q: Scalar, rate: Scalar, asked: Scalar, x: Array) -> Scalar:
    """What a joint feels of its motor, of which a feedback on the joint asks so much."""
    row, speed = MotorRow(motors.rows, v), rate
    if motors.place[2] >= 0:  # the feedback looks at the motor, not at the joint beyond the spring
        speed = x[motors.place[2] + motors.given.shape[0] + v]
        asked = asked + freedom.gain * (q - x[motors.place[2] + v]) + freedom.rate_gain * (rate - speed)
    settled = within(row.limit, within(row.stall, asked) - row.drop * speed)
    motors.voltage[v] = settled + row.drop * speed
    m = settled
    if motors.place[1] >= 0:
        m = x[motors.place[1] + v]
        motors.growth[v] = row.rate * (settled - m)
    motors.given[v] = m
    if motors.place[2] >= 0:
        return row.stiffness * (x[motors.place[2] + v] - q) + row.damping * (speed - rate)
    return m


@func
def put_motor_rate(motors: Motors, v: int, torque: Scalar, x: Array, out: Array) -> None:
    """Rates of one motor's numbers, after `motor_torque`; its joint feels this torque."""
    count = motors.given.shape[0]
    if motors.place[1] >= 0:
        out[motors.place[1] + v] = motors.growth[v]
    if motors.place[2] >= 0:
        out[motors.place[2] + v] = x[motors.place[2] + count + v]
        out[motors.place[2] + count + v] = (motors.given[v] - torque) / MotorRow(motors.rows, v).inertia


@noinline_func
def put_motor_rates(motors: Motors, torque: Array, x: Array, out: Array) -> None:
    for v in range(motors.given.shape[0]):
        put_motor_rate(motors, v, torque[v], x, out)


@func
def motor_slopes(motors: Motors, freedom: DofRow, v: int) -> tuple[Scalar, Scalar]:
    """By how much the torque of a joint falls with its rate, and with its angle."""
    row = MotorRow(motors.rows, v)
    if motors.place[2] >= 0:
        return row.damping, row.stiffness
    if motors.place[1] >= 0:
        return 0.0 * row.drop, 0.0 * freedom.gain
    return row.drop + freedom.rate_gain, freedom.gain


@func
def motor_impulse(
    motors: Motors,
    freedom: DofRow,
    link: LinkRow,
    h: Scalar,
    wanted: Scalar,
    hold: Scalar,
    x: Array,
    memory: ChainMemory,
) -> tuple[Scalar, Scalar]:
    """Over a step from x, whose middle is `memory.state`: impulse on a joint, and what goes off per rate at its end.

    A feedback asks for `wanted`, less `hold` times that rate. Numbers of the state go to the middle of the step.
    """
    v, state, slope = link.column, memory.state, memory.slope
    q, rate = state[link.position], state[link.velocity]
    row, asked = MotorRow(motors.rows, v), (wanted - hold * rate) / h
    if motors.place[1] < 0 and motors.place[2] < 0:
        if abs(asked) > row.stall:
            return h * within(row.stall, asked), h * row.drop
        return wanted, hold + h * row.drop
    count, first, torque = motors.given.shape[0], motors.place[0] + v, 0.0
    for half in range(2):
        for c in range(first, motors.place[0] + motor_numbers(motors), count):
            state[c] = x[c] + 0.5 * h * half * slope[c]
        torque = motor_torque(motors, freedom, v, q, rate, asked, state)
        put_motor_rate(motors, v, torque, state, slope)
    return h * torque, 0.0


@func
def motor_numbers(motors: Motors) -> int:
    """How many numbers of a state belong to motors."""
    blocks = 1 + (1 if motors.place[1] >= 0 else 0) + (2 if motors.place[2] >= 0 else 0)
    return blocks * motors.given.shape[0]


@func
def keep_voltage(motors: Motors, v: int, given: Scalar, rate: Scalar, x: Array) -> None:
    """The voltage of a step that gave a joint so much, into its state."""
    if motors.place[1] < 0 and motors.place[2] < 0:
        motors.voltage[v] = given + MotorRow(motors.rows, v).drop * rate
    x[motors.place[0] + v] = motors.voltage[v]
