"""The scenario of a film: a rod, or a chain of links, that bends as the film shows, in a medium."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limbless.control.gaits.recorded import RecordedGait
from limbless.control.gaits.sampled_curvature import SampledCurvature
from limbless.core import Array, InputError, as_word
from limbless.environments import Drag, Environment, Water
from limbless.environments.regularised_friction import RegularisedFriction
from limbless.interop.films.film_smoothing import PLACES, SmoothFilm
from limbless.interop.films.midline_kinematics import VISCOSITY
from limbless.interop.log_files.marker_track import turn_between, turned
from limbless.interop.log_files.named_arrays import number_in
from limbless.robots.rod import Rod

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario


MEDIA = ("water", "slow-water", "fast-water", "agar", "ground")
CELLS = 80  # two to each interval of the table of curvatures
STEPS = 80  # of a beat
WIDTH = 0.05  # of the length: diameter of a body of which nothing is known
THINNEST = 0.2  # of the largest diameter: a tail that ends in a point has no section
SLOW = 10.0  # Reynolds' number below which drag of a slender body is nearer to that of slow water than to a square
DENSITY = 1000.0  # kg/m3, of water


class Medium(NamedTuple):
    """What pushes back, whether the body has inertia in it, and what it is in words."""

    name: str
    environment: Environment
    inertia: bool
    law: str
    others: Mapping[str, Environment] = MappingProxyType({})  # other laws of the same medium
    note: str | None = None


def medium_of(name: str, radius: float, wavelength: float, reynolds: float | None, changed: Iterable[str]) -> Medium:
    """The medium of a name, for a body of this radius and these waves along it, m.

    `water` is `Water()` as it is by default; below Reynolds' number 10 it is `slow-water`, the linear drag of a slender
    body without inertia (Lighthill 1976), unless fields are changed that only `fast-water` has. `agar` is linear drag
    40 times as large across as along, 3.2 N s/m2 for a worm on agar (Niebur and Erdős 1991), without inertia; `ground`
    the friction of snakes on cloth (Hu, Nirody, Scott and Shelley 2009).
    """
    if name == "agar":
        return Medium(name, Drag(along=3.2, lateral=128.0, vertical=128.0), False, "")
    if name == "ground":
        return Medium(name, RegularisedFriction(forward=0.11, backward=0.14, lateral=0.20), True, "")
    if name not in MEDIA:
        raise InputError(f"medium: {name!r} is none of {', '.join(MEDIA)}")
    asked = {path.split(".")[2] for path in changed if path.startswith("environment.") and path.count(".") > 1}
    slow = name == "water" and reynolds is not None and reynolds < SLOW and asked <= set(Drag.model_fields)
    if name == "slow-water" or slow:
        note = (
            f"medium: Reynolds' number is {reynolds:.2g}, so that water is taken as slow and viscous (linear drag of a "
            "slender body, no inertia); --medium fast-water has the square law of large bodies"
            if slow
            else None
        )
        other = Drag.slow_water(radius, wavelength, VISCOSITY * DENSITY, "gray-hancock")
        said, others = "slow viscous water by Lighthill 1976", {"Gray and Hancock 1955": other}
        try:
            first = Drag.slow_water(radius, wavelength, VISCOSITY * DENSITY)
        except InputError:  # too thick beside its waves for the one, not for the other
            said, first, others = "slow viscous water by Gray and Hancock 1955", other, {}
        return Medium("slow-water", first, False, said, others, note)
    return Medium(name, Water(), True, "", {"morison as printed": printed_water()})


def printed_water() -> Water:
    """The water whose numbers for filmed lampreys are known: Morison's law with added mass as its paper prints it."""
    return Water(model="morison", added_mass="paper")


class FilmedWidth(tuple[tuple[float, float], ...]):
    """Rows (s, diameter) that a film brings with it."""


def widths_of(
    width: float | str | Path | Sequence[tuple[float, float]] | None, length: float
) -> tuple[tuple[tuple[float, float], ...], str]:
    """Rows (X, half axis) in metres, and where they come from.

    `width` is a diameter as a share of the length (one number, rows (s, diameter), or a CSV file of such rows), s from
    0 at the head to 1 at the tail; the thinnest is a fifth of the thickest.
    """
    if width is None:
        rows, said = np.array([[0.0, WIDTH], [1.0, WIDTH]]), f"{WIDTH:g} L, as no width was given"
    elif isinstance(width, str | Path) and number_in([str(width)], 0) is None:
        rows, said = _width_table(Path(width)), Path(width).name
    elif isinstance(width, int | float | str | Path):
        rows, said = np.array([[0.0, float(str(width))], [1.0, float(str(width))]]), f"{float(str(width)):g} L"
    else:
        rows = np.array(width, dtype=np.float64)
        said = "the film's own" if isinstance(width, FilmedWidth) else "the given table"
    bad = rows.ndim != 2 or rows.shape[1] != 2 or not np.isfinite(rows).all() or len(rows) < 2
    if bad or not (np.diff(rows[:, 0]) > 0).all() or rows[:, 1].max() <= 0.0 or rows[:, 1].min() < 0.0:
        raise InputError(
            "width: needs a positive number, or rows of s (increasing from 0 to 1) and diameter, both "
            "as shares of the length"
        )
    if rows[0, 0] < -1e-6 or not 0.5 < rows[-1, 0] < 1.0 + 1e-6:
        raise InputError(
            f"width: its s runs from {rows[0, 0]:g} to {rows[-1, 0]:g}; it is a share of the length, 0 at "
            "the head and 1 at the tail"
        )
    if rows[:, 1].max() > 0.5:
        raise InputError(
            f"width: a diameter of {rows[:, 1].max():g} lengths is no slender body; it is a share of the length"
        )
    thick = np.maximum(rows[:, 1], THINNEST * rows[:, 1].max())
    return tuple((float(s * length), float(0.5 * d * length)) for s, d in zip(rows[:, 0], thick, strict=True)), said


def _width_table(path: Path) -> Array:
    """Columns s and diameter: the first two, or those that a header calls s and width or diameter."""
    if not path.is_file():
        raise InputError(f"width: there is no file {str(path)!r}")
    rows = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row and row[0][:1] != "#"]
    header = [] if not rows or number_in(rows[0], 0) is not None else [cell.strip().lower() for cell in rows[0]]
    widths = [i for i, name in enumerate(header) if name != "s"]
    if len(widths) > 1:
        widths = [i for i in widths if header[i] in ("width", "diameter")]
        if len(widths) != 1:
            raise InputError(
                f"width: {path.name} has columns {', '.join(header)}; one of them must be called width or "
                "diameter, or write a file with s and that one"
            )
    try:
        first, second = (header.index("s") if "s" in header else 0, widths[0]) if header else (0, 1)
        return np.array([[float(row[first]), float(row[second])] for row in rows[bool(header) :]])
    except (ValueError, IndexError):
        raise InputError(f"width: {path.name} must hold rows of two numbers, s and diameter") from None


def curvature_rows(film: SmoothFilm) -> Array:
    """The table of `sampled-curvature`: abscissae, then time and curvatures of every frame."""
    rows = np.zeros((len(film.time) + 1, PLACES + 1))
    rows[0, 1:], rows[1:, 0], rows[1:, 1:] = film.abscissae, film.time, film.curvature
    return rows


def curvature_gait(film: SmoothFilm, period: float | None = None) -> SampledCurvature:
    """The gait that bends a rod as the film shows."""
    return SampledCurvature(table=tuple(map(tuple, curvature_rows(film).tolist())), noise=0.0, period=period)


def body_shape(film: SmoothFilm) -> Array:
    """(T, PLACES, 2): the body of constant length bent as in the film, head at the origin and pointing along -x."""
    from scipy.interpolate import make_interp_spline

    heading = make_interp_spline(film.abscissae, film.curvature.T, k=5).antiderivative()
    nodes, weights = np.polynomial.legendre.leggauss(4)
    step = film.length / (PLACES - 1)
    inside = film.abscissae[:-1, None] + 0.5 * step * (nodes + 1.0)
    angle = heading(inside.ravel()).reshape(PLACES - 1, len(nodes), -1)
    pieces = 0.5 * step * np.einsum("i,sitc->tsc", weights, np.stack([np.cos(angle), np.sin(angle)], axis=-1))
    return np.concatenate([np.zeros((len(film.time), 1, 2)), np.cumsum(pieces, axis=1)], axis=1)


@dataclass(frozen=True)
class HeadMotion:
    """Where the head of the body of constant length is, so that it lies best on the filmed midline."""

    position: Array  # (T, 2) m
    angle: Array  # (T,) rad

    def twist(self, time: Array) -> Array:
        """(T, 3): velocity along and across the head, and its turning."""
        from scipy.interpolate import make_interp_spline

        rate = make_interp_spline(time, np.column_stack([self.position, self.angle]), k=5)(time, nu=1)
        return np.column_stack([turned(rate[:, :2], -self.angle), rate[:, 2]])


def head_motion(film: SmoothFilm) -> HeadMotion:
    """By least squares over the body, frame by frame."""
    shape, target = body_shape(film), film.position
    own, there = shape.mean(axis=1), target.mean(axis=1)
    angle = np.unwrap(turn_between(shape - own[:, None], target - there[:, None]))
    return HeadMotion(there - turned(own, angle), angle)


def link_angles(film: SmoothFilm, links: int) -> Array:
    """(T, links): mean direction of each of so many equal parts of the body, from that of the head."""
    from scipy.interpolate import make_interp_spline

    if links < 2:
        raise InputError(f"links: a body that bends has at least 2; got {links}")
    twice = make_interp_spline(film.abscissae, film.curvature.T, k=5).antiderivative(2)
    ends = twice(np.linspace(0.0, film.length, links + 1))
    return np.asarray(np.diff(ends, axis=0).T * links / film.length)


def initial_of(film: SmoothFilm, moving: bool, offset: Array | None = None) -> dict[str, Any]:
    """The filmed pose, and the filmed velocity or rest; of a base that is turned from the
    head by `offset` (T,), rad.
    """
    head = head_motion(film)
    base = head if offset is None else HeadMotion(head.position, head.angle + offset)
    (x, y), angle = base.position[0], base.angle[0]
    found: dict[str, Any] = {
        "position": (float(x), float(y), 0.0),
        "orientation": (float(np.cos(0.5 * angle)), 0.0, 0.0, float(np.sin(0.5 * angle))),
    }
    if moving:
        along, across, turning = base.twist(film.time)[0]
        found["twist"] = (float(along), float(across), 0.0, 0.0, 0.0, float(turning))
    return found


def scenario_of(
    film: SmoothFilm,
    name: str,
    period: float | None,
    medium: Medium,
    width: float | str | Path | Sequence[tuple[float, float]] | None = None,
    environment: Environment | None = None,
    moving: bool = True,
    changes: Mapping[str, Any] | None = None,
    links: int | None = None,
) -> Scenario:
    """Rod, sampled curvature and medium; it starts at the filmed pose, with the filmed velocity if `moving`. With
    `links` a chain of so many rigid links in place of the rod, whose joints bend as the film does.
    """
    from limbless.scenarios.scenario import Scenario

    inertia, chosen = medium.inertia, environment or medium.environment
    spacing = float(film.time[1] - film.time[0])
    step = spacing / max(int(np.ceil(spacing * STEPS / (period or np.ptp(film.time) / 5.0))), 1)
    if isinstance(chosen, RegularisedFriction):
        step = spacing / np.ceil(spacing / min(step, 2.0 * chosen.speed / (chosen.lateral * chosen.gravity)))
    rod = Rod(
        name=as_word(name),
        strains="planar",
        base="planar",
        length=film.length,
        half_width=widths_of(width, film.length)[0],
        density=getattr(chosen, "density", 1000.0),
    )
    if links is None:
        parts: dict[str, Any] = {
            "robot": rod,
            "gait": curvature_gait(film, period),
            "initial": initial_of(film, moving and inertia),
            "model": {"kind": "macro-continuous", "cells": CELLS, "inertia": inertia},
        }
    else:
        angle = link_angles(film, links)
        turns = np.column_stack([film.time, np.diff(angle, axis=1)]).tolist()
        parts = {
            "robot": rod.to_chain(links),
            "gait": RecordedGait(table=tuple(map(tuple, turns)), period=period),
            "initial": initial_of(film, moving and inertia, angle[:, 0]),
            "model": {"kind": "newton-euler", "inertia": inertia},
        }
    scenario = Scenario(
        name=as_word(name),
        title=f"The shape of the film {name}, moved by the model in {medium.name}",
        environment=(chosen,),
        duration=float(film.time[-1] - film.time[0]),
        step=step,
        record_every=spacing,
        **parts,
    )
    return Scenario.load(scenario, changes) if changes else scenario


def mean_point(places: Array) -> Array:
    """(T, 2): mean along bodies (T, PLACES, 2), by trapezia."""
    weight = np.ones(PLACES)
    weight[[0, -1]] = 0.5
    return np.asarray(np.einsum("tsc,s->tc", places, weight / weight.sum()))


def mean_of_film(film: SmoothFilm) -> Array:
    """(T, 2): the mean point of the midline."""
    return mean_point(film.position)
