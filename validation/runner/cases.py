"""A case: a folder with `case.yaml` (source, references, tolerances and their reasons) and
`check.py` (measures and draws).
"""

from __future__ import annotations

import importlib.util
import json
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from limbless.core import checkout
from limbless.core.description import Description
from limbless.core.errors import InputError, nearest
from limbless.core.input_problems import problems_of, report
from limbless.scenarios.document import read_file

Kind = Literal["paper", "closed form", "ladder", "engine", "experiment"]
FILE = "case.yaml"


class FittedRow(Description):
    """The same number of a run with fitted parameters."""

    reference: float
    tolerance: float = Field(ge=0.0, description="numerical error of the run")
    interval: tuple[float, float] = Field(
        description="lowest and highest for draws of what was fitted, as `interval_of` found them"
    )
    trained: bool = Field(False, description="whether parameters were fitted to this row")


class CaseRow(Description):
    """One statement, and what decides whether it is met: a reference with a tolerance, or bounds, or
    the reason why nothing does.
    """

    statement: str = Field(min_length=10, description="what is claimed, in words")
    source: str = Field("", description="figure, equation or sentence, where it is not that of the case")
    value: str = Field("", description="name of the number that check.py returns")
    unit: str = ""
    reference: float | None = None
    tolerance: float | None = Field(
        None, ge=0.0, description="largest difference from the reference, in the unit of the row"
    )
    between: tuple[float | None, float | None] | None = Field(
        None, description="lowest and highest value; null for no bound"
    )
    reason: str = Field(min_length=15, description="why this tolerance or these bounds, or why nothing decides")
    verdict: Literal["not decidable", "open"] | None = Field(None, description="of a row that nothing measures")
    shortfall: str = Field("", description="of a row that is known not to be met: why")
    trials: tuple[float, ...] = Field((), description="of an experiment: single results")
    mean: float | None = Field(None, description="of an experiment: mean, where its single results are not known")
    sd: float | None = Field(None, ge=0.0, description="standard deviation beside the mean")
    band: tuple[float, float] | None = Field(
        None, description="lowest and highest value of the run within what is assumed, as `band_of` found them"
    )
    count: int | None = Field(None, ge=2, description="how many animals or trials the mean and its sd are of")
    effects: dict[str, tuple[float, float]] = Field(
        {}, description="value with one assumption alone at its lowest and highest, as `effects_of` found them"
    )
    predicted: bool = Field(False, description="of an experiment: a number that nobody has published yet")
    missing: str = Field("", description="of an experiment that the run does not meet: which physics is missing")
    fitted: FittedRow | None = Field(None, description="of an experiment: the same with what was fitted")

    @model_validator(mode="after")
    def _decidable(self) -> Self:
        """Exactly one of: reference with tolerance, bounds, or a verdict without a number."""
        near, bounded = self.reference is not None and self.tolerance is not None, self.between is not None
        if (near, bounded, self.verdict is not None).count(True) != 1:
            raise ValueError("give a reference with a tolerance, or between: [lowest, highest], or a verdict")
        if bool(self.value) != (self.verdict is None):
            raise ValueError("a row that is measured names its value, a row with a verdict has none")
        return self

    @model_validator(mode="after")
    def _measured_by_someone(self) -> Self:
        if self.trials and (self.mean is not None or self.sd is not None):
            raise ValueError("give trials, or mean and sd: one of both")
        if (self.mean is None) != (self.sd is None):
            raise ValueError("a mean needs its sd, and an sd its mean")
        return self

    @property
    def scatter(self) -> tuple[float, float] | None:
        """Mean and standard deviation of what was measured; None of a row that is no experiment."""
        if self.mean is not None and self.sd is not None:
            return self.mean, self.sd
        if not self.trials:
            return None
        mean = sum(self.trials) / len(self.trials)
        spread = sum((value - mean) ** 2 for value in self.trials) / max(len(self.trials) - 1, 1)
        return mean, spread**0.5

    @property
    def mean_error(self) -> float | None:
        """Standard error of the mean, where it is known of how many results that is."""
        number = len(self.trials) or self.count
        return None if self.scatter is None or not number or number < 2 else self.scatter[1] / number**0.5

    def holds(self, measured: float) -> bool:
        """Whether a number satisfies the row; what is not a number does not."""
        if self.between is not None:
            low, high = self.between
            return (low is None or measured >= low) and (high is None or measured <= high) and measured == measured
        return abs(measured - (self.reference or 0.0)) <= (self.tolerance or 0.0)


class Assumed(Description):
    """What an experiment does not say: a range, and why."""

    between: tuple[float, float]
    reason: str = Field(min_length=10)


class FittedArm(Description):
    """What was fitted: values with their 95 % intervals, to what, and on what it was tested."""

    values: dict[str, tuple[float, float | None, float | None]] = Field(
        description="path -> value, lowest, highest; null where it is not determined"
    )
    train: str = Field(min_length=5, description="what it was fitted to")
    test: str = Field(min_length=5, description="what it was not fitted to, and how well it does there")
    open: str = Field("", description="what the data does not determine")


class Case(Description):
    """What `case.yaml` holds."""

    title: str = Field(min_length=10)
    kind: Kind
    source: str = Field(
        min_length=10, description="paper and figure or equation, or the book or engine that it is held against"
    )
    models: tuple[str, ...] = Field(min_length=1)
    quick: bool = Field(
        True, description="takes less than five seconds: part of `limbless validate --quick` and of `make test`"
    )
    needs: tuple[str, ...] = Field((), description="packages that it needs beside limbless")
    scenario: str | None = Field(None, description="the scenario whose summary is shown with its error bars")
    data: str | None = Field(
        None, description="file of longer tables of reference numbers, from the root of the project"
    )
    remarks: str = Field("", alias="notes", description="what is compared, and what is not comparable")
    caption: str = Field(min_length=10, description="what its figure shows")
    assumed: dict[str, Assumed] = Field({}, description="of an experiment: what it does not say, path -> range, reason")
    fitted: FittedArm | None = Field(None, description="of an experiment: its fitted arm")
    rows: tuple[CaseRow, ...] = Field(min_length=1)
    folder: Path = Field(Path(), exclude=True)

    @model_validator(mode="after")
    def _experiments_have_scatter(self) -> Self:
        if self.kind == "experiment":
            for row in self.rows:
                if row.verdict is None and (row.scatter is None) is not row.predicted:
                    raise ValueError(
                        f"an experiment's row needs trials, or mean and sd, or predicted: true: {row.statement!r}"
                    )
                if set(row.effects) - set(self.assumed):
                    raise ValueError(f"effects are of what is assumed, {', '.join(self.assumed)}: {row.statement!r}")
        return self

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def missing(self) -> list[str]:
        """Packages that it needs and that are not installed."""
        return [name for name in self.needs if not _installed(name)]

    @cached_property
    def numbers(self) -> Any:
        """The file of reference numbers."""
        return json.loads((self.folder.parents[1] / str(self.data)).read_text(encoding="utf-8"))

    @cached_property
    def module(self) -> ModuleType:
        """`check.py`, imported under a name of its own; what cases share lies beside their folders and is imported as
        `validation.NAME`.
        """
        spec = importlib.util.spec_from_file_location(
            f"validation_{self.name.replace('-', '_')}", self.folder / "check.py"
        )
        if spec is None or spec.loader is None or not (self.folder / "check.py").is_file():
            raise InputError(f"{self.folder} has no check.py; copy that of another case")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return importlib.util.find_spec(package) is not None
    return True


def home() -> Path:
    """The folder `validation` of the clone."""
    return checkout.root_with("validation") / "validation"


def names(folder: Path | None = None) -> list[str]:
    """Of all cases, in order."""
    return sorted(path.parent.name for path in (folder or home()).glob(f"*/{FILE}"))


def load(name: str, folder: Path | None = None) -> Case:
    """A case by its name; whatever is wrong with its file is said at once, with lines."""
    base = folder or home()
    if name not in names(base):
        raise InputError(f"no case is called {name!r}; {nearest(name, names(base))}")
    path = base / name / FILE
    document = read_file(path, where=f"validation/{name}/{FILE}")
    try:
        return Case.model_validate({**document.data, "folder": path.parent})
    except ValidationError as error:
        raise report(problems_of(error, Case, document.data), document.where, document.place) from None
