"""Surroundings of snakes: a shore, a pipe, links that touch each other and things to push, beside the same without."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from benchmarks.snakes import block_of
from benchmarks.table import Row, microseconds
from benchmarks.timing import Repeated, each, race

STEPS, CHUNKS = 200, 40


def steps_of(scenario: ll.Scenario, begin: float) -> tuple[Repeated, Any, Any]:
    """The steps after `begin`, and model and state there."""
    model, state, knots, record, drive = block_of(scenario, begin, STEPS)
    return each(lambda: model.advance(state, knots, record, drive)), model, state


def without(scenario: ll.Scenario, *kinds: str) -> ll.Scenario:
    """The same without some of its environments."""
    kept = tuple(item for item in scenario.environment if item.kind not in kinds)
    return scenario.changed(environment=kept)


def compared(what: str, ours: Repeated, peer: Repeated, target: float | None, reason: str = "") -> Row:
    """Steps of both in turns; the ratio may be `target` at most."""
    best = race({"ours": ours, "peer": peer}, CHUNKS)
    return Row(
        what,
        microseconds(best["ours"] / STEPS),
        microseconds(best["peer"] / STEPS),
        best["ours"] / best["peer"],
        target=target,
        sense="at most",
        reason=reason,
    )


def shore_row(begin: float = 5.0) -> Row:
    """A step while half of the snake is in the water, beside one of the same snake on the dry beach."""
    shore = ll.Scenario.load("snake-shore")
    wet = steps_of(shore, begin)[0]
    lying = without(shore, "water").changed(initial={"position": (-3.0, 0.0, 0.0), "posture": {"kind": "lay"}})
    return compared(
        "step of `snake-shore` at 5 s / of the same snake on the dry beach",
        wet,
        steps_of(lying, begin)[0],
        2.0,
        "Links that the surface may cut are taken one after the other.",
    )


def pipe_row(begin: float = 0.5) -> Row:
    """A snake that lies straight in a pipe, beside one that lies on the ground: as many
    contacts, each with one load.
    """
    pipe = ll.Scenario.load("snake-pipe").changed(gait=ll.JointWave(yaw_amplitude=0.0))
    walls = tuple(item.changed(radius=0.5) if item.kind == "pipe" else item for item in pipe.environment)
    ground = tuple(ll.Ground(forward=0.4, lateral=0.4) if item.kind == "pipe" else item for item in pipe.environment)
    inside = pipe.changed(environment=walls, initial={"position": (0.0, 0.0, -0.4699)})
    level = pipe.changed(environment=ground, initial={"position": (0.0, 0.0, 0.0301)})
    return compared(
        "step in a pipe / on the ground, 12 links that lie straight",
        steps_of(inside, begin)[0],
        steps_of(level, begin)[0],
        1.1,
        "A pipe takes a root and a division more per sphere than a plane.",
    )


def crowd_row(name: str, kind: str, begin: float) -> Row:
    """Steps with contacts between bodies that move, beside the same robot without them: 0.3 more for each that acts;
    where none does, or objects are bodies more, for information.
    """
    scenario = ll.Scenario.load(name)
    ours, model, state = steps_of(scenario, begin)
    found = model.step(state, scenario.step, scenario.gait)
    acting = int(((np.linalg.norm(found.force, axis=1) > 0.0) & (model._crowd.other >= 0)).sum())
    what = f"step of `{name}` at {begin:g} s, {acting} contacts between moving bodies / without `{kind}`"
    return compared(
        what,
        ours,
        steps_of(without(scenario, kind), begin)[0],
        1.0 + 0.3 * acting if acting and kind == "self-contact" else None,
        "Each row of a contact takes a sweep of impulses over the whole chain, and pairs that are near are "
        "looked at, touching or not.",
    )


def rows() -> list[Row]:
    """All of them."""
    return [
        shore_row(),
        pipe_row(),
        crowd_row("snake-coil", "self-contact", 1.0),
        crowd_row("snake-coil", "self-contact", 3.5),
        crowd_row("snake-push", "objects", 0.5),
        crowd_row("snake-push", "objects", 6.0),
    ]
