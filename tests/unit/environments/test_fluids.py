"""Drag and water against closed forms: gliding, sinking, the coefficients of an ellipse, current, Gauss points.

One straight link moves along itself or across itself, where the equations of a point mass hold exactly.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import xarray as xr

import limbless as ll
from limbless.simulation.analysis.reynolds import slow_notes

A, B, L, RHO = 0.03, 0.05, 0.6, 1000.0


def link(density: float = 1000.0) -> ll.UniformChain:
    return ll.UniformChain(links=1, length=L, half_width=A, half_height=B, density=density)


MASS = math.pi * A * B * L * 1000.0
STILL = ll.BodyWave(amplitude=0.0)


def glide(environment: list, velocity: tuple, density: float = 1000.0, **timing: float) -> np.ndarray:
    """Twist over time of a link that starts with a velocity and no rotation."""
    options = {"duration": 2.0, "step": 0.005, "record_every": 0.1, **timing}
    return ll.simulate(
        link(density), STILL, environment, initial={"twist": (*velocity, 0.0, 0.0, 0.0)}, **options
    ).dataset


# Linear drag


@pytest.mark.parametrize(("axis", "coefficient"), [(0, "along"), (1, "lateral"), (2, "vertical")])
def test_linear_drag_decays_exponentially(axis: int, coefficient: str) -> None:
    """m V̇ = -c L V: V = V0 exp(-c L t / m)."""
    velocity = [0.0, 0.0, 0.0]
    velocity[axis] = 0.8
    values = {"along": 1.0, "lateral": 2.0, "vertical": 3.0, coefficient: 5.0}
    data = glide([ll.Drag(**values)], tuple(velocity))
    rate = 5.0 * L / MASS
    np.testing.assert_allclose(data.base_twist.values[:, axis], 0.8 * np.exp(-rate * data.time.values), rtol=1e-9)
    covered = 0.8 / rate * (1 - np.exp(-rate * data.time.values))
    np.testing.assert_allclose(data.base_position.values[:, axis], covered, rtol=1e-9, atol=1e-12)
    assert np.abs(np.delete(data.base_twist.values, axis, axis=1)).max() < 1e-15


def test_linear_drag_terminal_speed() -> None:
    """Falling through a viscous medium: V = -(m g / c L)(1 - exp(-c L t / m))."""
    data = glide([ll.Drag(vertical=20.0), ll.Gravity()], (0.0, 0.0, 0.0))
    rate = 20.0 * L / MASS
    expected = -9.81 / rate * (1 - np.exp(-rate * data.time.values))
    # (4.2/s x 5 ms)⁴ / 120 is the error of a step
    np.testing.assert_allclose(data.base_twist.values[:, 2], expected, rtol=1e-8)


def test_linear_drag_on_a_turning_link() -> None:
    """Spin about the middle: the moment of c V over the length is c L³/12 ω; two Gauss points are exact."""
    middle = np.array([0.0, -L / 2, 0.0])
    for points in (2, 4, 9):
        model = ll.NewtonEuler(link(), ll.Drag(lateral=5.0, points=points))
        found = model.inverse([], [], [], [0.0, middle[1] * 2.0, 0.0, 0.0, 0.0, 2.0]).base_acceleration
        inertia = MASS * (A**2 / 4 + L**2 / 12)
        assert found[5] == pytest.approx(-5.0 * L**3 / 12 * 2.0 / inertia, rel=1e-12)


def test_linear_drag_in_roll() -> None:
    model = ll.NewtonEuler(link(), ll.Drag(roll=0.3))
    found = model.inverse([], [], [], [0.0, 0.0, 0.0, 1.5, 0.0, 0.0]).base_acceleration
    np.testing.assert_allclose(
        found, [0, 0, 0, -0.3 * L * 1.5 / (MASS * (A**2 + B**2) / 4), 0, 0], rtol=1e-12, atol=1e-14
    )


def test_drag_in_a_current_carries_along() -> None:
    """V tends to the current: V - U = (V0 - U) exp(-c L t / m)."""
    data = glide([ll.Drag(along=5.0, current=(0.4, 0.0, 0.0))], (0.0, 0.0, 0.0))
    rate = 5.0 * L / MASS
    np.testing.assert_allclose(
        data.base_twist.values[:, 0], 0.4 * (1 - np.exp(-rate * data.time.values)), rtol=1e-9, atol=1e-14
    )


# Water


@pytest.mark.parametrize(
    ("axis", "drag", "added"),
    [
        (0, 0.5 * RHO * 0.01 * math.pi * (A + B) / 2, 0.0),
        (1, 0.5 * RHO * 2 * B, RHO * math.pi * B**2),
        (2, 0.5 * RHO * 2 * A, RHO * math.pi * A**2),
    ],
    ids=["along", "sideways", "vertical"],
)
def test_quadratic_drag_with_added_mass(axis: int, drag: float, added: float) -> None:
    """(m + m_a L) V̇ = -C L V|V|: V = V0 / (1 + V0 C L t / (m + m_a L)); C and m_a are those of an ellipse."""
    for start in (0.7, -0.7):
        velocity = [0.0, 0.0, 0.0]
        velocity[axis] = start
        data = glide([ll.Water(wake="none")], tuple(velocity))
        slowing = abs(start) * drag * L / (MASS + added * L) * data.time.values
        np.testing.assert_allclose(data.base_twist.values[:, axis], start / (1.0 + slowing), rtol=1e-9)


def test_quadratic_drag_uses_the_whole_normal_speed() -> None:
    """(46): both normal components are slowed by the norm of both, not each by its own square."""
    found = (
        ll.NewtonEuler(link(), ll.Water(added_mass="none"))
        .inverse([], [], [], [0.0, 0.3, 0.4, 0.0, 0.0, 0.0])
        .base_acceleration
    )
    expected = -np.array([0.5 * RHO * 2 * B * 0.5 * 0.3, 0.5 * RHO * 2 * A * 0.5 * 0.4]) * L / MASS
    np.testing.assert_allclose(found[1:3], expected, rtol=1e-12)


def test_terminal_speed_of_a_sinking_link() -> None:
    """Weight less buoyancy against quadratic drag: V = Vt tanh(t g' / Vt), with the mass of body and added water."""
    density = 1200.0
    data = glide([ll.Gravity(), ll.Buoyancy(), ll.Water(wake="none")], (0.0, 0.0, 0.0), density=density)
    mass, drag, added = 1.2 * MASS, 0.5 * RHO * 2 * A * L, RHO * math.pi * A**2 * L
    weight = 0.2 * MASS * 9.81
    terminal, reduced = math.sqrt(weight / drag), weight / (mass + added)
    expected = -terminal * np.tanh(reduced * data.time.values / terminal)
    np.testing.assert_allclose(data.base_twist.values[:, 2], expected, rtol=1e-8)
    assert data.base_twist.values[-1, 2] == pytest.approx(-terminal, rel=1e-3)


def test_quadratic_drag_in_roll() -> None:
    """(47), (49): -ρ/2 C4 (b² - a²)² |ω|ω per length, against inertia and the added ρπ C7 (b² - a²)²/8."""
    model = ll.NewtonEuler(link(), ll.Water(wake="none"))
    found = model.inverse([], [], [], [0.0, 0.0, 0.0, -3.0, 0.0, 0.0]).base_acceleration
    gap = (B**2 - A**2) ** 2
    inertia = MASS * (A**2 + B**2) / 4 + RHO * math.pi * gap / 8 * L
    np.testing.assert_allclose(found, [0, 0, 0, 0.5 * RHO * gap * 9.0 * L / inertia, 0, 0], rtol=1e-12, atol=1e-12)


def test_gauss_points_converge_to_the_integral() -> None:
    """A link that turns about its middle: the drag moment is C ω² 2 (L/2)⁴/4, which a rule reaches
    slowly because |V| has a kink.
    """
    exact = 0.5 * RHO * 2 * B * 2.0 * (L / 2) ** 4 / 4 * 4.0
    errors = []
    for points in (2, 4, 8, 16, 32):
        model = ll.NewtonEuler(link(), ll.Water(added_mass="none", points=points))
        found = model.inverse([], [], [], [0.0, -L / 2 * 2.0, 0.0, 0.0, 0.0, 2.0]).base_acceleration
        moment = -found[5] * MASS * (A**2 / 4 + L**2 / 12)
        errors.append(abs(moment / exact - 1.0))
    assert all(later < 0.6 * earlier for earlier, later in pairwise(errors))
    assert errors[-1] < 1e-5


def test_full_perimeter_doubles_the_drag_along() -> None:
    half, full = (ll.Water(perimeter=word).drag_coefficients(A, B) for word in ("half", "full"))
    np.testing.assert_allclose(full / half, [2.0, 1.0, 1.0, 1.0], rtol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.3, 0.8, math.pi / 2])
@pytest.mark.parametrize("speed", [0.02, 0.7])
def test_taylor_s_yawed_cylinder(angle: float, speed: float) -> None:
    """Taylor 1952: with R = W d/nu, across rho/2 d W^2 (C sin^2 + 4 R^-1/2 sin^1.5), along rho/2 d W^2 5.4 R^-1/2
    cos sin^0.5; a link without added mass slows down by it."""
    d, nu, C = 0.04, 3e-5, 1.1
    robot = ll.UniformChain(links=1, length=L, half_width=d / 2, half_height=d / 2, density=800.0)
    water = ll.Water(
        drag=(0.01, C, C, 0.0), inertia=(0.0, 0.0, 0.0), wake="none", drag_law="taylor", viscosity=nu, density=RHO
    )
    c, s, R = math.cos(angle), math.sin(angle), speed * d / nu
    size = 0.5 * RHO * d * speed**2 * L
    along, across = size * 5.4 / math.sqrt(R) * c * math.sqrt(s), size * (C * s * s + 4.0 / math.sqrt(R) * s**1.5)
    for twist, pick in (((speed * c, speed * s, 0.0), 1), ((speed * c, 0.0, speed * s), 2)):
        found = ll.NewtonEuler(robot, water).inverse([], [], [], [*twist, 0, 0, 0]).base_acceleration
        mass = math.pi * d * d / 4 * L * 800.0
        assert found[0] == pytest.approx(-along / mass, rel=1e-9, abs=1e-12)
        assert found[pick] == pytest.approx(-across / mass, rel=1e-9, abs=1e-12)


def test_a_thinner_layer_rubs_more() -> None:
    """`skin_factor` multiplies the friction of a laminar skin along the body, and nothing else."""
    held = {"drag_law": "laminar", "inertia": (0.0, 0.0, 0.0), "wake": "none"}
    one, three = (
        ll.NewtonEuler(link(), ll.Water(skin_factor=factor, **held))
        .inverse([], [], [], [0.4, 0.2, 0, 0, 0, 0])
        .base_acceleration
        for factor in (1.0, 3.0)
    )
    assert three[0] == pytest.approx(3.0 * one[0], rel=1e-12) and three[1] == pytest.approx(one[1], rel=1e-12)
    with pytest.raises(ValueError, match="skin_factor: it multiplies a skin"):
        ll.Water(skin_factor=2.0)


def test_a_stated_viscosity_asks_for_a_laminar_skin() -> None:
    found = ll.Water(viscosity=2e-6)
    assert found.drag_law == "laminar" and "laminar, because a viscosity is stated" in " ".join(found.notes())
    assert "because" not in " ".join(ll.Water(viscosity=2e-6, drag_law="laminar").notes())
    assert ll.Water().drag_law == "constant" and ll.Water.model_validate(ll.Water().model_dump()) == ll.Water()
    with pytest.raises(ValueError, match="viscosity: constant coefficients do not know it"):
        ll.Water(viscosity=2e-6, drag_law="constant")


@pytest.mark.parametrize(
    ("speed", "noted", "doubted"), [(1e-3, False, False), (3e-4, True, False), (5e-6, False, True)]
)
def test_no_law_of_a_skin_holds_for_what_hardly_moves(speed: float, noted: bool, doubted: bool) -> None:
    """A link of 0.1 m in water: Reynolds' numbers of 100, 30 and 0.5."""
    water = {"kind": "water", "drag_law": "taylor"}
    robot = {"preset": "uniform", "links": 1, "length": 0.1}
    scenario = ll.Scenario.load({"robot": robot, "gait": STILL, "environment": [water]})
    time = np.linspace(0.0, 1.0, 5)
    place = np.stack([speed * time, 0.0 * time, 0.0 * time], axis=1)[:, None]
    data = xr.Dataset({"position": (("time", "section", "axis"), place)}, coords={"time": time})
    notes, doubts = slow_notes(scenario, data)
    assert (any("Reynolds" in one for one in notes), any("kind: drag" in one for one in doubts)) == (noted, doubted)


def test_each_coefficient_is_where_it_belongs() -> None:
    plain = ll.Water(drag=(1.0, 1.0, 1.0, 1.0))
    for i in range(4):
        drag = [1.0, 1.0, 1.0, 1.0]
        drag[i] = 3.0
        ratio = ll.Water(drag=tuple(drag)).drag_coefficients(A, B) / plain.drag_coefficients(A, B)
        np.testing.assert_allclose(ratio, np.array(drag), rtol=1e-15)
    for i in range(3):
        inertia = [1.0, 1.0, 1.0]
        inertia[i] = 3.0
        ratio = ll.Water(inertia=tuple(inertia)).added_coefficients(A, B)[1:] / plain.added_coefficients(A, B)[1:]
        np.testing.assert_allclose(ratio, np.array(inertia), rtol=1e-15)
    np.testing.assert_array_equal(ll.Water(added_mass="none").added_coefficients(A, B), 0.0)


def test_two_waters_add_up() -> None:
    """Environments superpose: two waters of half the density are one."""
    whole = ll.NewtonEuler(ll.KhalilEel(), ll.Water()).inverse(np.zeros(36), np.full(36, 0.2), np.ones(36))
    halves = ll.NewtonEuler(ll.KhalilEel(), [ll.Water(density=500.0), ll.Water(density=500.0)]).inverse(
        np.zeros(36), np.full(36, 0.2), np.ones(36)
    )
    np.testing.assert_allclose(
        halves.joint_torque, whole.joint_torque, rtol=0, atol=1e-12 * np.abs(whole.joint_torque).max()
    )


# What is refused


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ll.Water(density=-1.0), "density"),
        (lambda: ll.Water(density=math.nan), "density"),
        (lambda: ll.Water(drag=(1.0, 1.0, -1.0, 1.0)), "negative"),
        (lambda: ll.Water(drag=(1.0, 1.0)), "drag"),
        (lambda: ll.Water(added_mass="papr"), "added_mass"),
        (lambda: ll.Water(points=0), "points"),
        (lambda: ll.Water(densty=1.0), "density"),
        (lambda: ll.Drag(along=-1.0), "along"),
        (lambda: ll.Drag(active=((1.0, 0.5),)), "ends before it starts"),
        (lambda: ll.Buoyancy(surface=0.0, immersed=0.5), "either"),
        (lambda: ll.Buoyancy(surface=0.0, acceleration=(1.0, 0.0, -9.81)), "horizontal"),
        (lambda: ll.Gravity(acceleration=(0.0, 0.0)), "acceleration"),
    ],
)
def test_bad_fields_are_refused_in_one_sentence(make: object, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()


def test_a_robot_without_a_body_cannot_swim() -> None:
    from limbless.robots.links import Link

    bare = ll.Chain(links=(Link(mass=1.0, inertia=(1, 0, 0, 1, 0, 1)),))
    for environment in (ll.Water(), ll.Drag(), ll.Buoyancy(), ll.ForceLaw(law=lambda t, p, e, v, w: np.zeros(3))):
        with pytest.raises(ll.InputError, match=r"body|volume"):
            ll.NewtonEuler(bare, environment)


def test_added_mass_cannot_be_switched() -> None:
    with pytest.raises(ll.InputError, match="added_mass: none"):
        ll.NewtonEuler(ll.KhalilEel(), ll.Water(active=((0.0, 1.0),)))
    ll.NewtonEuler(ll.KhalilEel(), ll.Water(active=((0.0, 1.0),), added_mass="none"))
