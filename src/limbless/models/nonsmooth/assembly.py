"""Working memory and records of the non-smooth model, as `mechanics.contact.motion` takes them."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import rows as kernels
from limbless.mechanics.chain.row_saturation import WISH_ROWS
from limbless.mechanics.chain.tables import INTEGRALS
from limbless.mechanics.contact.law import CONTACT_COLUMNS, IMPULSE
from limbless.mechanics.contact.motion import Kept, Moving, Room
from limbless.mechanics.contact.path import MOST, make_path
from limbless.mechanics.contact.solver import BLOCK_COLUMNS, SWEEP_COLUMNS, Step

Array = NDArray[np.float64]


def state_size(rows: int, joints: int, slots: int) -> int:
    """Numbers in the flat state."""
    return 7 + joints + 2 * (6 + joints) + 6 * rows + IMPULSE * slots + 2 * joints + INTEGRALS


def views(x: Array, rows: int, joints: int, slots: int) -> Moving:
    """The parts of a flat state; writing into them writes into it."""
    ends = np.cumsum([7 + joints, 6 + joints, 6 + joints, 6 * rows, IMPULSE * slots, joints, joints, INTEGRALS])
    parts = np.split(x, ends[:-1])
    return Moving(parts[0], parts[1], parts[2], parts[3].reshape(rows, 6), parts[4].reshape(slots, IMPULSE), parts[5], parts[6],
                  parts[7])


def room(rows: int, joints: int, slots: int) -> Room:
    """Working memory of a run."""
    return Room(np.zeros(7 + joints), np.zeros(6 + joints), np.zeros((rows, kernels.WORK_COLUMNS)), np.zeros((rows, 6)),
                np.zeros((rows, 6)), np.zeros((slots, CONTACT_COLUMNS)), np.zeros(slots, dtype=np.int64), np.zeros(3),
                np.zeros((joints, 5)), np.zeros(joints), np.zeros((WISH_ROWS, joints)), np.zeros(6))


def step(rows: int, joints: int, slots: int, dry: Array | None) -> Step:
    """Working memory of the solver; `dry` holds the numbers of dry friction in the joints, if any has it."""
    rubbing = 0 if dry is None else joints
    path = make_path(IMPULSE * min(slots, MOST) + rubbing)
    return Step(np.zeros((rows, BLOCK_COLUMNS)), np.zeros(joints), np.zeros(joints), np.zeros(6 + joints), np.zeros((rows, 6)),
                np.zeros((rows, SWEEP_COLUMNS)), np.zeros((6, 7)), np.zeros(6 + joints), np.zeros((rows, 6)), np.zeros(6),
                np.zeros(rubbing), np.zeros(rubbing), np.zeros(rubbing), np.zeros((rubbing, 2)), np.zeros(3) if dry is None else dry, path)


def kept(rows: int, joints: int, slots: int, count: int) -> Kept:
    """Room for `count` records."""
    return Kept(np.zeros((count, 13 + 2 * joints + INTEGRALS)), np.zeros((count, joints)), np.zeros((count, 3)),
                np.zeros((count, rows, 9)), np.zeros((count, rows, 3)), np.zeros((count, rows, 6)), np.zeros((count, rows, 6)),
                np.zeros((count, rows, 6)), np.zeros((count, slots, 3)), np.zeros((count, slots, 3)), np.zeros((count, slots)),
                np.zeros((count, slots)), np.zeros((count, 6)), np.zeros(count), np.zeros(count))
