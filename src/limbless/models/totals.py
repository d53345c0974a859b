"""What kernels tally at every step, on its way through a run: from the state's memory, into records, and out as
variables of a result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limbless.core import Array
from limbless.environments.base import Environment, Pack
from limbless.mechanics.integrate.running_totals import NEVER, UNLIMITED, HeldEffort, JointRange, RunTotals, Totals
from limbless.models import Records, Variable, Variables, choose

_NAMES = tuple(f"tally_{field}" for field in Totals._fields)


class TotalsStore:
    """The tally of one model.

    Parameters
    ----------
    limit : largest effort of every actuator, infinite where there is none; its shape is that of the actuators.
    environment : what pushes, in the order in which its laws were packed.
    packs : what each of them packed, where one has more works than its own.
    contacts : number of contacts.
    dims : dimensions of the actuators in a result: `joint`, or `section` and `screw` for the strains of a rod.
    weight : what the work of an actuator is multiplied with in a result: the lengths of the sections of a rod, whose
        powers are per length.
    ranges : `JointRange` of every joint, its column negative where it has none; empty where no joint has one.
    """

    def __init__(
        self,
        limit: Array,
        environment: Sequence[Environment] = (),
        contacts: int = 0,
        dims: tuple[str, ...] = ("joint",),
        weight: Array | float = 1.0,
        ranges: Array | None = None,
        packs: Sequence[Pack] = (),
    ) -> None:
        self.shape, self.dims, self.weight, self.contacts = limit.shape, dims, weight, contacts
        self.limit = np.where(np.isinf(limit), UNLIMITED, limit).ravel()
        self.laws = law_names(environment, packs)
        self.ranges = JointRange.zeros(0) if ranges is None else ranges

    @property
    def holds(self) -> bool:
        """Whether torques that last are told apart from impulses: where joints have contacts, and velocities jump."""
        return self.dims == ("joint",) and self.contacts > 0

    @property
    def _names(self) -> tuple[str, str]:
        """What the work and the peaks of these actuators are called."""
        names: dict[tuple[str, ...], tuple[str, str]] = {
            ("joint",): ("joint_work", "peak_torque"),
            ("tendon",): ("pulley_work", "peak_tension"),
        }
        return names.get(self.dims, ("strain_work", "peak_effort"))

    def _empty(self, *records: int) -> Totals:
        return Totals._make(
            [
                *(np.zeros((*records, self.limit.size)) for _ in range(7)),
                np.zeros((*records, len(self.laws))),
                np.zeros((*records, self.contacts)),
                RunTotals.zeros(*records, 1),
                JointRange.zeros(*records, len(self.ranges)),
                HeldEffort.zeros(*records, self.limit.size if self.holds else 0),
            ]
        )

    def start(self, memory: Mapping[str, Array], time: float) -> Totals:
        """The tally where a state stands: a copy of what it remembers, or a new one for what it does not."""
        return self.refresh(self._empty(), memory, time)

    def refresh(self, tally: Totals, memory: Mapping[str, Array], time: float) -> Totals:
        """The same in a tally that is there."""
        known = _NAMES[0] in memory
        for name, values in zip(_NAMES, tally, strict=True):
            # other environments than before begin to count anew
            values[:] = memory[name] if known and memory[name].shape == values.shape else 0.0
        if not known:
            tally.beyond[:], RunTotals.of(tally.whole).time[:] = NEVER, time
            JointRange.of(tally.ranges).since[:] = NEVER
        tally.limit[:] = self.limit
        tally.ranges[:, :3] = self.ranges[:, :3]
        return tally

    def records(self, count: int) -> Totals:
        """Memory for the tally at `count` records."""
        return self._empty(count)

    @staticmethod
    def named(tally: Totals) -> dict[str, Array]:
        """Under the names that it has in a state's memory and in records."""
        return dict(zip(_NAMES, tally, strict=True))

    def variables(self, records: Records) -> Variables:
        """The variables of `schema` from the tally at all records."""
        kept = Totals(*(records[name] for name in _NAMES))
        worth, whole = np.asarray(self.weight), RunTotals.of(kept.whole[:, 0])
        work, positive, peaks, times, beyond = (array.reshape(len(array), *self.shape) for array in kept[:5])
        own, peak = self._names
        range_ = JointRange.of(kept.ranges)
        found = {
            own: worth * work,
            "positive_work": worth * positive,
            peak: peaks,
            "peak_time": times,
            "limit_time": np.where(beyond == NEVER, np.inf, beyond),
            "law_work": kept.laws,
            "contact_work": kept.contacts,
            "com_path": whole.path,
            "work_exchanged": whole.exchanged,
            "range_excess": range_.excess,
            "excess_time": range_.time,
            "range_time": np.where(range_.since == NEVER, np.inf, range_.since),
            "lasting_torque": HeldEffort.of(kept.held).lasting,
        }
        return Variables(
            {name: np.ascontiguousarray(values) for name, values in found.items() if name in self.schema()}
        )

    def schema(self) -> dict[str, Variable]:
        """What a result holds of a tally. All of it counts since the start: since time 0, also
        where a run was continued.
        """
        own, peak = self._names
        found = choose(
            own,
            "positive_work",
            peak,
            "peak_time",
            "limit_time",
            "law_work",
            "contact_work",
            "com_path",
            "work_exchanged",
            "range_excess",
            "excess_time",
            "range_time",
            "lasting_torque",
        )
        for name in ("positive_work", "peak_time", "limit_time"):
            found[name] = found[name]._replace(dims=self.dims)
        counts = {
            "law_work": len(self.laws),
            "contact_work": self.contacts,
            **dict.fromkeys(("range_excess", "excess_time", "range_time"), len(self.ranges)),
            "lasting_torque": int(self.holds),
        }
        return {name: variable for name, variable in found.items() if counts.get(name, 1)}

    def coordinates(self) -> dict[str, Any]:
        """Labels of the dimension `law`."""
        return {"law": (("law",), self.laws, {})} if self.laws else {}


def law_names(environment: Sequence[Environment], packs: Sequence[Pack] = ()) -> list[str]:
    """What each environment is called in a result: its kind, with a number from the second of a
    kind on; after it its parts.
    """
    parts = [pack.parts for pack in packs] or [()] * len(environment)
    kinds = [name for item, further in zip(environment, parts, strict=True) for name in (item.kind, *further)]
    numbers = [kinds[: place + 1].count(kind) for place, kind in enumerate(kinds)]
    return [kind if number == 1 else f"{kind} {number}" for kind, number in zip(kinds, numbers, strict=True)]
