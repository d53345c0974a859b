"""A real browser without a screen: Debian's chromium, driven by playwright. Without one these tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import FLAGS, NAMES, installed
from tests.browser.driving import Seen


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("viser", reason="the extra view is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = installed()
    if found is None:
        pytest.skip(f"no browser is installed (looked for {', '.join(NAMES)})")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, headless=True, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def look(browser: Any) -> Iterator[Any]:
    """look(address) opens a page; all are closed at the end of the module, for an open page goes on drawing."""
    opened: list[Seen] = []

    def open_page(address: str, **size: int) -> Seen:
        opened.append(Seen(browser, address, **size))
        return opened[-1]

    yield open_page
    for seen in opened:
        if not seen.page.is_closed():
            seen.page.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short swim as `limbless run` writes it, with its report."""
    import limbless as ll

    where = tmp_path_factory.mktemp("swim")
    result = ll.run("eel-planar", {"duration": 3.0})
    result.write(where)
    result.report(where)
    return where
