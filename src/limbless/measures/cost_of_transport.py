"""`cost_of_transport`: what a way costs."""
from limbless.analysis import energy
from limbless.measures.registry import measure
from limbless.result import Result


@measure("cost_of_transport", "1", "positive work over weight times distance")
def cost_of_transport(result: Result) -> float | None:
    return energy.cost_of_transport(result.dataset, result.mass)
