"""Bodies that answer, without inertia: filaments in closed form, a chain by hand, the limit of light bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.models.chain.soft.linearisation import MOVES
from limbless.models.chain.soft.soft_model import Soft
from tests.unit.models.chain.soft.test_soft import Dense

Array = np.ndarray
LONG, EI, ALONG, ACROSS = 0.5, 1e-3, 1.0, 2.0
DRAG = ll.Drag(along=1.0, lateral=2.0, vertical=3.0, roll=0.01)
GAUSS = np.polynomial.legendre.leggauss(5)


def run(robot: Any, environment: list[Any], duration: float, step: float, gait: Any = None, **fields: Any) -> Any:
    model = {"kind": "soft", "inertia": False, **fields.pop("model", {})}
    return ll.run(
        ll.Scenario(
            name="slow",
            robot=robot,
            gait=gait or ll.Still(),
            environment=environment,
            model=model,
            duration=duration,
            step=step,
            **fields,
        )
    )


def bent(curvature: Any, cells: int, length: float) -> tuple[float, ...]:
    """Freedoms of cells with strains of degree 1 that fit a curvature best."""
    half = 0.5 * length / cells
    found = []
    for middle in (2.0 * np.arange(cells) + 1.0) * half:
        values = curvature(middle + half * GAUSS[0])
        found += [0.5 * GAUSS[1] @ values, 1.5 * GAUSS[1] @ (values * GAUSS[0])]
    return tuple(found)


def first_mode(root: float, clamped: bool) -> Any:
    """Curvature of the first mode of a bar, clamped at its base or free at both ends (Rayleigh)."""
    sign = 1.0 if clamped else -1.0
    share = (np.cosh(root) + sign * np.cos(root)) / (np.sinh(root) + sign * np.sin(root))

    def curvature(X: Array) -> Array:
        s = root * X / LONG
        wave = np.cosh(s) + sign * np.cos(s) - share * (np.sinh(s) + sign * np.sin(s))
        return 1e-6 * np.asarray(wave)

    return curvature


DENSE = [("kirchhoff", "free", 1), ("planar", "planar", 1), ("universal", "fixed", 0), ("reissner", "pinned", 1)]


@pytest.mark.parametrize(("strains", "base", "degree"), DENSE)
def test_velocities_are_those_of_dense_jacobians(strains: str, base: str, degree: int) -> None:
    """(Σ Jᵀ L J + C) v = -K (q - rest) with dense Jacobians, at the start and after a step: its last
    stage stands at the end, and its velocity balances the forces there.
    """
    rod = ll.Rod(
        length=0.4,
        half_width=0.02,
        strains=strains,
        base=base,
        passive={},
        stiffness=(40.0, 30.0, 20.0, 0.5, 0.4, 0.3),
        damping_time=0.02,
    )
    model = Soft(rod, [DRAG], None, ll.SoftSettings(inertia=False, cells=2, degree=degree, tolerance=1e-12))
    q = 0.3 * np.random.default_rng(3).normal(size=model.freedoms)
    state = model.initial_state(ll.Initial(joint_position=tuple(q)), ll.Still())
    drive = model.drive(ll.Still(), np.array([0.0, 0.005, 0.01]))
    after, _, status = model.advance(state, np.array([0.0, 0.01]), np.zeros(2, dtype=bool), drive)
    assert not status.failure
    dense, n = Dense(model), model.freedoms
    free = np.array([*MOVES[base], *range(6, 6 + n)])
    for x in (state.x, after.x):
        g = np.eye(4)
        g[:3, :3], g[:3, 3] = quaternion_to_matrix(x[3:7]), x[:3]
        J, R, right = dense.jacobians(g, x[7 : 7 + n]), np.zeros((6 + n,) * 2), np.zeros(6 + n)
        for k, (_, piece) in enumerate(model.plan.stations):
            drag = piece.span * np.array([DRAG.along, DRAG.lateral, DRAG.vertical, DRAG.roll, 0.0, 0.0])
            R += J[k].T @ (drag[:, None] * J[k])
        first = 6
        for cell in model.plan.cells:
            own = slice(first, first + len(cell.names))
            R[own, own] += cell.viscous
            right[own] = -cell.elastic @ (x[7 : 7 + n][own.start - 6 : own.stop - 6] - cell.rest)
            first = own.stop
        v = np.linalg.solve(R[np.ix_(free, free)], right[free])
        np.testing.assert_allclose(x[model._split :][: 6 + n][free], v, atol=1e-8 * np.abs(v).max())


@pytest.mark.parametrize(
    ("base", "root", "within"), [("fixed", 1.875104068711961, 2e-7), ("planar", 4.730040744862704, 1e-5)]
)
def test_an_elastic_filament_relaxes_at_its_rate(base: str, root: float, within: float) -> None:
    """EI (root/L)^4 / drag across, of the energy twice that; halved cells are 16 times as far from it."""
    rate, off = EI * (root / LONG) ** 4 / ACROSS, []
    for cells in (10, 20):
        rod = ll.Rod(length=LONG, half_width=0.005, strains="planar", stiffness=EI, passive={}, base=base)
        start = ll.Initial(joint_position=bent(first_mode(root, base == "fixed"), cells, LONG))
        drag = [ll.Drag(along=ALONG, lateral=ACROSS)]
        model = {"cells": cells, "tolerance": 1e-10}
        result = run(rod, drag, 1.0 / rate, 0.025 / rate, model=model, record_every=0.5 / rate, initial=start)
        energy = result.dataset["elastic_energy"].values
        off.append(0.5 * np.log(energy[0] / energy[-1]) - 1.0)
        assert {part["verdict"] for part in result.summary()["balances"].values()} == {"pass"}
    assert abs(off[1]) < within
    assert np.log2(off[0] / off[1]) == pytest.approx(4.0, abs=0.1)


def shaken(
    t: float,
    position: Array,
    axes: Array,
    velocity: Array,
    rotation_rate: Array,
    amplitude: float = 0.01,
    rate: float = 1.0,
) -> Array:
    """Drag in the frame of an end that moves by a cos wt: without inertia nothing else tells the two frames apart."""
    w = -amplitude * rate * np.sin(rate * t)
    force = np.zeros(3)
    force[0] = -1.0 * (velocity[0] + axes[0, 1] * w)
    force[1] = -2.0 * (velocity[1] + axes[1, 1] * w)
    force[2] = -2.0 * velocity[2]
    return force


@pytest.mark.parametrize(("sperm", "within"), [(1.0, 1e-4), (3.0, 2e-4), (6.0, 1e-3)])
@pytest.mark.long
def test_a_filament_that_is_driven_at_its_end_pushes_as_wiggins_and_goldstein_say(sperm: float, within: float) -> None:
    """Linear theory (1998, Phys. Rev. Lett. 80): i Sp^4 y = -y'''', y = a and y' = 0 at the end that is moved. Shape,
    and mean thrust (drag across less drag along) times the mean of y_t y_x.
    """
    a, cells = 0.01, 20
    rate = sperm**4 / 2.0
    roots = (-1j * sperm**4) ** 0.25 * np.array([1, 1j, -1, -1j])
    rows = np.array([np.ones(4), roots, roots**2 * np.exp(roots), roots**3 * np.exp(roots)])
    share = np.linalg.solve(rows, np.array([1.0, 0.0, 0.0, 0.0]))

    def wave(s: Array, order: int) -> Array:
        return np.asarray(np.exp(np.multiply.outer(s, roots)) @ (share * roots**order))

    rod = ll.Rod(length=1.0, half_width=0.005, strains="planar", stiffness=1.0, passive={}, base="fixed")
    period = 2.0 * np.pi / rate
    data = run(
        rod,
        [ll.ForceLaw(law=shaken, arguments={"amplitude": a, "rate": rate})],
        2.0 * period,
        period / 64,
        model={"cells": cells, "tolerance": 1e-9},
        record_every=period / 64,
        initial=ll.Initial(joint_position=bent(lambda s: a * np.real(wave(s, 2)), cells, 1.0)),
    ).dataset.isel(time=slice(64, 128))
    X = np.linspace(0.0, 1.0, 2001)
    thrust = np.trapezoid(0.5 * np.real(1j * rate * wave(X, 0) * np.conj(wave(X, 1))), X) * a**2
    assert -float(data["base_reaction"][:, 0].mean()) == pytest.approx(thrust, rel=within)
    turn = np.exp(-1j * rate * data["time"].values)[:, None]
    shape = 2.0 * (data["position"].values[..., 1] * turn).mean(axis=0) + a
    assert np.abs(shape - a * wave(data["abscissa"].values, 0)).max() < 3e-4 * a


def pushed(t: Array, s: Array) -> Array:
    return np.asarray(0.02 * np.sin(2.0 * np.pi * t))[:, None] * np.ones(len(s))


def test_a_link_with_a_spring_and_a_torque_goes_as_by_hand() -> None:
    """R q' = τ - k q, R = c l3/3 + d: the velocity at every record, and the motion at the end."""
    long, c, k, d = 0.3, 2.0, 0.05, 1e-3
    link = {
        "solids": ({"shape": "elliptic-cylinder", "length": long, "half_width": 0.01, "half_height": 0.01},),
        "body": {"length": long, "half_width": 0.01, "half_height": 0.01},
    }
    joint = {"axis": (0.0, 0.0, 1.0), "stiffness": k, "damping": d}
    chain = ll.Chain(base="fixed", links=({**link}, {**link, "position": (long, 0.0, 0.0), "joint": joint}))
    result = run(
        chain,
        [ll.Drag(lateral=c)],
        1.0,
        0.01,
        ll.FunctionGait(function=pushed, drives="torque"),
        actuation={"kind": "torque"},
        model={"kind": "newton-euler", "tolerance": 1e-12},
    )
    data, R = result.dataset, c * long**3 / 3.0 + d
    t, q = data["time"].values, data["joint_position"].values[:, 0]
    push = 0.02 * np.sin(2.0 * np.pi * t)
    np.testing.assert_allclose(data["joint_velocity"].values[:, 0], (push - k * q) / R, atol=1e-12)
    w, b = 2.0 * np.pi, k / R
    exact = 0.02 / R * (b * np.sin(w * t) - w * np.cos(w * t) + w * np.exp(-b * t)) / (b**2 + w**2)
    np.testing.assert_allclose(q, exact, atol=1e-9)
    assert {part["verdict"] for part in result.summary()["balances"].values()} == {"pass"}


def test_a_given_shape_moves_as_without_this_path() -> None:
    """Another model, and another search for the twist at which drag balances."""
    rod = ll.Rod(length=0.5, half_width=0.01, strains="planar", base="planar")
    gait = ll.CurvatureWave(curvature=3.0, wavelength=0.5, period=1.0)
    drag = [ll.Drag(along=1.0, lateral=3.0)]
    found = []
    for model in (
        {"kind": "soft", "inertia": False, "cells": 24, "degree": 6, "tolerance": 1e-10},
        {"kind": "macro-continuous", "inertia": False, "cells": 240},
    ):
        data = run(rod, drag, 0.25, 0.00625, gait, model=model, record_every=0.25).dataset
        found.append(data["base_position"].values[-1])
    np.testing.assert_allclose(found[0], found[1], rtol=0.0, atol=3e-10)
    assert np.abs(found[0]).max() > 1e-3


def test_light_bodies_tend_to_this_with_their_density() -> None:
    """The distance falls with the first power of the mass."""
    drag, ends = [ll.Drag(along=10.0, lateral=30.0)], {}
    gait = ll.MuscleWave(couple=0.1, wavelength=0.5, period=1.0)
    for density in (0.0, 1.0, 10.0):
        rod = ll.Rod(
            length=0.5,
            half_width=0.01,
            strains="planar",
            base="planar",
            passive={},
            stiffness=0.02,
            density=density or 1000.0,
        )
        model = {"inertia": density > 0.0, "cells": 8, "tolerance": 1e-9}
        data = run(rod, drag, 0.5, 1e-3, gait, model=model, record_every=0.5).dataset
        ends[density] = data["base_position"].values[-1]
    off = [np.linalg.norm(ends[density] - ends[0.0]) for density in (1.0, 10.0)]
    assert off[1] / off[0] == pytest.approx(10.0, rel=0.05) and off[0] < 1e-3 * np.linalg.norm(ends[0.0])


@pytest.mark.long
def test_a_rod_with_a_heavy_middle_sinks_as_a_horseshoe() -> None:
    """Its middle goes first; its speed lies between those of a stiff one across and along; half the step changes it
    little; outer forces balance.
    """
    rod = ll.Rod(length=0.2, half_width=0.002, strains="universal", base="free", passive={}, stiffness=2e-5)
    weight, ends = 0.02, []
    environment = [
        ll.Drag(along=1.0, lateral=2.0, vertical=2.0, roll=1e-5),
        ll.PointWrench(abscissa=0.1, force=(0.0, 0.0, -weight)),
    ]
    for step in (0.1, 0.05):
        result = run(rod, environment, 10.0, step, model={"cells": 8, "tolerance": 1e-8}, record_every=5.0)
        assert {part["verdict"] for part in result.summary()["balances"].values()} == {"pass"}
        data = result.dataset.isel(time=-1)
        ends.append(float(data["com_velocity"][2]))
    assert weight / (2.0 * 0.2) < -ends[1] < weight / (1.0 * 0.2)
    assert ends[0] == pytest.approx(ends[1], rel=1e-5)
    height = data["position"].values[:, 2]
    assert height.argmin() in (len(height) // 2 - 1, len(height) // 2) and np.ptp(height) > 0.02
    np.testing.assert_allclose(height, height[::-1], atol=1e-6)
    turned = Rotation.from_quat(np.roll(data["orientation"].values, -1, axis=1))
    force = turned.apply(data["fluid_force"].values).sum(axis=0)
    assert np.abs(force[:2]).max() < 1e-8 * weight and force[2] == pytest.approx(weight, rel=1e-8)


@pytest.mark.long
def test_dry_friction_that_fades_is_solved_at_every_stage() -> None:
    rod = ll.Rod(length=0.5, half_width=0.01, strains="planar", base="planar", passive={}, stiffness=0.02)
    gait = ll.MuscleWave(couple=0.1, wavelength=0.5, period=1.0)
    found = []
    for step in (0.01, 0.005):
        result = run(rod, [ll.RegularisedFriction(speed=0.01)], 0.5, step, gait, model={"cells": 6, "tolerance": 1e-8})
        assert {part["verdict"] for part in result.summary()["balances"].values()} == {"pass"}
        found.append(result.dataset["com_position"].values[-1])
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert np.linalg.norm(found[1] - (0.25, 0.0, 0.0)) > 1e-3


@pytest.mark.long
def test_an_elastic_tendon_is_drawn_in_slowly() -> None:
    """A neck without mass under a tendon that stretches rests where statics has it."""
    neck = ll.SnakeNeck(
        count=3, base="fixed", stop_lateral=None, stop_vertical=None, tendon_stiffness=400.0, damping_time=0.01
    )
    after = (0.003, 0.0, 0.0, 0.0)
    result = run(
        neck,
        [ll.Drag(along=1.0, lateral=2.0, vertical=2.0, roll=1e-4)],
        4.0,
        0.02,
        ll.LengthStep(after=after, ramp=0.2),
        record_every=1.0,
    )
    pull = result.dataset["tension"].values[-1]
    rest = ll.SoftSettings().assemble(neck.build(), (), ll.Motion()).equilibrium(pull)
    assert pull[0] > 0.01
    np.testing.assert_allclose(result.dataset["bend"].values[-1].ravel(), rest, atol=1e-6)


ROD = ll.Rod(length=0.5, half_width=0.01, strains="planar", base="planar", passive={}, stiffness=0.02)
PUSHED = {
    "robot": ll.UniformChain(links=2, length=0.2, base="planar"),
    "gait": ll.FunctionGait(function=pushed, drives="torque"),
    "actuation": {"kind": "torque"},
}
RUBBING = ll.UniformChain(links=2, length=0.2, base="planar", coulomb_friction=0.01)
REFUSED = [
    ({"robot": ROD.changed(base="free")}, r"nothing resists the roll about the body's own axis"),
    ({"environment": [ll.Gravity()]}, r"nothing resists the motion along"),
    ({"environment": [ll.Drag(lateral=0.0, vertical=0.0)]}, r"nothing resists the"),
    ({"environment": [ll.Water()]}, r"model\.inertia: false leaves out the water that a body carries along"),
    ({"environment": [ll.Ground(), ll.Gravity()]}, r"model\.inertia: hard contact needs inertia"),
    ({"model": {"integrator": "rk4"}}, r"model\.integrator: without inertia elasticity is stiff"),
    (
        {**PUSHED, "model": {"kind": "newton-euler", "integrator": "rk4"}},
        r"model\.integrator: .* explicit steps \(rk4\)",
    ),
    ({**PUSHED, "robot": RUBBING, "model": {"kind": "newton-euler"}}, r"model\.inertia: false: the dry friction"),
    ({"initial": ll.Initial(twist=(0.1, 0, 0, 0, 0, 0))}, r"initial\.twist: without inertia"),
    ({"initial": ll.Initial(joint_velocity=(0.0,) * 16)}, r"initial\.joint_velocity: without inertia"),
]


@pytest.mark.parametrize(("fields", "told"), REFUSED, ids=[told[:32] for _, told in REFUSED])
def test_what_needs_inertia_is_refused_in_a_sentence(fields: dict[str, Any], told: str) -> None:
    own = {"robot": ROD, "environment": [ll.Drag()], "duration": 0.02, "step": 0.01, **fields}
    with pytest.raises(ll.InputError, match=told):
        run(**own)


def test_a_heavy_body_in_little_drag_is_told_that_inertia_counts() -> None:
    gait = ll.MuscleWave(couple=0.1, wavelength=0.5, period=1.0)
    light = run(ROD, [ll.Drag(along=100.0, lateral=200.0)], 0.6, 0.02, gait, record_every=0.02)
    heavy = run(ROD, [ll.Drag(along=0.1, lateral=0.2)], 0.6, 0.02, gait, record_every=0.02)
    assert not [note for note in light.notes if "inertia" in note]
    assert [note for note in heavy.notes if "inertia counts" in note]


def test_what_has_no_derivatives_without_inertia_says_so() -> None:
    scenario = ll.Scenario(
        name="slow",
        robot=ROD,
        gait=ll.MuscleWave(couple=0.01, wavelength=0.5, period=1.0),
        environment=[ll.Drag()],
        model={"kind": "soft", "inertia": False},
        duration=0.1,
        step=0.01,
    )
    with pytest.raises(ll.InputError, match="motion without inertia gives no derivatives"):
        ll.sensitivity(scenario, ["gait.couple"])
