"""Every built-in scenario, as it comes: the worst of its own balances over its threshold."""

from __future__ import annotations

from typing import Any

import limbless as ll


def check(case: Any, sheet: Any) -> dict[str, float]:
    worst = {}
    for name in (row.value for row in case.rows):
        balances = ll.run(name).balances()
        worst[name] = max((balance.relative / balance.threshold for balance in balances), default=float("nan"))
    sheet.set_size_inches(5.4, 0.7 + 0.115 * len(worst))  # one line of small letters for each
    axes = sheet.subplots()
    axes.barh(list(worst), [max(value, 1e-9) for value in worst.values()])
    axes.axvline(1.0, color="k", linewidth=0.8)
    axes.set(xscale="log", xlabel="worst balance over its threshold")
    axes.tick_params(axis="y", labelsize=6)
    axes.margins(y=0.01)
    return worst
