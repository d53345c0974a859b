"""The friction laws of the ground: ellipse, box, and weighted by the direction of slip; per link, per side, Stribeck;
and bodies without inertia on them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import least_squares

import limbless as ll
from limbless.control.actuation import ProportionalDerivative
from limbless.models.chain.contact.nonsmooth_model import NonSmooth

RADIUS, G = 0.0525, 9.81
STILL = ll.JointWave(yaw_amplitude=0.0, pitch_amplitude=0.0)


def on_ground(
    velocity: tuple[float, float] = (0.0, 0.0),
    duration: float = 1e-6,
    step: float = 1e-6,
    orientation: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0),
    **ground: Any,
) -> ll.Result:
    """One link of aiko on the ground, sliding."""
    turned = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    if orientation != (1.0, 0.0, 0.0, 0.0):
        turned = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], dtype=float)  # R' of a roll by 90 deg
    twist = (*(turned @ [*velocity, 0.0]), 0.0, 0.0, 0.0)
    return ll.simulate(
        ll.Aiko(links=1),
        STILL,
        (ll.Gravity(), ll.Ground(rolling=0.0, **ground)),
        model="non-smooth",
        duration=duration,
        step=step,
        actuation="pd",
        initial={"position": (0.0, 0.0, RADIUS), "orientation": orientation, "twist": twist},
    )


def acceleration(run: ll.Result) -> np.ndarray:
    velocity = run.dataset["com_velocity"].values
    return (velocity[-1] - velocity[0])[:2] / run.dataset["time"].values[-1]


ANGLE = 0.7
SLIP = (math.cos(ANGLE), math.sin(ANGLE))
EXPECTED = {
    "ellipse": -np.array([0.3**2 * SLIP[0], 0.8**2 * SLIP[1]]) / math.hypot(0.3 * SLIP[0], 0.8 * SLIP[1]),
    "box": -np.array([0.3, 0.8]),
    "weighted": -np.array([0.3 * SLIP[0], 0.8 * SLIP[1]]),
}


@pytest.mark.parametrize("cone", EXPECTED)
def test_hard_ground_brakes_a_sliding_link_by_its_law(cone: str) -> None:
    """Hu, Nirody, Scott and Shelley (2009), (2): the force per load is -sum of mu_i (u . i) i, with u the direction of
    slip; head first is towards -x.
    """
    run = on_ground(SLIP, forward=0.1, backward=0.3, lateral=0.8, cone=cone)
    np.testing.assert_allclose(acceleration(run), G * EXPECTED[cone], rtol=1e-3)
    head_first = on_ground((-SLIP[0], SLIP[1]), forward=0.1, backward=0.3, lateral=0.8, cone="weighted")
    np.testing.assert_allclose(acceleration(head_first), G * np.array([0.1 * SLIP[0], -0.8 * SLIP[1]]), rtol=1e-3)


@pytest.mark.parametrize("cone", EXPECTED)
def test_smooth_friction_has_the_same_laws(cone: str) -> None:
    """The same link under `regularised-friction` and under regularised wheels, far above the fading speed."""
    robot = ll.Chain.uniform(links=2, base="planar")
    environments = {
        "regularised-friction": ll.RegularisedFriction(forward=0.1, backward=0.3, lateral=0.8, cone=cone, speed=1e-6),
        "wheels": ll.Wheels(law="regularised", tangential=0.3, normal=0.8, cone=cone, slip_speed=1e-6),
    }
    for name, environment in environments.items():
        model = ll.NewtonEuler(robot, environment)
        found = model.inverse([0.0], [0.0], [0.0], base_twist=(*SLIP, 0.0, 0.0, 0.0, 0.0)).base_acceleration[:2]
        np.testing.assert_allclose(found, G * EXPECTED[cone], rtol=1e-9, err_msg=name)


def test_a_weighted_snake_is_solved_and_differs_from_the_ellipse() -> None:
    """Every step to the tolerance, and friction that takes energy only."""
    found = {}
    for cone in ("ellipse", "weighted"):
        run = ll.run(
            "snake-undulate-orthotropic",
            {"environment.0.cone": cone, "duration": 1.0, "step": 1e-3, "model.theta": 1.0},
        )
        assert run.proven and run.dataset["contact_residual"].values.max() < 1e-8
        assert (run.dataset["contact_work"].values[-1] < 1e-9).all()
        found[cone] = run.dataset["com_position"].values[-1]
    assert np.linalg.norm(found["ellipse"] - found["weighted"]) > 1e-3


@pytest.mark.long
@pytest.mark.parametrize("backward", [0.1, 0.3])
def test_strong_weighted_friction_is_solved_too(backward: float) -> None:
    """Twenty times as much friction across as along: plain iterations do not end there, the path does."""
    model = {
        "environment.0.cone": "weighted",
        "environment.0.forward": 0.1,
        "environment.0.backward": backward,
        "environment.0.lateral": 2.0,
        "duration": 0.3,
    }
    run = ll.run("snake-sidewind", model)
    assert run.dataset["contact_residual"].values.max() < 1e-8


def test_friction_of_one_link_and_of_the_flank() -> None:
    """A link whose factor is a half, and one that lies on its side, are braked by half."""
    np.testing.assert_allclose(
        acceleration(on_ground(SLIP, forward=0.4, lateral=0.4, link_factors=(0.5,))),
        -G * 0.2 * np.array(SLIP),
        rtol=1e-3,
    )
    rolled = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    np.testing.assert_allclose(
        acceleration(on_ground(SLIP, orientation=rolled, forward=0.4, lateral=0.4, flank=0.5)),
        -G * 0.2 * np.array(SLIP),
        rtol=1e-3,
    )
    np.testing.assert_allclose(
        acceleration(on_ground(SLIP, forward=0.4, lateral=0.4, flank=0.5)), -G * 0.4 * np.array(SLIP), rtol=1e-3
    )


def test_stribeck_holds_what_would_slide() -> None:
    """Between the two friction angles a link that lies still is held, and one that slides goes on as
    the lower friction lets it.
    """
    slope = math.atan(0.36)
    parts = {"forward": 0.3, "lateral": 0.3, "slope": (slope, 0.0), "breakaway": 1.5, "stribeck_speed": 0.01}
    still = lying(parts, 0.0)
    assert abs(still[-1] - still[len(still) // 2]) < 1e-12
    moving = lying(parts, -0.5)
    expected = -0.5 * 0.5 - 0.5 * G * (math.sin(slope) - 0.3 * math.cos(slope)) * 0.5**2
    assert moving[-1] - moving[0] == pytest.approx(expected * math.cos(slope), rel=2e-3)


def lying(ground: dict[str, Any], speed: float) -> np.ndarray:
    """World x of a link on a slope, that slides along it at a speed."""
    slope = ground["slope"][0]
    turn = (math.cos(slope / 2), 0.0, -math.sin(slope / 2), 0.0)
    run = ll.simulate(
        ll.Aiko(links=1),
        STILL,
        (ll.Gravity(), ll.Ground(rolling=0.0, **ground)),
        model="non-smooth",
        duration=0.5,
        step=1e-3,
        actuation="pd",
        initial={
            "position": (-RADIUS * math.sin(slope), 0.0, RADIUS * math.cos(slope)),
            "orientation": turn,
            "twist": (speed, 0.0, 0.0, 0.0, 0.0, 0.0),
        },
    )
    return run.dataset["com_position"].values[:, 0]


# Without inertia

MU = (0.1, 0.15, 0.3)  # forward, backward, lateral
LINKS, LENGTH = 6, 0.1


def residual(twist: np.ndarray, q: np.ndarray, rate: np.ndarray, fading: float, cone: str) -> np.ndarray:
    """Force and moment of all links about the base, in its axes, over the weight: written once more, by midpoints."""
    total, place, heading, spin = np.zeros(3), np.zeros(2), 0.0, twist[2]
    velocity = np.array(twist[:2])
    nodes, weights = np.polynomial.legendre.leggauss(4)
    for k in range(LINKS):
        if k:
            heading, spin = heading + q[k - 1], spin + rate[k - 1]
        along, across = (
            np.array([math.cos(heading), math.sin(heading)]),
            np.array([-math.sin(heading), math.cos(heading)]),
        )
        for node, weight in zip(0.5 * (nodes + 1), 0.5 * weights, strict=True):
            s = node * LENGTH
            v = velocity + spin * s * across
            u, w = v @ along, v @ across
            mu = MU[1] if u > 0 else MU[0]
            if cone == "weighted":
                f = -np.array([mu * u, MU[2] * w]) / math.sqrt(u * u + w * w + fading**2)
            else:
                f = -np.array([mu**2 * u, MU[2] ** 2 * w]) / math.sqrt(
                    (mu * u) ** 2 + (MU[2] * w) ** 2 + (max(mu, MU[2]) * fading) ** 2
                )
            force = f[0] * along + f[1] * across
            p = place + s * along
            total += weight / LINKS * np.array([*force, p[0] * force[1] - p[1] * force[0]])
        place, velocity = place + LENGTH * along, velocity + spin * LENGTH * across
    return total


@pytest.mark.parametrize("cone", ["weighted", "ellipse"])
@pytest.mark.parametrize("fading", [1e-3, 1e-5])
def test_a_chain_without_inertia_balances_its_friction(cone: str, fading: float) -> None:
    """The twist of the base is the one that another solver finds, at every record; friction at any speed of fading."""
    robot = ll.Chain.uniform(links=LINKS, length=LENGTH, base="planar")
    ground = ll.RegularisedFriction(forward=MU[0], backward=MU[1], lateral=MU[2], cone=cone, speed=fading)
    gait = ll.BodyWave(amplitude=0.4, period=1.0, ramp=0.0)
    run = ll.simulate(
        robot, gait, ground, model=ll.NewtonEulerSettings(inertia=False), duration=1.0, step=0.02, record_every=0.1
    )
    data = run.dataset
    for r in range(1, data.sizes["time"]):
        q, rate = data["joint_position"].values[r], data["joint_velocity"].values[r]
        twist = data["base_twist"].values[r, [0, 1, 5]]
        assert np.abs(residual(twist, q, rate, fading, cone)).max() < 1e-7
        if fading == 1e-3:
            other = least_squares(
                residual, twist + 0.02, args=(q, rate, fading, cone), xtol=1e-15, ftol=1e-15, gtol=1e-15, x_scale=0.1
            ).x
            np.testing.assert_allclose(twist, other, atol=1e-6)
    assert not data["kinetic_energy"].values.any() and run.proven
    assert np.linalg.norm(data["com_position"].values[-1] - data["com_position"].values[0]) > 0.005


def test_slow_motion_is_the_limit_of_no_inertia() -> None:
    """A light robot in viscous drag tends to the one without inertia; torques too."""
    drag, gait = ll.Drag(along=1.0, lateral=2.0), ll.BodyWave(amplitude=0.4, period=1.0, ramp=0.0)
    light = ll.Chain.uniform(links=LINKS, length=LENGTH, base="planar", density=1.0)
    with_inertia = ll.simulate(light, gait, drag, duration=1.0, step=1e-3, record_every=0.25)
    without = ll.simulate(
        light, gait, drag, model=ll.NewtonEulerSettings(inertia=False), duration=1.0, step=1e-2, record_every=0.25
    )
    for name, tolerance in (("com_position", 1e-4), ("joint_torque", 5e-4)):
        np.testing.assert_allclose(
            without.dataset[name].values[2:], with_inertia.dataset[name].values[2:], atol=tolerance, err_msg=name
        )


def test_a_rod_without_inertia_lies_on_friction_that_fades_at_a_hundredth_of_a_millimetre_a_second() -> None:
    rod = ll.Rod(length=0.6, half_width=0.02, half_height=0.02, base="planar")
    ground = ll.RegularisedFriction(forward=0.1, backward=0.15, lateral=0.3, cone="weighted", speed=1e-5)
    run = ll.simulate(
        rod,
        ll.TravellingCurvature(),
        ground,
        model=ll.MacroContinuousSettings(inertia=False, cells=40),
        duration=0.5,
        step=0.02,
    )
    assert run.status == "completed"
    assert np.abs(run.dataset["impulse"].values).max() < 1e-6 * 9.81 * 0.5


# What is refused


def test_what_has_no_meaning_is_refused() -> None:
    ground = ll.Ground(link_factors=(1.0, 1.0))
    with pytest.raises(ll.InputError, match=r"ground.link_factors: give one number for each of the 1 links"):
        NonSmooth(ll.Aiko(links=1), ground)
    with pytest.raises(ValueError, match="negative factor"):
        ll.Ground(link_factors=(-1.0,))
    with pytest.raises(ll.InputError, match=r"without inertia \(model.inertia: false\) there are no accelerations"):
        ll.NewtonEuler(ll.WangSnake(), (), ProportionalDerivative(), ll.NewtonEulerSettings(inertia=False))
    with pytest.raises(ll.InputError, match=r"model.inertia: set-valued wheels step velocities"):
        ll.simulate(ll.WangSnake(), ll.BodyWave(), ll.Wheels(), model=ll.NewtonEulerSettings(inertia=False))
    with pytest.raises(ll.InputError, match="leave the motion of the base undetermined"):
        ll.simulate(
            ll.Chain.uniform(links=3),
            ll.BodyWave(),
            ll.RegularisedFriction(),
            model=ll.NewtonEulerSettings(inertia=False),
            duration=0.1,
        )


@pytest.mark.long
def test_strong_weighted_friction_keeps_the_momentum() -> None:
    """A step that Newton's method does not solve (0.1 along, 2 across) ends with impulses that are those of its motion:
    impulses of frozen radii may obey the laws of contact and move nothing.
    """
    run = ll.run(
        "snake-sidewind",
        {
            "environment.ground.cone": "weighted",
            "environment.ground.forward": 0.1,
            "environment.ground.lateral": 2.0,
            "duration": 0.1,
            "record_every": 0.01,
        },
    )
    assert run.proven, run.doubts
