"""Pictures of all scenarios for the gallery, and of the studio for the documents: `make screenshots`, or `python
docs/screenshots.py NAME ...` for some scenarios, `python docs/screenshots.py --missing` for those that have none yet.

Every scenario is run and drawn as movies are, without a browser, and saved as docs/images/studio/NAME.webp;
docs/gallery.md shows them all. A few are opened in the studio in a browser without a screen, and saved with the panels
around the view, for the pages that explain the studio.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

import limbless as ll
from limbless.core.files import write_text
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from limbless.view.movie import Painter
from limbless.view.scene.arrows import families
from limbless.view.scene.frames import frames_of

DOCS = Path(__file__).parent
PICTURES = DOCS / "images/studio"
SIZE = (960, 540)
WHOLE = ("eel-planar", "neck-horizontal-water", "snake-pegs")
"""Scenarios whose whole page in the studio is saved too, as docs/images/studio-NAME.webp."""
PAGE = (1440, 810)
MOMENT = 0.6  # share of the run that has passed in the picture
SHOWN = ("contacts", "clamp", "flow")
"""Kinds of arrows; where a run has no contacts, also the forces of the water."""


_NEXT = """
## Next steps

- [First run](start/first-run.md): run one of these scenarios.
- [Scenario files](scenarios.md): change it, or write your own.
- [View and share results](viewing.md): the studio, movies and pages.
"""


def take(name: str) -> Path:
    """Run a scenario and save its picture."""
    frames = frames_of(ll.run(name))
    keys = [family.key for family in families(frames)]
    show = tuple(key for key in keys if key in SHOWN or (key == "fluid" and "contacts" not in keys))
    moment = frames.times[0] + MOMENT * (frames.times[-1] - frames.times[0])
    drawn = Painter(frames, SIZE, show, fine=3).picture(frames.at(float(moment)))
    path = PICTURES / f"{name}.webp"
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(drawn).save(path, quality=85, method=6)
    return path


def take_pages(names: list[str]) -> None:
    """The studio around some scenarios."""
    from playwright.sync_api import sync_playwright

    from limbless.view.studio.studio import Studio

    sys.path.insert(0, str(DOCS.parent))
    from tests.browser.chromium import FLAGS, installed

    found = installed()
    if found is None:
        sys.exit("no browser is installed; on Debian: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, headless=True, args=FLAGS)
        for name in names:
            studio = Studio(ll.run(name), name)
            page = browser.new_page(viewport={"width": PAGE[0], "height": PAGE[1]})
            page.set_default_timeout(600_000)
            page.goto(studio.url)
            page.add_style_tag(content=".mantine-Notifications-root { display: none } canvas { opacity: 1 !important }")
            page.wait_for_selector("text=ready")
            ours = next(iter(studio.pages.values()))
            ours.controls.pause()
            times = ours.frames.times
            ours.jump(float(times[0] + MOMENT * (times[-1] - times[0])))
            path = DOCS / "images" / f"studio-{name}.webp"
            _settled(page).save(path, quality=82, method=6)
            print(path, flush=True)
            page.close()
            studio.close()
        browser.close()


def _settled(page) -> Image.Image:  # type: ignore[no-untyped-def]
    """The page once two pictures of it are the same: software rendering is slow, and the last
    frame may still be on its way.
    """
    before = None
    while True:
        page.wait_for_timeout(3000)
        now = page.screenshot()
        if now == before:
            return Image.open(BytesIO(now)).convert("RGB")
        before = now


def gallery() -> str:
    """The page that shows them all."""
    head = "# Gallery\n\n"
    head += (
        "This page shows every scenario of the library, drawn as movies and the studio draw it. `limbless view NAME` "
        "opens a\nscenario in the studio, and `limbless describe NAME` prints its file. `make screenshots` takes the "
        "pictures.\n"
    )
    titles = {name: Scenario.load(name).title.rstrip(".") for name in loader.names()}
    shown = [
        f"\n## {name}\n\n{title}.\n\n![{name} in the studio](images/studio/{name}.webp)\n"
        for name, title in titles.items()
    ]
    return head + "".join(shown) + _NEXT


def main(names: list[str]) -> None:
    missing = names == ["--missing"]
    chosen = [name for name in loader.names() if not (PICTURES / f"{name}.webp").exists()] if missing else names
    for name in chosen if missing else chosen or loader.names():
        print(take(name), flush=True)
    take_pages([name for name in WHOLE if name in chosen or not names])
    write_text(DOCS / "gallery.md", gallery())


if __name__ == "__main__":
    main(sys.argv[1:])
