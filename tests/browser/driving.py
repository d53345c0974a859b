"""What a visitor does and sees: wait, type, tick, pick, find the robot's pixels."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from io import BytesIO
from itertools import count
from typing import Any

import numpy as np

PATIENCE = 600.0  # s after which a state is given up; nothing waits longer than it must, and a busy machine may
PACED = """window.pause = 90;
const next = window.requestAnimationFrame.bind(window);
window.requestAnimationFrame = draw => setTimeout(() => next(draw), window.pause);"""
"""A page draws all the time; without a graphics card, at full rate, that takes a processor for itself: here it waits 90
ms in between.
"""
DRAWN = (
    "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
)
_numbers = count()


def until(
    state: Callable[[], Any], wanted: str = "what was waited for did not happen", patience: float = PATIENCE
) -> Any:
    """Wait for a state, not for a time."""
    end = clock.monotonic() + patience
    while not (found := state()):
        assert clock.monotonic() < end, wanted
        clock.sleep(0.03)
    return found


def entered(studio: Any, *others: Any) -> Any:
    """Python's side of the page of a visitor who is none of the others: a browser may show it before the
    studio has it in its list.
    """
    return until(lambda: next((one for one in list(studio.pages.values()) if one not in others), None))


class Seen:
    """A page, what it asked the network for, and what went wrong in it."""

    def __init__(self, browser: Any, address: str, width: int = 1200, height: int = 700) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": height})
        self.page.add_init_script(PACED)
        self.page.set_default_timeout(1000.0 * PATIENCE)
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._hear)
        self.page.goto(address)

    def _hear(self, said: Any) -> None:
        """What a page says when it is told of a control that it does not have (any more)."""
        if "non-existent component" in said.text:
            self.errors.append(said.text)

    def asked_only(self, *allowed: str) -> bool:
        """Whether every request went to one of these."""
        return bool(self.requests) and all(
            url.startswith((*allowed, "data:", "blob:", "about:")) for url in self.requests
        )

    # What is seen

    def picture(self, clip: dict[str, float] | None = None) -> np.ndarray:
        """The page, or a part of it, as it is drawn, (height, width, 3)."""
        from PIL import Image

        with Image.open(BytesIO(self.page.screenshot(clip=clip))) as image:
            return np.asarray(image.convert("RGB")).astype(int)

    def scene(self) -> dict[str, float]:
        """Where the scene is in the page, without what lies over its upper edge."""
        box = self.page.locator("canvas").first.bounding_box()
        return {"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]}

    def body(self, part: tuple[slice, slice] = (slice(None), slice(None))) -> np.ndarray:
        """Where the colour of a swimmer is seen: orange, lit or in shade."""
        red, green, blue = self.picture()[part].transpose(2, 0, 1)
        return (red - blue > 50) & (red - green > 15)

    def number(self, label: str) -> str:
        """What stands beside a label among the numbers."""
        return self.page.locator(f"#numbers tr:has(td:text-is('{label}')) td:nth-child(2)").inner_text()

    def heard(self, page: Any) -> None:
        """Wait until the browser has all that Python has told it: what is told last arrives last."""
        name = f"told{next(_numbers)}"
        last = page.client.gui.add_html(f"<i id='{name}'></i>")
        self.page.wait_for_selector(f"#{name}", state="attached")
        last.remove()

    def caught_up(self, page: Any) -> None:
        """Wait until the browser has also drawn all of it."""
        self.heard(page)
        self.page.evaluate(DRAWN)

    def settled(self, page: Any, box: dict[str, float]) -> np.ndarray:
        """The picture of all that was told, once it stays as it is."""
        self.caught_up(page)
        pictures = [self.picture(box)]

        def same() -> bool:
            pictures.append(self.picture(box))
            return bool((pictures[-1] == pictures[-2]).all())

        until(same, "the picture does not come to rest")
        return pictures[-1]

    # What is done

    def draw_rarely(self, rarely: bool = True) -> None:
        """Draw once in a while only, for what is read and typed beside the scene."""
        self.page.evaluate(f"window.pause = {200 if rarely else 90}")

    def hide_notices(self) -> None:
        """Nothing lies over the scene: a notice goes by itself, at a time of its own."""
        self.page.add_style_tag(content=".mantine-Notifications-root { display: none !important }")

    def labelled(self, label: str, kind: str = "not(@type='hidden' or @type='checkbox')") -> Any:
        """The input beside a label."""
        return self.page.locator(f"xpath=//label[normalize-space()='{label}']/following::input[{kind}][1]").first

    def enter(self, field: Any, value: str) -> None:
        field.fill(value)
        field.press("Enter")

    def open(self, tab: str) -> None:
        """Go to another tab of the panel: only what it holds is in the page."""
        self.page.get_by_text(tab, exact=True).first.click()

    def tick(self, label: str) -> None:
        self.labelled(label, "@type='checkbox'").dispatch_event("click")

    def field(self, handle: Any) -> Any:
        """The input of one of our handles."""
        return self.page.locator(f"xpath=//label[@for='{handle._impl.uuid}']/following::input[not(@type='hidden')][1]")

    def unfold(self, group: str) -> None:
        """Open a folder of fields."""
        self.page.get_by_text(group[:1].upper() + group[1:], exact=True).first.click()

    def pick(self, label: str, option: str) -> None:
        """Choose from a list, as a visitor does: write and press Enter."""
        box = self.labelled(label)
        box.click()
        box.fill(option)
        self.page.get_by_role("option", name=option, exact=True).click()


def on_screen(client: Any, points: np.ndarray, box: dict[str, float]) -> np.ndarray:
    """Where points of the world (n, 3) are in the picture of the scene (n, 2), in pixels, for the camera that the
    browser reports.
    """
    camera = client.camera
    w, x, y, z = camera.wxyz
    R = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    local = (points - camera.position) @ R  # x to the right, y down, z ahead
    half = 0.5 * box["height"] / np.tan(0.5 * camera.fov)
    return np.array([0.5 * box["width"], 0.5 * box["height"]]) + half * local[:, :2] / local[:, 2:]
