"""A sweep folder in the studio, in a real browser: a click on a cell runs and shows that robot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import limbless as ll
from limbless.search.sweeps.row_store import Store, StoredRow
from tests.browser.driving import entered, until


@pytest.mark.long
def test_a_cell_is_clicked(look: Any, tmp_path: Path) -> None:
    from limbless.view.studio.studio import Studio

    over = {"gait.amplitude": [0.02, 0.06, 0.1], "gait.period": [1.5, 2.0]}
    sweep = ll.sweep(
        "eel-planar", over, measure=["mean_speed"], changes={"duration": 1.0}, out=tmp_path / "s", workers=0
    )
    best = sweep.best("mean_speed")["run"]
    studio = Studio(ll.run(sweep.scenario(best)), sweep.scenario(best), folder=tmp_path, sweep=(sweep, best))
    try:
        seen = look(studio.url)
        seen.page.wait_for_selector("#sweep-map rect[data-run='2']")
        page = entered(studio)
        assert "6 of 6 runs" in seen.page.locator("#sweep-told").inner_text()
        for run in (2, 5, 2):  # back again too
            seen.page.locator(f"#sweep-map rect[data-run='{run}']").click()
            until(lambda: page.result.scenario.gait == sweep.scenario(run).gait)
            seen.page.wait_for_selector(f"#sweep-map rect[data-run='{run}'][stroke-width='2']")
        with Store(sweep.folder) as store:
            store.write([StoredRow(0, {}, "failed: it diverged", 0.1)])
        seen.page.wait_for_selector("text=6 of 6 runs, 1 failed; 1 of them: it diverged")
        assert seen.page.locator("#sweep-map rect[data-run='0']").get_attribute("fill") == "#8a2500"
        assert not seen.errors
    finally:
        studio.close()
