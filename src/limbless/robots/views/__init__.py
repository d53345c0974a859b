"""A robot seen as another kind: rigid links, a rod, a tendon spine. What a view cannot keep is said in its `lost`."""

from __future__ import annotations

from collections.abc import Mapping

from limbless.core import InputError
from limbless.robots.base import Robot
from limbless.robots.chain import Chain
from limbless.robots.rod import Rod
from limbless.robots.tendon_spine import TendonSpine
from limbless.robots.views.common import view
from limbless.robots.views.links import joint_ends, rod_as_chain, spine_as_chain
from limbless.robots.views.rod import chain_as_rod, spine_as_rod
from limbless.robots.views.spine import rod_as_spine

__all__ = ["as_chain", "as_rod", "as_spine", "joint_ends", "refined", "without"]


def refined(robot: Robot) -> Robot:
    """A view with twice its links or vertebrae; any other robot, and a view that takes each vertebra or joint as it
    is, unchanged.
    """
    source = robot.seen_from
    if isinstance(source, Rod) and isinstance(robot, Chain):
        return source.as_chain(2 * len(robot.links))
    if isinstance(source, Rod) and isinstance(robot, TendonSpine):
        return source.as_spine(2 * len(robot.vertebrae))
    return robot


def without(robot: Robot, fields: Mapping[str, str]) -> Robot:
    """The robot without some of its fields, and the reason why each is lost; itself where it has none of them."""
    known = type(robot).model_fields
    gone = robot.given(*(name for name in fields if name in known))
    if not gone:
        return robot
    made = robot.changed(**{name: known[name].default for name in gone})
    told = [f"robot.{name}: {fields[name]}; it is left out" for name in gone]
    return view(made, robot.seen_from or robot, [*robot.lost, *told])


def as_chain(robot: Robot, links: int | None) -> Chain:
    """See `Robot.as_chain`."""
    if isinstance(robot, Chain) and links in (None, len(robot.links)):
        return robot
    if isinstance(robot, TendonSpine) and links in (None, len(robot.vertebrae) + 1):
        return spine_as_chain(robot)
    return rod_as_chain(as_rod(robot), links)


def as_rod(robot: Robot) -> Rod:
    """See `Robot.as_rod`. The view of a rod, as it was made, is that rod: tapers are not smeared twice."""
    for rod in (robot, robot.seen_from):
        if isinstance(rod, Rod):
            return rod
    if isinstance(robot, TendonSpine):
        return spine_as_rod(robot)
    if isinstance(robot, Chain):
        return chain_as_rod(robot)
    raise InputError(
        f"robot: no view is known of robots of kind {robot.kind!r}; chains, rods and tendon spines have them"
    )


def as_spine(robot: Robot, vertebrae: int | None) -> TendonSpine:
    """See `Robot.as_spine`."""
    if isinstance(robot, TendonSpine) and vertebrae in (None, len(robot.vertebrae)):
        return robot
    count = len(robot.links) if isinstance(robot, Chain) and vertebrae is None else vertebrae
    return rod_as_spine(as_rod(robot), count)
