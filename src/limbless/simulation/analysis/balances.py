"""The run's own proof: differences of recorded states against integrals of what acted, never accelerations that a
solver just returned.

To add a balance, write one function `(dataset, mass) -> Balance | None` and put it in `BALANCES`, with the variables
that it needs; None means that it does not hold for the run.

Scales, to which each mismatch is compared (never below `SMALLEST_SCALE`, or `SMALL` times what a small body has, so
that a robot at rest passes):

power (J)                 the total work exchanged, which is the integral of |actuator| + |environment| + |passive|
                          power, or the largest kinetic energy if that is more
linear momentum (N s)     the largest of |momentum|, |impulse| and sqrt(2 m K): what the whole mass would have with
                          kinetic energy K; without inertia what all forces on the body would give, all one way
angular momentum (N m s)  the same, with sqrt(2 m K) times a lever: body length plus largest distance of the centre of
                          mass from the origin
orientation               1, the norm of a rotation's quaternion
equilibrium (N m)         the largest elastic moment of a vertebra
actuator work (J)         the sum of |work| from point to point
recorded residuals        the attribute `scale` of the variable, given by the model; 1 without one. Slip of a rod at its
                          contacts: the largest speed of its body
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from limbless.core import Array
from limbless.simulation.analysis import statics_work
from limbless.simulation.analysis.speed import body_length, change

if TYPE_CHECKING:
    import xarray as xr


THRESHOLDS = {
    "power": 1e-3,
    "linear momentum": 1e-3,
    "angular momentum": 1e-3,
    "orientation": 1e-9,
    "object power": 1e-3,
    "object momentum": 1e-3,
    "contact residual": 1e-6,
    "tail wrench": 1e-6,
    "joint drift": 1e-6,
    "equilibrium": 1e-9,
    "actuator work": 1e-3,
}
"""Largest relative mismatch of each balance that passes."""

OF_ONE_STEP = ("orientation", "contact residual", "tail wrench", "joint drift", "equilibrium", "actuator work")
"""Balances that are of an instant, and so do not sum up what steps leave."""

SMALLEST_SCALE = 1e-9
"""In the unit of the balance. Below this a mismatch is round-off of nothing."""
SMALL = 1e-6
"""The same of a body so small that this is less: a share of what it has that goes its own length in a second."""

PROOF = (
    "kinetic_energy",
    "actuator_work",
    "environment_work",
    "passive_work",
    "numerical_work",
    "momentum",
    "impulse",
    "work_exchanged",
    "contact_residual",
    "contact_speed",
    "tail_wrench",
    "joint_drift",
    "object_energy",
    "object_work",
    "object_momentum",
    "object_impulse",
)
"""What balances compare, beside `com_position` and quaternions."""
WORKS = ("actuator_work", "environment_work", "passive_work", "numerical_work")
QUATERNIONS = ("base_orientation", "orientation", "object_orientation")
PROVES = (
    "its energy, momentum and contacts balance: the equations were solved. Whether another start or step ends alike is "
    "another question (limbless run --robust 10)"
)
"""What it means that a run is proven, in one line."""
POWERS = ("actuator_power", "environment_power", "passive_power")


@dataclass(frozen=True)
class Balance:
    """One comparison: the largest mismatch over the run, and the scale that says whether it is small."""

    name: str
    value: float
    scale: float
    units: str
    compares: str
    least: float = SMALLEST_SCALE

    @property
    def relative(self) -> float:
        """Not a number where the scale is not finite: beside what is infinite everything is small."""
        return self.value / max(self.scale, self.least) if np.isfinite(self.scale) else np.nan

    @property
    def threshold(self) -> float:
        return THRESHOLDS[self.name]

    @property
    def verdict(self) -> str:
        """`pass` or `fail`; a mismatch that is not a number fails."""
        return "pass" if self.relative <= self.threshold else "fail"

    def sentence(self, step: float | None = None, order: float = 1.0, cure: str = "") -> str:
        """What it found, in words, and the step that likely passes where the mismatch falls with this order of `step`
        (s): 1, 2 or 5 times a power of ten; where momentum is off, with what else is a `cure`.
        """
        told = (
            f"the {self.name} balance is off by {self.relative:.2g} of its scale ({self.value:.3g} of "
            f"{self.scale:.3g} {self.units}); at most {self.threshold:.0e} passes"
        )
        if not step or not 0.0 < self.relative < 1.0 or self.name in OF_ONE_STEP:
            return told
        wanted = step * (self.threshold / self.relative) ** (1.0 / max(order, 1.0))  # works sum up what impacts leave
        power = 10.0 ** np.floor(np.log10(wanted))
        shorter = max(d for d in (1.0, 2.0, 5.0) if d * power <= wanted) * power
        return f"{told}; try step: {shorter:g}{cure if self.name.endswith('momentum') else ''}"

    def as_dict(self) -> dict[str, object]:
        """All of it in plain types, as `summary.json` holds it."""
        return {
            "value": self.value,
            "scale": self.scale,
            "units": self.units,
            "relative": self.relative,
            "threshold": self.threshold,
            "verdict": self.verdict,
            "compares": self.compares,
        }


def balances(dataset: xr.Dataset, mass: float | None = None) -> list[Balance]:
    """Every balance for which the run recorded what it needs. `mass` (kg) of the whole robot
    enters the scales of momentum.
    """
    # statics has no time; its records are counted by its own balances
    if dataset.sizes.get("time", 1) == 0:
        return []
    known = [balance for balance, needs in BALANCES if all(name in dataset for name in needs)]
    return [found for balance in known if (found := balance(dataset, mass)) is not None]


def energy_mismatch(dataset: xr.Dataset) -> Array | None:
    """Change of kinetic energy since the first record, less the work done since (time,), J. None if
    the run recorded no work.
    """
    works = [dataset[name].values for name in WORKS if name in dataset]
    if "kinetic_energy" not in dataset or not works:
        return None
    return _since_start(dataset["kinetic_energy"].values - sum(works))


def power_residual(dataset: xr.Dataset) -> Array | None:
    """Rate at which `energy_mismatch` grows from the record before to this one (time,), W; 0 at the first record."""
    mismatch = energy_mismatch(dataset)
    if mismatch is None:
        return None
    steps = np.diff(dataset["time"].values)
    rate = np.divide(np.diff(mismatch), steps, out=np.zeros(len(steps)), where=steps > 0.0)
    return np.concatenate([np.zeros(min(1, len(mismatch))), rate])


def work_exchanged(dataset: xr.Dataset) -> float:
    """Integral of the absolute powers (J): as it was counted at every step or else by the trapezium rule over the
    recorded powers.
    """
    counted = change(dataset, "work_exchanged")
    if counted is not None:
        return float(counted)
    total = sum(np.abs(dataset[name].values) for name in POWERS if name in dataset)
    return float(np.trapezoid(total, dataset["time"].values)) if np.ndim(total) else 0.0


def _power(dataset: xr.Dataset, mass: float | None) -> Balance | None:
    mismatch = energy_mismatch(dataset)
    if mismatch is None:
        return None
    scale = max(work_exchanged(dataset), _largest(dataset["kinetic_energy"].values))
    return Balance(
        "power",
        _largest(mismatch),
        scale,
        "J",
        "the change of kinetic energy with the work of the actuators, the environment and the passive joint forces",
        _least(dataset, mass, 2),
    )


def _momentum(dataset: xr.Dataset, mass: float | None, part: slice, lever: float) -> tuple[float, float]:
    """Largest mismatch between change of momentum and impulse, and its scale, for three components of the screw."""
    momentum, impulse = dataset["momentum"].values[:, part], _since_start(dataset["impulse"].values[:, part])
    kinetic = _largest(dataset["kinetic_energy"].values) if "kinetic_energy" in dataset else 0.0
    inner = lever * float(np.sqrt(2.0 * (mass or 0.0) * kinetic))
    if not momentum.any() and "fluid_force" in dataset:  # without inertia: what all forces would give, one way
        pushed = np.linalg.norm(dataset["fluid_force"].values, axis=-1).sum(axis=-1)
        inner = lever * float(np.trapezoid(pushed, dataset["time"].values))
    scale = max(_largest_norm(momentum), _largest_norm(impulse), inner)
    return _largest_norm(_since_start(momentum) - impulse), scale


def _least(dataset: xr.Dataset, mass: float | None, lengths: int, lever: float = 1.0) -> float:
    """The smallest scale: of a worm of a millimetre all works are far below a nanojoule, and any mismatch passed."""
    own = SMALL * mass * body_length(dataset) ** lengths * lever if mass else SMALLEST_SCALE
    return min(SMALLEST_SCALE, own)


def _linear_momentum(dataset: xr.Dataset, mass: float | None) -> Balance:
    found = _momentum(dataset, mass, slice(0, 3), 1.0)
    told = "the change of linear momentum with the impulse of all outer forces"
    return Balance("linear momentum", *found, "N s", told, _least(dataset, mass, 1))


def _angular_momentum(dataset: xr.Dataset, mass: float | None) -> Balance:
    distance = _largest_norm(dataset["com_position"].values) if "com_position" in dataset else 0.0
    lever = body_length(dataset) + distance
    return Balance(
        "angular momentum",
        *_momentum(dataset, mass, slice(3, 6), lever),
        "N m s",
        "the change of angular momentum about the world origin with the impulse of all outer moments",
        _least(dataset, mass, 1, lever),
    )


def _object_power(dataset: xr.Dataset, mass: float | None) -> Balance:
    """Each object by itself; the scale is the largest energy or work of any."""
    energy, work = dataset["object_energy"].values, _since_start(dataset["object_work"].values)
    return Balance(
        "object power",
        _largest(_since_start(energy) - work),
        max(_largest(energy), _largest(work)),
        "J",
        "the change of kinetic energy of each free object with the work of its weight and contacts",
    )


def _object_momentum(dataset: xr.Dataset, mass: float | None) -> Balance:
    momentum, impulse = dataset["object_momentum"].values[..., :3], _since_start(dataset["object_impulse"].values)
    return Balance(
        "object momentum",
        _largest_norm(_since_start(momentum) - impulse[..., :3]),
        max(_largest_norm(momentum), _largest_norm(impulse[..., :3])),
        "N s",
        "the change of momentum of each free object with the impulse of its weight and contacts",
    )


def _orientation(dataset: xr.Dataset, mass: float | None) -> Balance | None:
    recorded = {str(name): dataset[name].values for name in ("orientation_drift", *QUATERNIONS) if name in dataset}
    drift = recorded.get("orientation_drift", orientation_drift(recorded))
    told = "the norm of every quaternion with 1"
    return None if drift is None else Balance("orientation", _largest(drift), 1.0, "1", told)


def orientation_drift(variables: Mapping[str, Array]) -> Array | None:
    """Largest distance of the norm of a quaternion from 1 at each record (time,); None where there are none."""
    found = [np.abs(np.linalg.norm(variables[name], axis=-1) - 1.0) for name in QUATERNIONS if name in variables]
    if not found:
        return None
    return np.max(
        [drift.reshape(len(drift), -1).max(axis=1, initial=0.0) if drift.ndim > 1 else drift for drift in found], axis=0
    )


def _recorded(variable: str, scale: str, compares: str, dataset: xr.Dataset, mass: float | None) -> Balance:
    """A balance that the model records itself, as a quantity that should be zero; `scale` names the variable that it is
    compared with.
    """
    residual = dataset[variable]
    size = _largest(dataset[scale].values) if scale in dataset else float(residual.attrs.get("scale", 1.0))
    units = str(residual.attrs.get("units", "1"))
    return Balance(variable.replace("_", " "), _largest(residual.values), size, units, compares)


def _equilibrium(dataset: xr.Dataset, mass: float | None) -> Balance | None:
    if not dataset["bend"].size:
        return None
    elastic = (dataset["bend"] * dataset["bend_stiffness"]).values
    return Balance(
        "equilibrium",
        _largest(dataset["equilibrium_residual"].values),
        _largest(elastic),
        "N m",
        "the moments of tendons, loads and stops on every vertebra with its elastic moment",
    )


def _actuator_work(dataset: xr.Dataset, mass: float | None) -> Balance | None:
    """Without friction the tendons give what the spine stores; the trapezium rule leaves an error that falls as the
    square of the step.
    """
    if "point" not in dataset["potential_energy"].dims or "slip_state" in dataset:
        return None
    steps = statics_work.actuator_steps(dataset)
    stored = _since_start(dataset["potential_energy"].values)
    given = np.concatenate([[0.0], np.cumsum(steps)])[: len(stored)]
    return Balance(
        "actuator work",
        _largest(given - stored),
        float(np.abs(steps).sum()),
        "J",
        "the work of the tendons along the path with the change of elastic energy, weight and buoyancy",
    )


def _since_start(values: Array) -> Array:
    return values - values[:1]


def _largest(values: Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _largest_norm(vectors: Array) -> float:
    return float(np.linalg.norm(vectors, axis=-1).max(initial=0.0))


_RESIDUALS = {
    "contact_residual": ("contact_speed", "the contact forces with the laws of contact and friction that they obey"),
    "tail_wrench": ("", "the internal wrench at the free end with zero"),
    "joint_drift": ("", "the joint positions with the constraints that hold the links together"),
}
BALANCES: list[tuple[Callable[[xr.Dataset, float | None], Balance | None], tuple[str, ...]]] = [
    (_power, ("kinetic_energy",)),
    (_linear_momentum, ("momentum", "impulse")),
    (_angular_momentum, ("momentum", "impulse")),
    (_object_power, ("object_energy",)),
    (_object_momentum, ("object_momentum",)),
    (_orientation, ()),
    (_equilibrium, ("equilibrium_residual",)),
    (_actuator_work, ("potential_energy",)),
    *((partial(_recorded, name, *told), (name,)) for name, told in _RESIDUALS.items()),
]
