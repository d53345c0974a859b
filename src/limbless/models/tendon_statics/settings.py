"""The `model:` entry for tendon statics, and how its tasks are done: a path, an inverse problem, a grid."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from limbless.actuation import Actuation
from limbless.description import quantity
from limbless.environments.base import Environment
from limbless.errors import InputError, SimulationError
from limbless.gaits.tendon_paths import COMPONENTS
from limbless.models.base import Block, ModelSettings, StaticModel, Status, Variable
from limbless.models.tendon_statics import recording
from limbless.models.tendon_statics.antagonists import difference
from limbless.models.tendon_statics.choosing import Prefer
from limbless.models.tendon_statics.following import Following
from limbless.models.tendon_statics.model import Options, TendonStatics
from limbless.models.tendon_statics.solution import Equilibrium
from limbless.robots.base import Robot

Array = NDArray[np.float64]
GRID = ("limits", "tension_lateral", "tension_vertical")


class TendonStaticsSettings(ModelSettings):
    """Statics of a tendon-driven spine: paths of tensions, tensions for tip positions, workspaces (Gautreau, Bonnet and Laribi 2024)."""

    kind: Literal["tendon-statics"] = "tendon-statics"
    form: Literal["energy", "moment"] = Field("energy", description="equilibrium: virtual work over each arc, or the paper's moments")
    friction: Literal["gautreau2024"] | float | None = quantity(
        None, "1", "tendons on disks: a Coulomb coefficient from 0 to below 1, 'gautreau2024' for the paper's fit, or none")
    stops: bool = Field(True, description="whether the stops of the robot limit its bends")
    tension_at: Literal["base", "tip"] = Field("base", description="whether given tensions are those at the clamped disk or at the anchor")
    drop_axial: bool = Field(False, description="moment form: leave out tendon forces along the axis of disks that are merely passed")
    tendon_stiffness: float | None = quantity(
        None, "N/m", "stiffness of every tendon as it begins to pull, for given or held lengths; none if absent", gt=0)
    tendon_stiffening: float = quantity(0.0, "1/m", "how much that stiffness grows per newton of tension", ge=0)
    largest_tension: float = quantity(2.5, "N", "bound on the tensions of an inverse problem", gt=0)
    prefer: Prefer = Field("antagonists", description="inverse: one tendon of a pair slack, least tension, least work, or a tip stiffness")
    tip_stiffness: float | None = quantity(None, "N/m", "the tip stiffness wanted, where that is preferred", gt=0)
    takes_robots: ClassVar[tuple[str, ...]] = ("tendon-spine",)
    takes_roles: ClassVar[tuple[str, ...]] = ("load",)
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_drives: ClassVar[tuple[str, ...]] = ("tension", "tendon-length", "tip", "tension-grid")
    tasks: ClassVar[Mapping[str, tuple[str, ...]]] = {"path": ("tension", "tendon-length"), "inverse": ("tip",), "grid": ("tension-grid",)}

    @model_validator(mode="after")
    def _options_agree(self) -> TendonStaticsSettings:
        if isinstance(self.friction, float) and not 0.0 <= self.friction < 1.0:
            raise ValueError(f"friction must lie between 0 and below 1; got {self.friction:g}")
        if self.drop_axial and self.form != "moment":
            raise ValueError("drop_axial belongs to the moment form; set form: moment, or leave it out")
        if self.tension_at == "tip" and not self.friction:
            raise ValueError("tension_at: without friction a tension is the same at both ends; give a friction, or leave it at base")
        if (self.prefer == "stiffness") != (self.tip_stiffness is not None):
            raise ValueError("tip_stiffness goes with prefer: stiffness; give both or neither")
        if self.tendon_stiffening and self.tendon_stiffness is None:
            raise ValueError("tendon_stiffening goes with a tendon_stiffness; give both, or leave it out")
        return self

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> TendonTask:
        return TendonTask(self, robot, environment)


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

    records: tuple[str, ...]

    def __init__(self, settings: TendonStaticsSettings, robot: Robot, environment: Sequence[Environment]) -> None:
        self.settings, self.robot, self.environment = settings, robot, environment
        self._labels: dict[str, Any] = {}

    def solve(self, task: str, gait: Any, initial: Any, progress: Callable[[float], None] = lambda share: None) -> tuple[Block, Status]:
        """All records of a task, or those before the failure that the status tells. An interrupted grid keeps nothing."""
        self._progress = progress
        s = self.settings
        told = {name: getattr(s, name) for name in Options._fields if name in type(s).model_fields}
        self.model = TendonStatics(self.robot, self.environment, **told, base_position=initial.position,
                                   base_orientation=initial.orientation)
        if task != "inverse" and s.prefer != "antagonists":
            raise InputError(f"prefer {s.prefer!r} belongs to the task inverse; the task is {task}")
        if s.tendon_stiffness is not None and gait.drives not in ("tendon-length", "tip"):
            raise InputError("tendon_stiffness is for given tendon lengths (a gait that drives tendon-length) or for lengths that are held "
                             f"at every target (one that drives tip); this one drives {gait.drives}")
        if s.tendon_stiffness is not None and gait.drives == "tip" and (s.form != "energy" or self.model.friction_law):
            raise InputError("tendon_stiffness: held lengths need the energy form without friction; leave it out, or friction and form")
        if s.tendon_stiffness is None and gait.drives == "tendon-length":
            raise InputError("a gait that drives tendon-length needs elastic tendons: give model.tendon_stiffness (N/m)")
        return {"path": self._path, "inverse": self._inverse, "grid": self._grid}[task](gait)

    def _path(self, gait: Any) -> tuple[Block, Status]:
        times = gait.instants()
        values = gait.sample(times, np.arange(self.model.tendons, dtype=np.float64)).value
        kept: list[Equilibrium] = _Told(len(times), self._progress)
        lengths = gait.drives == "tendon-length"
        status = self._kept(kept, lambda: self.model.path(**{"length" if lengths else "tension": values}, kept=kept))
        return self._points(times, kept), status

    def _inverse(self, gait: Any) -> tuple[Block, Status]:
        s, times = self.settings, gait.instants()
        targets, kept = gait.sample(times, np.zeros(0)).value, _Told(len(times), self._progress)
        found: list[Following] = []
        status = self._kept(kept, lambda: found.append(self.model.inverse(
            targets[:, gait.rows], [COMPONENTS[row] for row in gait.rows], largest_tension=s.largest_tension, prefer=s.prefer,
            stiffness=s.tip_stiffness, kept=kept)))
        block = self._points(times, [one if s.tendon_stiffness is None else self.model.holding(one) for one in kept])
        followed, wanted = np.array(gait.rows), targets[:len(kept)]
        places, angles = followed[followed < 3], followed[followed >= 3]
        block["target"] = wanted[:, :3]
        block["target_error"] = np.linalg.norm((wanted[:, :3] - block["tip_in_base"])[:, places], axis=1)
        if len(angles):
            block["target_angles"] = wanted[:, 3:]
            apart = difference(block["tip_angles"][:, angles - 3], wanted[:, angles], list(angles))
            block["target_angle_error"] = np.linalg.norm(apart, axis=1)
        self.notes = tuple(self._missed(found[0])) if found else ()
        return block, status

    def _missed(self, found: Following) -> Iterator[str]:
        """What was asked for and not met, in sentences."""
        s, far = self.settings, ~found.reached
        if far.any():
            angle = f" and {np.degrees(found.angle_error.max()):.3g} deg" if found.angle_error.any() else ""
            yield (f"gait: {far.sum()} of {len(far)} targets are out of reach with tensions up to model.largest_tension = "
                   f"{s.largest_tension:g} N; the nearest tips are up to {1e3 * found.error.max():.3g} mm{angle} away (target_error)")
        if found.stiffness is not None and not found.wish_met.all():
            given, worst = found.stiffness[~found.wish_met], found.stiffness
            cure = "" if s.tendon_stiffness is not None else "; elastic tendons whose lengths are held (tendon_stiffness) make it stiffer"
            yield (f"model.tip_stiffness: {s.tip_stiffness:g} N/m is not met at {len(given)} of {len(worst)} points; the tensions within "
                   f"bounds that come nearest give {worst.min():.4g} to {worst.max():.4g} N/m{cure}")

    def _kept(self, kept: list[Equilibrium], work: Callable[[], object]) -> Status:
        """Do the work; a failure or an interruption keeps the points before it."""
        try:
            work()
        except KeyboardInterrupt as interruption:
            if not kept:
                raise
            return Status("interrupted", None, None, interruption)
        except SimulationError as error:
            return Status(f"at point {len(kept)} (counted from 0): {error}", None, error.place, error)
        return Status()

    def _points(self, times: Array, kept: list[Equilibrium]) -> Block:
        self.records = ("point",)
        self._labels = {"time": (("point",), times[:len(kept)], {"units": "s", "long_name": "time of each point"})}
        return recording.block(self.model, kept)

    def _grid(self, gait: Any) -> tuple[Block, Status]:
        if self.model.friction_law:
            raise InputError("friction: a grid has no path, so tendons cannot be said to be pulled or released; leave friction out")
        models = {"without stops": self.model.changed(stops=False)} | ({"with stops": self.model} if self.settings.stops else {})
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
        if len(self.model.robot.pairs) != 2 or self.model.tendons != 4:
            self.records = ("limits", "combination")
            self._labels = {"limits": (("limits",), np.array(scanned, dtype=np.str_), {})}
            each = (len(scanned), len(found) // max(len(scanned), 1))
            return {name: array.reshape(*each, *array.shape[1:]) for name, array in recording.block(self.model, found).items()}, status
        self.records, values = GRID, gait.values()
        attributes = {"units": "N", "long_name": "signed tension: positive pulls the first tendon of the pair, negative the second"}
        self._labels = {"limits": (("limits",), np.array(scanned, dtype=np.str_), {}), GRID[1]: ((GRID[1],), values, attributes),
                        GRID[2]: ((GRID[2],), values, attributes)}
        shape = (len(scanned), len(values), len(values))
        return {name: array.reshape(*shape, *array.shape[1:]) for name, array in recording.block(self.model, found).items()}, status

    def schema(self) -> dict[str, Variable]:
        return recording.SCHEMA

    def coordinates(self) -> dict[str, Any]:
        bound = {"units": "N", "long_name": "bound on the tensions of an inverse problem"}
        return {**self._labels, **recording.coordinates(self.model), "tension_limit": ((), np.array(self.settings.largest_tension), bound)}
