"""Screens of all sizes: how wide the panels are, which are folded at first, and how much room the scene has."""

from __future__ import annotations

from dataclasses import dataclass

PHONE = 576  # px; a narrower page has its panels in one sheet at the lower edge
SMALL = 1050  # px; in a narrower page the plots are folded at first
_SHEET = 44  # % of the height of a phone that the sheet takes while it is open
_RAIL = 40  # px of a panel that is folded
_HANDLE = "3.5em"  # height of the sheet when it is folded

STYLE = f"""<style>
.mantine-NumberInput-root[style*="width: 3rem"] {{ width: 5.6rem !important; flex-shrink: 0 }}
.mantine-NumberInput-input {{ font-variant-numeric: tabular-nums; letter-spacing: 0 !important; text-align: right }}
label wbr {{ display: none }}
@media (max-width: {PHONE}px) {{
  .mantine-Paper-root[style*="position: fixed"][style*="bottom: 0"] {{
    width: 100% !important; max-height: {_SHEET}% !important }}
  .mantine-Paper-root[style*="position: fixed"] [style*="width: 20em"] {{ width: 100% !important }}
  div[style*="inset: 0px"]:has(> canvas) {{ bottom: {_SHEET}% !important }}
  body:has([style*="width: 20em"] > [style*="display: none"]) div[style*="inset: 0px"]:has(> canvas) {{
    bottom: {_HANDLE} !important }}
}}
</style>"""
"""Fields are wide enough for their numbers. On a phone the scene ends where the sheet begins: behind it is no view."""


@dataclass(frozen=True)
class Screen:
    """A visitor's window, px."""

    width: int
    height: int

    @property
    def small(self) -> bool:
        """Whether the plots are folded at first."""
        return self.width < SMALL

    @property
    def controls(self) -> int:
        """Width of the panel at the right, px."""
        return 290 if self.small else 360

    @property
    def plots(self) -> int:
        """Width of the panel at the left, px."""
        return 320 if self.small else 380

    @property
    def aspect(self) -> float:
        """Width over height of the scene between the panels."""
        if self.width <= PHONE:
            return self.width / max(self.height * (1.0 - 0.01 * _SHEET), 1.0)
        beside = self.controls + (_RAIL if self.small else self.plots)
        return max(self.width - beside, 60) / max(self.height, 1)
