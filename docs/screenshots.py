"""Pictures of the studio for the README and the documents: `make screenshots`, or `python docs/screenshots.py NAME ...` for some scenarios.

Every scenario is run, opened in the studio in a browser without a screen, and saved as docs/images/studio-NAME.png.
"""
from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import limbless as ll
from limbless.scenarios import loader
from limbless.view.studio import Studio

IMAGES = Path(__file__).parent / "images"
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader"]
MOMENT = 0.6           # share of the run that has passed in the picture


def take(browser: Browser, name: str) -> Path:
    """Run a scenario and save a picture of it in the studio."""
    studio = Studio(ll.run(name), name)
    try:
        page = browser.new_page(viewport={"width": 1400, "height": 800})
        page.goto(studio.url)
        page.wait_for_selector("text=ready")
        page.get_by_label("close").or_(page.locator("button.mantine-Notification-closeButton")).first.click()
        ours = next(iter(studio.pages.values()))
        ours.controls.pause()
        for key, _ in ours.stage.switches():
            ours.switch(key, key in ("trail", "contacts", "tendons") or (key == "fluid" and "contacts" not in dict(ours.stage.switches())))
        times = ours.frames.times
        ours.jump(float(times[0] + MOMENT * (times[-1] - times[0])))
        page.wait_for_timeout(3000)                      # software rendering: the last frame may still be on its way
        IMAGES.mkdir(exist_ok=True)
        path = IMAGES / f"studio-{name}.png"
        with Image.open(BytesIO(page.screenshot())) as picture:
            picture.convert("RGB").quantize(255).save(path, optimize=True)
        page.close()
        return path
    finally:
        studio.close()


def main(names: list[str]) -> None:
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        sys.exit("no browser is installed; on Debian: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, headless=True, args=FLAGS)
        for name in names or loader.names():
            print(take(browser, name))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
