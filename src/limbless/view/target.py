"""Drag the target, the tip follows: tensions for a tendon-driven spine, found while the mouse moves."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limbless.result import Result
    from limbless.view.page import Page


class Target:
    """The handle at the tip of a tendon-driven spine; for other robots there is none."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def show(self, result: Result) -> None:
        """Offer the handle for a new result."""
