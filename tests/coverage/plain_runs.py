"""Random and built-in scenarios with kernels as plain Python: `NUMBA_DISABLE_JIT=1 coverage run
tests/coverage/plain_runs.py [SEEDS]`.

Kernels do not run as compiled code here, but line by line, some thousand times slower, so that branches can be counted.
What comes out is not looked at: the compiled runs of the same cases are judged in tests/fuzz. Plain Python divides by
zero with an exception where compiled code gets an infinite number; such a case ends there.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "plain"), str(HERE.parent / "fuzz")]

import plain_kernels  # noqa: E402

plain_kernels.install()

from makers import MAKERS, built_in, case, shortened  # noqa: E402

import limbless as ll  # noqa: E402
from limbless.cli.warmup import PARTS, warm  # noqa: E402
from limbless.scenarios.document import parse_value  # noqa: E402

SEEDS = {"newton-euler": 12, "macro-continuous": 12, "non-smooth": 12, "geometric": 0, "tendon-statics": 3}
"""Cases of each kind: as many as find new branches in a reasonable time (one step of many wheels
takes a minute line by line).
"""
LONGEST = 6
"""Steps of a run: a kernel has been through most of its branches by then."""
VARIANTS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "non-smooth": [
        # obstacles sleep between records
        ("snake-pegs", {"record_every": 0.006}),
        ("snake-sidewind", {"actuation.saturation": 0.001, "model.activation": "paper"}),
        (
            "snake-sidewind",
            {"actuation": {"kind": "motion"}, "robot.coulomb_friction": 0.1, "initial.joint_position": None},
        ),
    ],
}
"""Built-in scenarios with options that no case has. Compiled tests look at what comes out."""


def cases(model: str, seeds: int) -> Iterator[dict[str, Any]]:
    yield from (parse_value(shortened(name), name) for name in built_in(model))
    yield from (
        parse_value(ll.Scenario.load(name, changes).to_yaml(), name) for name, changes in VARIANTS.get(model, ())
    )
    yield from (case(model, mild, seed) for seed in range(seeds) for mild in (True, False))


def jobs(model: str, seeds: int) -> Iterator[Callable[[], object]]:
    """The warm-up of a model, which uses each of its kernels once (but for derivatives: duals are
    compiled code), and its cases.
    """
    yield from (
        partial(warm, part) for part in PARTS if part.startswith(f"{model}: ") and not part.endswith("derivatives")
    )
    yield from (partial(run_briefly, data) for data in cases(model, seeds))


def run_briefly(data: dict[str, Any]) -> None:
    """The scenario with few steps, whether it names the length of a step or leaves it to the model."""
    scenario = ll.Scenario.load(data)
    ll.run(scenario if scenario.task else ll.Scenario.load(data, {"duration": LONGEST * scenario.step}))


def main(models: list[str], seeds: int | None = None) -> None:
    warnings.simplefilter("ignore")
    for model in models:
        began, ended = time.process_time(), 0
        for job in jobs(model, SEEDS[model] if seeds is None else seeds):
            try:
                job()
                ended += 1
            except (ll.InputError, ll.SimulationError, ArithmeticError):
                pass
        print(f"{model}: {ended} runs came to their end, {time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[2:] or list(MAKERS), int(sys.argv[1]) if len(sys.argv) > 1 else None)
