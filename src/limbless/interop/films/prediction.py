"""The same shape, the model's motion beside the animal's: a rod that bends as the film shows, in a medium.

Forces, moments and work of the model that moves as a film: with standard errors from refits with simulated noise.

Smoothing takes a little of the shape away, and of its accelerations more: refits of the smooth film with noise of its
own lose as much again, so that the distance of their mean is part of the error, beside their scatter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limbless.core import Array, SimulationError
from limbless.environments import Drag, Environment, Water
from limbless.interop.films.experiment import (
    Medium,
    body_shape,
    curvature_gait,
    initial_of,
    mean_of_film,
    mean_point,
    printed_water,
    scenario_of,
    widths_of,
)
from limbless.interop.films.film_smoothing import SmoothFilm
from limbless.interop.log_files.marker_track import turned

if TYPE_CHECKING:
    from limbless.simulation.result import Result


REFITS = 8


class Loads(NamedTuple):
    """Along the body, averaged over a film; or the standard errors of all that."""

    places: Array  # (S,) shares of the length
    thrust: Array  # (S,) N/m: mean of what pushes along the way
    drag: Array  # (S,) N/m: mean of what pushes against it
    moment: Array  # (S,) N m: amplitude of the moment that bends the body
    work: Array  # () J: of the actuators while they drive, each beat
    power: Array  # () W: the same over time


def loads_of(result: Result, period: float) -> Loads:
    """Of one run."""
    from limbless.simulation.analysis.energy_use import positive_work

    data, mean = result.dataset, mean_of_result(result)
    forces, turn = data["fluid_force"].values, data["orientation"].values
    world = turned(forces, 2.0 * np.arctan2(turn[..., 3], turn[..., 0]))
    lengths, way = data["section_length"].values, mean[-1] - mean[0]
    along = world @ (way / max(float(np.linalg.norm(way)), 1e-300)) / lengths
    power = float(positive_work(data) or 0.0) / float(np.ptp(data["time"].values))
    return Loads(
        (np.cumsum(lengths) - 0.5 * lengths) / lengths.sum(),
        np.maximum(along, 0.0).mean(axis=0),
        np.minimum(along, 0.0).mean(axis=0),
        np.sqrt(2.0) * data["effort"].values[..., 5].std(axis=0),
        np.array(power * period),
        np.array(power),
    )


def load_errors(film: SmoothFilm, found: Loads, again: Callable[[SmoothFilm], Loads]) -> Loads:
    """Standard errors: the film with noise of its own, smoothed and run again."""
    several = [again(noisy.scaled(film.length / noisy.length)) for noisy in film.refits(REFITS)]
    errors = [
        np.hypot(np.std(values, axis=0, ddof=1), np.mean(values, axis=0) - own)
        for values, own in zip(zip(*several, strict=True), found, strict=True)
    ]
    return Loads(found.places, *errors[1:])


AGREE = 0.2  # share by which other smoothings may change the predicted speed
LAST = 2.0  # beats at the end, over which speeds are compared
VARIANTS = ((10.0, 1.0), (0.1, 1.0), (1.0, 10.0), (1.0, 0.1))
"""Other strengths λ of the smoothing, in time and along the body. What is smoothed away goes with the sixth root of λ:
these move the bound between motion and noise by half."""
FAR_VARIANTS = ((1e3, 1.0), (1e-3, 1.0), (1.0, 1e3), (1.0, 1e-3))
"""These move it by a factor of three: a motion that hangs on it is one of the smoothing, and not of the film."""
UNDETERMINED = "the film does not determine the motion"


@dataclass(frozen=True)
class Prediction:
    """The model's motion and the film's."""

    result: Result
    medium: str
    law: str  # what the medium is, in words
    width: str
    time: Array
    mean: Array  # (T, 2) of the model's body
    filmed: Array  # (T, 2) of the animal's
    length: float
    period: float
    placed: bool
    speed_from_rest: float | None  # m/s over the last beats
    variants: dict[str, float] = field(default_factory=dict)  # the same for other smoothings
    far_variants: dict[str, float] = field(default_factory=dict)  # for smoothings farther off
    others: dict[str, float] = field(default_factory=dict)  # and for other laws of the medium
    note: str | None = None  # on the choice of the medium
    load_errors: Loads | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What should be known of the medium and of the run."""
        return (*([self.note] if self.note else []), *self.result.notes)

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

    @cached_property
    def loads(self) -> Loads:
        """Forces, moments and work."""
        return loads_of(self.result, self.period)

    def bending_moment(self) -> dict[str, float | None]:
        """Largest amplitude along the body, N m, with its standard error, and where it is."""
        at, off = int(np.argmax(self.loads.moment)), self.load_errors
        return {
            "value": float(self.loads.moment[at]),
            "error": None if off is None else float(off.moment[at]),
            "place_L": float(self.loads.places[at]),
        }

    @property
    def work_per_beat(self) -> float:
        """Work of the actuators while they drive, J, averaged over the film."""
        return float(self.loads.work)

    @property
    def cost_of_transport(self) -> float | None:
        """Positive work over weight times way, of the whole film."""
        from limbless.simulation.analysis.energy_use import cost_of_transport

        return cost_of_transport(self.result.dataset, self.result.mass)

    def numbers(self) -> dict[str, Any]:
        """For `summary.json`. Where the film does not determine the motion no speed is claimed."""
        L = self.length
        claimed = {
            "predicted_speed": self.speed,
            "predicted_speed_L": self.speed / L,
            "predicted_speed_from_rest_L": None if self.speed_from_rest is None else self.speed_from_rest / L,
            "work_per_beat": self.work_per_beat,
            "work_per_beat_error": None if self.load_errors is None else float(self.load_errors.work),
            "power": float(self.loads.power),
            "power_error": None if self.load_errors is None else float(self.load_errors.power),
            "bending_moment": self.bending_moment(),
            "cost_of_transport": self.cost_of_transport,
            "path_error_L_per_beat": self.path_error,
            "way_ratio": self.ratio,
            "other_laws_L": {name: value / L for name, value in self.others.items()},
        }
        kept = claimed if self.determined else dict.fromkeys(claimed)
        return {
            "medium": self.medium,
            "law": self.law,
            "width": self.width,
            "determined": self.determined,
            "verdict": "determined" if self.determined else UNDETERMINED,
            "filmed_speed_L": None if self.filmed_speed is None else self.filmed_speed / L,
            **kept,
            "smoothing_spread": self.spread,
            "smoothing_range_L": [value / L for value in self.range],
        }


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


class _Quick:
    """The model of a run once more, for other shapes and starts of which only the way is asked."""

    def __init__(self, result: Result, film: SmoothFilm) -> None:
        scenario: Any = result.scenario
        self.length, self.step = film.length, float(scenario.step)
        self.model: Any = scenario.assemble()

    def mean(self, film: SmoothFilm, moving: bool) -> Array:
        """(T, 2): way of the mean point."""
        from limbless.core import stage_times
        from limbless.mechanics.rod.tables import HeadState
        from limbless.models.base import State

        shape = film.scaled(self.length / film.length)  # one body, whatever the smoothing makes of it
        gait = curvature_gait(shape)
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
            state, records, status = self.model.advance(
                state, knots[part], record[part], self.model.drive(gait, stage_times(knots[part]))
            )
            if status.failure:
                raise SimulationError(f"{status.failure} (with another smoothing of the film)")
            places.append(records["instant_x"] if not first else records["instant_x"][1:])
        found = HeadState.of(np.concatenate(places))
        angle = 2.0 * np.arctan2(found.turn[:, 3], found.turn[:, 0])
        return np.asarray(found.position[:, :2] + turned(mean_point(body_shape(shape)), angle))


def predict(
    film: SmoothFilm,
    name: str,
    period: float | None,
    medium: Medium,
    width: float | str | Path | Sequence[tuple[float, float]] | None = None,
    placed: bool = True,
    changes: Mapping[str, Any] | None = None,
    sensitivity: bool = True,
) -> Prediction:
    """Run the film's shape in a medium: from its start, from rest, with other smoothings, and with the other law of
    water where there are two."""
    from limbless.simulation.simulate import run_scenario

    def run(shape: SmoothFilm, **how: Any) -> Result:
        return run_scenario(scenario_of(shape, name, period, medium, width, changes=changes, moving=placed, **how))

    beat = period or float(film.time[-1] - film.time[0]) / LAST
    first = run(film)
    quick = _Quick(first, film)

    def again(factors: Sequence[tuple[float, float]]) -> dict[str, float]:
        return {
            f"{a:g} in time, {b:g} along": last_speed(film.time, quick.mean(film.smoother(a, b), placed), beat)
            for a, b in factors
            if sensitivity
        }

    changed = any(str(path).startswith("environment") for path in changes or ())
    others = {
        name: last_speed(film.time, mean_of_result(run(film, environment=other)), beat)
        for name, other in medium.others.items()
        if not changed
    }
    law = _in_words(first.scenario.environment[0], medium) if first.scenario is not None else medium.name
    found = Prediction(
        first,
        medium.name,
        law,
        widths_of(width, film.length)[1],
        film.time,
        mean_of_result(first),
        mean_of_film(film),
        film.length,
        beat,
        placed,
        last_speed(film.time, quick.mean(film, False), beat) if medium.inertia and placed else None,
        again(VARIANTS),
        again(FAR_VARIANTS),
        others,
        medium.note,
    )
    if not sensitivity:
        return found
    return replace(found, load_errors=load_errors(film, found.loads, lambda shape: loads_of(run(shape), beat)))


def _in_words(item: Environment, medium: Medium) -> str:
    if isinstance(item, Water):
        return f"water: {item.model}" + (" as printed" if item == printed_water() else "")
    if isinstance(item, Drag):
        said = medium.law if item == medium.environment and medium.law else "linear drag"
        return f"{said}, {item.lateral / item.along:.3g} times as large across, without inertia"
    return item.kind
