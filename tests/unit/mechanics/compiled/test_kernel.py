"""What the decorators of kernels promise: no way from Python into a pass, no collecting while numba works."""
from __future__ import annotations

import gc

import numba
import numpy as np
import pytest

from limbless.mechanics.compiled.kernel import lean_kernel, lean_pass

compiled_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")    # type: ignore[attr-defined]


@lean_pass
def double(values):
    for i in range(len(values)):
        values[i] = 2.0 * values[i]


@lean_kernel
def quadruple(values):
    double(values)
    double(values)


def test_a_pass_serves_kernels() -> None:
    values = np.arange(3.0)
    quadruple(values)
    assert values.tolist() == [0.0, 4.0, 8.0]


@compiled_only
def test_a_pass_has_no_way_in_for_python_before_and_after_it_is_compiled() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="double is a pass of a kernel"):
            double(np.arange(3.0))
        quadruple(np.arange(3.0))


@compiled_only
@pytest.mark.parametrize("wanted", [True, False])
def test_collecting_is_as_before_after_compiling(wanted: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if wanted else gc.disable)()
        lean_kernel(lambda values: double(values))(np.arange(2.0))
        assert gc.isenabled() is wanted
    finally:
        (gc.enable if before else gc.disable)()
