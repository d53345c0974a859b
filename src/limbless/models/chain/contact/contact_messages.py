"""Sentences about contacts that cannot be: which two bodies meet, how deep, and what to try."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.mechanics.chain import DofRow
from limbless.mechanics.contact import MOST, MOST_MUTUAL, Feature
from limbless.mechanics.contact.shapes.primitives import FAR
from limbless.mechanics.integrate.running_totals import SLACK
from limbless.models.base import Status
from limbless.models.chain.contact import contact_scene
from limbless.models.chain.contact.contact_scene import TouchingRobot
from limbless.robots.chain import Chain

if TYPE_CHECKING:
    import xarray as xr

SUNK = 0.05  # radii: how deep a body may sink in before the run is in doubt; own scenarios stay below 0.005
PENETRATION = 1e-6  # m: how deep a robot may start inside something: rounding, and no more
HIGH = 1e-3  # m: a robot that begins higher above the ground falls first


class Meetings(NamedTuple):
    """Who may touch whom in a run, by contact."""

    robot: TouchingRobot
    environment: tuple[Environment, ...]
    scene: Any
    moving_bodies: Any
    company: Any

    def falls(self, gap: float) -> list[str]:
        """What is said of a robot that begins above everything that it could land on."""
        heavy = any(item.pull is not None for item in self.environment)
        lifted = any(item.lifts for item in self.environment)
        ground = next((item.kind for item in self.environment if item.is_ground), None)
        if ground is None or not heavy or lifted or self.robot.base != "free" or not HIGH < gap < FAR / 2:
            return []
        cure = "posture: {kind: lay} lays it down" if ground == "ground" else "lower initial.position"
        return [f"initial: the robot begins {gap:.3g} m above the {ground}, and falls; {cure}"]

    def names(self, contact: int) -> tuple[str, str | None]:
        """The names of the two bodies of a contact; None for what does not move."""
        names = [*self.robot.names, *self.company.names]
        other = -1 if self.moving_bodies is None else int(self.moving_bodies.other[contact])
        return names[self.scene.owner[contact]], None if other < 0 else names[other]

    def refuse_overlap(self, contact: int, gap: float) -> None:
        """A robot that starts inside the ground or an obstacle is a mistake; one that just touches is not."""
        if gap >= -PENETRATION:
            return
        one, two = self.names(contact)
        if two is not None:
            raise InputError(
                f"initial: {one!r} and {two!r} overlap at the start by {-gap:.3g} m; move one of them"
                + self._within_robot(contact)
            )
        if one in self.company.names:
            raise InputError(
                f"objects: {one!r} starts {-gap:.3g} m inside the ground or an obstacle; raise its "
                "position, make it smaller (radius, length, sizes), turn it (yaw, pitch, roll), or change "
                "what it starts in (height, slope)"
            )
        raise InputError(
            f"initial: {one!r} starts {-gap:.3g} m inside {self._surface(contact)}; raise initial.position, give the "
            "gait a ramp (the body then starts straight), or move the obstacle"
        )

    def _surface(self, contact: int) -> str:
        """What does not move and is touched there."""
        names, number = contact_scene.surface_names(self.environment), self.scene.surface[contact]
        return names[number] if number < len(names) else "the ground of its wheels"

    def _within_robot(self, contact: int) -> str:
        """What else helps where two links overlap."""
        if self.moving_bodies is None or not 0 <= self.moving_bodies.other[contact] < self.moving_bodies.first:
            return ""
        return (
            ": change initial.joint_position or the gait, or raise self-contact.apart where links are thicker than long"
        )

    def sunk(self, contact: int, depth: float, time: float, h: float) -> Status:
        """A contact that has failed: what is in what, and how deep."""
        link, other = self.names(contact)
        own, moving = Feature.of(self.scene.features).radius, self.moving_bodies
        radius = float((own if moving is None else moving.size)[contact])
        name = repr(other) if other else "what it lies on" if link in self.company.names else self._surface(contact)
        return Status(
            f"{link!r} is {depth:.3g} m deep in {name} at t = {time:g} s, more than the radius of "
            f"{radius:.3g} m with which it touches: no contact force means anything there; try a step "
            f"shorter than {h:g} s, and look whether something appears or starts inside the body, or the "
            "body is pressed or thrown too hard",
            time,
            link,
        )

    def unsolved(self, time: float, residual: float, bound: float, load: Array) -> Status:
        """Contact laws that no impulses satisfy, under these loads of all contacts; more contacts may act than the
        solver follows a path for.
        """
        count, most = len(self.scene.owner), int(np.nan_to_num(load).argmax())
        one, two = self.names(most)
        many = (
            ""
            if count <= MOST
            else (
                f", or friction below 0.8: stronger friction is solved for up to {MOST} "
                f"contacts at a time, and there are {count} here"
            )
        )
        return Status(
            f"the contact laws could not be solved at t = {time:g} s: a residual of {residual:.2g} m/s "
            f"remains, more than model.bound, {bound:g} m/s; the largest load is that of {one!r} on "
            f"{two or self._surface(most)}; try a smaller step or a larger model.compliance{many}",
            time,
            one,
        )


def sunk_too_deep(dataset: xr.Dataset) -> list[str]:
    """Bodies that sank in by a visible share of their radius."""
    if "contact_depth" not in dataset or not dataset.sizes["time"] or not dataset.sizes["contact"]:
        return []
    depth = dataset["contact_depth"].values
    worst = int(np.argmax(depth))
    if depth[worst] <= SUNK:
        return []
    return [
        f"a body sank into the ground or an obstacle by {depth[worst]:.2g} of the radius with which it touches, "
        f"until t = {dataset['time'].values[worst]:g} s; at most {SUNK:g} is taken for rounding: try a shorter step"
    ]


def crowded(time: float) -> Status:
    """More contacts between bodies that move than there is room for."""
    return Status(
        f"more than {MOST_MUTUAL} contacts between bodies that move act at t = {time:g} s, too many to be "
        "solved for: take fewer objects or links, or raise self-contact.apart",
        time,
    )


def longest_step(bodies: Any, freedoms: Any) -> float:
    """Explicit feedback rings with ω = sqrt(4 K / Θ) in the zigzag mode of the chain and needs h < 2 / ω. One that
    answers to the acceleration too has its own inertia A, and needs h < 2 A / D.
    """
    inertia, freedom = contact_scene.largest_inertia(bodies), DofRow.of(freedoms)
    lead = freedom.inertia_gain
    stiffest = float(freedom.gain[lead == 0.0].max(initial=0.0))
    least = float(inertia[inertia > 0.0].min()) + float(freedom.rotor.min(initial=0.0))
    longest = math.inf if stiffest == 0.0 else 2.0 / math.sqrt(4.0 * stiffest / least)
    return min(longest, float((2.0 * lead[lead > 0.0] / freedom.rate_gain[lead > 0.0]).min(initial=math.inf)))


def refuse_long_step(h: float, longest: float) -> None:
    """A step that is longer than `longest_step` says."""
    if h > longest:
        raise InputError(
            f"step {h:g} s is too long for explicit control of joints this stiff (at most {longest:.2g} s): set "
            "model.theta to 1 for implicit control, lower the gains (or actuation.rate), or shorten the step"
        )


def refuse_beyond(chain: Chain, given: str, positions: Any, times: Any) -> None:
    """Joints that stop at the ends of their ranges cannot be taken beyond."""
    arrays = chain.arrays()
    beyond = np.maximum(positions - arrays.upper, 0.0) + np.minimum(positions - arrays.lower, 0.0)
    row, joint = np.unravel_index(np.abs(beyond).argmax(), beyond.shape)
    if abs(beyond[row, joint]) > SLACK:
        side, bound = ("above its upper", arrays.upper) if beyond[row, joint] > 0 else ("below its lower", arrays.lower)
        raise InputError(
            f"{given}: {chain.joint_names[joint]!r} is taken to {positions[row, joint]:.4g} at t = {times[row]:g} s, "
            f"{side} limit of {bound[joint]:.4g} (rad or m), where the joint stops; take a smaller amplitude, widen "
            "the joint's range, or follow the gait with actuation pd"
        )
