"""Measures for tests of sweeps: one that kills the process it runs in, one that fails; and a session that is killed."""

from __future__ import annotations

import os
import signal
import sys

import limbless as ll
from limbless.search.sweeps.sweep import SweepProgress

SHORT = {"duration": 0.02, "step": 0.01}
OVER = {"gait.amplitude": [0.02, 0.04, 0.06, 0.08], "gait.period": [1.5, 2.0, 2.5]}
POISON, WRONG = (0.04, 2.0), (0.08, 1.5)


def fragile(result: ll.Result) -> dict[str, float]:
    """The last position of the base; one point kills its worker, another raises."""
    gait = result.scenario.gait
    if (gait.amplitude, gait.period) == POISON:
        os.kill(os.getpid(), signal.SIGKILL)
    if (gait.amplitude, gait.period) == WRONG:
        raise ArithmeticError("the motion diverged at t = 0.3 s")
    x, y, _ = result.dataset["base_position"].values[-1]
    return {"x": x, "y": y}


def session(folder: str, after: int, victim: str) -> None:
    """A sweep whose writer, or one of whose workers, is killed after so many rows."""
    import multiprocessing

    struck = []

    def strike(now: SweepProgress) -> None:
        if now.done >= after and not struck:
            struck.append(now.done)
            children = multiprocessing.active_children()
            os.kill(children[0].pid if victim == "worker" and children else os.getpid(), signal.SIGKILL)

    workers = 0 if victim == "alone" else 2
    ll.sweep(
        "eel-planar",
        OVER,
        measure="mean_speed" if victim == "alone" else fragile,
        changes=SHORT,
        out=folder,
        workers=workers,
        progress=strike,
    )


if __name__ == "__main__":
    session(sys.argv[1], int(sys.argv[2]), sys.argv[3])
