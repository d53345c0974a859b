"""Lesions of a controller: a switch for each thing that can be cut, above a raster of what its neurons do."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.controllers.base import Lesion
from limbless.view.studio.server import Panel, by_visitor

if TYPE_CHECKING:
    from limbless.simulation.result import Result
    from limbless.view.studio.page import Page

WIDE, ROW = 320, 8  # of a raster, pixels; and the height of a neuron in it
_HIGH, _LOW = np.array([178.0, 24.0, 43.0]), np.array([33.0, 102.0, 172.0])  # colours of +1 and -1; 0 is white


class LesionPanel(Panel):
    """The folder with the switches of a controller that can be cut; for other scenarios there is none."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._counts: dict[str, int] = {}
        self._raster: Any = None
        self.switches: dict[str, list[Any]] = {}

    def show(self, result: Result) -> None:
        """Offer them for a new result; what is open stays open where there is as much to cut as before."""
        found, gui = lesion_counts(result), self.page.client.gui
        before, self._counts = self._counts, {what: count for what, (count, _) in found.items()}
        if found and before == self._counts:
            self._raster.image = raster(result)
            for what, (_, cut) in found.items():
                for k, switch in enumerate(self.switches[what]):
                    switch.value = k in cut
            return
        self._clear()
        self.switches = {}
        if not found:
            return
        folder = gui.add_folder("Lesions", order=22, expand_by_default=False)
        with folder:
            self._raster = gui.add_image(raster(result), label="activity, the first neuron above, time to the right")
            for what, (count, cut) in found.items():
                with gui.add_folder(what, expand_by_default=False):
                    self.switches[what] = [
                        by_visitor(gui.add_checkbox(f"{k} is cut", k in cut), partial(self.cut, what))
                        for k in range(count)
                    ]
        self._parts = [folder]

    def cut(self, what: str) -> None:
        """Run again with what is switched."""
        *number, field = what.split(".")
        path = ".".join(["controller", *number, "lesion", field])
        self.page.tune(path, [k for k, one in enumerate(self.switches[what]) if one.value])


def lesion_counts(result: Result) -> dict[str, tuple[int, tuple[int, ...]]]:
    """What of a controller can be cut -> how many there are, and which of them are; in a list with its number."""
    found: dict[str, tuple[int, tuple[int, ...]]] = {}
    loops = () if result.scenario is None or "activity" not in result.dataset else result.scenario.loops
    for number, controller in enumerate(loops):
        lesion, where = getattr(controller, "lesion", None), f"{number}." if len(loops) > 1 else ""
        if isinstance(lesion, Lesion):
            labels = map(str, result.dataset["neuron"].values)
            count = sum(not where or label.endswith(f"({number})") for label in labels)
            limbs = getattr(getattr(controller, "limbs", None), "count", 0)  # which feel and move nothing
            along = (count - limbs) // getattr(controller, "sides", 1) - 1  # a coupling is cut on all sides
            many = {"oscillators": count, "couplings": along}
            for what in getattr(controller, "cuts", type(lesion).model_fields):
                found[where + what] = (many.get(what, count - limbs), getattr(lesion, what))
    return found


def raster(result: Result) -> NDArray[np.uint8]:
    """(neurons, time, 3), rows and columns drawn wide: what every neuron gives, red above and blue below 0."""
    values = result.dataset["activity"].values
    shown = values[np.linspace(0, len(values) - 1, WIDE).round().astype(int)].T
    share = shown / max(float(np.abs(values).max(initial=0.0)), 1e-300)
    towards = np.where(share[..., None] > 0.0, _HIGH, _LOW)
    return np.repeat((255.0 + np.abs(share)[..., None] * (towards - 255.0)).astype(np.uint8), ROW, axis=0)
