"""`Gait`: a motion law, sampled at times and at stations along the body."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from limbless.core import Array, Description, InputError

DRIVES = {
    "shape": "heading and elevation along the body",
    "joint": "positions of the joints",
    "torque": "torques of the joints",
    "strain": "strains along a rod",
    "effort": "forces and couples of muscles along a rod",
    "tension": "tensions of tendons",
    "tendon-length": "lengths of tendons",
    "winch-torque": "torques of the winches of tendons",
    "tension-grid": "all combinations of some tensions",
    "tip": "where the tip is, or where it points",
}
"""What a gait can speak of."""


class Drive(NamedTuple):
    """What a gait prescribes at T times: value, rate and acceleration.

    The first axis is time, then station or joint, then channel (if any). A `shape` gait fills (T, S, 2): heading (about
    the body's vertical axis z) and elevation (about its lateral axis y) at each station, in rad. A `joint` gait fills
    (T, joints). A `torque` gait fills (T, joints) in `value` alone.
    """

    value: Array
    rate: Array
    acceleration: Array


class Gait(Description):
    """A motion law; `drives` names what it prescribes, one of `DRIVES`."""

    family: ClassVar[str | None] = "gait"
    # a class variable of most gaits, a field of those whose user chooses
    if TYPE_CHECKING:
        drives: ClassVar[str]
    compiled_duals: ClassVar[Callable | None] = None
    """Compiled sampler `(parameters, times, stations, value, rate, acceleration)` on arrays of duals: what a
    sensitivity needs.
    """
    compiled_lanes: ClassVar[Callable | None] = None
    """The same on arrays of lanes, eight gaits side by side: what many runs at once are sampled faster with."""
    start_fields: ClassVar[tuple[str, ...]] = ()
    """The fields of its beginning (a smooth start), which are 0 in steady motion."""
    parameter_fields: ClassVar[tuple[str, ...]] = ()
    """The fields that `parameters()` packs, in order: the ones a sensitivity can be taken with respect to."""

    feedback: ClassVar[Callable[..., Mapping[str, Any] | None] | None] = None
    """A method (time, observation) -> fields of the gait that change: a gait that looks at the motion is asked in every
    control period, as a controller is."""

    def sample(self, times: Array, stations: Array) -> Drive:
        """The drive at `times` (T,) and `stations` (S,): arc length behind the first joint
        (shape gaits) or joint numbers.
        """
        raise NotImplementedError

    def sample_joints(self, times: Array, turns: Sequence[tuple[str, float]]) -> Drive:
        """The drive of a chain's joints. `turns` says what each column does (yaw, pitch, roll, slide, skew) and with
        which sign about its axis at home (of a skew axis its angle from y towards z, rad), for gaits that tell them
        apart."""
        return self.sample(times, np.arange(len(turns), dtype=np.float64))

    def sines(self, turns: Sequence[tuple[str, float]]) -> Any:
        """The joints as `Sines`, where each follows one all the time (many gaits are then sampled at once); else None.
        `turns` as for `sample_joints`."""
        return None

    def sample_tendons(self, times: Array, places: Sequence[tuple[float, float]]) -> Drive:
        """The drive of tendons. `places` says of each where along the body its middle is (m), and on which side it runs
        (+1 left, -1 right, between them above or below), for gaits that tell them apart."""
        return self.sample(times, np.arange(len(places), dtype=np.float64))

    def sample_lengths(self, times: Array, straight: Array) -> Drive:
        """The unstretched lengths that tendons are given, m; `straight` has those of the straight robot, for gaits that
        start from them."""
        return self.sample(times, np.arange(len(straight), dtype=np.float64))

    def slope(self, times: Array, stations: Array) -> Drive:
        """d/ds of `sample`, where it exists: what a continuous body bends by. Stations (S,), or (T, S)
        where each time has its own.
        """
        raise InputError(f"gait {self.kind!r} gives no slope along the body; a rod cannot follow it")

    def passage(self, fields: Mapping[str, Any], start: float, end: float) -> tuple[Any, Self]:
        """What changing some fields while it runs does: the motion from `start` to `end` (anything that samples as a
        gait does), and the gait from then on.

        Here both forms are blended (`Blend`). A gait that must not jump in phase, or that contacts hold to a form, has
        a passage of its own.
        """
        from limbless.control.gaits.blend import Blend

        new = self.changed(**fields)
        same = all(getattr(new, name) == getattr(self, name) for name in fields) and new == self  # soon known
        return (self, self) if same else (Blend(self, new, start, end), new)

    def parameters(self) -> Array:
        """The fields named by `parameter_fields`, as a flat array for compiled code."""
        return np.array([getattr(self, name) for name in self.parameter_fields], dtype=np.float64)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Times in (start, end) at which the law is not smooth, here the end of a `ramp` among its `start_fields`:
        integration steps end there.
        """
        ends = [float(getattr(self, name)) for name in self.start_fields if name == "ramp"]
        return [ramp for ramp in ends if start < ramp < end]

    def breaks(self) -> tuple[float, ...]:
        """Abscissae at which what it gives along a rod jumps."""
        return ()

    def jumps(self, start: float, end: float) -> list[float]:
        """Those of `breakpoints` at which what it gives to tendons, or its rate, jumps: it is
        sampled from either side.
        """
        return []

    def tendon_kinks(self, start: float, end: float, places: Sequence[tuple[float, float]]) -> list[float]:
        """Those at which what it gives to tendons at these places (see `sample_tendons`) is not smooth."""
        return []

    def passing(self) -> tuple[str, str] | None:
        """A field by which something happens once, and what: such a motion does not repeat itself."""
        return None

    def phases(self) -> tuple[tuple[str, float], ...]:
        """What it does one after the other, and from when on (s), where that is more than one thing."""
        return ()

    @property
    def cycle(self) -> float | None:
        """Period of the motion (s), its field `period` if it has one; None for one that does not repeat itself."""
        return getattr(self, "period", None)


class JointGait(Gait):
    """A gait of joint angles, of joints that are told what they do."""

    drives: ClassVar[str] = "joint"

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint angles (T, joints), rad, and their derivatives, of joints that yaw and pitch in turn."""
        return self.sample_joints(times, [("pitch" if number % 2 else "yaw", 1.0) for number in range(len(stations))])


def heading_drive(headings: Iterable[Array]) -> Drive:
    """Headings (T, S) and their two rates, or slopes of these, of a body that stays level."""
    return Drive(*(np.stack([part, np.zeros_like(part)], axis=-1) for part in headings))


def strain_drive(yaw: Sequence[Array], pitch: Sequence[Array] = (), shear: Sequence[Array] = ()) -> Drive:
    """Strains (T, S, 6) of a rod that is not stretched: curvatures and lateral shear, each (T, S) with two rates."""
    parts = [np.zeros((*row.shape, 6)) for row in yaw]
    for column, rows in ((1, shear), (4, pitch), (5, yaw)):
        for part, row in zip(parts, rows, strict=False):
            part[..., column] = row
    parts[0][..., 0] = 1.0
    return Drive(*parts)


def refuse_changes(gait: Gait, fields: Mapping[str, Any], allowed: tuple[str, ...], why: str) -> None:
    """Refuse a change of any other field than those allowed, while a gait runs; fields that keep their value pass."""
    wanted = gait.changed(**fields)
    for name in fields:
        if name not in allowed and getattr(wanted, name) != getattr(gait, name):
            raise InputError(
                f"gait.{name}: of a running {gait.kind!r} a controller may change {', '.join(allowed)}; {why}"
            )
