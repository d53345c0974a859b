"""The serpent: the whole snake robot of paper 004, with the tendons of its neck and a skin."""

from __future__ import annotations

from typing import Literal

from limbless.core import Field, Nested, Quantity, checked, quantity
from limbless.robots import SkinFriction, TendonSpine
from limbless.robots.presets.snake_neck import SIDES
from limbless.robots.presets.spine_45 import Spine45


class Serpent(Spine45):
    """One animal that swims, crawls and reaches: 45 vertebrae, five pairs of antagonist tendons along the body, and in
    the neck, its last eight vertebrae, the four tendons of the paper's neck. The head is at the tip.

    Number, length and mass are the paper's; all other values are ours. Behind the neck the body is stiffer against
    bending up and down (`body_ratio`), so that it carries the raised neck; `vertical_ratio` has no effect.
    """

    preset: Literal["serpent"] = "serpent"  # type: ignore[assignment]
    name: str = Field("serpent", description="name of the robot")
    base: Literal["free", "planar", "line", "pinned", "fixed"] = Field("free", description="how disk 0 can move")
    segments: int = Field(5, ge=2, description="pairs of antagonist tendons along the body")
    damping_time: Quantity[float] = quantity(0.04, "s", "damping of every joint over its stiffness, in motion", ge=0)
    neck: int = Field(8, ge=1, description="vertebrae of the neck")
    neck_stiffness: Quantity[float] = quantity(
        0.12,
        "N m/rad",
        "stiffness of the vertebrae of the neck to all sides, so that a raised neck does not fall",
        gt=0,
    )
    body_ratio: Quantity[float] = quantity(8.0, "1", "vertical over lateral stiffness behind the neck", gt=0)
    skin: Nested[SkinFriction] = Field(
        SkinFriction(forward=0.05, backward=0.5, lateral=0.8), description="friction on what states none"
    )

    @checked
    def _has_a_body(self) -> None:
        if self.neck >= self.count:
            raise ValueError(f"neck: {self.neck} vertebrae of {self.count} leave no body; make it smaller than count")

    def build(self) -> TendonSpine:
        """The spine."""
        spine = super().build()
        first = len(spine.vertebrae) - self.neck
        behind = [
            one.changed(vertical_stiffness=self.body_ratio * one.lateral_stiffness) for one in spine.vertebrae[:first]
        ]
        stiff = {"lateral_stiffness": self.neck_stiffness, "vertical_stiffness": self.neck_stiffness}
        r, count = self.hole_radius, len(spine.tendons)
        neck = [
            spine.tendons[0].changed(name=f"neck {side}", holes=((r * y, r * z),), start=first, anchor=None)
            for side, (y, z) in SIDES.items()
        ]
        return spine.changed(
            vertebrae=(*behind, *(one.changed(**stiff) for one in spine.vertebrae[first:])),
            tendons=(*spine.tendons, *neck),
            pairs=(*spine.pairs, (count, count + 3), (count + 1, count + 2)),
            skin=self.skin,
        )
