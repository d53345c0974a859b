"""Many runs: plans, workers, stores, eight robots at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.search.sweeps.parameter_ranges import *
    from limbless.search.sweeps.rollout import *
    from limbless.search.sweeps.row_store import *
    from limbless.search.sweeps.sweep_plan import *
    from limbless.search.sweeps.worker_processes import *

__getattr__ = lazy_names(
    __name__,
    {
        "parameter_ranges": "Bounds bounds_of from_words",
        "rollout": "MODELS RolloutRun RolloutScratch scenario_at",
        "row_store": "Database PLAN Store StoredRow explained files_of read_rows reading",
        "sweep_plan": "STAMP SweepPlan kernels read_plan",
        "worker_processes": "CHUNK_SECONDS GUARD InProcess LocalTeam Take inside_a_worker packed_plan",
    },
)
