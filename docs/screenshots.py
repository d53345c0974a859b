"""Pictures of the studio for the README and the documents: `make screenshots`, or `python docs/screenshots.py NAME ...`
for some scenarios.

Every scenario is run, opened in the studio in a browser without a screen, and saved as docs/images/studio/NAME.webp;
docs/gallery.md shows them all. A few are saved larger, with the panels around the view, for the pages that explain the
studio.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import limbless as ll
from limbless.core.files import write_text
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from limbless.view.studio.studio import Studio

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.chromium import FLAGS, installed

DOCS = Path(__file__).parent
WHOLE = ("eel-planar", "neck-horizontal-water", "snake-pegs")
"""Scenarios whose whole page is saved too, as docs/images/studio-NAME.webp."""
MOMENT = 0.6  # share of the run that has passed in the picture
PANELS = (380, 360)  # pixels at the left and at the right that are no scene
EDGE = 14  # pixels of the shadow of a panel
CLOSER = 0.8  # of the distance at which the studio begins
SHOWN = ("modules", "trail", "holds", "tendons", "contacts", "clamp", "flow", "waves")


def take(page: Page, studio: Studio, name: str) -> list[Path]:
    """Show a scenario in the page and save its picture."""
    ours = next(iter(studio.pages.values()))
    ours.pick(name)
    page.wait_for_selector(f"#status:has-text('{name}:'):has-text('answered')", timeout=600_000)
    ours.controls.pause()
    keys = dict(ours.display.switches())
    for key in keys:
        ours.switch(key, key in SHOWN or (key == "fluid" and "contacts" not in keys))
    times = ours.frames.times
    ours.jump(float(times[0] + MOMENT * (times[-1] - times[0])))
    camera = ours.client.camera
    camera.position = camera.look_at + CLOSER * (camera.position - camera.look_at)
    drawn = _settled(page)
    paths = [DOCS / "images/studio" / f"{name}.webp"]
    paths[0].parent.mkdir(parents=True, exist_ok=True)
    drawn.crop((PANELS[0] + EDGE, 0, drawn.width - PANELS[1] - EDGE, drawn.height)).save(paths[0], quality=82, method=6)
    if name in WHOLE:
        paths.append(DOCS / "images" / f"studio-{name}.webp")
        drawn.save(paths[1], quality=82, method=6)
    return paths


def _settled(page: Page) -> Image.Image:
    """The page once two pictures of it are the same: software rendering is slow, and the last
    frame may still be on its way.
    """
    before = None
    while True:
        page.wait_for_timeout(700)
        now = page.screenshot()
        if now == before:
            return Image.open(BytesIO(now)).convert("RGB")
        before = now


def gallery() -> str:
    """The page that shows them all."""
    head = "# Gallery\n\n"
    head += "Every scenario in the studio, taken by `make screenshots`; `limbless view NAME` shows and tunes it.\n"
    titles = {name: Scenario.load(name).title.rstrip(".") for name in loader.names()}
    shown = [
        f"\n## {name}\n\n{title}.\n\n![{name} in the studio](images/studio/{name}.webp)\n"
        for name, title in titles.items()
    ]
    return head + "".join(shown)


def main(names: list[str]) -> None:
    found = installed()
    if found is None:
        sys.exit("no browser is installed; on Debian: apt-get install chromium")
    studio = Studio(ll.run("eel-planar", {"duration": 0.5}), "eel-planar")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, headless=True, args=FLAGS)
        page = browser.new_page(viewport={"width": 1540, "height": 640})
        page.goto(studio.url)
        page.wait_for_selector("text=ready", timeout=600_000)
        page.get_by_label("close").or_(page.locator("button.mantine-Notification-closeButton")).first.click()
        for name in names or loader.names():
            print(*take(page, studio, name), flush=True)
        browser.close()
    studio.close()
    write_text(DOCS / "gallery.md", gallery())


if __name__ == "__main__":
    main(sys.argv[1:])
