"""Kernels compiled our way: results do not depend on it, threads may do it at once, and others notice nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core import codegen, cpu, types
from numba.np import arraymath, linalg

from limbless.mechanics.compiled import numba_patches
from limbless.mechanics.compiled.decorators import func, kernel
from limbless.mechanics.compiled.numba_patches import all_needed, patched_numba
from limbless.mechanics.compiled.operators import componentwise

RUN = """
import numpy as np
from limbless.mechanics.algebra.spatial import Twist
from limbless.mechanics.algebra.lie import pose_exp
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.compiled.decorators import kernel

@kernel
def exponential(v, out):
    g = pose_exp(Twist(Vector(v[0], v[1], v[2]), Vector(v[3], v[4], v[5])))
    out[0], out[1], out[2] = g.position.x, g.position.y, g.rotation.z.x

out = np.zeros(3)
exponential(np.array([0.3, -0.2, 0.1, 1.0, 0.4, -0.7]), out)
print(*map(float.hex, out))
"""

THREADS = """
import threading
import numpy as np
from llvmlite.binding import ffi
from numba.core import types
from limbless.mechanics.algebra.vectors import Vector, cross, dot
from limbless.mechanics.compiled.decorators import kernel

told, find = ffi.lib._lock._cblist, types.Function.get_call_type
before = list(told)
kernels = [
    kernel(lambda v, out: dot(Vector(v[0], v[1], v[2]), Vector(v[1], v[2], v[0]))),
    kernel(lambda v, out: cross(Vector(v[0], v[1], v[2]), Vector(v[1], v[2], v[0])).x),
    kernel(lambda v, out: v[0] * v[1] - v[2]),
]
start, found = threading.Barrier(2), [0.0, 0.0]

def work(i):
    start.wait()
    found[i] = kernels[i](np.array([1.0, 2.0, 4.0]), np.zeros(1))

threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert ffi.lib._lock._cblist is told and told == before and types.Function.get_call_type is find
print(*found, kernels[2](np.array([1.0, 2.0, 4.0]), np.zeros(1)))
"""


def output(code: str, *arguments: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    ).stdout


def attributes() -> list[Any]:
    """What is replaced now, was once, or could be tempting."""
    owners = (codegen.JITCodeLibrary, codegen.CPUCodeLibrary, cpu.CPUContext, types.Function, codegen.JITCPUCodegen)
    return [dict(vars(owner)) for owner in owners] + [linalg.ensure_blas, arraymath.ensure_blas]


@componentwise
class Late(NamedTuple):
    """A vector that numba meets after its operators have been used."""

    left: Any
    right: Any


@func
def put(pair, out):
    out[0], out[1] = pair.left, pair.right


@func
def outer(pair, out):
    put(pair, out)


def test_the_versions_are_those_that_pyproject_allows_at_most() -> None:
    assert numba.version_info.short in numba_patches.VERSIONS, (
        "this numba is not listed in mechanics/compiled/numba_patches.py: kernels work, but take twice as long to "
        "compile; list it there if these tests pass, and raise the bound in pyproject.toml"
    )
    text = (Path(__file__).parents[4] / "pyproject.toml").read_text(encoding="utf-8")
    wanted = next(item for item in tomllib.loads(text)["project"]["dependencies"] if item.startswith("numba"))
    major, minor = max(numba_patches.VERSIONS)
    assert wanted.endswith(f"<{major}.{minor + 1}")


def test_a_type_that_an_operator_learns_later_is_found() -> None:
    """What is remembered belongs to the candidates of its time: a class that comes later has its own answer."""
    sum_of = kernel(lambda a, b, out: put(a + b, out))
    out = np.zeros(2)
    sum_of(Late(1.0, 2.0), Late(3.0, 5.0), out)
    assert out.tolist() == [4.0, 7.0]


def test_results_are_the_same_with_and_without(tmp_path: Path) -> None:
    script = tmp_path / "exponential.py"  # a file: what is typed in cannot be cached
    script.write_text(RUN)
    code = "import runpy, sys; runpy.run_path(sys.argv[1])"
    found = [output(code, str(script), LIMBLESS_INLINING=way) for way in ("", "plain")]
    numbers = [[float.fromhex(word) for word in text.split()] for text in found]
    assert max(abs(a - b) for a, b in zip(*numbers, strict=True)) < 1e-15


def test_two_threads_compile_at_once(tmp_path: Path) -> None:
    assert output(THREADS, LIMBLESS_CACHE_DIR=str(tmp_path)).split() == ["14.0", "-14.0", "-2.0"]


def test_numba_is_as_it_was_after_a_kernel_and_while_others_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    before = attributes()
    foreign = [numba.njit(lambda x: 2.0 * x + x[0]) for _ in range(2)]
    values = np.arange(3.0)
    foreign[0](values)
    made = kernel(lambda v, out: put(Late(v[0] + v[1], v[2]), out))
    made._cache.disable()  # what an earlier run left on disk is loaded, not compiled
    made(values, np.zeros(2))
    assert attributes() == before
    asked: list[Any] = []
    monkeypatch.setattr(numba_patches, "_is_inlined", asked.append)
    monkeypatch.setattr(numba_patches, "_remembering", asked.append)
    foreign[1](values)
    assert asked == []
    assert [type(item.overloads[item.signatures[0]].library) for item in foreign] == [codegen.JITCodeLibrary] * 2
    assert type(made.overloads[made.signatures[0]].library) is numba_patches.KernelLibrary


def test_what_is_replaced_comes_back_after_an_error_and_after_a_second_entry() -> None:
    find = types.Function.get_call_type
    with pytest.raises(RuntimeError), patched_numba():
        inside = types.Function.get_call_type
        assert inside is not find
        with patched_numba():
            assert types.Function.get_call_type is inside
        assert types.Function.get_call_type is inside
        raise RuntimeError
    assert types.Function.get_call_type is find


def test_functions_of_others_may_call_ours_that_were_compiled_before() -> None:
    """An inlined function of ours is linked into a user's function with all that it calls."""
    out = np.zeros(2)
    kernel(lambda a, b, out: outer(Late(a, b), out))(1.0, 2.0, out)
    numba.njit(lambda a, b, out: outer(Late(a, b), out))(3.0, 4.0, out)
    assert out.tolist() == [3.0, 4.0]
    kernel(lambda a, b, out: outer(Late(a + a, b), out))(3.0, 4.0, out)
    assert out.tolist() == [6.0, 4.0]


def test_the_first_kernel_imports_no_linear_algebra(tmp_path: Path) -> None:
    code = """
import sys
from limbless.mechanics.compiled.decorators import kernel
kernel(lambda x: x + x)(1.0)
from numba.np import arraymath, linalg
assert arraymath.ensure_blas is linalg.ensure_blas
assert linalg.ensure_blas.__module__ == 'numba.np.linalg'
print([name for name in ('scipy.linalg', 'numpy.f2py', 'numpy.testing') if name in sys.modules])
"""
    assert output(code, LIMBLESS_CACHE_DIR=str(tmp_path)).strip() == "[]"


class Library:
    """Stands for a library of numba's: what it links, and whether it is inlined."""

    def __init__(self, *needed: Library) -> None:
        self._linking_libraries, self.inlined = list(needed), True


def test_what_is_inlined_is_linked_after_all_that_use_it() -> None:
    """LLVM drops what nothing uses yet: a helper of two functions, the first of which is not needed,
    must wait for the second.
    """
    helper = Library()
    unused, used = Library(helper), Library(Library(helper))
    order = all_needed([unused, used])
    for library in order:
        assert all(order.index(library) < order.index(needed) for needed in library._linking_libraries)
    assert len(order) == len(set(order)) == 4
