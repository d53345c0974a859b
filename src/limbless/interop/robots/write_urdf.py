"""A chain as URDF: masses, joints, dampers, limits and shapes."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from limbless.core import InputError
from limbless.interop.robots.writing import PlacedBody, bounds, document, losses, placed_rows, text, values
from limbless.interop.robots.xml_text import SIX
from limbless.robots import PRISMATIC, SPHERICAL, Chain, upper_triangle

Element = ElementTree.Element
_NO_BOUND = 1e9
_NO_SPEED = 1e3
_LOST = {
    "rotor_inertia": "URDF has no place for it",
    "stiffness": "URDF has no springs",
    "viscous_friction": "added to damping",
    "breakaway_friction": "URDF has no friction that falls with the rate",
}


def urdf_text(chain: Chain) -> str:
    """The text of a URDF file. Frames are parallel to the base's at home, so that every joint's origin is a shift."""
    rows = placed_rows(chain)
    if any(placed.row.kind == SPHERICAL for placed in rows):
        raise InputError("URDF has no spherical joint; write MJCF")
    root = Element("robot", name=chain.name)
    _link(root, chain, rows[0])
    for before, placed, name in zip(rows, rows[1:], chain.joint_names, strict=False):
        _link(root, chain, placed)
        _joint(root, before, placed, name)
    comments = [
        f"{chain.name}, written by limbless; base {chain.base} (URDF has no word for it), head at the {chain.head}",
        *(f"without: {loss}" for loss in losses(chain, _LOST)),
    ]
    if any(not placed.row.carries for placed in rows):
        comments.append(
            "universal joints are two revolute ones with a link without mass between, which Pinocchio "
            "reads and MuJoCo does not: write MJCF for MuJoCo"
        )
    return document(root, comments)


def _link(root: Element, chain: Chain, placed: PlacedBody) -> None:
    link = ElementTree.SubElement(root, "link", name=placed.name)
    if placed.mass:
        inertial = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(inertial, "origin", xyz=text(*placed.centre), rpy="0 0 0")
        ElementTree.SubElement(inertial, "mass", value=text(placed.mass))
        six = dict(zip(SIX, map(text, upper_triangle(placed.central)), strict=True))
        ElementTree.SubElement(inertial, "inertia", six)
    own, home = chain.links[placed.row.link], placed.row.home
    if not placed.row.carries:
        return
    if own.body is not None:
        radius = (own.body.half_width * own.body.half_height) ** 0.5
        along = home @ own.body.frame[:, 0]
        _shape(
            link,
            "visual",
            home @ np.array(own.body.position) + 0.5 * own.body.length * along,
            along,
            "cylinder",
            radius=text(radius),
            length=text(own.body.length),
        )
    for ball in own.contact_shapes:
        _shape(
            link,
            "collision",
            home @ np.array(ball.centre),
            home @ np.array(ball.axis),
            "cylinder" if ball.rim else "sphere",
            radius=text(ball.rim + ball.radius),
            **({"length": text(2.0 * ball.radius)} if ball.rim else {}),
        )


def _shape(link: Element, tag: str, centre: np.ndarray, along: np.ndarray, kind: str, **sizes: str) -> None:
    """A shape whose own z lies along a direction."""
    item = ElementTree.SubElement(link, tag)
    yaw, pitch = np.arctan2(along[1], along[0]), np.arctan2(np.hypot(along[0], along[1]), along[2])
    ElementTree.SubElement(item, "origin", xyz=text(*centre), rpy=text(0.0, pitch, yaw))
    ElementTree.SubElement(ElementTree.SubElement(item, "geometry"), kind, sizes)


def _joint(root: Element, before: PlacedBody, placed: PlacedBody, name: str) -> None:
    joint, own = placed.joint, placed.freedoms
    if joint is None:
        return
    lower, upper = bounds(joint, own[0])
    slides = placed.row.kind == PRISMATIC
    limited = slides or lower is not None or upper is not None
    made = ElementTree.SubElement(
        root, "joint", name=name, type="prismatic" if slides else "revolute" if limited else "continuous"
    )
    ElementTree.SubElement(made, "parent", link=before.name)
    ElementTree.SubElement(made, "child", link=placed.name)
    ElementTree.SubElement(made, "origin", xyz=text(*placed.row.arm), rpy="0 0 0")
    ElementTree.SubElement(made, "axis", xyz=text(*placed.row.axis))
    effort = joint.per_freedom("torque_limit")[own[0]]
    if limited or effort is not None:
        fields = {"effort": text(0.0 if effort is None else effort), "velocity": text(_NO_SPEED)}
        if limited:
            fields |= {
                "lower": text(-_NO_BOUND if lower is None else lower),
                "upper": text(_NO_BOUND if upper is None else upper),
            }
        ElementTree.SubElement(made, "limit", fields)
    damping = values(joint, own, "damping")[0] + values(joint, own, "viscous_friction")[0]
    friction = values(joint, own, "coulomb_friction")[0]
    if damping or friction:
        ElementTree.SubElement(made, "dynamics", damping=text(damping), friction=text(friction))
