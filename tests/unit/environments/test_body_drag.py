"""Drag of whole bodies: the numbers of MuJoCo's box written out once more, drag per link, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.environments.body_drag import BodyCoefficients, animat_drag
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.robots.joints import Joint
from limbless.robots.links import Link
from limbless.robots.sections import Box

SIDES = (0.4, 0.2, 0.1)


def boxes() -> ll.Chain:
    """Two boxes of these sides, far enough from their origins."""
    solid = Box(
        length=SIDES[0], half_width=SIDES[1] / 2, half_height=SIDES[2] / 2, density=700.0, position=(0.05, 0.02, 0.0)
    )
    return ll.Chain(
        name="boxes", links=(Link(solids=(solid,)), Link(solids=(solid,), joint=Joint(), position=(0.5, 0.0, 0.0)))
    )


def held(environment: ll.BodyDrag, twist: tuple[float, ...]) -> np.ndarray:
    """Force and torque about the base's origin on both bodies, moving as one, from the bias: base axes."""
    chain = boxes()
    still = NewtonEuler(chain).bias(np.zeros(1), np.zeros(1), twist)
    return still[:6] - NewtonEuler(chain, environment).bias(np.zeros(1), np.zeros(1), twist)[:6]


def test_the_box_of_a_box_is_the_box() -> None:
    density, viscosity = 900.0, 0.7
    v, w = np.array([0.3, -0.5, 0.2]), np.array([0.4, -0.2, 0.6])
    b, d = np.array(SIDES), sum(SIDES) / 3
    force, torque = np.zeros(3), np.zeros(3)
    for origin in (0.0, 0.5):
        arm = np.array([origin + 0.05 + SIDES[0] / 2, 0.02, 0.0])
        at = v + np.cross(w, arm)
        areas = np.array([b[1] * b[2], b[0] * b[2], b[0] * b[1]])
        fourth = np.array([b[1] ** 4 + b[2] ** 4, b[0] ** 4 + b[2] ** 4, b[0] ** 4 + b[1] ** 4])
        push = -(3 * math.pi * d * viscosity + 0.5 * density * areas * np.abs(at)) * at
        turn = -(math.pi * d**3 * viscosity + density * b * fourth / 64 * np.abs(w)) * w
        force, torque = force + push, torque + turn + np.cross(arm, push)
    found = held(ll.BodyDrag(density=density, viscosity=viscosity), (*v, *w))
    assert found == pytest.approx(np.concatenate([force, torque]), rel=1e-10)
    windy = held(ll.BodyDrag(density=density, viscosity=viscosity, wind=tuple(v)), (*v, 0.0, 0.0, 0.0))
    assert windy == pytest.approx(np.zeros(6), abs=1e-12)


def test_coefficients_of_links_by_name() -> None:
    one = BodyCoefficients(link="link 1", linear=(1.0, 2.0, 3.0), quadratic=(0.5, 0.0, 0.0), turning=(0.1, 0.2, 0.3))
    found = held(ll.BodyDrag(rule="given", links=(one,)), (0.2, 0.1, -0.3, 0.0, 0.0, 0.0))
    force = -np.array([(1.0 + 0.5 * 0.2) * 0.2, 2.0 * 0.1, 3.0 * -0.3])
    arm = np.array([0.75, 0.02, 0.0])
    assert found == pytest.approx(np.concatenate([force, np.cross(arm, force)]), rel=1e-12)
    with pytest.raises(InputError, match="there is no link 'tail'; known: link 0, link 1"):
        NewtonEuler(boxes(), ll.BodyDrag(rule="given", links=(BodyCoefficients(link="tail"),)))


def test_armature_is_not_in_the_box() -> None:
    """The boxes with 3 kg and 2 kg m2 folded into link 0 are pushed as without."""
    chain = boxes()
    own, at = chain.links[0].mass_properties(), np.array([0.1, 0.0, 0.2])
    inertia = own.inertia + 2.0 * np.eye(3) + 3.0 * (at @ at * np.eye(3) - np.outer(at, at))
    heavy = chain.changed(
        links=(Link(mass=own.mass + 3.0, first_moment=tuple(own.moment + 3.0 * at), inertia=inertia), chain.links[1])
    )
    twist = (0.3, -0.5, 0.2, 0.4, -0.2, 0.6)
    drag = ll.BodyDrag(viscosity=0.3, folded_mass=3.0, folded_inertia=2.0, folded_at=tuple(at))
    free = NewtonEuler(heavy).bias(np.zeros(1), np.zeros(1), twist)[:6]
    found = free - NewtonEuler(heavy, drag).bias(np.zeros(1), np.zeros(1), twist)[:6]
    assert found == pytest.approx(held(ll.BodyDrag(viscosity=0.3), twist), rel=1e-9)


def test_files_of_farms(tmp_path: Path) -> None:
    path = tmp_path / "animat.yaml"
    path.write_text(
        "morphology:\n  links:\n    - name: link 0\n      drag_coefficients: [[-1, -2, -3], [-4, -5, -6]]\n"
        "    - {name: link 1}\n"
    )
    (found,) = animat_drag(path)
    assert (found.link, found.quadratic, found.turning_quadratic) == ("link 0", (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    assert held(ll.BodyDrag(file=str(path)), (0.2, 0.0, 0.0, 0.0, 0.0, 0.0))[0] == pytest.approx(-1 * 0.04)
    assert any("taken along the body" in note for note in ll.BodyDrag(file=str(path)).notes())
    path.write_text("links: 3")
    with pytest.raises(InputError, match=r"animat\.yaml has no morphology\.links"):
        NewtonEuler(boxes(), ll.BodyDrag(file=str(path)))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"rule": "given"}, "needs the coefficients of links, or a file"),
        ({"links": [{"link": "a"}]}, "links and file belong to rule: given"),
        ({"rule": "given", "links": [{"link": "a", "linear": (-1.0, 0.0, 0.0)}]}, "must not be negative"),
        ({"rule": "given", "links": [{"link": "a"}], "folded_mass": 1.0}, "folded_mass and folded_inertia correct"),
    ],
)
def test_what_is_refused(fields: dict, told: str) -> None:
    with pytest.raises(InputError, match=told):
        ll.BodyDrag(**fields)


def test_a_rod_has_no_bodies() -> None:
    with pytest.raises(InputError, match="body-drag acts on the bodies of a chain"):
        ll.BodyDrag().pack(ll.Rod(length=1.0))
