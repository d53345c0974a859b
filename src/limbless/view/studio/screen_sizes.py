"""Screens of all sizes: how wide the panels are, and how much room the scene has."""

from __future__ import annotations

from dataclasses import dataclass

PHONE = 576  # px; a narrower page has its panels in one sheet at the lower edge
SMALL = 1050  # px; a narrower page has a narrower panel
WIDE = 1600  # px; a wider page has its plots in a panel of their own
_SHEET = 44  # % of the height of a phone that the sheet takes while it is open
_HANDLE = "3.5em"  # height of the sheet when it is folded

LEGEND_STYLE = f"""<style>
#legend {{ left: 12px; bottom: 12px }}
canvas {{ opacity: 1 !important }}
@media (max-width: {PHONE}px) {{
  #legend {{ bottom: auto !important; top: 8px !important; left: 8px !important; max-width: 60vw; font-size: 11px }} }}
</style>"""
"""The card over the scene stands at its lower left, on a phone at its top. A scene is seen at once: viser lets it
appear over many pictures, which takes long where each is slow.
"""

STYLE = f"""<style>
.mantine-NumberInput-root[style*="width: 3rem"] {{ width: 5.6rem !important; flex-shrink: 0 }}
.mantine-NumberInput-input {{ font-variant-numeric: tabular-nums; letter-spacing: 0 !important; text-align: right }}
.mantine-Slider-markLabel {{ margin-top: 2px }}
label wbr {{ display: none }}
.refused {{ color: #8a2500; background: #fdeee7; border-left: 4px solid #D55E00; padding: 4px 8px;
  margin: -2px 10px 8px; font-size: 12.5px; white-space: pre-wrap }}
[data-mantine-color-scheme="dark"] .refused {{ color: #ffd9c7; background: #4a1f10 }}
.said {{ padding: 4px 12px; font-size: 13px }}
.good {{ color: #2b6a4d }}
[data-mantine-color-scheme="dark"] .good {{ color: #7fd6ae }}
.dim {{ color: var(--mantine-color-dimmed) }}
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
    def wide(self) -> bool:
        """Whether plots have a panel of their own at the left; in others they are a tab at the right."""
        return self.width >= WIDE

    @property
    def controls(self) -> int:
        """Width of the panel at the right, px."""
        return 330 if self.width < SMALL else 384

    @property
    def plots(self) -> int:
        """Width of the panel at the left, px."""
        return 380 if self.wide else 0

    @property
    def style(self) -> str:
        """Where the card over the scene stands: beside the panel at the left."""
        return f"<style>#legend {{ left: {self.plots + 12}px }}</style>"

    @property
    def aspect(self) -> float:
        """Width over height of the scene between the panels."""
        if self.width <= PHONE:
            return self.width / max(self.height * (1.0 - 0.01 * _SHEET), 1.0)
        return max(self.width - self.controls - self.plots, 60) / max(self.height, 1)
