"""What a search found, with what speaks for its being the best: `Best`, and the trade-offs of a `Front`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from limbless.scenarios.scenario import Scenario
from limbless.simulation.analysis.balances import PROVES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BACKWARDS = 0.1
"""Of its speed: a winner that moves faster than that towards its tail moves backwards."""


@dataclass(repr=False)
class Best:
    """The result of a search.

    Attributes
    ----------
    values : path -> value at the best point; `scenario` is the scenario there.
    value : what was made large or small, there; `measures` are all that were asked for.
    certainty : how many starts ended within 0.1 % of the best, which bounds are active, and what CMA-ES found from
        there.
    confirmed : the same numbers from an ordinary run of the winner, with the verdict of its balances.
    history : every evaluation: point, value, violation of the limits.
    """

    scenario: Scenario
    goal: str
    values: dict[str, float]
    value: float
    measures: dict[str, float]
    method: str
    certainty: dict[str, Any]
    confirmed: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    feasible: bool = True

    def plot(self, name: str | None = None) -> Figure:
        """The picture `convergence`."""
        from limbless.search.studies import figure_of

        return figure_of(self, name)

    def __repr__(self) -> str:
        where = ", ".join(f"{path} = {value:.6g}" for path, value in self.values.items())
        return f"Best: {self.goal}: {self.value:.6g} at {where}; {self.told()}"

    def told(self) -> str:
        """What speaks for its being the best, and what the run of it says, in a sentence."""
        sure, parts = self.certainty, []
        if not self.feasible:
            parts.append("NOT within its limits: none was found that is")
        if "starts" in sure:
            parts.append(f"{sure['starts_at_the_best']} of {sure['starts']} starts ended there")
        if "cma_agrees" in sure:
            parts.append(
                "CMA-ES finds none better"
                if sure["cma_agrees"]
                else f"CMA-ES finds one better by {100.0 * sure['cma_gain']:.2g} %"
            )
        parts.append(", ".join(sure["bounds_active"]) or "no bound is active")
        said = self.confirmed
        if "speed" in said:
            parts.append(f"an ordinary run has {said['speed']:.6g} m/s")
        if "proven" in said:
            why = "; ".join(said.get("doubts") or ["its balances do not close"])
            parts.append(f"its run is proven: {PROVES}" if said["proven"] else f"its run is NOT PROVEN: {why}")
        if said.get("progress", 0.0) < -BACKWARDS * said.get("mean_speed", 0.0):
            parts.append(
                f"it moves BACKWARDS, tail first, at {-said['progress']:.4g} m/s: ask for progress or mean_speed@x "
                "where that is not wanted"
            )
        return "; ".join(parts)

    def summary(self) -> dict[str, Any]:
        """All of it but the history, in plain types."""
        return {
            "goal": self.goal,
            "value": self.value,
            "values": self.values,
            "measures": self.measures,
            "feasible": self.feasible,
            "method": self.method,
            "evaluations": len(self.history),
            "certainty": self.certainty,
            "confirmed": self.confirmed,
        }


@dataclass
class Front:
    """The best trade-offs between two measures: one `Best` for each limit, in order."""

    large: str
    small: str
    points: list[Best]

    def plot(self, name: str | None = None) -> Figure:
        """The picture `pareto`."""
        from limbless.search.studies import figure_of

        return figure_of(self, name)
