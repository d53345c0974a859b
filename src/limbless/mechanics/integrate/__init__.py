"""Engines that step a problem through time, and what they count on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.integrate.problem import *
    from limbless.mechanics.integrate.running_totals import *

__getattr__ = lazy_names(
    __name__,
    {
        "problem": (
            "accumulate_work add at_knot drive_at failure_code linearise_forces midpoint_step normalise poison "
            "rate record_instant record_knot stage_rate stage_state store_stage"
        ),
        "running_totals": (
            "ObjectiveTotals RunTotals Totals UNLIMITED add_laws add_smooth_works check_ranges "
            "clear_objective_totals compare_and_record new_objective_totals positive_of_step score_knot "
            "score_stage score_step"
        ),
    },
)
