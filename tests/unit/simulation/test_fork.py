"""Programs that fork after they have used the library: the child runs, and gets the same numbers."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FORKED = """
import multiprocessing, os
import numpy as np
import limbless as ll

def run(name):
    return ll.run(name, {"duration": 0.04}).dataset["com_position"].values.tolist()

if __name__ == "__main__":
    names = ["eel-planar", "snake-pegs", "eel-planar"]
    before = [run(name) for name in names]
    child = os.fork()
    if child == 0:
        os._exit(0 if run(names[0]) == before[0] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(run, names) == before
    assert [run(name) for name in names] == before
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")
def test_a_child_that_is_forked_after_use_runs_too() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
