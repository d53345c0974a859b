"""A gait on a robot that is seen as another kind: the same shape, asked for where the other kind asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.actuation.shape_map import stations, turns
from limbless.control.gaits.base import DRIVES, Array, Drive
from limbless.control.gaits.recorded_motion import at_places
from limbless.core import InputError
from limbless.robots import NATURAL, STILL, Chain, Robot, Rod
from limbless.robots.views import joint_ends
from limbless.robots.views.rod import bending_joints

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


class SeenGait:
    """Samples as a gait does: the shape of another gait at other stations, by the integral of its curvatures, or
    through the joints of another robot.

    Parameters
    ----------
    inner : the gait.
    asked, places : (N,) stations that are asked for, and which of the inner gait they are; straight between them.
    joints : the chain whose joints the inner gait drives, if its angles are to be spread along a rod.
    later : s, how far the clock of the inner gait is ahead.
    """

    compiled_duals = compiled_lanes = None

    def __init__(
        self,
        inner: Any,
        asked: Sequence[float] | Array = (0.0, 1.0),
        places: Sequence[float] | Array = (0.0, 1.0),
        joints: Chain | None = None,
        integrated: bool = False,
        later: float = 0.0,
    ) -> None:
        self.inner, self.joints, self.integrated, self.later = inner, joints, integrated, later
        self.asked, self.places = np.array(asked), np.array(places)
        self.drives = "shape" if joints is not None or integrated else inner.drives

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "inner":
            raise AttributeError(name)
        return getattr(self.inner, name)

    def _like(self, inner: Any) -> SeenGait:
        return SeenGait(inner, tuple(self.asked), tuple(self.places), self.joints, self.integrated, self.later)

    def changed(self, **fields: Any) -> SeenGait:
        return self._like(self.inner.changed(**fields))

    def passage(self, fields: Any, start: float, end: float) -> tuple[SeenGait, SeenGait]:
        on_the_way, then = self.inner.passage(fields, start + self.later, end + self.later)
        return self._like(on_the_way), self._like(then)

    def _at(self, stations: Array) -> Array:
        """The stations of the inner gait; beyond the last known ones the last distance goes on."""
        found = np.interp(stations, self.asked, self.places)
        found = found + np.minimum(stations - self.asked[0], 0.0)
        return np.asarray(found + np.maximum(stations - self.asked[-1], 0.0))

    def sample(self, times: Array, stations: Array) -> Drive:
        if self.joints is not None:
            return self._through_joints(times, stations, 0)
        if self.integrated:
            return self._integral(times, self._at(stations))
        shape = self.inner.drives in ("shape", "strain")
        return self.inner.sample(times + self.later, self._at(stations) if shape else stations)

    def sample_joints(self, times: Array, turns: Any) -> Drive:
        return self.inner.sample_joints(times + self.later, turns)

    def sample_tendons(self, times: Array, places: Any) -> Drive:
        return self.inner.sample_tendons(times + self.later, places)

    def sample_lengths(self, times: Array, straight: Array) -> Drive:
        return self.inner.sample_lengths(times + self.later, straight)

    def sines(self, turns: Any) -> None:
        """Unknown here: many gaits at once are not sampled through a view."""

    def slope(self, times: Array, stations: Array) -> Drive:
        if self.joints is not None:
            return self._through_joints(times, stations, 1)
        return self.inner.slope(times + self.later, self._at(stations))

    def breakpoints(self, start: float, end: float) -> list[float]:
        return [t - self.later for t in self.inner.breakpoints(start + self.later, end + self.later)]

    def jumps(self, start: float, end: float) -> list[float]:
        return [t - self.later for t in self.inner.jumps(start + self.later, end + self.later)]

    def tendon_kinks(self, start: float, end: float, places: Any) -> list[float]:
        return [t - self.later for t in self.inner.tendon_kinks(start + self.later, end + self.later, places)]

    def _integral(self, times: Array, X: Array) -> Drive:
        """Heading and elevation (T, S, 2) from the curvatures of the inner gait: their integral from 0 to X."""
        ends = np.unique(np.concatenate([[0.0], X]))
        half = 0.5 * np.diff(ends)
        nodes = (ends[:-1] + half)[:, None] + half[:, None] * _NODES
        strains = self.inner.sample(times + self.later, nodes.ravel())
        other = np.abs(strains.value[..., :4] - NATURAL[:4]).max(initial=0.0)
        if other > STILL:
            raise InputError(
                f"gait {self.inner.kind!r} stretches, shears or twists the body by up to {other:.2g}, and rigid links "
                "that bend cannot follow; choose a gait of curvatures, or a model of rods"
            )
        found = []
        for part in strains:
            each = part[..., [5, 4]].reshape(len(times), len(half), len(_NODES), 2)
            steps = np.einsum("tsgc,g,s->tsc", each, _WEIGHTS, half)
            whole = np.concatenate([np.zeros((len(times), 1, 2)), np.cumsum(steps, axis=1)], axis=1)
            found.append(np.ascontiguousarray(whole[:, np.searchsorted(ends, X)]))
        return Drive(*found)

    def _through_joints(self, times: Array, X: Array, order: int) -> Drive:
        """Heading and elevation along a rod (or their slopes) as splines through the sums of joint angles, where the
        lengths end that the joints stand for."""
        from scipy.interpolate import make_interp_spline

        assert self.joints is not None
        told = turns(self.joints)
        drive = self.inner.sample_joints(times + self.later, told)
        found = [np.zeros((len(times), X.shape[-1], 2)) for _ in range(3)]
        for c, (columns, edges) in bending_joints(self.joints).items():
            signs = np.array([told[column][1] for column in columns])
            if c == 3:
                if np.abs(drive.value[:, columns]).max(initial=0.0) > STILL:
                    raise InputError(
                        f"gait {self.inner.kind!r} turns roll joints, and a shape along a rod has no twist; choose a "
                        "gait without roll, or a model of rigid links"
                    )
                continue
            for part, out in zip(drive, found, strict=True):
                sums = np.cumsum(part[:, columns] * signs, axis=1)
                sums = np.concatenate([np.zeros((len(times), 1)), sums], axis=1)
                spline = make_interp_spline(edges, sums, k=min(5, len(edges) - 1), axis=1)
                out[..., 5 - c] = at_places(spline, X, order)
        return Drive(*found)


def gait_on(view: Robot, gait: Any) -> Any:
    """A gait for a view of the robot that it was written for; itself where nothing changes."""
    source = view.seen_from
    if getattr(gait, "result", None) is not None:
        return _played(view, gait)
    if isinstance(view, Chain) and gait.drives in ("shape", "strain"):
        known = stations(view)
        from_rod = isinstance(source, Rod)
        ends = joint_ends(source, len(view.links)) if isinstance(source, Rod) else known
        return SeenGait(gait, known, ends, None, gait.drives == "strain") if from_rod else gait
    if isinstance(view, Rod) and isinstance(source, Chain) and gait.drives == "shape":
        (_, edges), *_ = bending_joints(source).values()
        behind = float(edges[1] - 0.5 * (edges[2] - edges[1]) if len(edges) > 2 else edges[1])
        shift = 0.5 * float(edges[2] - edges[1]) - behind if len(edges) > 2 else -behind
        return SeenGait(gait, (0.0, 1.0), (shift, 1.0 + shift))
    if isinstance(view, Rod) and isinstance(source, Chain) and gait.drives == "joint":
        return SeenGait(gait, joints=source)
    if source is not None and source.kind != view.kind and gait.drives in ("effort", "torque", "tension"):
        raise InputError(
            f"gait {gait.kind!r} drives {DRIVES[gait.drives]}, which moves bodies that answer, in the model that the "
            "robot was described for; run it there, and give its motion here: gait: {kind: recorded, result: "
            "folder of that run}"
        )
    return gait


def _played(robot: Robot, gait: Any) -> Any:
    """The shape of an earlier result on a robot: joints take what the lengths bend by that they stand for."""
    if not isinstance(robot, Chain):
        return gait
    known, behind = stations(robot), robot.segments()[-1]
    end = float(np.cumsum(robot.arrays().arm, axis=0)[behind.body, 0] + behind.start[0] + behind.length)
    at = known - known[-1] + end - base_of(robot)
    return SeenGait(gait, known, np.array([0.0, *(0.5 * (at[:-2] + at[1:-1])), at[-1]]))


def base_of(chain: Chain) -> float:
    """m along the straight body, from the base frame to its first end."""
    first = chain.segments()[0]
    return float(np.cumsum(chain.arrays().arm, axis=0)[first.body, 0] + first.start[0])
