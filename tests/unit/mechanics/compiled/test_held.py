"""Kernels that are laid down with their argument: they read what its arrays hold now, and write into them."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.compiled.held import Held, laying_down
from limbless.mechanics.compiled.kernel import lean_kernel
from limbless.mechanics.compiled.lean import lean, rows_from


class Heap(NamedTuple):
    factor: float
    rows: Any
    total: Any
    codes: Any


@lean_kernel
def add_up(held):
    heap, start = held
    rows = rows_from(heap.rows, start[0])
    heap.total[0] = 0.0
    for i in range(len(rows)):
        for c in range(rows.shape[1]):
            heap.total[0] += heap.factor * rows[i, c]
    return heap.codes[0] + len(rows)


lay_down = laying_down(add_up)


@lean_kernel
def lay_down_sum(heap, start, room):
    return lay_down((lean(heap), lean(start)), lean(room))


def held_sum(rows: np.ndarray) -> tuple[Held, Heap, np.ndarray]:
    heap, start = Heap(2.0, rows, np.zeros(1), np.array([100])), np.zeros(1, dtype=np.int64)
    return Held(lay_down_sum, add_up, heap, start), heap, start


def test_it_sees_what_its_arrays_hold_at_each_call() -> None:
    rows = np.arange(12.0).reshape(4, 3)
    held, heap, start = held_sum(rows)
    assert held() == 104 and heap.total[0] == 2.0 * rows.sum()
    rows[0], start[0], heap.codes[0] = 50.0, 2, 7
    assert held() == 9 and heap.total[0] == 2.0 * rows[2:].sum()


def test_two_of_them_do_not_share() -> None:
    one, first, _ = held_sum(np.ones((2, 3)))
    two, second, _ = held_sum(np.full((5, 3), 3.0))
    assert (one(), two()) == (102, 105)
    assert (first.total[0], second.total[0]) == (12.0, 90.0)


def test_a_single_row_holds_for_all() -> None:
    held, heap, start = held_sum(np.array([[1.0, 2.0, 4.0]]))
    start[0] = 3
    assert held() == 101 and heap.total[0] == 14.0
