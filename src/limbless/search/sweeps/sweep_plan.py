"""`SweepPlan`: which runs a sweep has, as data. A run is its number; its point follows from the number and the plan."""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import InputError, __version__, nearest
from limbless.mechanics.compiled import CACHE_DIRECTORY
from limbless.scenarios.document import Document, read_file, written
from limbless.scenarios.scenario import Scenario
from limbless.search import measures
from limbless.search.measures import Measure
from limbless.search.measures.measure_registry import STEADY
from limbless.search.optimisation.availability import why_not
from limbless.search.steady_motion.homogeneity import refuse_medium
from limbless.search.sweeps.parameter_ranges import MOST, Bounds, bounds_of, values_of

KEYS = ("scenario", "set", "over", "measure", "samples")
STAMP = ("limbless", "kernels")
"""What a stored plan says of the library that made its rows; no part of what is asked for."""
SAMPLES = ("kind", "count", "seed")
CHECKED = 2000
"""Points of a plan that are checked one by one before the first run; of more, the values of each axis and the ends."""


@dataclass(frozen=True)
class SweepPlan:
    """A scenario, what of it changes, and what is measured.

    Attributes
    ----------
    over : path -> values (a grid, the last axis fastest), or path -> `Bounds` where there are `samples`.
    samples : `kind` (sobol or latin), `count` and `seed` of points between bounds; None: a grid.
    """

    scenario: Scenario
    over: Mapping[str, Any]
    measure: tuple[Measure, ...]
    samples: Mapping[str, Any] | None = None
    allow_code: bool = field(default=False, compare=False)

    @classmethod
    def make(
        cls,
        scenario: str | Path | Mapping[str, Any] | Scenario,
        over: Mapping[str, Any],
        measure: str | Callable | Sequence[Any],
        changes: Mapping[str, Any] | None = None,
        samples: Mapping[str, Any] | None = None,
        allow_code: bool = False,
    ) -> SweepPlan:
        """A checked plan; whatever is wrong with it is said before the first run."""
        base = Scenario.load(scenario, changes or {}, allow_code=allow_code)
        base.refuse_incomplete()
        if not isinstance(over, Mapping) or not over:
            raise InputError("over: name at least one field to change, such as {'gait.amplitude': [0.04, 0.06, 0.08]}")
        twice = [path for path in over if path in (changes or {})]
        if twice:
            raise InputError(f"over: {twice[0]} is changed for all runs too; leave it out of one of both")
        given = [measure] if isinstance(measure, str) or callable(measure) else list(measure)
        if not given:
            raise InputError("measure: name at least one; `limbless list measures` shows all")
        chosen = tuple(measures.find(item) for item in given)
        names = [item.name for item in chosen]
        twice = [name for number, name in enumerate(names) if name in names[:number]]
        if twice:
            raise InputError(f"measure: {twice[0]!r} is named twice")
        read: Callable[[str, Any, Scenario], Any] = values_of if samples is None else bounds_of
        axes = {str(path): read(str(path), given, base) for path, given in over.items()}
        plan = cls(base, axes, chosen, None if samples is None else _samples(samples), allow_code)
        plan._check()
        return plan

    @cached_property
    def runs(self) -> int:
        return (
            int(self.samples["count"])
            if self.samples is not None
            else math.prod(len(values) for values in self.over.values())
        )

    @cached_property
    def _shares(self) -> np.ndarray:
        """(runs, paths) where samples lie between their bounds."""
        from scipy.stats import qmc

        assert self.samples is not None
        kind = qmc.Sobol if self.samples["kind"] == "sobol" else qmc.LatinHypercube
        count, maker = self.runs, kind(len(self.over), rng=self.samples["seed"])
        if self.samples["kind"] == "latin":
            return maker.random(count)
        return maker.random_base2(max(0, math.ceil(math.log2(count))))[:count]

    def point(self, run: int) -> dict[str, Any]:
        """The changes of one run."""
        if not 0 <= run < self.runs:
            raise InputError(f"run: this sweep has runs 0 to {self.runs - 1}; got {run}")
        if self.samples is not None:
            return {
                path: float(bounds.at(share))
                for (path, bounds), share in zip(self.over.items(), self._shares[run], strict=True)
            }
        places = np.unravel_index(run, [len(values) for values in self.over.values()])
        return {path: values[place] for (path, values), place in zip(self.over.items(), places, strict=True)}

    def scenario_of(self, run: int) -> Scenario:
        """The scenario of one run."""
        return Scenario.load(self.scenario, self.point(run), allow_code=self.allow_code)

    def _check(self) -> None:
        """Every point is a scenario."""
        if self.runs > MOST:
            raise InputError(
                f"over: the plan has {self.runs} runs, the most is {MOST}; take fewer values, or `samples`"
            )
        few = self.runs <= CHECKED
        self.refuse_points([self.point(run) for run in range(self.runs)] if few else self.telling_points())
        self._check_media()
        self._check_measures()
        steady = all(item.needs == STEADY for item in self.measure)
        idle = [path for path in self.over if path.removeprefix("gait.") in self.scenario.gait.start_fields]
        if idle and steady and self.measure:
            raise InputError(f"over: {idle[0]} does nothing in steady motion, which has no beginning; leave it out")

    def refuse_points(self, points: Iterable[Mapping[str, Any]]) -> None:
        """What is wrong with a point; `--set`, by which a scenario names a change, is not what its user wrote."""
        for point in points:
            try:
                Scenario.load(self.scenario, point, allow_code=self.allow_code)
            except InputError as error:
                shown = ", ".join(f"{path} = {value!r:.40}" for path, value in point.items())
                raise InputError(f"over: at {shown}: {re.sub(r'^--set [^ =]+=[^ ]*: ', '', str(error))}") from None

    def _check_measures(self) -> None:
        """Measures that the model does not have, at no value of any axis, are refused before the first run."""
        for item in self.measure:
            lack: str | None = None
            for point in self.telling_points() if item.wants else ():
                lack = why_not(item, Scenario.load(self.scenario, point, allow_code=self.allow_code))
                if lack is None:
                    break
            if lack is not None:
                raise InputError(f"measure: {item.name}: {lack}")

    def _check_media(self) -> None:
        """Steady motion is refused before the first run where no value of any axis allows it."""
        if all(item.needs != STEADY for item in self.measure):
            return
        for point in self.telling_points():
            try:
                refuse_medium(Scenario.load(self.scenario, point, allow_code=self.allow_code))
                return
            except InputError as error:
                refused = error
        raise InputError(f"measure: {next(item.name for item in self.measure if item.needs == STEADY)}: {refused}")

    def telling_points(self) -> list[dict[str, Any]]:
        """Of a plan with many runs: each value of each axis once, and all ends together."""
        ends = {
            path: (values.low, values.high) if isinstance(values, Bounds) else (values[0], values[-1])
            for path, values in self.over.items()
        }
        first = {path: pair[0] for path, pair in ends.items()}
        alone = [
            {**first, path: value}
            for path, values in self.over.items()
            for value in (values[:2] if isinstance(values, Bounds) else values)
        ]
        corners = itertools.islice(itertools.product(*ends.values()), 256)
        return [*alone, *(dict(zip(ends, corner, strict=True)) for corner in corners)]

    # As a file

    def data(self) -> dict[str, Any]:
        """What is asked for, as a plan file has it; complete."""
        found: dict[str, Any] = {
            "scenario": self.scenario.model_dump(mode="json"),
            "over": {
                path: given.data() if isinstance(given, Bounds) else list(given) for path, given in self.over.items()
            },
            "measure": [written_measure(item) for item in self.measure],
        }
        return found if self.samples is None else {**found, "samples": dict(self.samples)}

    def to_yaml(self) -> str:
        """The text of a complete plan file, with the version and the kernels that its rows are made by."""
        return written({"limbless": __version__, "kernels": kernels(), **self.data()})

    @property
    def code(self) -> str:
        """A few letters that stand for what is asked for."""
        return hashlib.sha256(written(self.data()).encode()).hexdigest()[:16]


def kernels() -> str:
    """The hash of the sources of compiled code that this process runs."""
    return CACHE_DIRECTORY.name


def written_measure(item: Measure) -> str:
    """A measure in a plan file: its name, or where its function lives."""
    if "@" in item.name or (item.name in measures.known() and measures.known()[item.name] is item):
        return item.name
    return f"{getattr(item.function, '__module__', '?')}:{getattr(item.function, '__qualname__', item.name)}"


def read_plan(
    path: Path, changes: Mapping[str, Any] | None = None, measure: Sequence[Any] | None = None, allow_code: bool = False
) -> SweepPlan:
    """The plan in a file, checked like a scenario."""
    document = read_file(path, folder=path.parent.resolve())
    data = document.data
    for key in data:
        if key not in (*KEYS, *STAMP):
            raise InputError(f"{document.place((key,))}: {key}: unknown field of a plan; {nearest(key, KEYS)}")
    for key in ("scenario", "over", "measure"):
        if key not in data and not (key == "measure" and measure):
            raise InputError(f"{document.where}: {key}: missing; a plan has {', '.join(KEYS)}")
    for key in ("set", "over"):
        if not isinstance(data.get(key) or {}, dict):
            raise InputError(f"{document.place((key,))}: {key}: must be a mapping of paths such as gait.amplitude")
    wanted = measure or data["measure"]
    with _placed(document):
        own = [wanted] if isinstance(wanted, str) else wanted
        unreadable = [item for item in own if isinstance(item, str) and ":" in item]
        if unreadable:
            raise InputError(
                f"measure: {unreadable[0]} is a Python function; resume this sweep from Python, where it "
                "is given as an object"
            )
        return SweepPlan.make(
            _scenario_of(document),
            data["over"],
            own,
            {**(data.get("set") or {}), **(changes or {})},
            data.get("samples"),
            allow_code,
        )


def _scenario_of(document: Document) -> Any:
    """A scenario in a plan: a mapping, a name, or a file beside the plan."""
    given = document.data["scenario"]
    beside = document.folder / given if document.folder is not None and isinstance(given, str) else None
    return beside if beside is not None and beside.suffix in (".yaml", ".yml") and beside.is_file() else given


@contextmanager
def _placed(document: Document) -> Iterator[None]:
    """Refusals begin with the file, and with the line of the path that they speak of."""
    try:
        yield
    except InputError as error:
        if str(error).startswith(document.where):
            raise
        key, _, path = str(error).partition(":")[0].partition(".")
        place = document.place((key, path) if path else (key,)) if key in KEYS else document.where
        raise InputError(f"{place}: {error}") from None


def _samples(given: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise InputError(f"samples: give {{kind: sobol, count: 256, seed: 0}}; got {given!r:.60}")
    unknown = [str(key) for key in given if key not in SAMPLES]
    if unknown:
        raise InputError(f"samples.{unknown[0]}: unknown field; {nearest(unknown[0], SAMPLES)}")
    kind, count, seed = given.get("kind", "sobol"), given.get("count"), given.get("seed", 0)
    if kind not in ("sobol", "latin"):
        raise InputError(f"samples.kind: must be sobol or latin; got {kind!r}")
    for name, value, least in (("count", count, 1), ("seed", seed, 0)):
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise InputError(f"samples.{name}: must be a whole number of at least {least}; got {value!r}")
    return {"kind": kind, "count": count, "seed": seed}
