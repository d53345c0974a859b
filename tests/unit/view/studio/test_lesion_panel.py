"""Lesions in the studio: a switch for each thing that can be cut, and a raster of activity."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np

import limbless as ll
from limbless.view.studio import lesion_panel
from limbless.view.studio.lesion_panel import LesionPanel, lesion_counts, raster

SHORT = {"duration": 0.05, "record_every": 0.005}
CORD = {"duration": 0.04, "record_every": 0.004}


class Folder(nullcontext[None]):
    def remove(self) -> None:
        pass


class Gui:
    """What a panel asks of viser: folders, an image, boxes to tick."""

    folders = 0

    def add_folder(self, label: str, **options: Any) -> Any:
        self.folders += 1
        return Folder()

    def add_image(self, image: Any, label: str) -> Any:
        return SimpleNamespace(image=image, label=label)

    def add_checkbox(self, label: str, value: bool) -> Any:
        return SimpleNamespace(label=label, value=value)


def test_every_part_of_a_cord_has_a_switch(monkeypatch: Any) -> None:
    result = ll.run("agnathax-cut", SHORT)
    counts = lesion_counts(result)
    assert {what: count for what, (count, _) in counts.items()} == {
        "oscillators": 10,
        "couplings": 9,
        "senses": 10,
        "outputs": 10,
    }
    tuned: list[Any] = []
    monkeypatch.setattr(lesion_panel, "by_visitor", lambda handle, do: setattr(handle, "do", do) or handle)
    page: Any = SimpleNamespace(client=SimpleNamespace(gui=Gui()), tune=lambda *one: tuned.append(one))
    panel = LesionPanel(page)
    panel.show(result)
    assert [k for k, one in enumerate(panel.switches["couplings"]) if one.value] == [4]
    panel.switches["oscillators"][7].value = True
    panel.switches["oscillators"][7].do()
    assert tuned == [("controller.lesion.oscillators", [7])]
    # it is a field of the scenario; folders that are open stay so when its result comes
    cut = ll.run(ll.Scenario.load(result.scenario, dict(tuned)))
    folders, before = page.client.gui.folders, panel._raster.image
    panel.show(cut)
    assert page.client.gui.folders == folders and not np.array_equal(panel._raster.image, before)
    assert [k for k, one in enumerate(panel.switches["oscillators"]) if one.value] == [7]
    panel.show(ll.run("lamprey-cord", CORD))
    assert len(panel.switches["outputs"]) == 20 and len(panel.switches["couplings"]) == 9


def test_limbs_can_be_silenced_and_have_nothing_else_to_cut() -> None:
    limbs = {"controller.limbs": {"count": 4}}
    counts = lesion_counts(ll.run("lamprey-cord", {**CORD, **limbs}))
    assert {what: count for what, (count, _) in counts.items()} == {
        "oscillators": 24,
        "couplings": 9,
        "senses": 20,
        "outputs": 20,
    }


def test_a_raster_is_red_where_a_neuron_is_active() -> None:
    result = ll.run("agnathax", SHORT)
    values = result.dataset["activity"].values
    picture = raster(result)
    assert picture.shape == (10 * lesion_panel.ROW, lesion_panel.WIDE, 3) and picture.dtype == np.uint8
    picture = picture[:, np.linspace(0, lesion_panel.WIDE - 1, len(values)).round().astype(int)]
    up = 0.05 * np.abs(values).max() < values.T
    red, blue = (picture[:: lesion_panel.ROW, :, channel].astype(int) for channel in (0, 2))
    assert up.any() and (red[up] > blue[up]).all()


def test_other_scenarios_have_none() -> None:
    assert lesion_counts(ll.run("eel-planar", {"duration": 0.02})) == {}
