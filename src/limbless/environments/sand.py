"""`sand`: dry sand around a body or under it, by granular resistive force theory."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from limbless.core import Field, Quantity, checked, quantity
from limbless.environments import (
    MOST_POINTS,
    Environment,
    Pack,
    body_rows,
    end_face,
    in_windows,
    segment_rows,
    segments_of,
)
from limbless.mechanics.forces import PackedLaws, SandEndLaw, SlenderSandLaw, SurfaceSandLaw
from limbless.robots.base import Robot

GENERIC = (0.206, 0.169, 0.212, 0.358, 0.055, -0.124, 0.253, 0.007, 0.088)
"""A00 A10 B11 B01 B-11 | C11 C01 C-11 D10 of Li, Zhang and Goldman (2013), of which α_z(0, 90 deg) is 1."""
MEDIA = {
    "glass": (0.33, GENERIC),
    "generic": (1.0, GENERIC),
    "poppy-loose": (1.0, (0.051, 0.047, 0.053, 0.083, 0.020, -0.026, 0.057, 0.0, 0.025)),
    "poppy-close": (1.0, (0.094, 0.092, 0.092, 0.151, 0.035, -0.039, 0.086, 0.018, 0.046)),
}
"""Of the form `surface`: strength ζ (N/cm3) and coefficients. Poppy seeds are their own coefficients of that paper; .33
for glass beads is that of Treers, Cao and Stuart (2021)."""
_PER_CUBIC_CENTIMETRE = 1e6
_SLENDER = ("lateral", "along", "along_slip", "gamma", "end")
_SURFACE = ("zeta", "faces", "leading", "skin", "density")


class Sand(Environment):
    """Dry sand by granular resistive force theory: force grows with depth and is independent of speed.

    `form: slender` is for round, thin swimmers (Maladen et al. 2009). It has one formula per slice, and forces on the
    faces at both ends, which decide how far a sandfish gets. `form: surface` is for blunt and digging bodies (Li et al.
    2013) and cuts the section into `faces`.

    Sand acts below the height `surface`, or everywhere as if it were `depth` deep. It has no memory, no cohesion, no
    inertia of grains and no lift from density. Below `speed` it is viscous, so a body always creeps a little.
    """

    kind: Literal["sand"] = "sand"
    is_fluid: ClassVar[bool] = True
    form: Literal["slender", "surface"] = Field(
        "slender", description="slender (round, thin bodies), or surface (faces of the section: blunt, digging bodies)"
    )
    medium: Literal["glass", "poppy-loose", "poppy-close", "generic"] = Field(
        "glass", description="the grains: glass beads, poppy seeds loose or close, or generic (strength 1 N/cm3)"
    )
    surface: Quantity[float | None] = quantity(None, "m", "height of the free surface of the sand; 0 if absent")
    depth: Quantity[float | None] = quantity(
        None, "m", "the same depth everywhere, in place of `surface`: a body deep in the sand", gt=0
    )
    lateral: Quantity[float] = quantity(8765.0 / 0.0762, "N/m3", "slender: resistance C_S across the body", gt=0)
    along: Quantity[float] = quantity(3623.0 / 0.0762, "N/m3", "slender: resistance C_F along the body", ge=0)
    along_slip: Quantity[float] = quantity(
        -2744.0 / 0.0762, "N/m3", "slender: what C_L takes from it where the body slides along itself"
    )
    gamma: Quantity[float] = quantity(1.9256, "1", "slender: how soon the resistance across is reached", gt=0)
    end: Quantity[float] = quantity(
        1.80e5, "N/m3", "slender: resistance C_E of the faces at both ends; a tapered head has 0.7 of it", ge=0
    )
    zeta: Quantity[float | None] = quantity(
        None, "N/m3", "surface: strength by which the coefficients are multiplied; the medium's if absent", gt=0
    )
    faces: int = Field(16, ge=8, le=256, description="surface: faces of the section")
    leading: Quantity[float] = quantity(0.05, "1", "surface: how softly a face begins to lead; 0: at once", ge=0)
    skin: Quantity[float] = quantity(0.25, "1", "surface: friction of faces that do not lead; 0: none", ge=0)
    density: Quantity[float] = quantity(
        1500.0, "kg/m3", "surface: density of the sand, which presses on the skin", gt=0
    )
    speed: Quantity[float] = quantity(1e-4, "m/s", "speed below which the sand is viscous", gt=0)
    points: int = Field(4, ge=1, le=MOST_POINTS, description="Gauss points per segment")

    @checked
    def _of_one_form(self) -> None:
        if self.surface is not None and self.depth is not None:
            raise ValueError(
                "surface, depth: sand has a free surface at a height, or the same depth everywhere; leave one of them "
                "out"
            )
        if self.along + self.along_slip <= 0.0:
            raise ValueError(
                f"along_slip: along + along_slip is {self.along + self.along_slip:g} N/m3, so that sand would push a "
                "body that slides along itself; make it larger than minus `along`"
            )
        if self.form == "slender" and self.medium != "glass":
            raise ValueError(
                f"medium: the slender law is measured in glass beads alone, and its constants are fields of their own; "
                f"set form to surface for {self.medium!r}, or medium to glass"
            )
        other, names = ("surface", _SURFACE) if self.form == "slender" else ("slender", _SLENDER)
        for name in self.given(*names):
            raise ValueError(f"{name}: it belongs to form: {other}; leave it out, or set form to {other}")

    @property
    def height(self) -> float:
        """Of the free surface, m."""
        return self.surface or 0.0

    def varies(self, level: bool) -> str | None:
        return None if level or self.depth is not None else "the depth of the sand changes with height"

    def refined(self) -> Sand:
        finer = super().refined()
        return finer.changed(faces=min(2 * self.faces, 256)) if self.form == "surface" else finer

    def pack(self, robot: Robot) -> Pack:
        pieces = segments_of(robot, "sand acts")
        kind: Any = SlenderSandLaw() if self.form == "slender" else SurfaceSandLaw()
        sizes = {
            "half_width": [piece.half_width for piece in pieces],
            "half_height": [piece.half_height for piece in pieces],
        }
        laws = [segment_rows(kind, pieces, self.points, **sizes, **self._common(), **self._form())]
        laws += [self._end(robot, last) for last in (False, True) if last or robot.base != "fixed"]
        return Pack(in_windows(self, *laws))

    def _common(self) -> dict[str, Any]:
        depth = {"depth": self.depth or 0.0, "deep": self.depth is not None}
        return {"speed": self.speed, "surface": self.height, **depth}

    def _form(self) -> dict[str, Any]:
        if self.form == "slender":
            return {name: getattr(self, name) for name in _SLENDER[:-1]}
        return {**self._faces(), "faces": self.faces}

    def _faces(self) -> dict[str, Any]:
        """Coefficients of (11) and (12), N/m3."""
        own, coefficients = MEDIA[self.medium]
        c = np.array(coefficients) * (own * _PER_CUBIC_CENTIMETRE if self.zeta is None else self.zeta)
        rub = self.skin * self.density * 9.81
        return {
            "vertical": c[:3],
            "vertical_more": (c[3], c[4], rub),
            "horizontal": c[5:8],
            "twice": c[8],
            "leading": self.leading,
        }

    def _end(self, robot: Robot, last: bool) -> PackedLaws:
        piece, place = end_face(robot, last)
        faced = self.form == "surface"
        return body_rows(
            SandEndLaw(),
            [piece.body],
            start=place,
            frame=piece.frame.ravel(),
            side=1.0 if last else -1.0,
            half_width=piece.half_width,
            half_height=piece.half_height,
            stress=0.0 if faced else self.end,
            faced=faced,
            **self._common(),
            **(self._faces() if faced else {}),
        )
