"""Pictures that are computed: sky, tiles, the floor of a pool, sand, ripples, a soft spot, a ruler."""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np

from limbless.view.scene.palette import SAND, Theme, as_seen, light, rgb, shown, unseen

BRIGHTEST = 6.0  # light of the sky's picture
TILES = 10  # small tiles along a side of the picture
SIZE = 1024  # px
SPOT = 0.55  # how dark the middle of a soft spot is
LAMPS = ((40.0, 62.0, 16.0, 4.0), (-120.0, 55.0, 22.0, 1.6))
"""Azimuth, height and width in degrees, and strength, of soft lamps in the sky."""


def encoded(values: Any, kind: str = "JPEG") -> bytes:
    """Numbers 0 to 1 (height, width, 3 or 4) as the bytes of a picture."""
    from PIL import Image

    out = io.BytesIO()
    Image.fromarray(np.rint(255.0 * np.clip(values, 0.0, 1.0)).astype(np.uint8)).save(out, kind, quality=88)
    return out.getvalue()


def sky_light(theme: Theme, up: Any) -> Any:
    """Light as it is seen at heights above the horizon, degrees."""
    horizon, zenith, nadir = (light(colour) for colour in (theme.horizon, theme.zenith, theme.nadir))
    rise = np.sqrt(np.clip((up - 0.5) / 24.5, 0.0, 1.0))[..., None]
    fall = np.clip((-12.0 - up) / 78.0, 0.0, 1.0)[..., None]
    return horizon + rise * (zenith - horizon) + fall * (nadir - horizon)


@functools.cache
def sky(theme: Theme) -> bytes:
    """The whole sky around as a picture: from below over the horizon to above, and soft lamps high up."""
    rows, columns = 256, 512
    up, across = np.linspace(90.0, -90.0, rows), np.linspace(-180.0, 180.0, columns)[None, :]
    values = np.repeat(unseen(sky_light(theme, up))[:, None], columns, axis=1)
    for azimuth, height, wide, strong in LAMPS:
        sideways = (across - azimuth) * np.cos(np.radians(height)) / wide
        lamp = np.exp(-((sideways**2 + ((up[:, None] - height) / wide) ** 2) ** 2))
        values = values + strong * (0.35 if theme.dark else 1.0) * lamp[..., None]
    return encoded(shown(values / BRIGHTEST))


def _noise(size: int, seed: int, rough: float = 1.0) -> Any:
    """A smooth random picture that repeats, about -1 to 1."""
    rng = np.random.default_rng(seed)
    k = np.hypot(*np.meshgrid(np.fft.fftfreq(size) * size, np.fft.fftfreq(size) * size))
    spectrum = np.fft.fft2(rng.standard_normal((size, size))) * np.where(k > 0, 1.0 / np.maximum(k, 1.0) ** rough, 0.0)
    value = np.real(np.fft.ifft2(spectrum))
    return value / (2.2 * value.std())


@functools.cache
def ground(theme: Theme) -> Any:
    """Two by two large tiles of five by five small ones, as they are seen; under water with threads of light."""
    base = np.broadcast_to(np.array(rgb(theme.tile)) / 255.0, (SIZE, SIZE, 3))
    ink, place = np.array(rgb(theme.line)) / 255.0, np.arange(SIZE)
    if not theme.deep:
        large = (place * 2 // SIZE)[:, None] + (place * 2 // SIZE)[None, :]
        base = base * (1.0 - 0.018 * (large % 2) + 0.008 * _noise(SIZE, 3, 0.9))[..., None]
    strengths = (0.16, 0.55) if theme.deep else (0.30, 0.95)
    for pitch, wide, strong in zip((SIZE / TILES, SIZE / 2), (0.8, 2.2), strengths, strict=True):
        cover = np.clip(wide - np.minimum(place % pitch, pitch - place % pitch) + 0.5, 0.0, 1.0)
        cover = (np.maximum(cover[:, None], cover[None, :]) * strong)[..., None]
        base = base * (1.0 - cover) + ink * cover
    return base * (0.92 + 0.30 * _threads()[..., None]) if theme.deep else base


@functools.cache
def _threads() -> Any:
    """Bright threads as waves throw them on a floor, 0 to 1: where two smooth pictures are nearly equal."""
    return np.clip(0.6 * sum(np.exp(-((_noise(SIZE, seed, 2.4) / 0.09) ** 2)) for seed in (1, 2)), 0.0, 1.0)


@functools.cache
def sand() -> Any:
    """Sand as numbers to be seen."""
    grain = 0.05 * _noise(512, 4, 0.35) + 0.035 * _noise(512, 5, 1.6)
    return np.array(rgb(SAND)) / 255.0 * (1.0 + grain[..., None])


@functools.cache
def ground_picture(theme: Theme | None) -> bytes:
    """Tiles, or sand without a theme, for a surface that is not lit."""
    return encoded(as_seen(sand() if theme is None else ground(theme)))


@functools.cache
def slopes(size: int = 256, steep: float = 0.14) -> Any:
    """Directions (size, size, 3) of a rippled surface; repeats."""
    height = _noise(size, 6, 1.9) * 9.0
    gx, gy = (np.roll(height, -1, axis) - np.roll(height, 1, axis) for axis in (1, 0))
    normal = np.stack([-steep * gx, -steep * gy, np.ones_like(gx)], axis=-1)
    return normal / np.linalg.norm(normal, axis=-1, keepdims=True)


@functools.cache
def ripples() -> bytes:
    return encoded(0.5 + 0.5 * slopes(), "PNG")


@functools.cache
def spot(size: int = 64) -> bytes:
    """A soft dark spot: what keeps light from the ground near a body."""
    x = np.linspace(-1.0, 1.0, size)
    alpha = SPOT * np.clip(1.0 - np.hypot(*np.meshgrid(x, x)), 0.0, 1.0) ** 1.8
    return encoded(np.dstack([np.zeros((size, size, 3)), alpha]), "PNG")


def ruler(theme: Theme, unit: float, count: int) -> Any:
    """A ruler to lie on the ground, `count` fields of `unit` metres: numbers (96, 1024, 4)."""
    from PIL import Image, ImageDraw, ImageFont

    wide, tall = 1024, 96
    image = Image.new("RGBA", (wide, tall), (*rgb(theme.text), 0))
    draw = ImageDraw.Draw(image)
    ink, paper = rgb(theme.text), rgb(theme.paper)
    for number in range(count):
        corners = (wide * number / count, 4, wide * (number + 1) / count, 22)
        draw.rectangle(corners, fill=(ink, paper)[number % 2], outline=ink)
    per, name = (1e3, "mm") if unit * count < 0.02 else (100.0, "cm") if unit * count < 2.0 else (1.0, "m")
    font, half = ImageFont.load_default(44), 0.5 * count * unit * per
    draw.text((2, 34), "0", font=font, fill=ink)
    draw.text((wide / 2, 34), f"{half:g}", font=font, fill=ink, anchor="ma")
    draw.text((wide - 4, 34), f"{2.0 * half:g} {name}", font=font, fill=ink, anchor="ra")
    return np.asarray(image) / 255.0


@functools.cache
def ruler_picture(theme: Theme, unit: float, count: int) -> bytes:
    """The same for a surface that is not lit."""
    drawn = ruler(theme, unit, count)
    return encoded(np.concatenate([as_seen(drawn[..., :3]), drawn[..., 3:]], axis=-1), "PNG")
