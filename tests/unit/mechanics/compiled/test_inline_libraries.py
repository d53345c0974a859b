"""Inlined functions that are not compiled on their own: this numba can do it, and results do not depend on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.compiled import inline_libraries, operator_cache
from limbless.mechanics.compiled.kernel import func, kernel
from limbless.mechanics.compiled.operators import componentwise

RUN = """
import numpy as np
from limbless.mechanics.algebra.spatial import Twist
from limbless.mechanics.algebra.lie import pose_exp
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.compiled.kernel import lean_kernel

@lean_kernel
def exponential(v, out):
    g = pose_exp(Twist(Vector(v[0], v[1], v[2]), Vector(v[3], v[4], v[5])))
    out[0], out[1], out[2] = g.position.x, g.position.y, g.rotation.z.x

out = np.zeros(3)
exponential(np.array([0.3, -0.2, 0.1, 1.0, 0.4, -0.7]), out)
print(*map(float.hex, out))
"""


@componentwise
class Late(NamedTuple):
    """A vector that numba meets after its operators have been used."""

    left: Any
    right: Any


@func
def put(pair, out):
    out[0], out[1] = pair.left, pair.right


def test_this_numba_has_what_is_replaced() -> None:
    assert inline_libraries.can_spare(), (
        "numba has lost the methods that mechanics/compiled/inline_libraries.py replaces: kernels "
        "still work, but take "
        "twice as long to compile; adapt inlining.py to this numba, or pin the one before"
    )


def test_this_numba_takes_the_memory_of_operators() -> None:
    assert operator_cache.remember_operators(), (
        "numba has lost the method that compiled/resolution.py replaces: "
        "kernels still work, but take a tenth longer to compile"
    )


def test_a_type_that_an_operator_learns_later_is_found() -> None:
    """What is remembered belongs to the candidates of its time: a class that comes later has its own answer."""
    sum_of = kernel(lambda a, b, out: put(a + b, out))
    out = np.zeros(2)
    sum_of(Late(1.0, 2.0), Late(3.0, 5.0), out)
    assert out.tolist() == [4.0, 7.0]


def test_results_are_the_same_with_and_without(tmp_path: Path) -> None:
    script = tmp_path / "exponential.py"  # a file: what is typed in cannot be cached
    script.write_text(RUN)
    found = [
        subprocess.run(
            [sys.executable, str(script)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "LIMBLESS_INLINING": way},
        ).stdout
        for way in ("lean", "plain")
    ]
    numbers = [[float.fromhex(word) for word in text.split()] for text in found]
    assert max(abs(a - b) for a, b in zip(*numbers, strict=True)) < 1e-15


class Library:
    """Stands for a library of numba's: what it links, and whether it is inlined."""

    def __init__(self, *needed: Library) -> None:
        self._linking_libraries, self.spared = list(needed), True


def test_what_is_inlined_is_linked_after_all_that_use_it() -> None:
    """LLVM drops what nothing uses yet: a helper of two functions, the first of which is not needed, must wait for the
    second.
    """
    helper = Library()
    unused, used = Library(helper), Library(Library(helper))
    order = inline_libraries._all_needed([unused, used])
    for library in order:
        assert all(order.index(library) < order.index(needed) for needed in library._linking_libraries)
    assert len(order) == len(set(order)) == 4
