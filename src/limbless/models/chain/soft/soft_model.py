"""`Soft`: a soft body in its environment, one state at a time or through time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbless.control.gaits.base import Gait
from limbless.core import Array
from limbless.mechanics.chain import (
    AxisRecord,
    Body,
    BodyRecord,
    TendonState,
)
from limbless.models import (
    Observation,
    Records,
    State,
    Variable,
    Variables,
    divergence,
)
from limbless.models.chain import chain_problem
from limbless.models.chain.soft import rest_posture
from limbless.models.chain.soft.linearisation import SoftInstants
from limbless.models.chain.soft.standing_soft import LAST_TENDONS, StandingSoft
from limbless.models.recording.body_recorder import contiguous


class Soft(SoftInstants):
    """Soft bodies in motion: strain cells under tendons, springs, weight and water, O(cells).

    Parameters
    ----------
    robot : a `TendonSpine`, a `Rod`, or a `Chain` with tendons, or a preset that builds one.
    environment : what acts on it.
    actuation : tendons and muscles pull, and given strains go, as the gait says, whatever it says.
    settings : integrator, tolerance, cells, degree, stations.
    """

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; straight, or in equilibrium under the tensions just before the start."""
        return rest_posture.state_at_start(self, initial, gait)

    def equilibrium(
        self,
        tension: ArrayLike | None = None,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        length: ArrayLike | None = None,
    ) -> Array:
        """The freedoms at rest under these tensions (N), or with these unstretched lengths (m): of spines by tendon
        statics, of rods and chains by relaxation."""
        return rest_posture.equilibrium(
            self, tension, length, base_position=base_position, base_orientation=base_orientation
        )

    def workspace(self, tensions: ArrayLike, **place: ArrayLike) -> Array:
        """(N, 3) where the tip rests under each row of tensions (N), world, m; `place` as that of `equilibrium`."""
        return rest_posture.workspace(self, tensions, **place)

    def standing_problem(self) -> StandingSoft:
        return StandingSoft(self)

    def remarks(self, dataset: Any) -> list[str]:
        return [*self.recorder.water.remarks(dataset), *self.strung.fading(dataset)]

    # What is recorded

    def state_columns(self) -> list[tuple[str, str, slice]]:
        """Where named variables stand in the flat state, and the tip and the centre of mass behind it: name, dimension
        (or none), columns.
        """
        behind = {"tip_position": self._size, "com_position": self._size + 3}
        return [
            *chain_problem.state_columns(self._split, self._size),
            *((name, "axis", slice(first, first + 3)) for name, first in behind.items()),
        ]

    def sound_records(self, records: Records) -> int:
        return divergence.sound_records(
            {
                "time": records["time"],
                "x": records["x"],
                "acceleration": AxisRecord.of(records["axes"]).acceleration,
                "twist": np.asarray(BodyRecord.of(records["bodies"]).twist),
            }
        )

    def fastest(self, records: Records) -> str:
        speed = np.linalg.norm(BodyRecord.of(records["bodies"]).twist[-1, : len(self.plan.cells) + 1, :3], axis=-1)
        return f"the end of {self.part} {int(speed.argmax())}"

    def variables(self, records: Records) -> Variables:
        found = {**self.recorder.variables(records), **self._tallies.variables(records)}
        found |= {} if self._loop is None else self._loop.variables(records["x"])
        present = ("time", *self.schema())
        return Variables(contiguous({name: values for name, values in found.items() if name in present}))

    def schema(self) -> dict[str, Variable]:
        """Tendons and muscles have no limits."""
        counted = {name: variable for name, variable in self._tallies.schema().items() if name != "limit_time"}
        return {**self.recorder.present, **counted, **({} if self._loop is None else self._loop.schema())}

    def coordinates(self) -> dict[str, Any]:
        looped = {} if self._loop is None else self._loop.coordinates()
        return {**self.recorder.coordinates(), **self._tallies.coordinates(), **looped}

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base, freedoms, tip and tendons, for a controller; their tensions are those of the last step."""
        x, n = state.x, self.freedoms
        flat = np.zeros(self._size)
        flat[: self._split + 6 + n] = x[: self._split + 6 + n]  # among contacts a state counts more
        last = np.array(state.memory.get(LAST_TENDONS, ()))

        def rest() -> dict[str, Array]:
            now = self.instant(flat, time=state.time).memory
            bodies, pulls = Body.of(now.bodies), TendonState.of(now.cells.pulls)
            rotation = bodies.rotation.reshape(-1, 3, 3)
            tension = (TendonState.of(last) if last.size else pulls).tension
            tendons = {"tension": np.array(tension), "tendon_length": np.array(pulls.length)} if self.tendons else {}
            tip = np.array(self.recorder.tip(rotation, bodies.origin))
            return {**tendons, "tip_position": tip, "tip_axes": np.array(rotation[len(self.plan.cells)])}

        known = {
            "time": np.float64(state.time),  # type: ignore[dict-item]
            "base_position": x[:3].copy(),
            "base_orientation": x[3:7].copy(),
            "base_twist": x[self._split :][:6].copy(),
            "joint_position": x[7 : 7 + n].copy(),
            "joint_velocity": x[self._split + 6 :][:n].copy(),
        }
        if self._loop is not None:
            known["controller_state"] = x[self._loop.columns].copy()
        return Observation(known, rest)
