"""Cycles are not collected inside, are again afterwards, and nothing is lost at the end of a program."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from limbless.core.gc_pause import gc_paused


def test_cycles_are_collected_again_afterwards() -> None:
    assert gc.isenabled()
    with pytest.raises(RuntimeError), gc_paused():
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()


def test_who_switched_it_off_finds_it_off() -> None:
    gc.disable()
    try:
        with gc_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_was_made_meanwhile_is_not_kept_for_ever() -> None:
    class Ring:
        count = 0

        def __init__(self) -> None:
            self.self = self

        def __del__(self) -> None:
            Ring.count += 1

    before = gc.get_freeze_count()
    with gc_paused():
        Ring()
    gc.collect()
    assert Ring.count == 1
    assert gc.get_freeze_count() <= before


def test_the_host_has_no_exit_hook_of_ours() -> None:
    """Others' hooks (NumPy's, numba's) are there: only those of this package count."""
    code = """import atexit
ours = []
before = atexit.register
atexit.register = lambda function, *given: ours.append(function.__module__) or before(function, *given)
import limbless
from limbless.mechanics.compiled import kernel
limbless.run, limbless.Chain
print([name for name in ours if name.startswith("limbless")])
"""
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]"


def test_a_file_that_was_left_open_in_a_cycle_is_written(tmp_path: Path) -> None:
    """The command line ends without the collection that would have closed it."""
    code = """import sys
from limbless.core.gc_pause import skip_last_collection
ring = {}
ring['self'], ring['file'] = ring, open(sys.argv[1], 'w')
ring['file'].write('all of it')
skip_last_collection()
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "text")], check=True)
    assert (tmp_path / "text").read_text() == "all of it"
