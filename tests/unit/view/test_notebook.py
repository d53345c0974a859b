"""The notebook among the examples was executed, and its cells still run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import limbless as ll
from limbless.view.replay import Replay

NOTEBOOK = Path(__file__).parents[3] / "examples" / "08_in_a_notebook.ipynb"


def test_every_cell_was_executed_and_shows_what_running_it_again_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("viser", reason="the extra view is not installed")
    monkeypatch.setattr("limbless.view.replay.in_notebook", lambda: True)
    cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] and cell["outputs"][0]["output_type"] == "execute_result" for cell in cells)
    names: dict[str, Any] = {}
    shown = []
    for cell in cells:
        *lines, last = "".join(cell["source"]).splitlines()
        exec("\n".join(lines), names)
        shown.append(eval(last, names))
    result, replay, figure, largest, verdicts = shown
    assert "text/html" in cells[0]["outputs"][0]["data"] and "<table>" in result._repr_html_()
    assert isinstance(replay, Replay) and "<iframe" in "".join(cells[1]["outputs"][0]["data"]["text/html"])
    assert figure._repr_png_()[:4] == b"\x89PNG" and "image/png" in cells[2]["outputs"][0]["data"]
    assert float("".join(cells[3]["outputs"][0]["data"]["text/plain"])) == pytest.approx(largest)
    assert set(verdicts.values()) == {"pass"}


def test_robots_scenarios_and_sweeps_show_themselves(tmp_path: Path) -> None:
    """Tables with the fields that were given, a picture of a sweep; text of a user is text."""
    swimmer = ll.UniformChain(links=3, name="<b>")
    assert "<th style='text-align:left'>links</th><td style='text-align:left'>3</td>" in swimmer._repr_html_()
    assert "&lt;b&gt;" in swimmer._repr_html_() and "<b></td>" not in swimmer._repr_html_()
    assert swimmer.build()._repr_html_().startswith("<pre>") and "link 2" in swimmer.build()._repr_html_()
    scenario = ll.Scenario.load("eel-planar", {"gait.amplitude": 0.08, "duration": 0.02})
    page = scenario._repr_html_()
    assert "body-wave: amplitude 0.08" in page and "<details><summary>scenario.yaml" in page
    over = {"gait.amplitude": [0.04, 0.06], "gait.period": [1.5, 2.0]}
    sweep = ll.sweep(scenario, over, measure="mean_speed", out=tmp_path / "sweep", workers=0)
    assert "data:image/png;base64," in sweep._repr_html_() and "Sweep of eel-planar" in sweep._repr_html_()
