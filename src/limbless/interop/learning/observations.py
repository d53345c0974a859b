"""Observations by name, flat, with a name for every entry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from limbless.core import Array, InputError, refuse_unknown
from limbless.interop.learning.controlled_run import ControlledRun, Observed


def _heading(seen: Observed) -> Sequence[Any]:
    return seen.heading


def _phase(seen: Observed) -> Sequence[Any]:
    angle = 2.0 * np.pi * np.asarray(seen.time) / float(seen.world.cycle or 1.0)
    return np.sin(angle), np.cos(angle)


def _target(seen: Observed) -> Sequence[Any]:
    """How far ahead of the head's direction the target is, and how far to its left."""
    sine, cosine = seen.heading
    x, y = (seen.world.target[number] - seen.position[..., number] for number in range(2))  # type: ignore[index]
    return x * cosine + y * sine, y * cosine - x * sine


def _time(seen: Observed) -> Sequence[Any]:
    return (seen.time,)


class Observations:
    """Some observations, one after another: what stands in the state is gathered at once, the rest is computed."""

    def __init__(self, names: Sequence[str], world: ControlledRun) -> None:
        standing = [name for name in world.entries if name != "work"]
        computed: dict[str, tuple[Callable[[Observed], Sequence[Any]], Sequence[str]]] = {
            "time": (_time, ("s",)),
            "heading": (_heading, ("sine", "cosine")),
            "phase": (_phase, ("sine", "cosine")),
            "target": (_target, ("ahead", "left")),
        }
        known = [*standing, *computed]
        touching = [name for name in names if name.startswith("contact_")]
        if touching and not world.contacts:
            raise InputError(
                f"observe: {touching[0]!r} needs the model non-smooth and something to touch (ground, obstacles)"
            )
        refuse_unknown(names, known, "observe: there is no")
        if not names:
            raise InputError(f"observe: name at least one of {', '.join(known)}")
        if "target" in names and world.target is None:
            raise InputError("observe: 'target' needs target=(x, y), a place in the world (m)")
        if "phase" in names and not world.cycle:
            raise InputError(f"observe: 'phase' needs a gait with a period; {world.gait.kind!r} has none")
        self.layout: list[str] = []
        columns: list[int] = []
        self._computed: list[tuple[int, Callable[[Observed], Sequence[Any]]]] = []
        for name in names:
            if name in standing:
                place, entries = world.columns[name], world.entries[name]
                columns += range(place.start, place.stop)
            else:
                reader, entries = computed[name]
                self._computed.append((len(columns), reader))
                columns += [0] * len(entries)
            self.layout += [f"{name} {entry}" for entry in entries]
        self._columns = np.array(columns)

    def __call__(self, seen: Observed) -> Array:
        found = seen.values.take(self._columns, axis=-1)
        for place, reader in self._computed:
            for number, value in enumerate(reader(seen)):
                found[..., place + number] = value
        return found
