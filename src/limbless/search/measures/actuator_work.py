"""`actuator_work`: what the actuators give, less what they take back."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.result import Result


@measure(
    "actuator_work", "J", "work of all actuators, less what is given back to them while they brake", wants=("time",)
)
def actuator_work(result: Result) -> float | None:
    if "actuator_work" not in result.dataset or not result.dataset.sizes["time"]:
        return None
    work = result.dataset["actuator_work"].values
    return float(work[-1] - work[0])
