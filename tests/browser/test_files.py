"""Replay and report opened from a file."""
from __future__ import annotations

import time as clock
from pathlib import Path
from typing import Any


def test_replay_opens_from_a_file_and_plays(folder: Path, look: Any) -> None:
    seen = look((folder / "replay.html").as_uri(), width=800, height=500)
    end = clock.monotonic() + 60.0
    while (first := seen.body()).sum() < 500:
        assert clock.monotonic() < end, "the robot is not seen"
    while (seen.body() != first).sum() < 100:
        assert clock.monotonic() < end, "the robot does not move"
    assert all(url.startswith(("file:", "data:", "blob:")) for url in seen.requests)
    assert not seen.errors
    seen.page.close()


def test_report_draws_its_plots_and_asks_nobody(folder: Path, look: Any) -> None:
    seen = look((folder / "report.html").as_uri(), width=1000, height=800)
    seen.page.wait_for_selector("#plot0 .main-svg")
    seen.page.wait_for_selector("#plot7 .main-svg")
    assert "All 4 balances hold" in seen.page.locator("#verdict").inner_text()
    seen.page.frame_locator("iframe").locator("canvas").first.wait_for()
    assert all(url.startswith(("file:", "data:", "blob:", "about:")) for url in seen.requests)
    assert not seen.errors
    seen.page.close()
