"""What the decorators of kernels promise: no way from Python into a pass, no collecting while numba works."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import numpy as np
import pytest

from limbless.mechanics.compiled import decorators as kernel_module
from limbless.mechanics.compiled.decorators import kernel, noinline_func


@noinline_func
def double(values):
    for i in range(len(values)):
        values[i] = 2.0 * values[i]


@kernel
def quadruple(values):
    double(values)
    double(values)


def test_a_pass_serves_kernels() -> None:
    values = np.arange(3.0)
    quadruple(values)
    assert values.tolist() == [0.0, 4.0, 8.0]


def test_a_pass_has_no_way_in_for_python_before_and_after_it_is_compiled() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match="double is a pass of a kernel"):
            double(np.arange(3.0))
        quadruple(np.arange(3.0))


@pytest.mark.parametrize("wanted", [True, False])
def test_collecting_is_as_before_after_compiling(wanted: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if wanted else gc.disable)()
        kernel(lambda values: double(values))(np.arange(2.0))
        assert gc.isenabled() is wanted
    finally:
        (gc.enable if before else gc.disable)()


def test_kernels_that_nobody_uses_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of this version, those used within a month, and what is no folder of kernels stay."""
    names = ("kernels-0.1.0-now", "kernels-0.1.0-new", "kernels-0.1.0-old", "elsewhere")
    for name, days in zip(names, (90.0, 29.0, 31.0, 90.0), strict=True):
        (tmp_path / name).mkdir()
        (tmp_path / name / "one.nbi").write_text("")
        when = time.time() - days * 24 * 3600.0
        os.utime(tmp_path / name, (when, when))
    monkeypatch.setattr(kernel_module, "CACHE_DIRECTORY", tmp_path / names[0])
    assert kernel_module.prune_cache() == [tmp_path / names[2]]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({*names} - {names[2]})
