"""Replay and report opened from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.driving import until


def test_replay_opens_from_a_file_and_plays(folder: Path, look: Any) -> None:
    seen = look((folder / "replay.html").as_uri(), width=800, height=500)
    until(lambda: seen.body().sum() > 500)
    first = seen.body()
    until(lambda: (seen.body() != first).sum() > 100)
    assert seen.asked_only("file:")
    assert not seen.errors
    seen.page.close()


def test_report_draws_its_plots_and_asks_nobody(folder: Path, look: Any) -> None:
    seen = look((folder / "report.html").as_uri(), width=1000, height=800)
    seen.page.wait_for_selector("#plot0 .main-svg")
    seen.page.wait_for_selector("#plot7 .main-svg")
    assert "All 4 balances hold" in seen.page.locator("#verdict").inner_text()
    seen.page.frame_locator("iframe").locator("canvas").first.wait_for()
    assert seen.asked_only("file:")
    assert not seen.errors
    seen.page.close()
