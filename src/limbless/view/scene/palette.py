"""Colours of studio, replay and movies, and what a page makes of light: its film curve and its numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.environments import DrawnBox, DrawnRelief, DrawnSheet, together

if TYPE_CHECKING:
    from limbless.view.scene.frames import Array, Frames

SAND, WET, DROWNED, SURFACE = "#E3D6BB", "#B9A27E", "#3B97A8", "#3FA7B8"
SAND_BED = "sand"  # the environment that is no water, though a body swims in it
GHOST, GHOSTLY = "#9AA4AC", 0.35
RUNG = 0.75  # opacity of a run in a colour of its own
SUN = np.array([-2.6, 1.7, 4.6])
"""Where the light comes from: behind the body as the camera sees it."""


@dataclass(frozen=True)
class Theme:
    """Colours as the eye sees them."""

    zenith: str
    horizon: str
    nadir: str
    tile: str
    line: str
    text: str
    paper: str  # behind text
    shell: str  # back of a robot
    belly: str
    joint: str
    stripe: str
    obstacle: str
    sides: str  # of an obstacle, and its edges
    holds: str  # arrows: contacts that hold, contacts that slip, forces of the water
    slips: str
    fluid: str
    faded: str  # of the ground as it is seen, into which old things fade
    sun: float  # strength of the light that throws shadows
    fill: float  # strength of the sky
    fog: tuple[float, float] = (2.5, 9.0)  # where it begins and hides everything, in body lengths
    dark: bool = False
    deep: bool = False  # under water


_DAY = Theme(
    *("#9DC1E2", "#EEF2F4", "#D8DBDD", "#E9E6DF", "#A6A39A", "#1B2A36", "#FFFFFF", "#1D5C8F", "#D5DEE5"),
    *("#23292E", "#F2B233", "#C98F5E", "#7A5232", "#00664B", "#C44A00", "#6A2A78", "#D9D8D5"),
    sun=2.9,
    fill=0.8,
)
_DARK = Theme(
    *("#080C12", "#1E2832", "#0C1116", "#3A4652", "#67788A", "#E8EEF3", "#141B22", "#8CC4F0", "#F2F6F9"),
    *("#10151A", "#F2B233", "#B98559", "#F0C9A0", "#45D6AE", "#FF7A1F", "#E3A6EC", "#2B343D"),
    sun=2.6,
    fill=0.75,
    dark=True,
)
_WIDE = (DrawnSheet, DrawnRelief, DrawnBox)
LIGHTS = ("day", "dark")
_LAND = {"day": _DAY, "dark": _DARK}
_WATER = {
    "day": replace(
        _DAY,
        zenith="#CFEFF2",
        horizon="#4A9BB0",
        nadir="#164E63",
        tile="#3E8598",
        line="#A9D6DB",
        shell="#FF9A2E",
        belly="#FFF1DC",
        joint="#17242B",
        stripe="#FFF1DC",
        faded="#4C93A5",
        deep=True,
        fog=(1.6, 5.5),
        sun=3.2,
        fill=0.62,
    ),
    "dark": replace(
        _DARK,
        zenith="#155A6E",
        horizon="#08303D",
        nadir="#03151C",
        tile="#15485A",
        line="#3E8797",
        shell="#FF9A3C",
        belly="#FFF0DC",
        joint="#0C171C",
        stripe="#FFF0DC",
        faded="#10394A",
        deep=True,
        fog=(1.6, 5.5),
        sun=2.8,
        fill=0.6,
    ),
}


def theme_of(frames: Frames, light: str = "day") -> Theme:
    """The colours of a run: those of deep water where nothing but water is around."""
    items = together(frames.result.environment)
    open_water = not any(isinstance(one, _WIDE) for item in items for one in item.drawn())
    return (_WATER if open_water and any(item.is_fluid and item.kind != SAND_BED for item in items) else _LAND)[light]


def rgb(colour: str) -> tuple[int, int, int]:
    """`#0072B2` -> (0, 114, 178)."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def linear(colour: Any) -> Any:
    """A colour as instances of a mesh and arrows have it: the page takes their numbers for light, which grows faster
    than what the eye is told by those of other meshes and of a legend; as they are, they would look washed out.
    """
    return np.rint(255.0 * as_light(np.asarray(colour, dtype=np.float64) / 255.0)).astype(np.uint8)


def light(colour: str) -> Array:
    """`#RRGGBB` -> light (3,), 0 to 1."""
    return as_light(np.array(rgb(colour)) / 255.0)


def as_light(share: Any) -> Any:
    """Numbers of a picture, 0 to 1 -> light."""
    return np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)


def shown(values: Any) -> Any:
    """Light, 0 to 1 -> numbers of a picture."""
    values = np.clip(values, 0.0, 1.0)
    return np.where(values <= 0.0031308, 12.92 * values, 1.055 * values ** (1.0 / 2.4) - 0.055)


_BYTES = np.rint(255.0 * shown(np.linspace(0.0, 1.0, 2**16))).astype(np.uint8)


def as_bytes(values: Any) -> Any:
    """Light, 0 to 1 -> bytes of a picture, by a table."""
    return _BYTES[(np.clip(values, 0.0, 1.0) * (len(_BYTES) - 1)).astype(np.uint16)]


_INTO = np.array([[0.59719, 0.35458, 0.04823], [0.07600, 0.90834, 0.01566], [0.02840, 0.13383, 0.83777]])
_OUT = np.array([[1.60475, -0.53108, -0.07367], [-0.10208, 1.10813, -0.00605], [-0.00327, -0.07276, 1.07602]])


def seen(values: Any) -> Any:
    """What a page makes of light: the film curve of three.js (ACES, as Stephen Hill fitted it), 0 to 1."""
    v = (values / 0.6) @ _INTO.T
    return np.clip(((v * (v + 0.0245786) - 0.000090537) / (v * (0.983729 * v + 0.4329510) + 0.238081)) @ _OUT.T, 0, 1)


def unseen(wanted: Any) -> Any:
    """The light that is seen as wanted: the curve solved for it."""
    y = np.clip(np.asarray(wanted, float) @ np.linalg.inv(_OUT).T, 0.0, 0.99)
    a, b, c = 1.0 - 0.983729 * y, 0.0245786 - 0.4329510 * y, -0.000090537 - 0.238081 * y
    v = (-b + np.sqrt(b * b - 4.0 * a * c)) / (2.0 * a)
    return np.clip(0.6 * v @ np.linalg.inv(_INTO).T, 0.0, 6.0)


def as_seen(values: Any) -> Any:
    """Numbers of a picture, 0 to 1, with which a surface that is not lit is seen in just these colours."""
    whole = np.rint(255.0 * np.clip(values, 0.0, 1.0)).astype(np.int64) @ [65536, 256, 1]
    used, where = np.unique(whole, return_inverse=True)  # each colour once: a picture has few
    share = np.stack([used >> 16, used >> 8 & 255, used & 255], axis=-1) / 255.0
    return shown(unseen(as_light(share)))[where.reshape(whole.shape)]
