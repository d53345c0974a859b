"""Triangles into a picture: the nearest at every pixel, then its light. Compiled; memory is the caller's."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.compiled import func, kernel

Real = NDArray[np.float64]
Whole = NDArray[np.int32]
Single = NDArray[np.float32]

LIT, PLAIN, TILED = 0.0, 1.0, 2.0
"""How a vertex takes light: as a glossy surface, not at all, or as the ground with its texture."""
SHADE = 0.42  # how much light a shadow on the ground takes
_NEAREST = 0.02  # drawn units before the eye
_BIAS = 0.04  # of shadows
_FAR = 1000.0  # of the sun


class Buffer(NamedTuple):
    """For every pixel the nearest triangle: 1 / depth, its number, and where in it the pixel lies."""

    near: Single
    owner: Whole
    one: Single
    two: Single


class Mesh(NamedTuple):
    """Triangles in the world: points, normals, colours (red, green, blue as light, how it is lit or its opacity)."""

    points: Real
    normals: Real
    colours: Real
    faces: Whole


class Eye(NamedTuple):
    """A pinhole: its place, its axes, and half of the picture's height at distance 1."""

    place: Real
    ahead: Real
    right: Real
    up: Real
    half: float


class Sun(NamedTuple):
    """The direction of the light, axes across it, and the picture of what it meets first."""

    way: Real
    x: Real
    y: Real
    low: Real
    span: float
    shade: Single


class Ground(NamedTuple):
    """A plane with a texture in halved sizes, what water leaves of its colour by height, and a ruler on it."""

    plane: Real  # height at the origin, slopes
    tiles: tuple[Single, ...]
    period: float
    tints: Real  # (n, 3) from height `bottom`, every `step`
    bottom: float
    step: float
    ruler: Single
    corner: Real  # x and y of its lower left
    size: Real  # long and wide


class Air(NamedTuple):
    """Colours of the sky, as light, where the fog begins and ends, and what ground fades into."""

    horizon: Real
    zenith: Real
    nadir: Real
    fog: Real
    faded: Real


class Water(NamedTuple):
    """A still surface: its height (far below everything: none), colour, directions of its ripples and their period,
    and how far they have drifted.
    """

    level: float
    colour: Real
    ripples: Real
    period: float
    drift: Real
    shore: float  # slope of the ground: distance from the shore is depth over it
    body: float


@kernel
def fill(xy: Real, depth: Real, faces: Whole, buffer: Buffer) -> None:
    """The nearest triangle at every pixel."""
    near, owner, one, two = buffer
    tall, wide = near.shape
    for f in range(len(faces)):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        if depth[a] <= _NEAREST or depth[b] <= _NEAREST or depth[c] <= _NEAREST:
            continue
        ax, ay, bx, by, cx, cy = xy[a, 0], xy[a, 1], xy[b, 0], xy[b, 1], xy[c, 0], xy[c, 1]
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        x0, x1 = max(np.floor(min(ax, bx, cx)), 0.0), min(np.ceil(max(ax, bx, cx)), wide - 1.0)
        y0, y1 = max(np.floor(min(ay, by, cy)), 0.0), min(np.ceil(max(ay, by, cy)), tall - 1.0)
        if area == 0.0 or x1 < x0 or y1 < y0:
            continue
        ia, ib, ic = 1.0 / depth[a], 1.0 / depth[b], 1.0 / depth[c]
        for y in range(int(y0), int(y1) + 1):
            for x in range(int(x0), int(x1) + 1):
                px, py = x + 0.5, y + 0.5
                v = ((px - ax) * (cy - ay) - (cx - ax) * (py - ay)) / area
                w = ((bx - ax) * (py - ay) - (px - ax) * (by - ay)) / area
                if v < 0.0 or w < 0.0 or v + w > 1.0:
                    continue
                inverse = (1.0 - v - w) * ia + v * ib + w * ic
                if inverse > near[y, x]:
                    near[y, x], owner[y, x] = inverse, f
                    one[y, x], two[y, x] = v * ib / inverse, w * ic / inverse


@func
def _lit(sun, px, py, pz):  # type: ignore[no-untyped-def]
    """Share of the sun that arrives, softened over nine places of its picture."""
    maps = sun.shade.shape[0]
    u = (px * sun.x[0] + py * sun.x[1] + pz * sun.x[2] - sun.low[0]) / sun.span * maps
    v = (px * sun.y[0] + py * sun.y[1] + pz * sun.y[2] - sun.low[1]) / sun.span * maps
    if u < -2.0 or v < -2.0 or u > maps + 2.0 or v > maps + 2.0:
        return 1.0
    before = 1.0 / (_FAR - _BIAS - (px * sun.way[0] + py * sun.way[1] + pz * sun.way[2]))
    total = 0.0
    for du in range(-1, 2):
        for dv in range(-1, 2):
            iu, iv = int(u + 1.3 * du), int(v + 1.3 * dv)
            if not (0 <= iu < maps and 0 <= iv < maps and sun.shade[iv, iu] > before):
                total += 1.0
    return total / 9.0


@func
def _colour(mesh, face, q, r):  # type: ignore[no-untyped-def]
    """Between the corners of a triangle; the fourth number is that of its first corner."""
    a, b, c, p, v = mesh.faces[face, 0], mesh.faces[face, 1], mesh.faces[face, 2], 1.0 - q - r, mesh.colours
    return (
        p * v[a, 0] + q * v[b, 0] + r * v[c, 0],
        p * v[a, 1] + q * v[b, 1] + r * v[c, 1],
        p * v[a, 2] + q * v[b, 2] + r * v[c, 2],
        v[a, 3],
    )


@func
def _normal(mesh, face, q, r, ray):  # type: ignore[no-untyped-def]
    """The direction of a surface, towards the eye."""
    a, b, c, p, n = mesh.faces[face, 0], mesh.faces[face, 1], mesh.faces[face, 2], 1.0 - q - r, mesh.normals
    x = p * n[a, 0] + q * n[b, 0] + r * n[c, 0]
    y = p * n[a, 1] + q * n[b, 1] + r * n[c, 1]
    z = p * n[a, 2] + q * n[b, 2] + r * n[c, 2]
    size = 1.0 / np.sqrt(x * x + y * y + z * z + 1e-12)
    if x * ray[0] + y * ray[1] + z * ray[2] > 0.0:
        size = -size
    return x * size, y * size, z * size


@func
def _mixed(a, b, share):  # type: ignore[no-untyped-def]
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])


@func
def _lighter(a, by):  # type: ignore[no-untyped-def]
    return a[0] * by, a[1] * by, a[2] * by


@func
def _foggy(colour, air, t):  # type: ignore[no-untyped-def]
    away = min(max((t - air.fog[0]) / (air.fog[1] - air.fog[0]), 0.0), 1.0)
    return _mixed(colour, air.horizon, away)


@func
def _tile(ground, air, px, py, pz, t, pixel):  # type: ignore[no-untyped-def]
    """The ground's colour at a place, between four points of a picture that is as coarse as a pixel is there."""
    level = min(int(np.log2(max(pixel, 1.0))), len(ground.tiles) - 1)
    picture = ground.tiles[level]
    size = picture.shape[0]
    u, v = px / ground.period * size - 0.5, py / ground.period * size - 0.5
    left, low = np.floor(u), np.floor(v)
    a, b = u - left, v - low
    x0, y0 = int(left) % size, int(low) % size
    x1, y1 = (x0 + 1) % size, (y0 + 1) % size
    found = _mixed(_mixed(picture[y0, x0], picture[y0, x1], a), _mixed(picture[y1, x0], picture[y1, x1], a), b)
    tint = ground.tints[min(max(int((pz - ground.bottom) / ground.step), 0), len(ground.tints) - 1)]
    found = _mixed(found, air.faded, min(t / air.fog[1], 1.0) * 0.6)
    found = found[0] * tint[0], found[1] * tint[1], found[2] * tint[2]
    along, up = (px - ground.corner[0]) / ground.size[0], (py - ground.corner[1]) / ground.size[1]
    cover, ink = 0.0, (0.0, 0.0, 0.0)
    if 0.0 <= along < 1.0 and 0.0 <= up < 1.0:
        rows, columns = ground.ruler.shape[0], ground.ruler.shape[1]
        wide = 0.33 * pixel * ground.period / ground.tiles[0].shape[0]
        for i in range(-1, 2):  # as coarse as the pixel
            for j in range(-1, 2):
                down = int((1.0 - up + i * wide / ground.size[1]) * rows)
                right = int((along + j * wide / ground.size[0]) * columns)
                mark = ground.ruler[min(max(down, 0), rows - 1), min(max(right, 0), columns - 1)]
                cover += mark[3] / 9.0
                ink = (
                    ink[0] + mark[0] * mark[3] / 9.0,
                    ink[1] + mark[1] * mark[3] / 9.0,
                    ink[2] + mark[2] * mark[3] / 9.0,
                )
        found = _lighter(found, 1.0 - cover)
        found = found[0] + ink[0], found[1] + ink[1], found[2] + ink[2]
    return found


@func
def _through(under, water, ground, eye, ray, t, sun, air):  # type: ignore[no-untyped-def]
    """A colour seen through the surface of water: its own, ripples that glint, foam at the shore."""
    px, py = eye.place[0] + t * ray[0], eye.place[1] + t * ray[1]
    size = water.ripples.shape[0]
    iu = int(np.floor((px - water.drift[0]) / water.period * size)) % size
    iv = int(np.floor((py - water.drift[1]) / water.period * size)) % size
    ripple = water.ripples[iv, iu]
    off = (water.level - ground.plane[0] - ground.plane[1] * px - ground.plane[2] * py) / water.body
    off /= max(water.shore, 1e-3)
    wobble = 0.012 * (np.sin(2.1 * py) + 0.6 * np.sin(5.3 * py + 1.0) + 0.4 * np.sin(11.7 * py))
    length = np.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
    front = -(ray[0] * ripple[0] + ray[1] * ripple[1] + ray[2] * ripple[2]) / length
    hx, hy, hz = sun.way[0] - ray[0] / length, sun.way[1] - ray[1] / length, sun.way[2] - ray[2] / length
    glint = max(hx * ripple[0] + hy * ripple[1] + hz * ripple[2], 0.0) / np.sqrt(hx * hx + hy * hy + hz * hz)
    own = _lighter(water.colour, 0.75 + 0.9 * (ripple[0] + ripple[1]))
    found = _mixed(under, own, 0.14 + 0.46 * (1.0 - np.exp(-2.0 * max(off, 0.0))))
    found = _mixed(found, air.zenith, 0.02 + 0.6 * max(1.0 - front, 0.0) ** 5)
    foam = max(0.0, 1.0 - abs(off + wobble - 0.012) / 0.014) if water.shore > 1e-3 else 0.0
    found = _mixed(found, (0.9, 0.9, 0.9), 0.75 * foam)
    bright = 0.5 * glint**160
    return _foggy((found[0] + bright, found[1] + bright, found[2] + bright), air, t)


@func
def _glossy(colour, n, ray, lit, sunny, sun, air):  # type: ignore[no-untyped-def]
    """A surface in the light of the sun, the sky and a lamp at the eye, with a highlight."""
    length = np.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
    front = max(-(n[0] * ray[0] + n[1] * ray[1] + n[2] * ray[2]) / length, 0.0)
    hx, hy, hz = sun.way[0] - ray[0] / length, sun.way[1] - ray[1] / length, sun.way[2] - ray[2] / length
    halfway = max(n[0] * hx + n[1] * hy + n[2] * hz, 0.0) / np.sqrt(hx * hx + hy * hy + hz * hz)
    gloss = 0.35 * lit * halfway**48 + 0.10 * (1.0 - front) ** 4
    sky, direct = _mixed(air.nadir, air.zenith, 0.5 + 0.5 * n[2]), sunny * lit + 0.18 * front
    return (
        colour[0] * (0.75 * sky[0] + direct) + gloss,
        colour[1] * (0.75 * sky[1] + direct) + gloss,
        colour[2] * (0.75 * sky[2] + direct) + gloss,
    )


@func
def _sample(eye, ray, buffer, mesh, y, x, sun, ground, air, tall):  # type: ignore[no-untyped-def]
    """Colour and distance of what is not see-through."""
    face = buffer.owner[y, x]
    depth = 1.0 / buffer.near[y, x] if face >= 0 else 1e9
    base = ground.plane
    above = eye.place[2] - base[0] - base[1] * eye.place[0] - base[2] * eye.place[1]
    falls = base[1] * ray[0] + base[2] * ray[1] - ray[2]
    floor = above / falls if above > 0.0 and falls > 1e-6 else 1e9
    t = min(depth, floor)
    if t >= 1e8:
        high = ray[2] / np.sqrt(ray[0] ** 2 + ray[1] ** 2 + ray[2] ** 2)
        rise = min(max((np.degrees(np.arcsin(high)) - 0.5) / 24.5, 0.0), 1.0) ** 0.5
        return _mixed(air.horizon, air.zenith, rise), t
    if t >= air.fog[1]:
        return _mixed(air.horizon, air.horizon, 0.0), t
    px, py, pz = eye.place[0] + t * ray[0], eye.place[1] + t * ray[1], eye.place[2] + t * ray[2]
    lit = _lit(sun, px, py, pz)
    pixel = 2.0 * eye.half / tall * t / ground.period * ground.tiles[0].shape[0]
    if floor < depth:
        pixel *= np.sqrt(1.0 / max(falls, 0.02))
        found = _lighter(_tile(ground, air, px, py, pz, t, pixel), 1.0 - SHADE * (1.0 - lit))
        return _foggy(found, air, t), t
    q, r = buffer.one[y, x], buffer.two[y, x]
    red, green, blue, kind = _colour(mesh, face, q, r)
    n = _normal(mesh, face, q, r, ray)
    sunny = max(n[0] * sun.way[0] + n[1] * sun.way[1] + n[2] * sun.way[2], 0.0)
    if kind == PLAIN:
        return _foggy((red, green, blue), air, t), t
    if kind == TILED:
        bright = (1.0 - SHADE * (1.0 - lit)) * (0.45 + 0.67 * sunny)
        return _foggy(_lighter(_tile(ground, air, px, py, pz, t, pixel), bright), air, t), t
    return _foggy(_glossy((red, green, blue), n, ray, lit, sunny, sun, air), air, t), t


@kernel
def paint(
    out: Single,
    buffer: Buffer,
    mesh: Mesh,
    veil: Buffer,
    clear: Mesh,
    eye: Eye,
    sun: Sun,
    ground: Ground,
    water: Water,
    air: Air,
) -> None:
    """Light for every pixel: sky, ground, triangles, and what one sees through before them. One look is enough
    where a pixel lies in one triangle, or in none: the ground's picture is as coarse as the pixel.
    """
    tall, wide = out.shape[0], out.shape[1]
    fine = buffer.near.shape[0] // tall
    for row in range(tall):
        for column in range(wide):
            top, left, edge = row * fine, column * fine, False
            face, cover = buffer.owner[top, left], veil.owner[top, left]
            for y in range(top, top + fine):
                for x in range(left, left + fine):
                    edge = edge or buffer.owner[y, x] != face or veil.owner[y, x] != cover
            looks = fine if edge else 1
            red, green, blue = 0.0, 0.0, 0.0
            for i in range(looks):
                for j in range(looks):
                    sx = (2.0 * (column + (j + 0.5) / looks) / wide - 1.0) * eye.half * wide / tall
                    sy = (1.0 - 2.0 * (row + (i + 0.5) / looks) / tall) * eye.half
                    ray = (
                        eye.ahead[0] + sx * eye.right[0] + sy * eye.up[0],
                        eye.ahead[1] + sx * eye.right[1] + sy * eye.up[1],
                        eye.ahead[2] + sx * eye.right[2] + sy * eye.up[2],
                    )
                    y, x = (top + i, left + j) if edge else (top + fine // 2, left + fine // 2)
                    found, t = _sample(eye, ray, buffer, mesh, y, x, sun, ground, air, tall)
                    if eye.place[2] > water.level and ray[2] < -1e-6:
                        surface = (water.level - eye.place[2]) / ray[2]
                        if surface < t:
                            found = _through(found, water, ground, eye, ray, surface, sun, air)
                    if veil.owner[y, x] >= 0 and 1.0 / veil.near[y, x] < t:
                        cover, a, b = veil.owner[y, x], veil.one[y, x], veil.two[y, x]
                        r, g, b_, opacity = _colour(clear, cover, a, b)
                        n = _normal(clear, cover, a, b, ray)
                        bright = 0.55 + 0.5 * max(n[0] * sun.way[0] + n[1] * sun.way[1] + n[2] * sun.way[2], 0.0)
                        near = _foggy(_lighter((r, g, b_), bright), air, 1.0 / veil.near[y, x])
                        found = _mixed(found, near, opacity)
                    red, green, blue = red + found[0], green + found[1], blue + found[2]
            share = 1.0 / (looks * looks)
            out[row, column, 0], out[row, column, 1], out[row, column, 2] = red * share, green * share, blue * share
