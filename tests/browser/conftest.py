"""A real browser without a screen: Debian's chromium, driven by playwright. Without one these tests are skipped."""
from __future__ import annotations

import shutil
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60_000      # ms: how long a state is waited for on a slow machine; nothing waits longer than it must


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    pytest.importorskip("viser", reason="the extra view is not installed")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser is installed (looked for {', '.join(NAMES)})")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=found, headless=True, args=FLAGS)
        yield started
        started.close()


class Seen:
    """A page, what it asked the network for, and what went wrong in it."""

    def __init__(self, browser: Any, address: str, width: int = 1200, height: int = 700) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.page.set_default_timeout(PATIENCE)
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)

    def picture(self) -> np.ndarray:
        """The page as it is drawn, (height, width, 3)."""
        from PIL import Image

        with Image.open(BytesIO(self.page.screenshot())) as image:
            return np.asarray(image.convert("RGB")).astype(int)

    def body(self, part: tuple[slice, slice] = (slice(None), slice(None))) -> np.ndarray:
        """Where the colour of the body's skin is seen: blue, lit or in shade, but not the blue of the controls."""
        red, green, blue = self.picture()[part].transpose(2, 0, 1)
        return (blue - red > 45) & (green - red > 25) & (blue - green > 15) & (blue < 250)


@pytest.fixture(scope="session")
def look(browser: Any) -> Iterator[Any]:
    """look(address) opens a page; all are closed at the end."""
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
