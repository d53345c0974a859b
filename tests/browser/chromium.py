"""The browser of the tests and of the screenshots: Debian's chromium without a screen, drawing
in software, asking nobody.
"""

from __future__ import annotations

import shutil

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
NAMES = ("chromium", "chromium-browser", "google-chrome")


def installed() -> str | None:
    """Where it is, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)
