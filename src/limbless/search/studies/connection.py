"""`connection`: why a gait moves. The local connection of a robot, its height functions, and what loops of shapes do.

ξ = A(r) r' gives the velocity (vx, vy, ω) of a body frame from the rate of its shapes r, where no past decides: linear
drag without inertia, ideal wheels, a floating body. Hatton's papers and sysplotter write ξ = -A r': their A and their
DA are minus ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.models.shape_response import ChainResponse, RodResponse, wrong_environment
from limbless.robots import Chain, Preset, Robot, Rod
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.connection_source import (
    SAMPLES,
    bends_of,
    points_of_file,
    refuse_model,
    region_of,
    scenario_of,
    shapes_of,
)
from limbless.search.studies.local_connection import LocalConnection, refuse_frame
from limbless.search.studies.strokes import Loop, Stroke, enclosed, exponential, loop_of, moved_along

if TYPE_CHECKING:
    import xarray as xr

COMPONENTS = ("x", "y", "turn")


class Connection(LocalConnection):
    """The local connection of a robot in a medium, for some shapes and in one frame; see `ll.connection`.

    Attributes
    ----------
    shapes : `Shapes`, with the basis of this robot.
    region : (p, 2) the shapes that pictures, frames and areas are for.
    frame : base, middle, mean or minimum.
    medium : drag, momentum, wheels, or friction: what is not linear has no A, and a fitted one is shown for it.
    notes : what a reader must know besides.
    """

    def __call__(self, r: ArrayLike) -> Array:
        """A at postures (.., p): (.., 3, p), or (.., 6, p) on a free base; fitted where the medium is not linear."""
        points, shape = self._points(r)
        A, _ = self._told(points)
        return A.reshape(*shape, *A.shape[1:])

    def metric(self, r: ArrayLike) -> Array:
        """G at postures (.., p): (.., p, p). r'.G r' is the power (W) of linear drag, or twice the kinetic energy (J)
        of a floating body."""
        points, shape = self._points(r)
        G = self._response.at(points).metric
        if G is None:
            raise InputError(
                f"metric: with {self.medium} the power is no square of the rates, so that there is none; `around` "
                "gives the work of a stroke"
            )
        return G.reshape(*shape, *G.shape[1:])

    def curvature(self, r: ArrayLike) -> Array:
        """DA at postures (.., p): (.., pairs, 3), the height functions of every pair of shapes."""
        points, shape = self._points(r)
        if self.count < 2:
            raise InputError("curvature: one shape encloses no area; give two or more")
        DA = self._curved(points)
        return DA.reshape(*shape, *DA.shape[1:])

    def velocity(self, r: ArrayLike, rate: ArrayLike) -> Array:
        """Velocity (.., 3) of the frame at postures and rates (.., p); exact in all media."""
        try:
            both = np.broadcast_arrays(np.asarray(r, dtype=np.float64), np.asarray(rate, dtype=np.float64))
        except ValueError:
            raise InputError(
                f"rate: give one for each posture, or one for all; got {np.shape(rate)} beside {np.shape(r)}"
            ) from None
        (points, shape), (rates, _) = self._points(both[0]), self._points(both[1], "rate")
        found = self._moved(points, rates)[0]
        return found.reshape(*shape, found.shape[-1])

    def misfit(self, r: ArrayLike) -> Array:
        """(..,) relative error of the fitted connection at postures; 0 where it is exact."""
        points, shape = self._points(r)
        return self._fitted(points)[1].reshape(shape) if self.medium == "friction" else np.zeros(shape)

    def denominator(self, r: ArrayLike) -> Array:
        """(..,) determinant of three ideal wheels at postures: 0 where they decide nothing, a singular posture."""
        points, shape = self._points(r)
        return self._determinant(points).reshape(shape)

    @cached_property
    def field(self) -> xr.Dataset:
        """A, metric, curvature and the frame on a grid of postures (`r1`, `r2`), others held at `at`."""
        from limbless.search.studies.connection_field import field_of

        return field_of(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of it."""
        told = []
        if self.medium == "friction":
            told.append(
                "no connection is exact here: A is fitted to velocities, and heights tell signs and rough sizes "
                "alone; displacements by motion are exact"
            )
        if self.medium == "wheels":
            told.append("wheels are taken as ideal: they roll without friction and do not slip sideways")
            if len(self._response.wheels) > 3:
                told.append(
                    f"{len(self._response.wheels)} wheels ask for more than three motions: A slips sideways as little "
                    "as it can, see `slip`"
                )
        if self.count > 2:
            shown, held = [self.shapes.names[k] for k in self.plane], np.round(self.at, 6).tolist()
            told.append(
                f"pictures show {shown[0]} and {shown[1]} of {self.count} shapes, the others stay at {held}; choose by "
                "`slice` and `at`; loops use all of them"
            )
        if self.shapes.share < 0.9:
            told.append(f"the shapes keep {100.0 * self.shapes.share:.0f} % of the motion's variance")
        size = np.linalg.norm(np.asarray(self.shapes.basis), axis=0)
        unit = np.asarray(self.shapes.basis) / size
        if np.abs(unit.T @ unit - np.eye(self.count)).max() > 0.05:
            told.append("the shapes are not at right angles: equal lengths in the picture are not equal bends")
        return tuple(told)

    def plot(self, kind: str = "height", loop: Stroke | None = None, **options: Any) -> Any:
        """A picture: height, arrows, metric, stretched or frame; `sign="hatton"` turns A and DA."""
        from limbless.search.studies import figure_of

        return figure_of(self, kind, loop=loop, **options)

    def save(self, path: str | Path) -> Path:
        """The field as NetCDF, with all that makes it again."""
        from limbless.search.studies.connection_field import save

        return save(self, Path(path))

    @staticmethod
    def load(path: str | Path) -> Connection:
        """A saved connection."""
        from limbless.search.studies.connection_field import load

        return load(Path(path))

    def loop(self, given: Any = "gait") -> Loop:
        """A loop from what a user gives: see `around`."""
        given = self.scenario.gait if isinstance(given, str) and given == "gait" else given
        if isinstance(given, (str, Path)):
            given = points_of_file(Path(given), self.count)
        made = loop_of(given, self.shapes, lambda source: bends_of(self.scenario, source))
        points, _ = made.at(SAMPLES)
        low, high = self.region.T
        slack = 1e-6 * (high - low)
        if (points < low - slack).any() or (points > high + slack).any():
            j = int(np.argmax(np.maximum(low - points, points - high).max(axis=0)))
            raise InputError(
                f"loop: it goes from {points[:, j].min():.4g} to {points[:, j].max():.4g} along {self.shapes.names[j]}"
                f", and the region from {low[j]:.4g} to {high[j]:.4g}; give a larger region"
            )
        return made

    def around(self, given: Any = "gait", area: bool = True) -> Stroke:
        """What one turn of a loop does, by motion and by area.

        Parameters
        ----------
        given : `gait` (the scenario's own), a gait, result or film; a Fourier table {mean, cos, sin}; points (N, p) at
            equal times; a function of the phase in [0, 1); the path of a text file of points.
        area : whether the surface integral is found too.
        """
        if not self.planar:
            raise InputError("around: loops are followed in the plane; set robot.base to planar")
        loop = self.loop(given)
        count, before = 64, None
        most = 128 if self.medium == "friction" else 1024
        while True:
            r, rate = loop.at(count)
            if self.medium == "wheels" and len(self._response.wheels) == 3:
                d = self._determinant(r)
                if d.min() * d.max() <= 0.0:
                    raise InputError(
                        "loop: it crosses postures at which the wheels decide nothing (denominator 0); keep it, or "
                        "the region of a search, on one side"
                    )
            twist, spent = self._moved(r, rate / loop.period)
            end, path = moved_along(twist * loop.period)
            error = np.inf if before is None else float(np.abs(end - before)[:2].max())
            if error < 1e-9 * self.length or 2 * count > most:
                break
            before, count = end, 2 * count
        z = None
        if area and self.count >= 2:
            z = enclosed(self._curved if self.medium == "friction" else self._brackets, loop, min(count, 64))
            if self.medium != "friction":  # by Stokes' theorem the rest of the curvature is A along the loop
                z += twist.mean(axis=0) * loop.period
            z = exponential(z)
        work, length, best, timed = self._costs(loop, spent, end)
        some = r[:: max(len(r) // 16, 1)]
        off = float(self._fitted(some)[1].mean()) if self.medium == "friction" else 0.0
        return Stroke(
            loop,
            self.shapes,
            end,
            z,
            work,
            length,
            best,
            timed,
            error if np.isfinite(error) else 0.0,
            self.frame,
            path,
            off,
            self.scenario,
        )

    def _costs(
        self, loop: Loop, spent: Array | None, end: Array
    ) -> tuple[float | None, float | None, float | None, float | None]:
        """Work, metric length, and efficiency at constant power and as timed."""
        if spent is None:
            return None, None, None, None
        work, distance = float(spent.mean()) * loop.period, float(np.hypot(*end[:2]))
        force = self._towed(end)
        if self.medium == "friction":
            efficient = force * distance / work
            return work, None, efficient, efficient
        length = float(np.sqrt(np.maximum(spent, 0.0)).mean()) * loop.period
        towed = force * distance**2 / loop.period
        return work, length, towed * loop.period / length**2, towed / work

    def _towed(self, end: Array) -> float:
        """Force (N) of towing the body, held at the middle of the region, along the axis of the frame that it went
        along, at 1 m/s."""
        r = self.region.mean(axis=1)[None]
        angle = sum(float(frame.pose[0, 2]) for frame in self._frames(r, self._response.at(r)))
        angle += 0.5 * np.pi if abs(end[1]) > abs(end[0]) else 0.0
        return self._response.tow(r[0], np.array([np.cos(angle), np.sin(angle)]))

    def optimum(
        self,
        aim: str = "efficiency",
        harmonics: int = 5,
        within: float | Sequence[float] | None = None,
        starts: int = 4,
        seed: int | None = None,
    ) -> Stroke:
        """The best closed loop: see `best_loop.best_loop`."""
        from limbless.search.studies.best_loop import best_loop

        return best_loop(self, aim, harmonics, within, starts, seed)

    def __repr__(self) -> str:
        shapes = ", ".join(self.shapes.names)
        robot: Any = self.scenario.robot.build()
        return f"<Connection of {robot.name}: {self.medium}, {shapes}, frame {self.frame}>"


def connection(
    source: str | Path | Scenario | Robot | Preset | Any,
    environment: Environment | Sequence[Environment] | None = None,
    *,
    shapes: Any = None,
    joints: Sequence[int] | None = None,
    region: Any = None,
    frame: str = "minimum",
    slice: tuple[int, int] = (0, 1),
    at: ArrayLike | None = None,
    weight: Callable[[Array], Array] | None = None,
    allow_code: bool = False,
) -> Connection:
    """Compute the local connection of a robot: the body velocity that a change of shape causes.

    Parameters
    ----------
    source : a scenario (name, file or description), or a robot together with an `environment`.
    shapes : `joints`, `waves N`, `Shapes`, or an array (stations, p); by default the principal components of the
        scenario's own gait. `joints` names some joints by number.
    region : half width about 0, or (low, high) of each shape, for pictures, areas and frames. By default 1.25 times the
        gait's own loop, else a quarter turn per joint.
    frame : base, middle, mean or minimum (coordinates of minimum perturbation).
    slice, at : with more than two shapes, the two that pictures show, and the values of the others.
    weight : weight of a posture in the frame of minimum perturbation: a function of postures (S, p).

    Returns
    -------
    Connection : its maps, areas and best loops.
    """
    scenario = scenario_of(source, environment, allow_code)
    robot = scenario.robot.build()
    if not isinstance(robot, Chain | Rod):
        raise InputError(f"a map is of a chain or a rod; {type(robot).__name__} has no shapes that a gait gives")
    refuse_model(scenario, robot)
    planar = robot.base == "planar"
    refuse_frame(frame, True)
    wrong_environment(scenario.environment, planar)
    made = shapes_of(scenario, robot, shapes, joints)
    basis, rest, height = np.asarray(made.basis), np.asarray(made.rest), float(scenario.initial.position[2])
    answer: ChainResponse | RodResponse
    if isinstance(robot, Rod):
        settings = RodResponse.settings(scenario.model, bool(scenario.environment))
        answer = RodResponse(robot, scenario.environment, settings, basis, rest, height)
    else:
        answer = ChainResponse(robot, scenario.environment, basis, rest, height)
    water = any(item.kind == "water" for item in scenario.environment)
    if water and answer.medium != "momentum":
        raise InputError(
            "environment 'water': its added mass, wake and drag together make a motion depend on its past, which has "
            "no map; set drag to [0, 0, 0, 0] and wake to none, with model: lighthill, or take `drag` instead of water"
        )
    if getattr(scenario.model, "inertia", True) and answer.medium in ("drag", "friction") and environment is None:
        raise InputError(
            "model.inertia: with inertia and drag a motion depends on its past, and has no map; set model.inertia to "
            "false (newton-euler, macro-continuous)"
        )
    if answer.medium == "momentum" and scenario.environment and not water:
        raise InputError(
            f"environment {scenario.environment[0].kind!r}: it does not push this body (its coefficients are 0, or the "
            "body is above the sand); change it, or leave it out for the map of a floating body"
        )
    where = region_of(scenario, made, region, robot.length if isinstance(robot, Rod) else None)
    p = len(where)
    plane = (slice[0], slice[-1])
    if p >= 2 and (len(slice) != 2 or plane[0] == plane[1] or not all(k in range(p) for k in plane)):
        raise InputError(f"slice: name two of the {p} shapes by number, from 0; got {slice}")
    if p > 3 and frame == "minimum":
        frame = "mean"
    held = None if at is None else np.asarray(at, dtype=np.float64)
    if held is not None and held.shape != (p,):
        raise InputError(f"at: give {p} numbers, one for each shape; got {at!r:.60}")
    return Connection(scenario, made, answer, where, frame if planar else "base", plane, held, weight)
