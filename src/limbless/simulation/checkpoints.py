"""What a long run leaves behind while it is on its way, so that a killed one loses a minute and not all.

In the folder `checkpoint` of a run every part is one file, written under another name first: `start.npz` with
the scenario and where the run begins, then `part-0001.npz`, .. with the records since the part before, and
the last block of steps: the states from which and to which it led. A run that goes on makes that block once
more, without keeping its records: whatever a model remembers of its last step beside its state is there
again, and the end of the block shows whether the same numbers come out here. They are plain arrays; nothing
in them is ever executed.
"""

from __future__ import annotations

import logging
import shutil
import time as clock
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, load_arrays, replacing
from limbless.models.base import Records, State
from limbless.simulation.result import CHECKPOINT as FOLDER
from limbless.simulation.result.dataset import joined

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario

_log = logging.getLogger("limbless")
EVERY = 60.0
"""Seconds (of the clock on the wall) between two parts."""
_START, _BEFORE, _AFTER, _RECORDS, _MEMORY = "start.npz", "before_", "after_", "block_", "memory_"


@dataclass(frozen=True)
class Unfinished:
    """What the parts of a run hold, joined.

    Attributes
    ----------
    start : s, simulated time at which the run began.
    before, after : states around the last block of steps.
    records : all so far, one of each block, that one's too.
    wall_time : s that the run has taken so far.
    """

    start: float
    before: State
    after: State
    records: list[Records]
    wall_time: float


class Checkpoints:
    """Writes the parts of one run.

    Parameters
    ----------
    folder : of the run; its part `checkpoint` is made here.
    scenario : what is run; it must be one that a file can express.
    every : s between two parts.
    """

    def __init__(self, folder: str | Path, scenario: Scenario, every: float = EVERY) -> None:
        self.folder, self.scenario, self.every = Path(folder) / FOLDER, scenario, every
        self._last = clock.perf_counter()
        self._parts = len(_parts(self.folder))
        self._kept = 0

    def begin(self, start: float) -> None:
        """A new run: parts of another one are removed."""
        self.remove()
        self._parts, self._start = 0, start

    def go_on(self, kept: int) -> None:
        """A run that is resumed, of which the records of `kept` blocks are in the parts."""
        self._kept = kept

    def due(self) -> bool:
        return clock.perf_counter() - self._last >= self.every

    def write(self, before: State, after: State, records: list[Records], wall_time: float) -> None:
        """One more part: the records since the last. Where there is no room for it, the run goes on without."""
        self._last = clock.perf_counter()
        arrays = {f"{_RECORDS}{name}": values for name, values in joined(records[self._kept :]).items()}
        arrays |= _packed(before, _BEFORE) | _packed(after, _AFTER) | {"wall_time": np.float64(wall_time)}
        try:
            if not self._parts:
                text = np.frombuffer(self.scenario.to_yaml().encode(), dtype=np.uint8)
                _write(self.folder / _START, {"scenario": text, "start": np.float64(self._start)})
                self.scenario.save(self.folder.parent / "scenario.yaml")
            _write(self.folder / f"part-{self._parts + 1:04d}.npz", arrays)
            self._parts, self._kept = self._parts + 1, len(records)
        except OSError as error:
            _log.warning("no checkpoint is written, and the run goes on: %s", error.strerror or error)

    def remove(self) -> None:
        """The run is finished, or cannot go on."""
        shutil.rmtree(self.folder, ignore_errors=True)


def read(folder: str | Path, scenario: Scenario) -> Unfinished:
    """What an unfinished run left in its folder."""
    place = Path(folder) / FOLDER
    parts = _parts(place)
    if not parts:
        why = f"the folder {folder} holds no unfinished run"
        raise InputError(
            f"{why if Path(folder).is_dir() else f'there is no folder {folder}'}: a run writes its state once a minute "
            f"into the folder {FOLDER} of its own, and removes that at its end"
        )
    start = _read(place / _START)
    if bytes(start["scenario"]).decode() != scenario.to_yaml():
        raise InputError(
            f"{Path(folder) / 'scenario.yaml'} is not the scenario of the unfinished run any more; "
            "it cannot go on with another one"
        )
    records, last = [], {}
    for path in parts:
        last = _read(path)
        part = {name.removeprefix(_RECORDS): values for name, values in last.items() if name.startswith(_RECORDS)}
        records += [Records(part)] if part else []
    return Unfinished(
        float(start["start"]), _unpacked(last, _BEFORE), _unpacked(last, _AFTER), records, float(last["wall_time"])
    )


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.npz"))


def _packed(state: State, prefix: str) -> dict[str, Any]:
    memory = {f"{prefix}{_MEMORY}{name}": np.asarray(values) for name, values in state.memory.items()}
    return {f"{prefix}time": np.float64(state.time), f"{prefix}x": state.x, **memory}


def _unpacked(arrays: dict[str, Any], prefix: str) -> State:
    memory = {
        name.removeprefix(prefix + _MEMORY): values
        for name, values in arrays.items()
        if name.startswith(prefix + _MEMORY)
    }
    return State(float(arrays[f"{prefix}time"]), arrays[f"{prefix}x"], memory)


def _write(path: Path, arrays: dict[str, Any]) -> None:
    with replacing(path) as temporary:
        np.savez(temporary, **arrays)


def _read(path: Path) -> dict[str, Any]:
    try:
        return dict(load_arrays(path))
    except InputError as error:
        raise InputError(f"the unfinished run cannot be read: {path} is damaged ({error})") from error
