"""The same shape, the model's motion beside the animal's: a rod that bends as the film shows, in a medium."""
from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Environment
from limbless.environments.drag import Drag
from limbless.environments.regularised_friction import RegularisedFriction
from limbless.environments.water import Water
from limbless.errors import InputError, SimulationError
from limbless.files import as_word
from limbless.gaits.recorded import RecordedGait
from limbless.gaits.sampled_curvature import SampledCurvature
from limbless.interop.films.smoothing import PLACES, SmoothFilm
from limbless.robots.rod import Rod

if TYPE_CHECKING:
    from limbless.result import Result
    from limbless.scenarios.scenario import Scenario

Array = NDArray[np.float64]

MEDIA = ("water", "agar", "ground")
CELLS = 80             # two to each interval of the table of curvatures
STEPS = 80             # of a beat
WIDTH = 0.05           # of the length: diameter of a body of which nothing is known
THINNEST = 0.2         # of the largest diameter: a tail that ends in a point has no section
AGREE = 0.2            # share by which other smoothings may change the predicted speed
LAST = 2.0             # beats at the end, over which speeds are compared
VARIANTS = ((10.0, 1.0), (0.1, 1.0), (1.0, 10.0), (1.0, 0.1))
"""Other strengths λ of the smoothing, in time and along the body. What is smoothed away goes with the sixth root of λ:
these move the bound between motion and noise by half."""
FAR_VARIANTS = ((1e3, 1.0), (1e-3, 1.0), (1.0, 1e3), (1.0, 1e-3))
"""These move it by a factor of three: a motion that hangs on it is one of the smoothing, and not of the film."""
UNDETERMINED = "the film does not determine the motion"


def medium_of(name: str) -> tuple[Environment, bool]:
    """What pushes back, and whether the body has inertia in it.

    `water` is `Water()` as it is by default; `agar` linear drag 40 times as large across as along, 3.2 N s/m2 for a
    worm on agar (Niebur and Erdős 1991), where inertia is nothing; `ground` the friction of snakes on cloth (Hu,
    Nirody, Scott and Shelley 2009).
    """
    if name == "water":
        return Water(), True
    if name == "agar":
        return Drag(along=3.2, lateral=128.0, vertical=128.0), False
    if name == "ground":
        return RegularisedFriction(forward=0.11, backward=0.14, lateral=0.20), True
    raise InputError(f"medium: {name!r} is none of {', '.join(MEDIA)}")


def printed_water() -> Water:
    """The water whose numbers for filmed lampreys are known: Morison's law with added mass as its paper prints it."""
    return Water(model="morison", added_mass="paper")


def widths_of(width: float | str | Path | Sequence[tuple[float, float]] | None,
              length: float) -> tuple[tuple[tuple[float, float], ...], str]:
    """Rows (X, half axis) in metres, and where they come from.

    `width` is a diameter as a share of the length (one number, rows (s, diameter), or a CSV file of such rows), s from
    0 at the head to 1 at the tail; the thinnest is a fifth of the thickest.
    """
    if width is None:
        rows, said = np.array([[0.0, WIDTH], [1.0, WIDTH]]), f"{WIDTH:g} L, as no width was given"
    elif isinstance(width, str | Path) and not _is_number(width):
        path = Path(width)
        rows, said = _width_table(path), f"{path.name}"
    elif isinstance(width, int | float | str | Path):
        rows, said = np.array([[0.0, float(str(width))], [1.0, float(str(width))]]), f"{float(str(width)):g} L"
    else:
        rows, said = np.array(width, dtype=np.float64), "the given table"
    bad = rows.ndim != 2 or rows.shape[1] != 2 or not np.isfinite(rows).all() or len(rows) < 2
    if bad or not (np.diff(rows[:, 0]) > 0).all() or rows[:, 1].max() <= 0.0 or rows[:, 1].min() < 0.0:
        raise InputError("width: needs a positive number, or rows of s (increasing from 0 to 1) and diameter, both "
                         "as shares "
                         "of the length")
    if rows[:, 1].max() > 0.5:
        raise InputError(f"width: a diameter of {rows[:, 1].max():g} lengths is no slender body; it is a share of "
                         "the length")
    thick = np.maximum(rows[:, 1], THINNEST * rows[:, 1].max())
    return tuple((float(s * length), float(0.5 * d * length)) for s, d in zip(rows[:, 0], thick, strict=True)), said


def _is_number(text: str | Path) -> bool:
    try:
        float(str(text))
    except ValueError:
        return False
    return True


def _width_table(path: Path) -> Array:
    """Columns s and diameter: the first two, or those that a header calls s and width or diameter."""
    if not path.is_file():
        raise InputError(f"width: there is no file {str(path)!r}")
    rows = [row for row in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if row and row[0][:1] != "#"]
    header = [] if not rows or _is_number(rows[0][0]) else [cell.strip().lower() for cell in rows[0]]
    columns = [i for i, name in enumerate(header) if name != "s"]
    if len(columns) > 1:
        named = [i for i in columns if header[i] in ("width", "diameter")]
        if len(named) != 1:
            raise InputError(f"width: {path.name} has columns {', '.join(header)}; one of them must be called width or "
                             "diameter, or write a file with s and that one")
        columns = named
    first, second = (header.index("s") if "s" in header else 0, columns[0]) if header else (0, 1)
    try:
        return np.array([[float(row[first]), float(row[second])] for row in rows[bool(header):]])
    except (ValueError, IndexError):
        raise InputError(f"width: {path.name} must hold rows of two numbers, s and diameter") from None


# The scenario


def curvature_rows(film: SmoothFilm) -> Array:
    """The table of `sampled-curvature`: abscissae, then time and curvatures of every frame."""
    rows = np.zeros((len(film.time) + 1, PLACES + 1))
    rows[0, 1:], rows[1:, 0], rows[1:, 1:] = film.abscissae, film.time, film.curvature
    return rows


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

    position: Array        # (T, 2) m
    angle: Array           # (T,) rad

    def twist(self, time: Array) -> Array:
        """(T, 3): velocity along and across the head, and its turning."""
        from scipy.interpolate import make_interp_spline
        whole = np.column_stack([self.position, self.angle])
        rate = make_interp_spline(time, whole, k=5)(time, nu=1)
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.stack([c * rate[:, 0] + s * rate[:, 1], c * rate[:, 1] - s * rate[:, 0], rate[:, 2]], axis=1)


def head_motion(film: SmoothFilm) -> HeadMotion:
    """By least squares over the body, frame by frame."""
    shape, target = body_shape(film), film.position
    own, there = shape.mean(axis=1), target.mean(axis=1)
    a, b = shape - own[:, None], target - there[:, None]
    angle = np.unwrap(np.arctan2((a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]).sum(axis=1), (a * b).sum(axis=(1, 2))))
    c, s = np.cos(angle), np.sin(angle)
    turned = np.stack([c * own[:, 0] - s * own[:, 1], s * own[:, 0] + c * own[:, 1]], axis=1)
    return HeadMotion(there - turned, angle)


def link_angles(film: SmoothFilm, links: int) -> Array:
    """(T, links): mean direction of each of so many equal parts of the body, from that of the head."""
    from scipy.interpolate import make_interp_spline

    if links < 2:
        raise InputError(f"links: a body that bends has at least 2; got {links}")
    turned = make_interp_spline(film.abscissae, film.curvature.T, k=5).antiderivative(2)
    ends = turned(np.linspace(0.0, film.length, links + 1))
    return np.asarray(np.diff(ends, axis=0).T * links / film.length)


def initial_of(film: SmoothFilm, moving: bool, offset: Array | None = None) -> dict[str, Any]:
    """The filmed pose, and the filmed velocity or rest; of a base that is turned from the head by `offset` (T,), rad.
    """
    head = head_motion(film)
    base = head if offset is None else HeadMotion(head.position, head.angle + offset)
    (x, y), angle = base.position[0], base.angle[0]
    found: dict[str, Any] = {"position": (float(x), float(y), 0.0),
                             "orientation": (float(np.cos(0.5 * angle)), 0.0, 0.0, float(np.sin(0.5 * angle)))}
    if moving:
        along, across, turning = base.twist(film.time)[0]
        found["twist"] = (float(along), float(across), 0.0, 0.0, 0.0, float(turning))
    return found


def scenario_of(film: SmoothFilm, name: str, period: float | None, medium: str = "water",
                width: float | str | Path | Sequence[tuple[float, float]] | None = None,
                environment: Environment | None = None, moving: bool = True,
                changes: Mapping[str, Any] | None = None, links: int | None = None) -> Scenario:
    """Rod, sampled curvature and medium; it starts at the filmed pose, with the filmed velocity if `moving`. With
    `links` a chain of so many rigid links in place of the rod, whose joints bend as the film does.
    """
    from limbless.scenarios.scenario import Scenario

    usual, inertia = medium_of(medium)
    chosen = usual if environment is None else environment
    rows, _ = widths_of(width, film.length)
    spacing = float(film.time[1] - film.time[0])
    beat = period or (film.time[-1] - film.time[0]) / 5.0
    step = spacing / max(int(np.ceil(spacing * STEPS / beat)), 1)
    if isinstance(chosen, RegularisedFriction):
        step = spacing / np.ceil(spacing / min(step, 2.0 * chosen.speed / (chosen.lateral * chosen.gravity)))
    rod = Rod(name=as_word(name), strains="planar", base="planar", length=film.length, half_width=rows,
              density=getattr(chosen, "density", 1000.0))
    if links is None:
        bent = SampledCurvature(table=tuple(map(tuple, curvature_rows(film).tolist())), noise=0.0, period=period)
        parts: dict[str, Any] = {"robot": rod, "gait": bent, "initial": initial_of(film, moving and inertia),
                                 "model": {"kind": "macro-continuous", "cells": CELLS, "inertia": inertia}}
    else:
        angle = link_angles(film, links)
        turns = np.column_stack([film.time, np.diff(angle, axis=1)])
        parts = {"robot": rod.to_chain(links), "gait": RecordedGait(table=tuple(map(tuple, turns.tolist())),
                                                                    period=period),
                 "initial": initial_of(film, moving and inertia, angle[:, 0]),
                 "model": {"kind": "newton-euler", "inertia": inertia}}
    scenario = Scenario(
        name=as_word(name), title=f"The shape of the film {name}, moved by the model in {medium}",
        environment=(chosen,), duration=float(film.time[-1] - film.time[0]), step=step, record_every=spacing, **parts)
    return Scenario.load(scenario, changes) if changes else scenario


# What it says


@dataclass(frozen=True)
class Prediction:
    """The model's motion and the film's."""

    result: Result
    medium: str
    law: str                               # what the medium is, in words
    width: str
    time: Array
    mean: Array                            # (T, 2) of the model's body
    filmed: Array                          # (T, 2) of the animal's
    length: float
    period: float
    placed: bool
    speed_from_rest: float | None          # m/s over the last beats
    variants: dict[str, float] = field(default_factory=dict)      # the same for other smoothings
    far_variants: dict[str, float] = field(default_factory=dict)  # for smoothings farther off
    others: dict[str, float] = field(default_factory=dict)        # and for other laws of the medium

    @property
    def speed(self) -> float:
        """Of the model over the last two beats, m/s."""
        return last_speed(self.time, self.mean, self.period)

    @property
    def filmed_speed(self) -> float | None:
        """Of the animal over the same beats, m/s."""
        return last_speed(self.time, self.filmed, self.period) if self.placed else None

    @property
    def spread(self) -> float:
        """Largest relative change of the speed with ten times more or less smoothing."""
        return max((abs(value / self.speed - 1.0) for value in self.variants.values()), default=0.0)

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest speed of all smoothings, m/s."""
        several = [self.speed, *self.variants.values(), *self.far_variants.values()]
        return min(several), max(several)

    @property
    def determined(self) -> bool:
        """Whether other smoothings of the same film give about the same speed."""
        return all(abs(value / self.speed - 1.0) <= AGREE for value in self.range)

    @property
    def path_error(self) -> float | None:
        """Distance between the two at the end, in lengths per beat."""
        if not self.placed:
            return None
        beats = (self.time[-1] - self.time[0]) / self.period
        return float(np.linalg.norm(self.mean[-1] - self.filmed[-1])) / self.length / beats

    @property
    def ratio(self) -> float | None:
        """Way of the model over that of the animal, in the whole film."""
        if not self.placed:
            return None
        ways = [float(np.linalg.norm(each[-1] - each[0])) for each in (self.mean, self.filmed)]
        return ways[0] / max(ways[1], 1e-300)

    @property
    def work_per_beat(self) -> float:
        """Work of the actuators while they drive, J, averaged over the film."""
        from limbless.analysis.energy import positive_work
        return float(positive_work(self.result.dataset) or 0.0) * self.period / float(self.time[-1] - self.time[0])

    @property
    def cost_of_transport(self) -> float | None:
        """Positive work over weight times way, of the whole film."""
        from limbless.analysis.energy import cost_of_transport
        return cost_of_transport(self.result.dataset, self.result.mass)

    def numbers(self) -> dict[str, Any]:
        """For `summary.json`. Where the film does not determine the motion no speed is claimed."""
        L = self.length
        claimed = {"predicted_speed": self.speed, "predicted_speed_L": self.speed / L,
                   "predicted_speed_from_rest_L": None if self.speed_from_rest is None else self.speed_from_rest / L,
                   "work_per_beat": self.work_per_beat, "cost_of_transport": self.cost_of_transport,
                   "path_error_L_per_beat": self.path_error, "way_ratio": self.ratio,
                   "other_laws_L": {name: value / L for name, value in self.others.items()}}
        kept = claimed if self.determined else dict.fromkeys(claimed)
        return {"medium": self.medium, "law": self.law, "width": self.width, "determined": self.determined,
                "verdict": "determined" if self.determined else UNDETERMINED,
                "filmed_speed_L": None if self.filmed_speed is None else self.filmed_speed / L,
                **kept, "smoothing_spread": self.spread,
                "smoothing_range_L": [value / L for value in self.range]}


def last_speed(time: Array, mean: Array, period: float) -> float:
    """Way over time of a mean point in the last two beats, m/s."""
    span = min(LAST * period, float(time[-1] - time[0]))
    early = np.array([np.interp(time[-1] - span, time, mean[:, c]) for c in range(2)])
    return float(np.linalg.norm(mean[-1] - early) / span)


def mean_of_result(result: Result) -> Array:
    """(T, 2): the mean point of the rod."""
    data = result.dataset
    share = data["section_length"].values / data["section_length"].values.sum()
    return np.asarray(np.einsum("tsc,s->tc", data["position"].values[..., :2], share))


def mean_point(places: Array) -> Array:
    """(T, 2): mean along bodies (T, PLACES, 2), by trapezia."""
    weight = np.ones(PLACES)
    weight[[0, -1]] = 0.5
    return np.asarray(np.einsum("tsc,s->tc", places, weight / weight.sum()))


def mean_of_film(film: SmoothFilm) -> Array:
    """(T, 2): the mean point of the midline."""
    return mean_point(film.position)


class _Quick:
    """The model of a run once more, for other shapes and starts of which only the way is asked."""

    def __init__(self, result: Result, film: SmoothFilm) -> None:
        scenario: Any = result.scenario
        self.length, self.step = film.length, float(scenario.step)
        self.model: Any = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)

    def mean(self, film: SmoothFilm, moving: bool) -> Array:
        """(T, 2): way of the mean point."""
        from limbless.mechanics.rod.tables import HeadState
        from limbless.models.base import State
        from limbless.timeline import stage_times

        shape = film.scaled(self.length / film.length)               # one body, whatever the smoothing makes of it
        gait = SampledCurvature(table=tuple(map(tuple, curvature_rows(shape).tolist())), noise=0.0)
        steps = round((film.time[1] - film.time[0]) / self.step)
        knots = np.linspace(film.time[0], film.time[-1], steps * (len(film.time) - 1) + 1)
        record = np.arange(len(knots)) % steps == 0
        start, x = initial_of(shape, moving and self.model.settings.inertia), np.zeros(HeadState.width)
        head = HeadState.of(x)
        head.position[:], head.turn[:] = start["position"], start["orientation"]
        head.motion[:] = start.get("twist", 0.0)
        # the drive of one stretch after the other: a long film would fill the memory
        state, size, places = State(0.0, x), 64 * steps, []
        for first in range(0, len(knots) - 1, size):
            part = slice(first, min(first + size, len(knots) - 1) + 1)
            state, records, status = self.model.advance(state, knots[part], record[part],
                                                        self.model.drive(gait, stage_times(knots[part])))
            if status.failure:
                raise SimulationError(f"{status.failure} (with another smoothing of the film)")
            places.append(records["instant_x"] if not first else records["instant_x"][1:])
        found = HeadState.of(np.concatenate(places))
        turn, centre = 2.0 * np.arctan2(found.turn[:, 3], found.turn[:, 0]), mean_point(body_shape(shape))
        c, s = np.cos(turn), np.sin(turn)
        return np.asarray(found.position[:, :2] + np.stack([c * centre[:, 0] - s * centre[:, 1],
                                                            s * centre[:, 0] + c * centre[:, 1]], axis=1))


def predict(film: SmoothFilm, name: str, period: float | None, medium: str = "water",
            width: float | str | Path | Sequence[tuple[float, float]] | None = None, placed: bool = True,
            changes: Mapping[str, Any] | None = None, sensitivity: bool = True) -> Prediction:
    """Run the film's shape in a medium: from its start, from rest, with other smoothings, and with the other law of
    water where there are two."""
    from limbless.simulation import run_scenario

    def run(**how: Any) -> Result:
        return run_scenario(scenario_of(film, name, period, medium, width, changes=changes, moving=placed, **how))

    beat = period or float(film.time[-1] - film.time[0]) / LAST
    first, (environment, inertia) = run(), medium_of(medium)
    quick = _Quick(first, film)
    rest = last_speed(film.time, quick.mean(film, False), beat) if inertia and placed else None

    def again(factors: Sequence[tuple[float, float]]) -> dict[str, float]:
        return {f"{a:g} in time, {b:g} along": last_speed(film.time, quick.mean(film.smoother(a, b), placed), beat)
                for a, b in factors if sensitivity}

    variants, far = again(VARIANTS), again(FAR_VARIANTS)
    changed = any(str(path).startswith("environment") for path in changes or ())
    others = {}
    if medium == "water" and environment != printed_water() and not changed:
        other = run(environment=printed_water())
        others["morison as printed"] = last_speed(film.time, mean_of_result(other), beat)
    law = _in_words(first.scenario.environment[0]) if first.scenario is not None else medium
    return Prediction(first, medium, law, widths_of(width, film.length)[1], film.time, mean_of_result(first),
                      mean_of_film(film), film.length, beat, placed, rest, variants, far, others)


def _in_words(item: Environment) -> str:
    if isinstance(item, Water):
        return f"water: {item.model}" + (" as printed" if item == printed_water() else "")
    if isinstance(item, Drag):
        return f"linear drag, {item.lateral / item.along:g} times as large across, without inertia"
    return item.kind
