"""The notebook among the examples was executed, and its cells still run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from limbless.view.notebook import Replay

NOTEBOOK = Path(__file__).parents[3] / "examples" / "08_in_a_notebook.ipynb"


def test_every_cell_was_executed_and_shows_what_running_it_again_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("viser", reason="the extra view is not installed")
    monkeypatch.setattr("limbless.view.notebook.in_notebook", lambda: True)
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
