"""`proven`: whether a run is to be believed."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis.balances import PROVES
from limbless.simulation.result import Result


@measure("proven", "1", f"1 where {PROVES}; 0 elsewhere", wants=("time",))
def proven(result: Result) -> float:
    return float(result.proven)
