"""Which link touches, sticks and slips, when; and how well the contact laws were kept."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.figures import style
from limbless.view.figures.registry import Drawing, figure

if TYPE_CHECKING:
    from limbless.result import Result


@figure("contacts", "which link is lifted, sticks or slips, when; the load; the residual of the contact laws", every_run=True,
        needs=("contact_state", "contact_force", "contact_link", "contact_residual"))
def contacts(result: Result) -> Drawing:
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.patches import Patch

    data = result.dataset
    time, state, link = data["time"].values, data["contact_state"].values, data["contact_link"].values
    links = int(data.sizes.get("section", 0)) or int(link.max(initial=0)) + 1
    worst = np.zeros((len(time), links))
    for number in range(links):
        own = state[:, link == number]
        if own.shape[1]:
            worst[:, number] = np.where((own == 1).any(axis=1), 1.0, own.max(axis=1))     # a link that sticks anywhere is held there
    load = np.linalg.norm(data["contact_force"].values, axis=2).sum(axis=1)
    sheet, (diagram, total, residual) = style.panels([max(20.0, 2.4 * links), 20.0, 20.0], share_time=True, top=9.0)
    colours = ["#FFFFFF", style.BLUE, style.ORANGE]
    edges = np.concatenate([[time[0]], 0.5 * (time[1:] + time[:-1]), [time[-1]]])
    three: Any = {"cmap": ListedColormap(colours), "norm": BoundaryNorm([-0.5, 0.5, 1.5, 2.5], 3)}
    diagram.pcolormesh(edges, np.arange(links + 1) + 0.5, worst.T, rasterized=True, **three)
    diagram.set(ylabel="link, counted from 1")
    diagram.grid(False)
    diagram.locator_params(axis="y", integer=True)
    words = ("lifted", "sticks", "slips")
    diagram.legend(handles=[Patch(facecolor=colour, edgecolor=style.GREY, label=word) for colour, word in zip(colours, words, strict=True)],
                   loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3)
    total.plot(time, load, color=style.BLACK, linewidth=0.6)
    total.set(ylabel="contact force (N)")
    style.from_zero(total)
    shown = np.maximum(data["contact_residual"].values, 1e-16)
    residual.semilogy(time, shown, color=style.RED, linewidth=0.6)
    residual.set(xlabel="time (s)", ylabel="residual (m/s)", xlim=(time[0], time[-1]))
    table = {"time (s)": time, "sum of contact forces (N)": load, "residual of the contact laws (m/s)": data["contact_residual"].values}
    table |= {f"link {number + 1}: 0 lifted, 1 sticks, 2 slips": worst[:, number] for number in range(links)}
    return sheet, table
