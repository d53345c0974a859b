"""Tasks of tendon statics: a path, an inverse problem, a grid.

Equilibria as the variables of a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from limbless.control.actuation import Actuation
from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array, InputError, SimulationError
from limbless.environments.base import Environment
from limbless.models import Records, StaticModel, Status, TendonStaticsSettings, Variable, choose, spine_coordinates
from limbless.models.statics.equilibrium import Equilibrium
from limbless.models.statics.spine_problem import FROM_PAPER, NO_STOP, of_motion, stretching
from limbless.models.statics.statics_model import TendonStatics
from limbless.models.statics.tension_choice import difference
from limbless.models.statics.tip_following import FollowedPath
from limbless.robots import Preset, Robot, TendonSpine

GRID = ("limits", "tension_lateral", "tension_vertical")


class _Told(list[Equilibrium]):
    """Equilibria as they are found; each is told."""

    def __init__(self, expected: int, progress: Callable[[float], None]) -> None:
        super().__init__()
        self._expected, self._progress = expected, progress

    def append(self, found: Equilibrium) -> None:
        super().append(found)
        self._progress(len(self) / self._expected)


class TendonTask(StaticModel):
    """A task on its way: which equilibria, and how they are recorded."""

    record_dims: tuple[str, ...]

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: TendonStaticsSettings | None = None,
    ) -> None:
        self.robot, self.environment, self.actuation = robot, environment, actuation
        self.settings = TendonStaticsSettings.or_default(settings)
        self._labels: dict[str, Any] = {}
        built = robot.build()
        self.notes = of_motion(built) if isinstance(built, TendonSpine) else ()

    def solve(
        self, task: str, gait: Any, initial: Any, progress: Callable[[float], None] = lambda share: None
    ) -> tuple[Records, Status]:
        """All records of a task, or those before the failure that the status tells. An
        interrupted grid keeps nothing.
        """
        self._progress = progress
        s = self.settings
        self.model = TendonStatics(
            self.robot,
            self.environment,
            self.actuation,
            s,
            base_position=initial.position,
            base_orientation=initial.orientation,
        )
        if task != "inverse" and s.prefer != "antagonists":
            raise InputError(f"prefer {s.prefer!r} belongs to the task inverse; the task is {task}")
        if s.tendon_stiffness is not None and gait.drives not in ("tendon-length", "tip"):
            raise InputError(
                "tendon_stiffness is for given tendon lengths (a gait that drives tendon-length) or for "
                "lengths that are held at every target (one that drives tip); this one drives "
                f"{gait.drives}"
            )
        if s.tendon_stiffness is not None and gait.drives == "tip" and (s.form != "energy" or self.model.friction_law):
            raise InputError(
                "tendon_stiffness: held lengths need the energy form without friction; leave it out, or "
                "friction and form"
            )
        if self.model._elastic is None and gait.drives == "tendon-length":
            raise InputError(
                "a gait that drives tendon-length needs elastic tendons: give them a stiffness (N/m), or "
                "model.tendon_stiffness"
            )
        if s.tendon_stiffness is None and stretching(self.model.robot) and gait.drives != "tendon-length":
            idle = f"stiffness of tendons: without effect where the gait drives {gait.drives}"
            self.notes = (*self.notes, f"{idle}; model.tendon_stiffness holds lengths at targets of the tip")
        return {"path": self._path, "inverse": self._inverse, "grid": self._grid}[task](gait)

    def _path(self, gait: Any) -> tuple[Records, Status]:
        if not hasattr(gait, "instants"):
            raise InputError(
                f"gait: {gait.kind} changes with time, and statics has none: the task path goes from point to point; "
                "give a tendon-path, or choose the model `soft`"
            )
        times = gait.instants()
        values = gait.sample(times, np.arange(self.model.tendons, dtype=np.float64)).value
        kept: list[Equilibrium] = _Told(len(times), self._progress)
        lengths = gait.drives == "tendon-length"
        status = self._kept(kept, lambda: self.model.path(**{"length" if lengths else "tension": values}, kept=kept))
        return self._points(times, kept), status

    def _inverse(self, gait: Any) -> tuple[Records, Status]:
        s, times = self.settings, gait.instants()
        targets, kept = gait.sample(times, np.zeros(0)).value, _Told(len(times), self._progress)
        found: list[FollowedPath] = []
        status = self._kept(
            kept,
            lambda: found.append(
                self.model.inverse(
                    targets[:, gait.rows],
                    [COMPONENTS[row] for row in gait.rows],
                    largest_tension=s.largest_tension,
                    prefer=s.prefer,
                    stiffness=s.tip_stiffness,
                    kept=kept,
                )
            ),
        )
        records = self._points(times, [one if s.tendon_stiffness is None else self.model.holding(one) for one in kept])
        followed, wanted = np.array(gait.rows), targets[: len(kept)]
        places, angles = followed[followed < 3], followed[followed >= 3]
        records["target"] = wanted[:, :3]
        records["target_error"] = np.linalg.norm((wanted[:, :3] - records["tip_in_base"])[:, places], axis=1)
        if len(angles):
            records["target_angles"] = wanted[:, 3:]
            apart = difference(records["tip_angles"][:, angles - 3], wanted[:, angles], list(angles))
            records["target_angle_error"] = np.linalg.norm(apart, axis=1)
        self.notes = (*self.notes, *(self._missed(found[0]) if found else ()))
        return records, status

    def _missed(self, found: FollowedPath) -> Iterator[str]:
        """What was asked for and not met, in sentences."""
        s, far = self.settings, ~found.reached
        if far.any():
            angle = f" and {np.degrees(found.angle_error.max()):.3g} deg" if found.angle_error.any() else ""
            yield (
                f"gait: {far.sum()} of {len(far)} targets are out of reach with tensions up to "
                f"model.largest_tension = {s.largest_tension:g} N; the nearest tips are up to "
                f"{1e3 * found.error.max():.3g} mm{angle} away (target_error)"
            )
        if found.stiffness is not None and not found.wish_met.all():
            given, worst = found.stiffness[~found.wish_met], found.stiffness
            cure = (
                ""
                if s.tendon_stiffness is not None
                else "; elastic tendons whose lengths are held (tendon_stiffness) make it stiffer"
            )
            yield (
                f"model.tip_stiffness: {s.tip_stiffness:g} N/m is not met at {len(given)} of {len(worst)} points; "
                f"the tensions within bounds that come nearest give {worst.min():.4g} to {worst.max():.4g} N/m{cure}"
            )

    def _kept(self, kept: list[Equilibrium], find: Callable[[], object]) -> Status:
        """Find them; a failure or an interruption keeps the points before it."""
        try:
            find()
        except KeyboardInterrupt as interruption:
            if not kept:
                raise
            return Status("interrupted", None, None, interruption)
        except SimulationError as error:
            return Status(f"at point {len(kept)} (counted from 0): {error}", None, error.place, error)
        return Status()

    def _points(self, times: Array, kept: list[Equilibrium]) -> Records:
        self.record_dims = ("point",)
        self._labels = {"time": (("point",), times[: len(kept)], {"units": "s", "long_name": "time of each point"})}
        return records_of(self.model, kept)

    def _grid(self, gait: Any) -> tuple[Records, Status]:
        if self.model.friction_law:
            raise InputError(
                "friction: a grid has no path, so tendons cannot be said to be pulled or released; leave friction out"
            )
        models = {"without stops": self.model.changed(stops=False)}
        models |= {"with stops": self.model} if self.settings.stops else {}
        found: list[Equilibrium] = []
        status, scanned = Status(), []
        for name, model in models.items():
            try:
                scan = model.workspace(gait.largest, gait.count)
            except SimulationError as error:
                status = Status(f"grid {name}: {error}", None, error.place, error)
                break
            scanned.append(name)
            postures = scan.q.reshape(-1, *model.spine.stiffness.shape)
            for posture, tension in zip(postures, scan.tension.reshape(-1, model.tendons), strict=True):
                found.append(model.equilibrium(model.loads(tension), posture, 0))
                self._progress(len(found) / (len(models) * len(postures)))
        each = self._label_grid(gait, scanned, len(found))
        kept = records_of(self.model, found)
        return Records({name: array.reshape(*each, *array.shape[1:]) for name, array in kept.items()}), status

    def _label_grid(self, gait: Any, scanned: list[str], count: int) -> tuple[int, ...]:
        """Dimensions and labels of the records of a grid, and how many there are along each."""
        self._labels = {"limits": (("limits",), np.array(scanned, dtype=np.str_), {})}
        if len(self.model.robot.pairs) != 2 or self.model.tendons != 4:
            self.record_dims = ("limits", "combination")
            return len(scanned), count // max(len(scanned), 1)
        self.record_dims, values = GRID, gait.values()
        attributes = {
            "units": "N",
            "long_name": "signed tension: positive pulls the first tendon of the pair, negative the second",
        }
        self._labels |= {name: ((name,), values, attributes) for name in GRID[1:]}
        return len(scanned), len(values), len(values)

    def schema(self) -> dict[str, Variable]:
        return SCHEMA

    def coordinates(self) -> dict[str, Any]:
        """Labels, and what does not change from record to record."""
        robot, spine = self.model.robot, self.model.spine
        stops = np.where((spine.high < NO_STOP) & self.model.stops, spine.high, np.inf)[:, :2]
        return {
            **self._labels,
            **spine_coordinates(robot, stops),
            "angle": (("angle",), np.array(COMPONENTS[3:]), {}),
            "radius": (
                ("section", "transverse"),
                np.full((len(robot.vertebrae) + 1, 2), robot.disk_radius),
                {"units": "m", "long_name": "radius of the disks"},
            ),
            "vertebra_mass": (
                ("vertebra",),
                robot.values("joint_mass") + robot.values("disk_mass"),
                {"units": "kg", "long_name": "mass of each vertebra"},
            ),
            "tension_limit": (
                (),
                np.array(self.settings.largest_tension),
                {"units": "N", "long_name": "bound on the tensions of an inverse problem"},
            ),
        }


SCHEMA = choose(
    "tip_position",
    "tip_in_base",
    "tip_angles",
    "position",
    "orientation",
    "bend",
    "stop_moment",
    "tension",
    "distal_tension",
    "tendon_length",
    "command_length",
    "pulley_angle",
    "slip_state",
    "friction_coefficient",
    "equivalent_force",
    "potential_energy",
    "min_eigenvalue",
    "tip_compliance",
    "equilibrium_residual",
    "target",
    "target_error",
    "target_angles",
    "target_angle_error",
)


def records_of(model: TendonStatics, found: Sequence[Equilibrium]) -> Records:
    """All variables of some equilibria, one record each."""
    rows = {
        "tip_position": _stack([one.tip_position for one in found], (3,)),
        "tip_in_base": _stack([one.tip_in_base for one in found], (3,)),
        "position": _stack([one.position for one in found], (len(model.robot.vertebrae) + 1, 3)),
        "orientation": _stack([one.orientation for one in found], (len(model.robot.vertebrae) + 1, 4)),
        "bend": _stack([one.bend for one in found], (len(model.robot.vertebrae), 2)),
        "stop_moment": _stack([one.stop_moment for one in found], (len(model.robot.vertebrae), 2)),
        "tension": _stack([one.proximal_tension for one in found], (model.tendons,)),
        "distal_tension": _stack([one.distal_tension for one in found], (model.tendons,)),
        "tendon_length": _stack([one.tendon_length for one in found], (model.tendons,)),
        "equivalent_force": _stack([equivalent_force(one) for one in found], (3,)),
        "potential_energy": np.array([one.potential_energy for one in found]),
        "min_eigenvalue": np.array([one.min_eigenvalue for one in found]),
        "equilibrium_residual": np.array([one.residual for one in found]),
    }
    rows["tip_angles"] = _stack([one.tip_components[3:] for one in found], (3,))
    if model.form == "energy" and not model.friction_law:
        turn = model.base_rotation
        rows["tip_compliance"] = _stack([np.diagonal(turn.T @ one.tip_compliance @ turn) for one in found], (3,))
    if found and found[0].command_length is not None:
        rows["command_length"] = _stack(
            [one.command_length for one in found if one.command_length is not None], (model.tendons,)
        )
    if model.robot.pulley_radius is not None:
        rows["pulley_angle"] = model.pulley_angles(rows.get("command_length", rows["tendon_length"]))
    if model.friction_law:
        rows["slip_state"] = _stack([one.slip for one in found], (model.tendons,))
        shape = (len(model.robot.vertebrae), model.tendons)
        rows["friction_coefficient"] = _stack([model.friction_coefficients(one) for one in found], shape)
    return Records(rows)


def _stack(parts: list[Array], shape: tuple[int, ...]) -> Array:
    """Records in one array, also when there are none."""
    return np.array(parts, dtype=np.float64).reshape(len(parts), *shape)


def equivalent_force(one: Equilibrium) -> Array:
    """Sum of the tendon forces on the last disk (55), world, N."""
    spine, last = one.model.spine, len(one.q)
    outer = one.origin[last] + spine.holes[last] @ one.rotation[last].T
    inner = one.origin[last - 1] + spine.holes[last - 1] @ one.rotation[last - 1].T
    along = inner - outer
    pull = np.where(spine.end == last, one.tension[last - 1], 0.0) / np.linalg.norm(along, axis=1)
    return np.asarray(one.model.base_rotation @ FROM_PAPER @ (pull @ along))
