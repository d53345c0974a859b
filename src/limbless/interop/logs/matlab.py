"""A run as a MATLAB file (version 5, compressed): every variable under its name, with units, dimensions and labels."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import replacing

if TYPE_CHECKING:
    from limbless.simulation.result import Result

_LONGEST = 31
"""Letters of a name that MATLAB keeps in a file of this version."""


def write_mat(result: Result, path: Path) -> Path:
    """Variables and coordinates by name; `about.NAME` holds units, long_name, frame and dims; texts are cell arrays."""
    from scipy.io import savemat

    data, about, content = result.dataset, {}, {}
    for name, variable in {**dict(data.coords), **dict(data.data_vars)}.items():
        key = str(name)[:_LONGEST]
        content[key] = _plain(variable.values)
        told = {word: str(variable.attrs.get(word, "")) for word in ("units", "long_name", "frame")}
        about[key] = {**told, "dims": ", ".join(map(str, variable.dims))}
    content["about"] = about
    content["limbless_status"] = str(result.status)
    if result.scenario is not None:
        content["limbless_scenario"] = result.scenario.to_yaml()
    with replacing(path) as temporary:
        savemat(temporary, content, do_compression=True, oned_as="column")
    return path


def _plain(values: np.ndarray) -> Any:
    """Texts as a cell array, numbers as they are."""
    return values.astype(object) if values.dtype.kind in "OUST" else values
