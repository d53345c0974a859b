"""Soft bodies in motion: against dense Jacobians, closed forms, statics, and runs of another program."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.mechanics.chain.tables import BodyRecord
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.soft import SoftSettings
from limbless.robots.rod import Rod
from limbless.robots.tendon_spine import Tendon, TendonSpine, Vertebra

Array = np.ndarray
DOWN = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # x, along the body, points down
RADIUS = 1e-4  # of rods without rotary inertia


def beam(base: str = "fixed", strains: str = "planar", **fields: Any) -> Rod:
    """L = EI = ρA = 1."""
    given = {"stiffness": (1e4, 1e4, 1e4, 1.0, 1.0, 1.0), "passive": {}, **fields}
    return Rod(base=base, strains=strains, length=1.0, half_width=RADIUS, density=1.0 / (np.pi * RADIUS**2), **given)


# ------------------------------------------------------------------------------------------------- dense Jacobians


def hat(x: Array) -> Array:
    """(..., 6) to (..., 4, 4)."""
    X = np.zeros((*x.shape[:-1], 4, 4), dtype=x.dtype)
    for k, (i, j) in enumerate(((0, 3), (1, 3), (2, 3), (2, 1), (0, 2), (1, 0))):
        X[..., i, j] = x[..., k]
        if k > 2:
            X[..., j, i] = -x[..., k]
    return X


def vee(X: Array) -> Array:
    return np.stack([X[..., i, j] for i, j in ((0, 3), (1, 3), (2, 3), (2, 1), (0, 2), (1, 0))], axis=-1)


def expm(X: Array) -> Array:
    """Of many small matrices at once, by their power series; halved five times first, and squared again."""
    X = X / 32.0
    found = term = np.broadcast_to(np.eye(4), X.shape)
    for k in range(1, 13):
        term = term @ X / k
        found = found + term
    for _ in range(5):
        found = found @ found
    return found


def bracket(x: Array, y: Array) -> Array:
    X, Y = hat(x), hat(y)
    return vee(X @ Y - Y @ X)


class Dense:
    """A planned body by 4 x 4 exponentials, its Jacobians by complex steps; slow, nothing shared but the numbers."""

    def __init__(self, model: Soft) -> None:
        self.cells, self.robot = model.plan.cells, model.robot
        self.n = model.freedoms

    def poses(self, g: Array, q: Array) -> tuple[list[Array], list[Array], list[Array]]:
        """Stations, ends of cells, and their inertias in this order."""
        stations, ends, first = [], [g], 0
        for cell in self.cells:
            own = q[..., first : first + len(cell.names)]
            first += len(cell.names)
            for k, piece in enumerate(cell.pieces):
                a = piece.natural + own @ piece.first
                b = a if piece.second is None else piece.natural + own @ piece.second
                d = piece.length
                g = g @ expm(hat(0.5 * d * (a + b) + np.sqrt(3.0) / 12.0 * d * d * bracket(a, b)))
                (ends if k == len(cell.pieces) - 1 else stations).append(g)
        return stations, ends[1:], ends

    def bodies(self, g: Array, q: Array) -> list[Array]:
        stations, ends, _ = self.poses(g, q)
        return [*stations, *ends]

    def inertias(self) -> list[Array]:
        inner = [np.array([p.mass] * 3 + list(p.turn)) for cell in self.cells for p in cell.pieces[:-1]]
        return [*inner, *(np.array([cell.mass] * 3 + list(cell.turn)) for cell in self.cells)]

    def push(self, k: int, V: Array) -> Array:
        """Wrench of what else acts on body k, which moves with V, along its axes."""
        return np.zeros(6)

    def jacobians(self, g: Array, q: Array) -> Array:
        """(bodies, 6, 6 + n): body twists per base twist and rates of the freedoms."""
        steps = 1e-30j * np.eye(6 + self.n)
        moved = self.bodies(g @ expm(hat(steps[:, :6])), q + steps[:, 6:])
        bodies = self.bodies(g, q)
        found = [vee(np.linalg.solve(a, b.imag / 1e-30)).T for a, b in zip(bodies, moved, strict=True)]
        return np.array(found)

    def lengths(self, g: Array, q: Array) -> Array:
        disks, found = self.poses(g, q)[2], []
        for tendon in self.robot.tendons:
            holes = [
                disks[i] @ np.array([0.0, *tendon.holes[0], 1.0])
                for i in range(tendon.start, (tendon.anchor or len(self.cells)) + 1)
            ]
            found.append(sum(np.sqrt(((b - a)[:3] ** 2).sum()) for a, b in pairwise(holes)))
        return np.array(found)

    def accelerations(self, g: Array, q: Array, v: Array, tension: Array, gravity: Array) -> Array:
        J, mass = self.jacobians(g, q), self.inertias()

        def later(h: float) -> Array:
            return self.jacobians(g @ expm(hat(h * v[:6])), q + h * v[6:]) @ v

        h = 1e-3
        swing = (8.0 * (later(h) - later(-h)) - later(2 * h) + later(-2 * h)) / (12.0 * h)
        M, right = np.zeros((6 + self.n,) * 2), np.zeros(6 + self.n)
        for k, pose in enumerate(self.bodies(g, q)):
            V = J[k] @ v
            P = mass[k] * V
            carried = np.concatenate([np.cross(V[3:], P[:3]), np.cross(V[3:], P[3:]) + np.cross(V[:3], P[:3])])
            weight = np.concatenate([mass[k][0] * pose[:3, :3].T @ gravity, np.zeros(3)])
            M += J[k].T @ (mass[k][:, None] * J[k])
            right += J[k].T @ (weight + self.push(k, V) - carried - mass[k] * swing[k])
        first = 6
        for cell in self.cells:
            own = slice(first, first + len(cell.names))
            right[own] -= cell.elastic @ (q[own.start - 6 : own.stop - 6] - cell.rest) + cell.viscous @ v[own]
            first = own.stop
        if len(tension):
            for c in range(self.n):
                step = np.zeros(self.n, dtype=complex)
                step[c] = 1e-30j
                right[6 + c] -= tension @ self.lengths(g, q + step).imag / 1e-30
        return np.linalg.solve(M, right)


def spine(**fields: Any) -> TendonSpine:
    one = Vertebra(length=0.02, twist_stiffness=0.06, damping_lateral=1e-4, rest_vertical=0.1)
    tendons = (
        Tendon(holes=((0.012, 0.0),)),
        Tendon(holes=((0.0, -0.011),), start=1),
        Tendon(holes=((-0.01, 0.003),), anchor=2),
    )
    return TendonSpine(
        vertebrae=(one, one.changed(length=0.025), one.changed(disk_mass=0.01)),
        tendons=tendons,
        **{"base": "free", "damping_time": 0.01, **fields},
    )


GENTLE = SoftSettings(degree=1, cells=2)


@pytest.mark.parametrize(
    "robot",
    [
        spine(),
        spine(kinematics="hinge", hinge_at=0.3),
        Rod(
            base="free",
            strains="reissner",
            length=0.4,
            half_width=0.02,
            half_height=0.03,
            passive={},
            damping_time=0.01,
            stiffness=(40.0, 30.0, 20.0, 0.5, 0.4, 0.3),
            taper=0.3,
        ),
    ],
    ids=["arc", "hinge", "rod"],
)
def test_accelerations_are_those_of_dense_jacobians(robot: Any) -> None:
    """Every term: inertia, velocities (Ṫ among them), weight, springs, dampers, tendons, in a free body."""
    rng = np.random.default_rng(3)
    model = Soft(robot, ll.Gravity(), None, GENTLE)
    n, m = model.freedoms, model.tendons
    large = isinstance(robot, Rod)
    q, rates = rng.normal(size=n) * (0.6 if large else 0.3), rng.normal(size=n) * (2.0 if large else 5.0)
    if large:
        q[:6] *= 0.1  # stretch and shears
    twist, tension = rng.normal(size=6), rng.uniform(0.1, 1.0, m)
    turn = rng.normal(size=4)
    x = model.flat(q, rates, twist, base_orientation=turn / np.linalg.norm(turn))
    found = model.forward(x, tension if m else 0.0)
    g = np.eye(4)
    g[:3, :3] = quaternion_to_matrix(x[3:7])
    wanted = Dense(model).accelerations(g, q, np.concatenate([twist, rates]), tension, np.array([0.0, 0.0, -9.81]))
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(found.base_acceleration, wanted[:6], atol=1e-8 * scale)
    np.testing.assert_allclose(found.strain_acceleration, wanted[6:], atol=1e-8 * scale)


def test_given_and_free_freedoms_ask_for_the_same_efforts() -> None:
    """Accelerations found with efforts, then given as a motion: the same efforts hold them."""
    fields: dict[str, Any] = {
        "base": "free",
        "strains": "reissner",
        "length": 0.4,
        "half_width": 0.02,
        "stiffness": (40.0, 30.0, 20.0, 0.5, 0.4, 0.3),
    }
    free, held = (
        Soft(Rod(**fields, **more), ll.Gravity(), None, GENTLE)
        for more in ({"passive": {}}, {"passive": {"strains": ["twist"]}})
    )
    rng = np.random.default_rng(5)
    x = free.flat(0.3 * rng.normal(size=free.freedoms), rng.normal(size=free.freedoms), rng.normal(size=6))
    answer = free.forward(x)
    problem = held.instant(x)
    problem.drive.acceleration[:] = answer.strain_acceleration[held._given]
    again = held.forward(x)
    np.testing.assert_allclose(again.base_acceleration, answer.base_acceleration, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(again.strain_acceleration, answer.strain_acceleration, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(again.effort, 0.0, atol=1e-9)


# ------------------------------------------------------------------------------------------------- in water


class Wet(Dense):
    """The same in water without drag: Kirchhoff's inertia at the stations, the wake at the tip."""

    def inertias(self) -> list[Array]:
        own = super().inertias()
        for k, piece in enumerate(p for cell in self.cells for p in cell.pieces[:-1]):
            a, b = piece.axes
            own[k] = own[k] + piece.span * 1000.0 * np.pi * np.array(
                [0.0, b * b, a * a, (b * b - a * a) ** 2 / 8.0, 0.0, 0.0]
            )
        return own

    def push(self, k: int, V: Array) -> Array:
        if k < len(self.inertias()) - 1:
            return np.zeros(6)
        a, b = self.robot.half_axes(np.array([self.robot.length]))[0]
        P, roll = 1000.0 * np.pi * np.array([0.0, b * b, a * a]) * V[:3], 125.0 * np.pi * (b * b - a * a) ** 2 * V[3]
        T = 0.5 * (V[:3] @ P + roll * V[3])
        return np.concatenate([V[0] * P - np.array([T, 0.0, 0.0]), [V[0] * roll, 0.0, 0.0]])


WET: dict[str, Any] = {
    "base": "free",
    "strains": "kirchhoff",
    "length": 0.4,
    "half_width": 0.02,
    "half_height": 0.03,
    "taper": 0.3,
    "passive": {},
    "stiffness": 0.4,
}


def somewhere(model: Soft) -> tuple[Array, Array, Array]:
    """A flat state, its freedoms and its velocities."""
    rng = np.random.default_rng(8)
    q, v = rng.normal(size=model.freedoms), rng.normal(size=6 + model.freedoms)
    return model.flat(q, v[6:], v[:6]), q, v


def test_the_default_water_adds_mass_and_leaves_a_wake_at_the_tip() -> None:
    model = Soft(Rod(**WET), ll.Water(drag=(0.0, 0.0, 0.0, 0.0)), None, GENTLE)
    x, q, v = somewhere(model)
    found, wanted = model.forward(x), Wet(model).accelerations(np.eye(4), q, v, np.zeros(0), np.zeros(3))
    np.testing.assert_allclose(found.base_acceleration, wanted[:6], atol=1e-8 * np.abs(wanted).max())
    np.testing.assert_allclose(found.strain_acceleration, wanted[6:], atol=1e-8 * np.abs(wanted).max())


def test_open_water_that_is_a_steady_current_is_that_current() -> None:
    """Two laws, of still and of open water, and a stretch that is the whole body."""
    stream, drag = (0.3, -0.2, 0.1), (0.02, 1.1, 0.9, 0.8)
    waters = [
        ll.Water(current=stream, drag=drag),
        ll.Water(current=stream, drag=drag, gravity=(0.0, 0.0, 0.0)),
        ll.Water(current=stream, parts=({"between": (0.0, 0.4), "drag": drag},)),
    ]
    answers = []
    for water in waters:
        model = Soft(Rod(**WET), water, None, GENTLE)
        answers.append(model.forward(somewhere(model)[0]))
    for answer in answers[1:]:
        np.testing.assert_allclose(answer.base_acceleration, answers[0].base_acceleration, rtol=1e-9)
        np.testing.assert_allclose(answer.strain_acceleration, answers[0].strain_acceleration, rtol=1e-9)


@pytest.mark.parametrize(
    ("robot", "fields", "said"),
    [
        (spine(), {"parts": ({"links": (0,), "drag": (0.0,) * 4},)}, r"water\.parts\.0: the robot has no links \[0\]"),
        (
            spine(),
            {"parts": ({"between": (2.0, 3.0), "drag": (0.0,) * 4},)},
            r"water\.parts\.0: the robot has no stretch",
        ),
        (Rod(**{**WET, "strains": "reissner"}), {"wake": "tail"}, r"water\.wake: .* stretches or shears"),
    ],
)
def test_water_that_a_soft_body_does_not_take(robot: Any, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Soft(robot, [ll.Gravity(), ll.Water(**fields)])


# ------------------------------------------------------------------------------------------------- closed forms


def frequencies(rod: Rod, cells: int, degree: int) -> Array:
    model = Soft(rod, (), None, SoftSettings(cells=cells, degree=degree))
    return model.linearise(model.flat()).frequency


CLAMPED = np.array([3.516015268, 22.03449156, 61.69721441])


@pytest.mark.parametrize(("degree", "cells", "order"), [(0, 8, 2.0), (1, 4, 4.0)])
def test_a_cantilever_vibrates_as_euler_and_bernoulli_say(degree: int, cells: int, order: float) -> None:
    coarse, fine = (abs(frequencies(beam(), n, degree)[0] / CLAMPED[0] - 1.0) for n in (cells, 2 * cells))
    np.testing.assert_allclose(np.log2(coarse / fine), order, atol=0.1)


def test_a_free_rod_vibrates_about_its_rigid_motions() -> None:
    found = frequencies(beam("planar"), 8, 1)
    rigid, bending = found[:-8], found[found > 1.0][:2]
    assert (rigid[:3] == 0.0).all()
    np.testing.assert_allclose(bending, np.array([4.730041, 7.853205]) ** 2, rtol=1e-3)


def test_a_rod_vibrates_along_itself_and_its_damping_grows_with_frequency() -> None:
    lag, thick = 1e-3, 0.1
    rod = Rod(
        base="fixed",
        strains="planar-reissner",
        length=1.0,
        half_width=thick,
        density=1.0 / (np.pi * thick**2),
        stiffness=(25.0, 40.0, 40.0, 1.0, 1.0, 1.0),
        damping_time=lag,
        passive={},
    )
    model = Soft(rod, (), None, SoftSettings(cells=8))
    modes = model.linearise(model.flat())
    along = int(np.abs(modes.frequency - np.pi / 2.0 * 5.0).argmin())
    np.testing.assert_allclose(modes.frequency[along], np.pi / 2.0 * 5.0, rtol=1e-5)
    np.testing.assert_allclose(modes.damping_ratio[along], 0.5 * lag * modes.frequency[along], rtol=1e-4)


def test_a_hanging_rod_tends_to_a_heavy_chain() -> None:
    """1.202413 sqrt(g / L) is its limit without stiffness; with EI = 0.1 another program has 4.034012 rad/s."""
    model = Soft(beam(stiffness=0.1), ll.Gravity(acceleration=(9.81, 0.0, 0.0)), None, SoftSettings(cells=8, degree=2))
    np.testing.assert_allclose(model.linearise(model.flat()).frequency[0], 4.034012, rtol=1e-5)


def test_a_spinning_pendulum_has_the_modes_of_a_top() -> None:
    """As stiff as a rigid one, hung at its end and spun about itself with W: A λ² - i C W λ + m g l = 0 in the room,
    and λ - i W in axes that turn with it.
    """
    rod, W = Rod(base="pinned", length=0.3, half_width=0.03, stiffness=1e4, passive={}), 20.0
    model = Soft(rod, ll.Gravity(), None, SoftSettings(cells=1, degree=0))
    found = model.linearise(model.flat(base_twist=(0.0, 0.0, 0.0, W, 0.0, 0.0), base_orientation=DOWN)).frequency
    C, A = rod.bodies().inertia[0].diagonal()[:2]
    roots = np.roots([A, -1j * C * W, rod.total_mass * 9.81 * 0.5 * rod.length]) - 1j * W
    np.testing.assert_allclose(found[found > 0.0][:2], np.sort(np.abs(roots)), rtol=3e-4)


def test_tendons_change_the_frequencies_of_a_neck() -> None:
    """Numbers of another program, rad/s: without tension, and with 0.5 N in all four tendons."""
    neck = Soft(ll.SnakeNeck(), ll.Gravity())
    x = neck.flat(base_orientation=DOWN)
    np.testing.assert_allclose(
        neck.linearise(x).frequency[[0, 1, 2, 3, -1]],
        [11.54647637, 13.51798659, 52.12671946, 69.87073013, 1264.755244],
        rtol=1e-7,
    )
    np.testing.assert_allclose(neck.linearise(x, 0.5).frequency[:2], [11.36858741, 13.36752705], rtol=1e-7)


@pytest.mark.parametrize("fields", [{}, {"kinematics": "hinge"}], ids=["arc", "hinge"])
@pytest.mark.parametrize(
    "lift",
    [(), (ll.Buoyancy(),), (ll.Water(inertia=(0, 0, 0), gravity=(0.0, 0.0, -9.81)),)],
    ids=["air", "lift", "water"],
)
def test_equilibria_of_statics_stay_at_rest(fields: dict[str, Any], lift: tuple) -> None:
    """Three stations: the residual of the moments is that of rounding."""
    model = Soft(ll.SnakeNeck(**fields), (ll.Gravity(), *lift))
    tension = np.array([0.7, 0.3, 0.0, 0.1])
    x = model.flat(model.equilibrium(tension, base_orientation=DOWN), base_orientation=DOWN)
    assert np.abs(model.forward(x, tension).strain_acceleration).max() < 2e-3  # of some 1e3 rad/s2
    elsewhere = x.copy()
    elsewhere[7] += 1e-4
    assert np.abs(model.forward(elsewhere, tension).strain_acceleration).max() > 1.0


def test_a_rod_can_be_bent_at_rest_more_here_than_there() -> None:
    """Curvature from 1 to 3 /m, straight between: nothing accelerates, and the tip is where ∫∫ of it puts it."""
    rod = beam(rest={"yaw curvature": ((0.0, 1.0), (1.0, 3.0))})
    model = Soft(rod, (), None, SoftSettings(cells=4))
    x = model.flat(np.concatenate([cell.rest for cell in model.plan.cells]))
    problem = model.instant(x)
    assert np.abs(model.forward(x).strain_acceleration).max() < 1e-9
    X = (np.arange(20000) + 0.5) / 20000.0
    turn = X + X**2
    tip = problem.records.bodies[0, len(model.plan.cells)]
    origin = BodyRecord.of(tip).origin
    np.testing.assert_allclose(origin[:2], [np.cos(turn).mean(), np.sin(turn).mean()], atol=2e-6)


def test_springs_can_rest_where_a_gait_says() -> None:
    """A gait of constant curvature moves a passive rod as that curvature at rest does; what pulls is an actuator."""
    told = ll.FunctionGait(
        function=lambda t, X: np.tile((1.0, 0.0, 0.0, 0.0, 0.0, 2.0), (len(t), len(X), 1)), drives="strain"
    )
    fields: dict[str, Any] = {
        "strains": "planar",
        "base": "planar",
        "length": 0.5,
        "half_width": 0.01,
        "stiffness": 0.01,
        "damping_time": 0.05,
    }
    rods = [
        Rod(**fields, passive={"follows_gait": True}),
        Rod(**fields, passive={}, rest=(1.0, 0.0, 0.0, 0.0, 0.0, 2.0)),
    ]
    options: dict[str, Any] = {
        "duration": 0.2,
        "step": 0.01,
        "record_every": 0.1,
        "model": SoftSettings(cells=4),
        "initial": {"joint_position": (0.0,) * 8},
    }
    found = [ll.simulate(rod, gait, **options).dataset for rod, gait in zip(rods, (told, ll.Still()), strict=True)]
    np.testing.assert_allclose(found[0]["tip_position"].values, found[1]["tip_position"].values, atol=1e-12)
    assert found[0]["actuator_work"].values[-1] > 1e-4 and abs(found[1]["actuator_work"].values[-1]) < 1e-15


def test_an_equilibrium_rests_against_the_stops() -> None:
    """Under 1.5 N the neck meets stops of 10 degrees: they give way by their moment over their stiffness."""
    model = Soft(ll.SnakeNeck(stop_lateral=0.17, stop_vertical=0.17, stop_stiffness=2.0), ll.Gravity())
    tension = np.array([1.5, 0.0, 0.0, 0.0])
    bends = model.equilibrium(tension, base_orientation=DOWN)
    free = Soft(ll.SnakeNeck(), ll.Gravity()).equilibrium(tension, base_orientation=DOWN)
    assert np.abs(free).max() > 0.2 > np.abs(bends).max() > 0.17
    x = model.flat(bends, base_orientation=DOWN)
    assert np.abs(model.forward(x, tension).strain_acceleration).max() < 1e-3


def test_error_bars_refine_what_has_an_effect() -> None:
    """Cells of a rod, stations of an arc; a hinge has neither, and an explicit step no tolerance."""
    own = SoftSettings(integrator="rk4")
    rod, arc, hinge = Rod(length=1.0, passive={}), spine(), spine(kinematics="hinge")
    assert own.refined_for(rod) == own.changed(cells=16)
    assert own.refined_for(arc) == own.changed(stations=6)
    assert own.refined_for(hinge) == own
    assert SoftSettings().refined_for(hinge) == SoftSettings(tolerance=1e-7)


# ------------------------------------------------------------------------------------------------- through time


def swing(step: float, integrator: str, **options: Any) -> Any:
    neck = ll.SnakeNeck(damping_time=0.01)
    solved = {} if integrator == "rk4" else {"tolerance": 1e-9}
    return ll.simulate(
        neck,
        ll.TensionStep(after=(0.7, 0.0, 0.0, 0.0)),
        ll.Gravity(),
        duration=0.4,
        step=step,
        model=SoftSettings(integrator=integrator, **solved, **options),
        record_every=0.1,
        initial={"orientation": DOWN},
    ).dataset


NECK = np.array(
    [
        [0.0, -0.02158123024, -0.1531628715],
        [0.0, -0.06069585032, -0.1406733525],
        [0.0, -0.07963577591, -0.1272152675],
        [0.0, -0.06135805628, -0.1399990987],
    ]
)
"""Tip at 0.1, 0.2, 0.3 and 0.4 s, m, found by another program."""


@pytest.mark.parametrize(
    ("integrator", "step", "order", "error"), [("sdirk4", 0.01, 4.0, 2e-6), ("midpoint", 0.004, 2.0, 2e-4)]
)
def test_a_neck_swings_as_another_program_has_it(integrator: str, step: float, order: float, error: float) -> None:
    coarse, fine = (np.abs(swing(h, integrator)["tip_position"].values[1:] - NECK).max() for h in (step, 0.5 * step))
    assert coarse < error and abs(np.log2(coarse / fine) - order) < 0.6


def test_explicit_steps_agree() -> None:
    found = swing(1e-4, "rk4")
    np.testing.assert_allclose(found["tip_position"].values[1:], NECK, atol=1e-9)
    np.testing.assert_allclose(
        found["kinetic_energy"].values,
        (found["actuator_work"] + found["environment_work"] + found["passive_work"]).values,
        atol=1e-13,
    )


def test_a_free_soft_body_keeps_its_momentum() -> None:
    body = Rod(
        base="free",
        strains="reissner",
        length=0.4,
        half_width=0.02,
        passive={},
        stiffness=(40.0, 30.0, 20.0, 0.5, 0.4, 0.3),
    )
    model = Soft(body, (), None, SoftSettings(cells=2))
    rng = np.random.default_rng(2)
    bent = tuple(float(v) for v in 0.3 * rng.normal(size=model.freedoms))
    result = ll.simulate(
        body,
        ll.Still(),
        model=SoftSettings(cells=2, tolerance=1e-9),
        duration=0.05,
        step=2e-4,
        initial={"joint_position": bent, "twist": (0.1, 0.2, 0.3, 1.0, -2.0, 3.0)},
    )
    momentum, energy = (
        result.dataset["momentum"].values,
        (result.dataset["kinetic_energy"] + result.dataset["elastic_energy"]).values,
    )
    assert np.abs(momentum - momentum[0]).max() < 1e-4 * np.abs(momentum).max()
    assert np.abs(energy - energy[0]).max() < 1e-4 * energy[0]


def test_one_cell_keeps_its_energy_under_midpoint_steps() -> None:
    """A bent cell let go, ten steps per period: a spring that is taken ahead and not held would stop it at once."""
    model = SoftSettings(cells=1, degree=0, integrator="midpoint")
    swing = Soft(beam(), (), None, model)
    period = 2.0 * np.pi / swing.linearise(swing.flat()).frequency[0]
    data = ll.simulate(
        beam(),
        ll.Still(),
        model=model,
        duration=4.0 * period,
        step=0.1 * period,
        record_every=0.1 * period,
        initial={"joint_position": (0.3,)},
    ).dataset
    energy = (data["kinetic_energy"] + data["elastic_energy"]).values
    np.testing.assert_allclose(energy, energy[0], rtol=0.02)
    assert np.abs(data["kinetic_energy"].values).max() > 0.9 * energy[0]


def test_momentum_and_energy_of_a_free_body_drift_with_the_order_of_the_steps() -> None:
    """What is left is that of the steps, and not of stages that were not solved: a tenth of the tolerance leaves it."""
    body = Rod(
        base="free",
        strains="reissner",
        length=0.4,
        half_width=0.02,
        passive={},
        stiffness=(40.0, 30.0, 20.0, 0.5, 0.4, 0.3),
    )
    bent = tuple(float(v) for v in 0.3 * np.random.default_rng(2).normal(size=24))

    def drift(step: float, tolerance: float) -> Array:
        data = ll.simulate(
            body,
            ll.Still(),
            model=SoftSettings(cells=2, tolerance=tolerance),
            duration=0.1,
            step=step,
            record_every=0.01,
            initial={"joint_position": bent, "twist": (0.1, 0.2, 0.3, 1.0, -2.0, 3.0)},
        ).dataset
        momentum, energy = data["momentum"].values, (data["kinetic_energy"] + data["elastic_energy"]).values
        return np.array(
            [
                np.abs(momentum - momentum[0]).max() / np.abs(momentum).max(),
                np.abs(energy - energy[0]).max() / energy[0],
            ]
        )

    coarse, fine, finest = (drift(step, 1e-8) for step in (1e-3, 5e-4, 2.5e-4))
    np.testing.assert_allclose(np.log2(coarse / fine), 4.0, atol=0.5)
    np.testing.assert_allclose(np.log2(fine / finest), 4.0, atol=0.3)
    np.testing.assert_allclose(drift(5e-4, 1e-6), fine, rtol=0.05)


def test_a_body_that_travels_bends_as_one_that_does_not() -> None:
    """Stages are solved as well whatever the speed of the whole: 20 m/s leave no trace in the shape."""
    rod = Rod(base="planar", strains="planar-reissner", length=0.5, half_width=0.01, youngs_modulus=1e6, passive={})
    model = Soft(rod)
    bent = tuple(
        float(v)
        for v in np.where(["curvature 0" in name for cell in model.plan.cells for name in cell.names], 2.0, 0.0)
    )
    runs = [
        ll.simulate(
            rod,
            ll.Still(),
            duration=0.1,
            step=0.005,
            record_every=0.02,
            model=SoftSettings(),
            initial={"joint_position": bent, "twist": (speed, 0.0, 0.0, 0.0, 0.0, 0.0)},
        ).dataset
        for speed in (0.0, 20.0)
    ]
    shapes = [run["tip_position"].values - run["base_position"].values for run in runs]
    np.testing.assert_allclose(shapes[1], shapes[0], atol=2e-7)


@pytest.mark.long
def test_the_flying_spaghetti_tumbles_as_another_program_has_it() -> None:
    """Tip at 2.5, 5 and 9 s (m, of a rod of 10 m), and the impulse of 20 N s; shorter steps come to 1e-5 m."""
    data = ll.run("flying-spaghetti", {"record_every": 0.5}).dataset
    np.testing.assert_allclose(
        data["tip_position"].values[[5, 10, 18], :2],
        [[4.429932116, -0.7848985586], [5.620604874, 4.763512986], [22.280079, 7.258752843]],
        atol=2e-3,
    )
    np.testing.assert_allclose(data["impulse"].values[5:, :2], np.tile([20.0, 0.0], (14, 1)), atol=1e-9)


SWING = {0.1: (0.4945199918, -0.04580576321), 0.2: (0.4365144501, -0.2303701811), 0.3: (0.1585076254, -0.4458599244)}
"""Tip (m) of a soft rod that falls from the horizontal, found by another program (12 cells of degree 2)."""


def test_a_soft_rod_swings_as_another_program_has_it() -> None:
    rod = Rod(base="fixed", strains="planar-reissner", length=0.5, half_width=0.01, youngs_modulus=1e6, passive={})
    found = ll.simulate(
        rod,
        ll.Still(),
        ll.Gravity(acceleration=(0.0, -9.81, 0.0)),
        duration=0.3,
        step=0.005,
        record_every=0.1,
        model=SoftSettings(cells=8, degree=2),
    )
    for row, place in zip(found.dataset["tip_position"].values[1:], SWING.values(), strict=True):
        np.testing.assert_allclose(row[:2], place, atol=3e-5)


@pytest.mark.long
def test_a_spine_swims_as_another_program_has_it() -> None:
    """Head at 2 and 5 s; head first, and its mirror image swims the mirrored way."""
    fields: dict[str, Any] = {
        "gait.period": 1.5,
        "duration": 5.0,
        "step": 0.002,
        "record_every": 0.1,
        "model.integrator": "rk4",
    }
    found = ll.run("spine-45-swim", fields).dataset["base_position"].values
    np.testing.assert_allclose(found[20, :2], [-0.02341568984, -0.001248990684], atol=1e-7)
    np.testing.assert_allclose(found[50, :2], [-0.5182086349, -0.01904279874], atol=1e-6)


@pytest.mark.long
def test_a_passive_tail_and_a_worm_move_as_another_program_has_them() -> None:
    eel = ll.run("eel-passive-tail", {"model.cells": 20}).dataset["base_position"].values[:, :2]
    np.testing.assert_allclose(eel[-1], [-1.297274473, -0.04554504407], atol=5e-5)
    worm = ll.run("worm-muscles", {"model.cells": 16}).dataset["base_position"].values[:, :2]
    np.testing.assert_allclose(np.linalg.norm(worm[-1] - worm[-101]) / 2.0, 0.001097490131, rtol=3e-3)


def test_a_released_arm_crosses_the_vertical_when_another_program_has_it() -> None:
    found = ll.run("arm-release", {"duration": 0.6}).dataset
    y, time = found["tip_position"].values[:, 1], found["time"].values
    np.testing.assert_allclose(y[0], -0.08128940667, atol=1e-9)
    there = np.flatnonzero(np.diff(np.sign(y)))
    crossings = time[there] - y[there] * np.diff(time)[there] / np.diff(y)[there]
    np.testing.assert_allclose(crossings, [0.1803940008, 0.5006994762], atol=3e-4)


# ------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"gait.after": [-0.1, 0.0, 0.0, 0.0]}, "can only pull"),
        ({"gait.after": [0.1, 0.0]}, "2 tensions, but the robot has 4"),
        ({"gait": {"kind": "still"}}, "driven by tensions"),
        ({"initial.twist": [0.1, 0.0, 0.0, 0.0, 0.0, 0.0]}, "initial.twist: the base 'fixed' holds entry 0"),
        ({"robot.segments": 3}, r"segments: 8 vertebrae \(count\) make no 3 equal pieces"),
    ],
)
def test_what_a_spine_in_motion_refuses(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.run("neck-swing-air", changes)


PIECE = {"length": 0.5, "half_width": 0.02, "half_height": 0.02, "mass": 1.0, "moments": (1e-4,) * 3, "volume": 1e-3}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"passive": {"strains": ["twist"]}, "strains": "planar"}, "'twist' is locked by strains: planar"),
        ({"stiffness": {"twist": 1.0}, "strains": "planar"}, "Rod: stiffness: 'twist' is locked by strains: planar"),
        ({"stiffness": (1.0, 1.0, 1.0, 1.0, 1.0, 0.0), "damping_time": 0.1, "strains": "planar"}, "and there is none"),
        ({"pieces": (PIECE, PIECE), "damping_time": 0.1}, "damping_time is a time of the stiffness, and there is none"),
        ({"tendons": ({"name": "a", "place": (0.01, 0.0)},) * 2}, "tendons 0 and 1 are both called 'a'; rename one"),
        ({"tendons": ({"name": "tendon 1", "place": (0.01, 0.0)}, {"place": (0.0, 0.01)})}, "called 'tendon 1'"),
        ({"passive": {"start": 0.5, "end": 0.2}}, "is no part of a rod"),
        ({"rest": (1.0, 0.1, 0.0, 0.0, 0.0, 0.0), "strains": "planar"}, "rest: only strains that"),
    ],
)
def test_what_a_soft_rod_refuses(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Rod(**{"length": 1.0, **fields})


@pytest.mark.parametrize(
    ("scenario", "changes", "said"),
    [
        ("neck-swing-air", {"model.degree": 2}, r"model\.degree: a spine has one cell"),
        ("neck-swing-air", {"model.cells": 9, "duration": 0.005, "record_every": 0.005}, ""),
        ("arm-release", {"robot.stop_stiffness": 1.0}, "stop_stiffness of vertebra 1 has no stop"),
        ("arm-release", {"model.stops": False}, r"model\.stops: this body has no stops"),
        ("rod-hangs", {"robot.stiffness": 1.0}, r"stiffness: youngs_modulus takes its place"),
        ("worm-muscles", {"robot.shear_modulus": 1.0}, r"shear_modulus: it goes with youngs_modulus"),
        ("worm-muscles", {"environment.drag.points": 5}, "points are for the segments of a chain; a soft body"),
        ("flying-spaghetti", {"environment.point-wrench.body": 1}, r"point-wrench\.body: `abscissa` says where"),
        ("rod-swim", {"robot.shear_factor": 0.5}, r"shear_factor: it goes with youngs_modulus"),
    ],
)
def test_fields_without_effect_are_named(scenario: str, changes: dict[str, Any], said: str) -> None:
    if said:
        with pytest.raises(InputError, match=said):
            ll.run(scenario, changes)
    else:
        assert any(note.startswith("model.cells: a spine") for note in ll.run(scenario, changes).notes)


def test_models_of_given_strains_and_of_statics_refuse_what_they_do_not_know() -> None:
    with pytest.raises(InputError, match=r"robot\.passive"):
        ll.run("rod-swim", {"robot.passive": {}})
    with pytest.raises(InputError, match=r"robot\.base: statics clamps disk 0"):
        ll.run("neck-planar", {"robot.base": "planar"})
    with pytest.raises(InputError, match="`start`"):
        ll.run("spine-45", {"robot.segments": 5, "gait.table": [[0.0] + [0.0] * 10, [1.0] + [0.1] * 10]})


def test_muscles_act_on_passive_strains_alone() -> None:
    with pytest.raises(InputError, match="not passive all along them"):
        ll.run("worm-muscles", {"robot.passive": {"start": 0.1}})


def test_muscles_may_end_within_a_cell() -> None:
    """A couple M between two abscissae bends a rod there to M / EI: its tip turns by that times
    the way, whatever the cells.
    """
    rod = Rod(base="fixed", strains="planar", length=0.6, half_width=0.01, stiffness=0.01, passive={})
    model = Soft(rod, (), None, SoftSettings(cells=4))
    wave = ll.MuscleWave(couple=4e-3, period=1.0, wavelength=1e9, start=0.1, end=0.37, ramp=0.0)
    efforts = model.drive(wave, np.full(3, 0.25)).torque[0]
    np.testing.assert_allclose(efforts[::2].sum(), 4e-3 * 0.27, rtol=1e-12)  # along the mean curvatures
    np.testing.assert_allclose(efforts[1], 4e-3 * 2.0 / 0.15 * (0.15**2 - 0.1**2 - 0.15 * 0.05) / 2.0, rtol=1e-12)


def test_the_printed_added_mass_is_warned_of() -> None:
    model = Soft(ll.SnakeNeck(), ll.Water(model="morison", added_mass="paper"))
    assert "set it to 'consistent'" in model.notes[0]


# ------------------------------------------------------------------------------------------------- efforts of a rod


@pytest.mark.parametrize(("cells", "degree", "within"), [(4, 1, 0.07), (16, 1, 0.01), (16, 0, 0.03), (4, 2, 0.05)])
def test_the_torque_of_muscles_is_the_couple_of_the_gait(cells: int, degree: int, within: float) -> None:
    """N m, whatever the mesh: half of 4 mN m where the ramp of 1 s has come to its middle. It was N m2 once, and fell
    with the length of the cells.
    """
    changes = {"model.cells": cells, "model.degree": degree, "duration": 0.5}
    result = ll.run("worm-muscles", changes)
    assert result.summary()["peak_torque"] == {"yaw": pytest.approx(0.002, rel=within)}
    place, couple = result.dataset["joint_abscissa"].values, result.dataset["joint_torque"].values[-1]
    wave = 0.002 * np.sin(2.0 * np.pi * (0.5 - place / 0.3)) * (place < 0.15)
    np.testing.assert_allclose(couple, wave, atol=0.002 * (0.35 if degree == 0 else 0.1))
    balance = {one.name: one.verdict for one in result.balances()}
    assert set(balance.values()) == {"pass"}  # and the works of all points sum up to that of the muscles


def test_the_torque_of_given_strains_is_that_of_another_model() -> None:
    """Mesh by mesh towards what macro-continuous dynamics finds for the same swim (64 cells, another integration)."""
    short = {"duration": 0.5, "record_every": 0.5}
    (peer,) = ll.run("rod-swim", short).summary()["peak_torque"].values()
    found = [
        ll.run("rod-swim", {**short, "model": {"kind": "soft", "cells": cells}}).summary()["peak_torque"]
        for cells in (4, 8, 32)
    ]
    away = [abs(one["yaw"] / peer - 1.0) for one in found]
    assert away[0] < 0.03 and away[1] < 0.015 and away[2] < 1e-3
    assert all(one["pitch"] < 1e-12 for one in found)
