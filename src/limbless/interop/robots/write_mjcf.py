"""A chain as MJCF: the same masses, joints and passive forces for MuJoCo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.writing import Array, PlacedBody, bounds, document, losses, placed_rows, text, values
from limbless.robots import PRISMATIC, SPHERICAL, Chain

Element = ElementTree.Element
_LOST = {
    "viscous_friction": "added to damping",
    "breakaway_friction": "MuJoCo has no friction that falls with the rate",
}


def mjcf_text(chain: Chain, environment: Sequence[Any] = (), step: float = 0.01, initial: Any = None) -> str:
    """The text of an MJCF file.

    `environment` are those of a scenario: gravity, a level ground, pegs and body-drag with an inertia box are written,
    others are named in a comment. `initial` is that of a scenario: where the base begins.
    """
    root = Element("mujoco", model=chain.name)
    ElementTree.SubElement(
        root,
        "compiler",
        angle="radian",
        inertiafromgeom="false",
        balanceinertia="false",
        boundmass="0",
        boundinertia="0",
        autolimits="true",
    )
    option = ElementTree.SubElement(root, "option", timestep=text(step), integrator="RK4", gravity="0 0 0")
    world = ElementTree.SubElement(root, "worldbody")
    writer = _Writer(chain)
    comments = [f"{chain.name}, written by limbless; base {chain.base}, head at the {chain.head}"]
    comments += [f"without: {loss}" for loss in losses(chain, _LOST)]
    comments += _surroundings(environment, chain, option, world)
    writer.write(world)
    comments += _start(world, initial)
    if len(writer.actuators):
        root.append(writer.actuators)
    return document(root, [*comments, *writer.comments])


class _Writer:
    """Bodies inside bodies: links without mass go with the next one that has some."""

    def __init__(self, chain: Chain) -> None:
        self.chain, self.rows = chain, placed_rows(chain)
        self.comments: list[str] = []
        self.names = iter(chain.joint_names)
        self.actuators = Element("actuator")

    def write(self, world: Element) -> None:
        here, origin = world, np.zeros(3)
        waiting: list[PlacedBody] = []
        last = max((k for k, placed in enumerate(self.rows) if placed.mass > 0), default=0)
        for k, placed in enumerate(self.rows[: last + 1]):
            waiting.append(placed)
            if placed.mass == 0 and k > 0:
                continue
            if len(waiting) > 1 and any(one.row.kind == SPHERICAL for one in waiting):
                raise InputError(
                    f"link {waiting[0].name!r}: MuJoCo has no spherical joint beside another one on the same body; "
                    "give this link a mass"
                )
            here = ElementTree.SubElement(here, "body", name=self._named(placed), pos=text(*(placed.origin - origin)))
            origin = placed.origin
            self._inertial(here, placed)
            if k == 0:
                self._base(here)
            for one in waiting:
                if one.joint is not None:
                    self._joint(here, one, one.origin - placed.origin)
                self._shapes(here, one, one.origin - placed.origin)
            waiting = []
        if last < len(self.rows) - 1:
            self.comments.append(f"left out: {len(self.rows) - 1 - last} links without mass at the tip")

    def _named(self, placed: PlacedBody) -> str:
        """MuJoCo keeps the name `world` for itself."""
        if placed.name != "world":
            return placed.name
        self.comments.append("the link 'world' is called 'world link' here: MuJoCo keeps that name for itself")
        return "world link"

    def _inertial(self, body: Element, placed: PlacedBody) -> None:
        if not placed.mass:
            return
        central = placed.central
        if self.chain.base != "free" and np.linalg.eigvalsh(central)[0] <= 0:
            # Described by the inertia about one axis alone: MuJoCo wants all three, and these are not turned about.
            central = central + np.diag(np.where(np.diag(central) <= 0, max(central.max(), 1e-9), 0.0))
            self.comments.append(f"{placed.name}: inertia about axes that do not move made positive")
        six = text(*(central[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))))
        ElementTree.SubElement(body, "inertial", pos=text(*placed.centre), mass=text(placed.mass), fullinertia=six)

    def _base(self, body: Element) -> None:
        if self.chain.base == "free":
            ElementTree.SubElement(body, "freejoint", name="base")
        elif self.chain.base == "planar":
            for name, kind, axis in (
                ("base x", "slide", "1 0 0"),
                ("base y", "slide", "0 1 0"),
                ("base yaw", "hinge", "0 0 1"),
            ):
                ElementTree.SubElement(body, "joint", name=name, type=kind, axis=axis)

    def _joint(self, body: Element, placed: PlacedBody, offset: Array) -> None:
        joint, own = placed.joint, placed.freedoms
        if joint is None:
            return
        kind = {SPHERICAL: "ball", PRISMATIC: "slide"}.get(placed.row.kind, "hinge")
        names = [next(self.names) for _ in own]
        name = names[0] if len(names) == 1 else joint.name or names[0]
        fields = {
            "armature": values(joint, own, "rotor_inertia"),
            "stiffness": values(joint, own, "stiffness"),
            "frictionloss": values(joint, own, "coulomb_friction"),
            "damping": [
                sum(pair)
                for pair in zip(values(joint, own, "damping"), values(joint, own, "viscous_friction"), strict=True)
            ],
        }
        made = ElementTree.SubElement(body, "joint", name=name, type=kind, pos=text(*offset))
        if kind != "ball":
            made.set("axis", text(*placed.row.axis))
        for word, numbers in fields.items():
            if any(numbers):
                made.set(word, text(numbers[0]))
                if len(set(numbers)) > 1:
                    self.comments.append(f"{name}: {word} differs between its axes; a ball has the first for all")
        rest = values(joint, own, "rest")
        if any(rest) and any(fields["stiffness"]):
            if kind == "ball":
                self.comments.append(f"{name}: the rest position of its spring has no place at a ball")
            else:
                made.set("springref", text(rest[0]))
        lower, upper = bounds(joint, own[0])
        if lower is not None or upper is not None:
            made.set("range", text(-1e10 if lower is None else lower, 1e10 if upper is None else upper))
        self._motors(name, joint, own, names)

    def _motors(self, name: str, joint: Any, own: list[int], names: list[str]) -> None:
        for number, freedom in enumerate(own):
            gear = [0.0] * 6 if len(own) > 1 else [1.0]
            gear[number] = 1.0
            motor = ElementTree.SubElement(self.actuators, "motor", name=names[number], joint=name, gear=text(*gear))
            limit = joint.per_freedom("torque_limit")[freedom]
            if limit is not None:
                motor.set("ctrlrange", text(-limit, limit))

    def _shapes(self, body: Element, placed: PlacedBody, offset: Array) -> None:
        """What is seen, and spheres that touch; neither weighs."""
        link, home = self.chain.links[placed.row.link], placed.row.home
        if not placed.row.carries:
            return
        if link.body is not None:
            start = offset + home @ np.array(link.body.position)
            end = start + link.body.length * (home @ link.body.frame[:, 0])
            radius = (link.body.half_width * link.body.half_height) ** 0.5
            ElementTree.SubElement(
                body,
                "geom",
                type="capsule",
                fromto=text(*start, *end),
                size=text(radius),
                mass="0",
                contype="0",
                conaffinity="0",
                rgba="0.35 0.7 0.9 1",
            )
        for ball in link.contact_shapes:
            place, half = offset + home @ np.array(ball.centre), ball.radius * (home @ np.array(ball.axis))
            disc = {"type": "cylinder", "fromto": text(*(place - half), *(place + half))}
            shape = disc if ball.rim else {"type": "sphere", "pos": text(*place)}
            touches = {"size": text(ball.rim + ball.radius), "mass": "0", "contype": "1", "conaffinity": "0"}
            ElementTree.SubElement(body, "geom", {**shape, **touches})


def _start(world: Element, initial: Any) -> list[str]:
    """The pose of the base at the start; what is found by a run is not known here."""
    if initial is None:
        return []
    if initial.posture is not None or initial.result is not None:
        return ["without: the pose in which the scenario begins, which a run finds; the robot stands at the origin"]
    base = world.find("body")
    if base is not None and (any(initial.position) or tuple(initial.orientation) != (1.0, 0.0, 0.0, 0.0)):
        base.attrib |= {"pos": text(*initial.position), "quat": text(*initial.orientation)}
    return []


def _rubs(item: Any, chain: Chain, comments: list[str]) -> dict[str, str]:
    """Friction of a surface for MuJoCo, which takes the larger of two geoms unless one has priority."""
    friction = item.against(chain.skin)
    others = {
        "backward": friction.forward if friction.backward is None else friction.backward,
        "lateral": friction.lateral,
    }
    unlike = [f"{word} {value:g}" for word, value in others.items() if value != friction.forward]
    if unlike:
        comments.append(
            f"friction of {item.kind}: forward {friction.forward:g} in all directions; without "
            f"{', '.join(unlike)}, which MuJoCo's geoms do not have"
        )
    return {"friction": text(friction.forward, 0.0, 0.0), "priority": "1"}


def _surroundings(environment: Sequence[Any], chain: Chain, option: Element, world: Element) -> list[str]:
    """Environments that MuJoCo has too; the others as comments."""
    gravity = np.zeros(3)
    comments: list[str] = []
    for item in environment:
        if item.pull is not None:
            gravity += item.pull
        elif item.kind == "body-drag" and item.rule == "inertia-box":
            option.attrib |= {
                "density": text(item.density),
                "viscosity": text(item.viscosity),
                "wind": text(*item.wind),
            }
            if item.folded_mass or item.folded_inertia:
                comments.append("armature of the base is part of link 0 here: MuJoCo's box of that body grows by it")
        elif item.kind == "ground" and not any(item.slope):
            ElementTree.SubElement(
                world,
                "geom",
                _rubs(item, chain, comments),
                type="plane",
                size="0 0 1",
                pos=text(0.0, 0.0, item.height),
                contype="0",
                conaffinity="1",
            )
        elif item.kind == "pegs":
            rubs = _rubs(item, chain, comments)
            for foot in item.feet:
                ElementTree.SubElement(
                    world,
                    "geom",
                    rubs,
                    type="capsule",
                    size=text(item.radius),
                    contype="0",
                    fromto=text(*foot, *(np.array(foot) + item.span)),
                    conaffinity="1",
                )
        else:
            comments.append(f"without: environment {item.kind}, which MuJoCo does not have in this form")
    option.set("gravity", text(*gravity))
    return comments
