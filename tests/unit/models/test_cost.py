"""Cost that grows in proportion to the body, without a clock: the calls that one evaluation
makes, counted in plain Python.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
COUNT = """
import sys
import plain_kernels
plain_kernels.install()
import numpy as np
import limbless as ll

def calls(work):
    count = 0
    def note(frame, event, arg):
        nonlocal count
        count += event == "call"
    sys.setprofile(note)
    work()
    sys.setprofile(None)
    return count

def chain(size, given):
    robot = ll.UniformChain(links=size + 1).build()
    door = ll.NewtonEuler(robot, ll.Water()).evaluation(np.full(robot.freedoms, given))
    return door

def rod(size):
    model = ll.MacroContinuous(ll.Rod(), ll.Water(), settings=ll.MacroContinuousSettings(cells=size))
    strain = np.tile([1.0, 0, 0, 0, 0, 0], (len(model.mesh.X), 1))
    return lambda: model.forward(strain, 0.0 * strain, 0.0 * strain)

make = {"inverse": lambda n: chain(n, True), "direct": lambda n: chain(n, False), "rod": rod}[sys.argv[1]]
print(*(calls(make(int(size))) for size in sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("kind", "sizes"), [("inverse", (16, 32, 64)), ("direct", (16, 32, 64)), ("rod", (16, 32, 64))]
)
def test_twice_the_body_takes_twice_the_calls(kind: str, sizes: tuple[int, ...]) -> None:
    """Joints, or cells, in multiples of eight (laws come eight at a time): each further one costs
    the same number of calls.
    """
    paths = os.pathsep.join(str(ROOT / part) for part in ("src", "tests/plain"))
    done = subprocess.run(
        [sys.executable, "-c", COUNT, kind, *map(str, sizes)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths},
    )
    small, middle, large = map(int, done.stdout.split())
    assert large - middle == pytest.approx(2 * (middle - small), rel=0.02)
    assert middle - small > 100
