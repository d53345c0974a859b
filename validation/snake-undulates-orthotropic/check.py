"""Undulation with orthotropic friction."""

from __future__ import annotations

from typing import Any

import numpy as np

from validation.ground import draw_path, link_six, measured


def check(case: Any, sheet: Any) -> dict[str, float]:
    run, values = measured(case, "ortho")
    draw_path(sheet.subplots(), run, case.numbers["link6"]["ortho"])
    time, x = run.dataset["time"].values, run.dataset["com_position"].values[:, 0]
    # 4.5 s in records of 0.05 s
    period, start = 90, int(np.searchsorted(time, 4.5))
    means = (x[start + period :] - x[start:-period]) / 4.5
    end, state = link_six(run)[-1], run.dataset["contact_state"].values[20:]
    return {
        **values,
        "forward": float(end[0] / abs(end[1])),
        "steady": float(means.min() / means.mean()),
        "slipping": float((state == 2).sum() / (state > 0).sum()),
    }
