"""Numbers that cannot be computed with: an overflow, a division by zero or a singular system becomes a
sentence that names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from limbless.core import Description, InputError
from limbless.core.functions.callables import told


@contextmanager
def computable(source: Mapping[str, Any] | Description) -> Iterator[None]:
    """Refuse arithmetic that fails inside, with the numbers of a scenario (or its data) that are the likely cause."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise InputError(
            f"the numbers of this scenario cannot be computed with ({told(error)}); {extremes(source)}"
        ) from error


def extremes(source: Mapping[str, Any] | Description) -> str:
    """The largest and the smallest number of a scenario, in words."""
    data = source.model_dump(mode="json") if isinstance(source, Description) else source
    found = sorted((abs(value), path, value) for path, value in _numbers(data, "") if value)
    if not found:
        return "all of them are zero"
    (_, small, least), (_, large, most) = found[0], found[-1]
    return (
        f"its largest is {large} = {most:g} and its smallest {small} = {least:g}; look also for zeros where a mass or "
        "a stiffness is needed"
    )


def _numbers(data: Any, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(data, Mapping):
        for key, part in data.items():
            yield from _numbers(part, f"{path}.{key}" if path else str(key))
    elif isinstance(data, list | tuple):
        for number, part in enumerate(data):
            yield from _numbers(part, f"{path}.{number}")
    elif isinstance(data, int | float) and not isinstance(data, bool):
        yield path, float(data)
