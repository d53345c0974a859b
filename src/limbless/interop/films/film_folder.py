"""The folder of a film: data, a scenario that runs again, the result, a page, a notebook."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import write_text
from limbless.interop.films import FILMED
from limbless.interop.films.experiment import curvature_rows
from limbless.interop.films.midline_kinematics import as_plain
from limbless.interop.identification.fit_folder import page, shown
from limbless.scenarios.document import written
from limbless.simulation.result.storage import write_netcdf

if TYPE_CHECKING:
    from limbless.interop.films.film import Film
    from limbless.interop.films.prediction import Prediction
    from limbless.interop.identification.identified import Identified
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result

CURVATURE = "curvature.csv"


def write_folder(
    film: Film, folder: Path, predicted: Prediction | None, identified: Identified | None, figures: bool, form: str
) -> list[Path]:
    """Everything that is known of a film."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [write_netcdf(folder / "midline.nc", film.dataset(), None)]
    if predicted is not None:
        result = predicted.result
        if result.scenario is not None:
            paths += _write_scenario(film, result.scenario, folder)
        paths += [_with_text(result).save(folder / "result.nc"), filmed_result(film, result).save(folder / FILMED)]
    summary = {
        "film": film.numbers(),
        "kinematics": film.kinematics.table(),
        "notes": list(film.notes),
        "prediction": None if predicted is None else predicted.numbers(),
        "identified": None if identified is None else identified.numbers(),
        "run": None if predicted is None else predicted.result.summary(),
    }
    paths.append(
        write_text(
            folder / "summary.json", json.dumps(as_plain(summary), indent=2, allow_nan=False, default=float) + "\n"
        )
    )
    pictures: list[Path] = []
    if figures:
        from limbless.interop.films.film_figures import save_all

        pictures = save_all(film, predicted, folder / "figures", form)
        paths += [*pictures, write_text(folder / "report.html", _page(film, predicted, identified, pictures))]
    paths.append(write_text(folder / "notebook.ipynb", json.dumps(notebook(film, predicted), indent=1) + "\n"))
    return paths


def _write_scenario(film: Film, scenario: Scenario, folder: Path) -> list[Path]:
    """The scenario with its curvatures in a file beside it."""
    rows = curvature_rows(film.smooth)
    lines = ["# abscissae (m) in the first row after a 0; then time (s) and curvatures (1/m)"]
    lines += [",".join(repr(float(value)) for value in row) for row in rows]
    data = scenario.model_dump(mode="json")
    data["gait"] = {name: value for name, value in data["gait"].items() if name != "table"} | {"file": CURVATURE}
    return [
        write_text(folder / CURVATURE, "\n".join(lines) + "\n"),
        write_text(folder / "scenario.yaml", written(data)),
    ]


def _with_text(result: Result) -> Result:
    """The same result with its scenario as text already: the table of curvatures in one line, which is written a
    hundred times faster than entry by entry."""
    from limbless.simulation.result import Result

    if result.scenario is None:
        return result
    data = result.scenario.model_dump(mode="json")
    table, mark = data["gait"]["table"], "table of curvatures"
    text = written({**data, "gait": {**data["gait"], "table": mark}})
    copy = Result(result.dataset, None, result.status, result.state, result.wall_time)
    copy.notes, copy.found = result.notes, result.found
    copy._kept_scenario_text = text.replace(mark, json.dumps(table))
    return copy


def filmed_result(film: Film, result: Result) -> Result:
    """The film as a result with the model's sections, so that all that shows a result shows it."""
    from limbless.simulation.result import Result

    data, smooth = result.dataset, film.smooth
    lengths = data["section_length"].values
    middle = (np.cumsum(lengths) - 0.5 * lengths) / lengths.sum()
    s = np.linspace(0.0, 1.0, smooth.position.shape[1])
    count = min(len(smooth.time), data.sizes["time"])
    place = np.zeros((count, len(middle), 3))
    for c in range(2):
        place[..., c] = [np.interp(middle, s, row) for row in smooth.position[:count, :, c]]
    angle = 0.5 * np.array([np.interp(middle, s, row) for row in smooth.heading[:count]])
    turn = np.stack([np.cos(angle), 0.0 * angle, 0.0 * angle, np.sin(angle)], axis=-1)
    head = np.concatenate([smooth.position[:count, 0], np.zeros((count, 1))], axis=1)
    kept = data.isel(time=slice(0, count))
    made = {"position": place, "orientation": turn, "head_position": head}
    variables = {name: (kept[name].dims, values, kept[name].attrs) for name, values in made.items() if name in kept}
    fixed = {name: kept[name] for name in ("radius", "section_length") if name in kept}
    filmed = kept[[]].assign(variables).assign(fixed)
    return Result(filmed.assign_attrs(scenario_name=f"{film.name} as filmed", model="film"), None, "completed")


# The page


def _page(film: Film, predicted: Prediction | None, identified: Identified | None, pictures: list[Path]) -> str:
    """One page that needs nothing else."""
    rows = "".join(
        f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{item['value']:.5g}</td><td>+- {item['error']:.2g}</td></tr>"
        for name, item in film.kinematics.table().items()
    )
    parts = [
        f"<h1>{escape(film.name)}</h1><p>{escape(str(film.midline.attrs['format']))} film, "
        f"{escape(str(film.midline.attrs['source']))}</p>",
        f"<pre>{escape(chr(10).join(film.lines(predicted, identified)))}</pre>",
    ]
    if predicted is not None and not predicted.determined:
        parts.append(
            "<p class='fail'>The film does not determine the motion: other smoothings of the same points give "
            "another one. No predicted number is claimed.</p>"
        )
    if predicted is not None and predicted.result.doubts:
        parts.append(f"<p class='fail'>{escape(predicted.result.warning)}</p>")
    parts += [
        shown(pictures),
        "<h2>Kinematics</h2><p>SI units; names in _L in body lengths. Standard errors from refits with simulated "
        f"noise.</p><table>{rows}</table>",
    ]
    if predicted is not None:
        told = {name: value for name, value in predicted.numbers().items() if value is not None}
        parts.append(
            "<h2>The model</h2><table>"
            + "".join(
                f"<tr><th>{escape(name.replace('_', ' '))}</th><td>{escape(_shown(value))}</td></tr>"
                for name, value in told.items()
            )
            + "</table><p>The run again: <code>limbless run scenario.yaml</code>. Film and model side by side: "
            "<code>limbless view .</code></p>"
        )
    if identified is not None:
        parts.append(f"<h2>Identified</h2><pre>{escape(chr(10).join(identified.lines()))}</pre>")
    return page(f"{film.name} - limbless film", "".join(parts))


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.5g}"
    if isinstance(value, list | tuple):
        return ", ".join(_shown(item) for item in value)
    return ", ".join(f"{k}: {_shown(v)}" for k, v in value.items()) or "none" if isinstance(value, dict) else str(value)


def notebook(film: Film, predicted: Prediction | None) -> dict[str, Any]:
    """A notebook that opens the folder."""
    cells = [
        ("markdown", f"# {film.name}\n\nWhat `limbless film` found, opened again. Run it in its folder."),
        (
            "code",
            "import json\nimport xarray as xr\nimport limbless as ll\n\n"
            "midline = xr.open_dataset('midline.nc')\nsummary = json.load(open('summary.json'))\n"
            "{name: row['value'] for name, row in summary['kinematics'].items()}",
        ),
        ("code", "(midline['curvature'] * midline.attrs['body_length']).plot(x='time')"),
    ]
    if predicted is not None:
        cells += [
            ("code", "result = ll.run('scenario.yaml')          # the model's motion, from the film's shape\nresult"),
            ("code", "ll.Result.load('filmed.nc').dataset['position'], result.dataset['position']"),
        ]
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"language_info": {"name": "python"}},
        "cells": [
            {
                "cell_type": kind,
                "id": f"cell-{i}",
                "metadata": {},
                "source": text.splitlines(keepends=True),
                **({"outputs": [], "execution_count": None} if kind == "code" else {}),
            }
            for i, (kind, text) in enumerate(cells)
        ],
    }
