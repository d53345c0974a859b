"""The folder of a fit: the fitted scenario, its numbers, residuals, and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import __version__, as_word, below, replacing, write_table, write_text
from limbless.interop.identification.identified import Identified
from limbless.scenarios.scenario import Scenario
from limbless.view.figures import style


def write_fit(
    found: Identified, source: Any, folder: str | Path, changes: Mapping[str, Any] | None = None
) -> list[Path]:
    """`fitted.yaml`, which runs; `fit.json` with everything; `residuals/RUN.csv`; `fit.png`."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    fitted = Scenario.load(Scenario.load(source, changes), found.more["fitted"])
    numbers = {**found.numbers(), "lines": found.lines(), "limbless": __version__}
    residuals = numbers.pop("residuals")
    header = "".join(f"# {line}\n" for line in found.lines())
    paths = [write_text(place / "fitted.yaml", header + fitted.to_yaml())]
    paths.append(write_text(place / "fit.json", json.dumps(numbers, indent=2, default=float) + "\n"))
    for number, each in enumerate(residuals):
        columns = {
            f"{word} {k}": column
            for word, values in each.items()
            if word != "run"
            for k, column in enumerate(np.asarray(values).T)
        }
        file = below(place, "residuals", f"{number}-{as_word(each['run'])}.csv")
        file.parent.mkdir(exist_ok=True)
        paths.append(write_table(file, columns))
    return [*paths, _drawn(found, residuals, place / "fit.png")]


def _drawn(found: Identified, residuals: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """Residuals of every run over their sigma, and each parameter with its interval over its value."""
    with style.styled():
        sheet, (above, below_it) = style.panels([40.0, 8.0 + 5.0 * len(found.paths)])
        for number, each in enumerate(residuals):
            for word, values in each.items():
                if word != "run":
                    sizes = np.asarray(values) / found.more["sigmas"][number][word]
                    spread = np.linspace(-0.3, 0.3, sizes.size)
                    above.plot(number + spread, sizes.ravel(), ".", color="black", markersize=2)
        above.axhspan(-2.0, 2.0, color="0.9")
        above.set_xticks(range(len(residuals)), [each["run"] for each in residuals])
        above.set_ylabel("residual / sigma")
        for place, (name, value) in enumerate(zip(found.paths, found.values, strict=True)):
            ends = found.bounds(name)
            if ends is not None:
                below_it.plot([end / value for end in ends], [-place] * 2, color="black", linewidth=1.0)
            below_it.plot([1.0], [-place], "o", color="black", markerfacecolor="black" if ends else "white")
        below_it.set_yticks([-place for place in range(len(found.paths))], list(found.paths))
        below_it.set_xlabel("95 % interval over the value (hollow: not determined)")
        with replacing(path) as temporary:
            sheet.savefig(temporary, format="png")
    return path
