"""What can be plotted of a result, line by line: for the plots beside the view and for those of the report."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from limbless.simulation.analysis.speed import recorded_speed
from limbless.simulation.result import components
from limbless.view.figures.style import with_unit
from limbless.view.scene.frames import Array, Frames, leading

MOST_LINES = 6  # of one variable: those that change most
SPEED = "speed"
_NEAR = 4.0  # a limit of torques is drawn where it is less than this many times the largest
_TURNED = {"rad": "°", "rad/s": "°/s"}
_TORQUE = "joint_torque"
LIMIT = "limit"
"""What labels of lines that are no values but what they may not pass begin with."""
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_FIRST = (
    SPEED,
    _TORQUE,
    "actuator_power",
    "tension",
    "tip_position",
    "contact_force",
    "kinetic_energy",
    "head_position",
    "joint_position",
    "effort",
    "target_error",
    "contact_residual",
    "environment_power",
)


@dataclass(frozen=True)
class Plot:
    """Lines over the frames: title, unit of all lines, label -> values (frames,), and how many lines were left out."""

    title: str
    unit: str
    lines: dict[str, Array]
    left_out: int = 0

    @property
    def shown(self) -> int:
        """How many of them are values, and no limits."""
        return sum(not label.startswith(LIMIT) for label in self.lines)

    @property
    def label(self) -> str:
        return with_unit(self.title, self.unit)

    def in_degrees(self) -> Plot:
        """Angles and their rates in degrees; other plots as they are."""
        if self.unit not in _TURNED:
            return self
        turned = {label: np.degrees(values) for label, values in self.lines.items()}
        return replace(self, unit=_TURNED[self.unit], lines=turned)

    def readable(self) -> Plot:
        """The same in a power of 1000 of its unit, where an axis with three decimals would
        show zeros, or rows of them.
        """
        values = np.concatenate(list(self.lines.values()))
        largest = float(np.abs(values[np.isfinite(values)]).max(initial=0.0))
        if largest == 0.0 or 1e-2 <= largest < 1e5:
            return self
        power = 3 * math.floor(math.log10(largest) / 3.0)
        unit = f"10{str(power).translate(_RAISED)}" + (f" {self.unit}" if self.unit not in ("", "1") else "")
        return replace(self, unit=unit, lines={label: values / 10.0**power for label, values in self.lines.items()})

    def limits(self) -> tuple[float, float]:
        """Lowest and highest value, with a little space."""
        values = np.concatenate(list(self.lines.values()))
        values = values[np.isfinite(values)]
        low, high = float(values.min(initial=0.0)), float(values.max(initial=0.0))
        margin = 0.05 * (high - low) or max(abs(high), 1e-12)
        return low - margin, high + margin


def choices(frames: Frames) -> list[str]:
    """Names of all that can be plotted; what one looks at first comes first."""
    data = frames.result.dataset
    along = set(leading(data))
    names = [
        str(name)
        for name, variable in data.data_vars.items()
        if along <= set(variable.dims) and variable.dtype.kind in "fiu" and variable.size
    ]
    if "com_position" in data and frames.axis == "time" and frames.count > 1:
        names.insert(0, SPEED)
    return sorted(names, key=lambda name: (_FIRST.index(name) if name in _FIRST else len(_FIRST), name))


def plot_of(frames: Frames, name: str) -> Plot:
    """The lines of a variable, or of the speed of the centre of mass."""
    data = frames.result.dataset
    if name == SPEED:
        return Plot("speed of the centre of mass", "m/s", {"speed": recorded_speed(data)})
    found = [
        (column.removeprefix(f"{name}_"), unit, values)
        for column, unit, values in components(data[name], leading(data))
    ]
    busy = sorted(found, key=lambda item: -float(np.ptp(item[2])))[:MOST_LINES]
    kept = [item for item in found if any(item is one for one in busy)]
    units = list(dict.fromkeys(unit for _, unit, _ in kept))
    lines = {label: np.asarray(values, dtype=float) for label, _, values in kept}
    largest = max(float(np.abs(values).max(initial=0.0)) for values in lines.values())
    joints = [k for k, item in enumerate(found) if any(item is one for one in kept)]
    for limit in _torque_limits(frames, joints) if name == _TORQUE else ():
        if limit < _NEAR * largest:
            lines |= {f"{LIMIT} {sign}{limit:.3g}": np.full(frames.count, float(f"{sign}1") * limit) for sign in "+-"}
    return Plot(name.replace("_", " "), ", ".join(units), lines, len(found) - len(kept))


def lines_beside(ghost: Frames | None, name: str, at: Array) -> dict[str, Array]:
    """The same variable of a run to compare with, at these times; NaN, which is not drawn, where that run has ended."""
    if ghost is None or name not in choices(ghost):
        return {}
    lines = plot_of(ghost, name).lines
    return {
        f"{label}, other": np.interp(at, ghost.abscissa, values, left=np.nan, right=np.nan)
        for label, values in lines.items()
    }


def _torque_limits(frames: Frames, joints: list[int]) -> list[float]:
    """What these joints of a chain, or their actuation, may give at most, N m: each number once."""
    scenario: Any = frames.result.scenario
    arrays = getattr(scenario.robot.build(), "arrays", None) if scenario is not None else None
    if arrays is None:
        return []
    stated = np.minimum(
        own := arrays().torque_limit, np.resize(getattr(scenario.actuation, "limits", np.inf), len(own))
    )
    return [float(limit) for limit in np.unique(stated[[k for k in joints if k < len(stated)]]) if np.isfinite(limit)]
