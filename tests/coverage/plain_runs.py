"""Random and built-in scenarios with kernels as plain Python: `NUMBA_DISABLE_JIT=1 coverage run tests/coverage/plain_runs.py [SEEDS]`.

Kernels do not run as compiled code here, but line by line, some thousand times slower, so that branches can be counted. What comes out is
not looked at: the compiled runs of the same cases are judged in tests/fuzz. Plain Python divides by zero with an exception where compiled
code gets an infinite number; such a case ends there.
"""
from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fuzz")]

import plain_kernels  # noqa: E402, F401  before anything of the library that holds kernels
from makers import MAKERS, built_in, case, shortened  # noqa: E402

import limbless as ll  # noqa: E402
from limbless.scenarios.document import parse_value  # noqa: E402

LONGEST = 6
"""Steps of a run: a kernel has been through most of its branches by then."""


def cases(model: str, seeds: int) -> Iterator[dict[str, Any]]:
    yield from (parse_value(shortened(name), name) for name in built_in(model))
    yield from (case(model, mild, seed) for seed in range(seeds) for mild in (True, False))


def main(seeds: int, models: list[str]) -> None:
    warnings.simplefilter("ignore")
    for model in models:
        began, ended = time.process_time(), 0
        for data in cases(model, seeds):
            if "step" in data:
                data["duration"] = abs(data["step"]) * LONGEST
            try:
                ll.run(ll.Scenario.load(data))
                ended += 1
            except (ll.InputError, ll.SimulationError, ArithmeticError):
                pass
        print(f"{model}: {ended} runs came to their end, {time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 12, sys.argv[2:] or list(MAKERS))
