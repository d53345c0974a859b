"""Friction forwards is that of sliding head first, whichever ground, whichever model, whichever end is the head."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.body_wave import BodyWave
from limbless.environments.hard_surface import ContactEnvironment
from limbless.environments.obstacles import Boxes, Pegs
from limbless.environments.regularised_friction import RegularisedFriction
from limbless.mechanics.contact.scene import ContactSurface
from limbless.models.chain.contact.contact_scene import scene_and_bodies_of, touching_chain
from limbless.robots.base import SkinFriction
from limbless.robots.rod import Rod

HEAD_FIRST, TAIL_FIRST, HEIGHT, SPEED = 0.2, 0.6, 0.0525, 1.0
MU = {"forward": HEAD_FIRST, "backward": TAIL_FIRST, "lateral": 0.4}
LINK = ll.Aiko(links=1).build()
STILL = ll.JointWave(yaw_amplitude=0.0)


def on_contact(ground: ContactEnvironment) -> Callable[[str, float], float]:
    """Deceleration of one link that slides along its x, in the non-smooth model."""

    def decelerate(head: str, way: float) -> float:
        run = ll.simulate(
            LINK.changed(head=head),
            STILL,
            (ground, ll.Gravity()),
            model="non-smooth",
            duration=0.02,
            step=0.001,
            initial={"position": (0.0, 0.0, HEIGHT), "twist": (way * SPEED, 0, 0, 0, 0, 0)},
        )
        velocity = run.dataset["com_velocity"].values[:, 0]
        return float(way * (velocity[0] - velocity[-1])) / 0.02

    return decelerate


def on_regularised_chain(head: str, way: float) -> float:
    model = ll.NewtonEuler(LINK.changed(head=head, base="planar"), RegularisedFriction(speed=1e-9, **MU))
    return float(-way * model.inverse([], [], [], (way * SPEED, 0, 0, 0, 0, 0)).base_acceleration[0])


def on_regularised_rod(head: str, way: float) -> float:
    run = ll.simulate(
        Rod(base="planar", head=head),
        BodyWave(amplitude=0.0),
        RegularisedFriction(speed=1e-3, **MU),
        duration=0.002,
        step=0.00025,
        model="macro-continuous",
        initial={"twist": (way * SPEED, 0, 0, 0, 0, 0)},
    )
    return float(-way * run.dataset["base_acceleration"].values[0, 0])


KINDS = {
    "ground": on_contact(ll.Ground(**MU)),
    "patch": on_contact(ll.Ground(forward=0.0, lateral=0.0, patches=({"x": (-5.0, 5.0), "y": (-5.0, 5.0), **MU},))),
    "terrain": on_contact(ll.Terrain(corner=(-3.0, -3.0), spacing=(6.0, 6.0), table=((0.0, 0.0), (0.0, 0.0)), **MU)),
    "boxes": on_contact(Boxes(centres=((0.0, 0.0, -0.5),), sizes=((6.0, 6.0, 1.0),), **MU)),
    "regularised-friction of a chain": on_regularised_chain,
    "regularised-friction of a rod": on_regularised_rod,
}


@pytest.mark.parametrize("kind", KINDS)
def test_forward_is_head_first(kind: str) -> None:
    for head, towards_head in (("base", -1.0), ("tip", 1.0)):
        for way, mu in ((towards_head, HEAD_FIRST), (-towards_head, TAIL_FIRST)):
            assert KINDS[kind](head, way) == pytest.approx(9.81 * mu, rel=1e-3), (head, way)


def test_every_hard_thing_packs_it_alike() -> None:
    things = [
        ll.Ground(**MU),
        Pegs(feet=((0.0, 0.0, 0.0),), **MU),
        Boxes(centres=((0.0, 0.0, 0.0),), sizes=((1.0, 1.0, 1.0),), **MU),
        ll.Terrain(table=((0.0, 0.0), (0.0, 0.0)), **MU),
    ]
    for thing in things:
        along, against = (ContactSurface.of(thing.surfaces(head).rows).friction[0, :2] for head in ("tip", "base"))
        # for slip along x, and against it
        np.testing.assert_array_equal(along, [HEAD_FIRST, TAIL_FIRST])
        np.testing.assert_array_equal(against, [TAIL_FIRST, HEAD_FIRST])


def test_the_skin_of_a_robot_rubs_where_the_ground_states_nothing() -> None:
    """What is stated wins, number by number; tail first goes with head first; a robot without a skin has 0.2."""
    skin = SkinFriction(forward=0.1, lateral=0.5, backward=0.3)
    cases = {
        (): (0.3, 0.1, 0.5),
        ("forward",): (0.7, 0.7, 0.5),
        ("lateral",): (0.3, 0.1, 0.7),
        ("backward",): (0.7, 0.1, 0.5),
        ("forward", "lateral"): (0.7, 0.7, 0.7),
    }
    for stated, wanted in cases.items():
        ground = ll.Ground(**dict.fromkeys(stated, 0.7))
        np.testing.assert_allclose(ContactSurface.of(ground.surfaces("base", skin).rows).friction[0, :3], wanted)
    np.testing.assert_allclose(ContactSurface.of(ll.Ground().surfaces("base").rows).friction[0, :3], 0.2)


def test_a_module_snake_has_a_skin_and_a_chain_none() -> None:
    snake = ll.ModuleSnake(modules=3)
    assert snake.build().skin == SkinFriction(forward=0.1, lateral=0.5)
    assert ll.ModuleSnake(modules=3, skin=None).build().skin is None
    assert ll.Chain.uniform(links=3).skin is None
    spheres, _, _ = scene_and_bodies_of(touching_chain(snake.build()), [ll.Ground()])
    np.testing.assert_allclose(ContactSurface.of(spheres.surfaces).friction[0, :3], (0.1, 0.1, 0.5))
