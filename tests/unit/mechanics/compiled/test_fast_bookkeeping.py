"""The variables of an instruction are those that numba finds, and what is switched off comes back."""

from __future__ import annotations

from typing import Any

import pytest
from llvmlite.binding import ffi
from numba.core import errors, ir
from numba.core.compiler import run_frontend

from limbless.mechanics.compiled import fast_bookkeeping


def by_asking(thing: Any) -> list:
    """As numba writes it."""
    if isinstance(thing, ir.Var):
        return [thing]
    if isinstance(thing, ir.Inst):
        return by_asking(thing.__dict__) if isinstance(thing, ir.Stmt) else thing.list_vars()
    if isinstance(thing, dict):
        thing = thing.values()
    elif not isinstance(thing, list | tuple):
        return []
    return [variable for part in thing for variable in by_asking(part)]


def example(x, y, *, scale=2.0):  # a bit of everything that has variables
    total = {"x": [x, y], "y": (x, scale)}
    for k in range(3):
        if x < y:
            total["x"][k] = x[k:] + y.real
        else:
            del total["y"]
    return total, max(x, *y)


def test_the_variables_of_every_instruction_are_found() -> None:
    seen = 0
    for block in run_frontend(example).blocks.values():
        for statement in block.body:
            assert fast_bookkeeping.variables(statement) == by_asking(statement)
            seen += len(by_asking(statement))
    assert seen > 80


def test_this_numba_has_what_is_replaced() -> None:
    assert fast_bookkeeping.sort_by_class() and fast_bookkeeping.is_watched(), (
        "numba or llvmlite has lost what compiled/bookkeeping.py replaces: kernels take a tenth longer to "
        "compile; adapt bookkeeping.py, or pin the version before"
    )


def test_what_is_switched_off_comes_back() -> None:
    before = ffi.lib._lock._cblist, errors._termcolor_inst
    with pytest.raises(RuntimeError), fast_bookkeeping.unwatched():
        assert ffi.lib._lock._cblist == []
        assert errors.termcolor().errmsg("no") == "no"
        raise RuntimeError
    assert (ffi.lib._lock._cblist, errors._termcolor_inst) == before
    assert len(before[0]) >= 1
