"""The macro-continuous rod against mechanics that knows nothing of it: conservation, closed forms,
differences in time, a chain of slices."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.gaits.body_wave import BodyWave
from limbless.control.gaits.peristalsis import Peristalsis
from limbless.control.gaits.user_gait import FunctionGait
from limbless.environments.drag import Drag
from limbless.environments.gravity import Gravity
from limbless.environments.point_wrench import PointWrench
from limbless.environments.water import Water
from limbless.mechanics.algebra.array_rotations import matrix_to_quaternion, quaternion_to_matrix
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.models.rod.rod_model import MacroContinuous
from limbless.robots.rod import ACTUATED, Rod

Array = np.ndarray
ROD = Rod(strains="reissner", length=0.8, half_width=0.03, half_height=0.05, taper=0.3)
LOADS = (
    Gravity(),
    Drag(along=0.5, lateral=2.0, vertical=3.0, roll=0.01),
    PointWrench(abscissa=0.0, force=(0.3, 0.2, -0.1), torque=(0.01, 0.02, 0.03), frame="body"),
    PointWrench(abscissa=0.8, force=(-0.2, 0.4, 0.3), torque=(0.02, -0.01, 0.02), frame="body"),
    PointWrench(abscissa=0.37, force=(0.1, -0.3, 0.2), torque=(0.0, 0.01, 0.0), frame="body"),
)
TWIST = np.array([0.3, -0.2, 0.4, 0.5, -0.7, 0.6])


# amplitude, wave number (1/m), frequency (rad/s), phase of each strain
TERMS = [
    (0.10, 3.0, 2.0, 0.3),
    (0.08, 4.0, 2.5, 1.0),
    (0.06, 2.0, 3.0, 2.0),
    (0.9, 3.5, 2.2, 0.7),
    (1.1, 2.5, 1.8, 1.7),
    (1.4, 4.5, 2.7, 0.1),
]


def strain_field(t: Array, X: Array, actuated: tuple[int, ...] = (0, 1, 2, 3, 4, 5)) -> tuple[Array, Array, Array]:
    """ξ, ξ̇ and ξ̈ (T, S, 6) with the given strains moving."""
    parts = [np.zeros((len(t), len(X), 6)) for _ in range(3)]
    parts[0][..., 0] = 1.0
    for c in actuated:
        a, k, w, phase = TERMS[c]
        angle = k * X + w * t[:, None] + phase
        parts[0][..., c] += a * np.cos(angle)
        parts[1][..., c] = -a * w * np.sin(angle)
        parts[2][..., c] = -a * w * w * np.cos(angle)
    return parts[0], parts[1], parts[2]


def gait(case: str = "reissner") -> FunctionGait:
    """All strains that a case of Table I actuates, moving at once."""

    def all_strains(t: Array, X: Array) -> tuple[Array, Array, Array]:
        return strain_field(t, X, ACTUATED[case])

    return FunctionGait(function=all_strains, drives="strain")


def tables(model: MacroContinuous, t: float = 0.3) -> list[np.ndarray]:
    return [part[0] for part in strain_field(np.array([t]), model.mesh.X)]


@pytest.mark.parametrize("case", ACTUATED)
@pytest.mark.parametrize("form", ["velocity", "momentum"])
def test_free_body_keeps_its_momentum(case: str, form: str) -> None:
    """Invariant 1, for each of the five cases of Table I: linear and angular momentum in the world."""
    rod = ROD.changed(strains=case)
    run = ll.simulate(
        rod,
        gait(case),
        model=MacroContinuousSettings(form=form, cells=128),
        duration=0.4,
        step=0.01,
        initial={"twist": (0.1, 0.2, -0.1, 0.3, 0.2, -0.4)},
    )
    momentum = run.dataset["momentum"].values
    assert np.abs(momentum - momentum[0]).max() < (1e-14 if form == "momentum" else 2e-7) * np.abs(momentum).max()
    assert all(balance.verdict == "pass" for balance in run.balances())


def test_momentum_and_velocity_form_tend_to_each_other_with_order_four() -> None:
    """They differ by the quadrature and by the step, and by nothing else.

    In the velocity form the inertial wrench (21) is integrated along the body; in the momentum form it is
    the rate of an integral, and the discrete integrals of J and A are rates of each other only up to the
    fourth power of the cells. With loads, and where the two parts are of like size, their sum need not
    fall evenly; each part does.
    """

    def apart(cells: int, step: float) -> float:
        ends = [
            ll.simulate(
                ROD,
                gait(),
                model=MacroContinuousSettings(form=form, cells=cells),
                duration=0.2,
                step=step,
                record_every=0.2,
                initial={"twist": tuple(TWIST)},
            )
            .dataset["base_twist"]
            .values[-1]
            for form in ("velocity", "momentum")
        ]
        return float(np.abs(ends[0] - ends[1]).max())

    cells, steps = np.array([8, 16, 32, 64]), np.array([0.04, 0.02, 0.01, 0.005])
    assert 3.8 < -np.polyfit(np.log(cells), np.log([apart(int(n), 0.0025) for n in cells]), 1)[0] < 4.2
    assert 3.7 < np.polyfit(np.log(steps), np.log([apart(512, float(h)) for h in steps]), 1)[0] < 4.4


def test_loads_change_momentum_and_energy_by_their_impulse_and_work() -> None:
    """Invariants 2 and 4 in a run: end and point wrenches, weight, drag; errata (16), (20): the signs of F_minus."""
    run = ll.simulate(
        ROD, gait(), LOADS, model="macro-continuous", duration=0.5, step=0.005, initial={"twist": tuple(TWIST)}
    )
    found = {balance.name: balance.relative for balance in run.balances()}
    assert (
        found["power"] < 1e-6
        and found["linear momentum"] < 1e-6
        and found["angular momentum"] < 1e-6
        and found["tail wrench"] < 1e-10
    )


def test_total_momentum_rate_is_the_outer_wrench() -> None:
    """Invariant 2 with the outer wrench computed here: differences of recorded momentum over a short time."""
    run = ll.simulate(
        ROD,
        gait(),
        LOADS[2:],
        model=MacroContinuousSettings(cells=128),
        duration=0.02,
        step=0.001,
        initial={"twist": tuple(TWIST)},
    )
    data = run.dataset
    P, t, middle = data["momentum"].values, data["time"].values, 10
    rate = (P[middle - 2] - 8 * P[middle - 1] + 8 * P[middle + 1] - P[middle + 2]) / (12 * (t[1] - t[0]))
    model = MacroContinuous(ROD, LOADS[2:], settings=MacroContinuousSettings(cells=128))
    strain = [part[0] for part in strain_field(t[middle : middle + 1], model.mesh.X)]
    poses = model.forward(*strain).poses
    R, p = quaternion_to_matrix(data["base_orientation"].values[middle]), data["base_position"].values[middle]
    total = np.zeros(6)
    for load in LOADS[2:]:
        row = poses[np.abs(model.mesh.X - load.abscissa).argmin()]
        E, place = R @ row[:9].reshape(3, 3), p + R @ row[9:]
        force = E @ np.array(load.force)
        total += np.concatenate([force, E @ np.array(load.torque) + np.cross(place, force)])
    assert rate == pytest.approx(total, abs=1e-6)


def test_internal_wrench_meets_both_ends() -> None:
    """Invariant 3: Λ(0) = -F_minus, Λ(l) = F_plus; errata of Fig. 2 and Fig. 5."""
    model = MacroContinuous(ROD, LOADS)
    found = model.forward(*tables(model), TWIST)
    minus, plus = (np.array([*load.force, *load.torque]) for load in (LOADS[2], LOADS[3]))
    assert found.internal_wrench[0] == pytest.approx(-minus, abs=1e-12)
    assert found.internal_wrench[-1] == pytest.approx(plus, abs=1e-11)
    assert found.tail_wrench == pytest.approx(np.zeros(6), abs=1e-11)


def test_a_point_load_makes_a_jump() -> None:
    """Footnote 4: N(C-) = N(C+) + T, and F_o counts the load once."""
    model = MacroContinuous(ROD, LOADS[2:])
    found = model.forward(*tables(model), TWIST)
    k = int(np.abs(model.mesh.X - 0.37).argmin())
    jump = found.internal_wrench[k + 1] - found.internal_wrench[k - 1]
    assert jump == pytest.approx(-np.array([*LOADS[4].force, *LOADS[4].torque]), abs=1e-6)


def test_actuator_power_is_the_work_of_the_internal_wrench_on_the_strain() -> None:
    """Invariant 4 at one instant: dT/dt = P_act + P_ext; the integrated power of runs equals -∫ Λᵀ ξ̇."""
    run = ll.simulate(
        ROD,
        gait(),
        LOADS,
        model=MacroContinuousSettings(cells=256),
        duration=0.05,
        step=0.005,
        initial={"twist": tuple(TWIST)},
    )
    model = MacroContinuous(ROD, LOADS, settings=MacroContinuousSettings(cells=256))
    for record in (0, 5, 10):
        now = run.dataset.isel(time=record)
        strain = tables(model, float(now["time"]))
        found = model.forward(
            *strain,
            now["base_twist"].values,
            base_position=now["base_position"].values,
            base_orientation=now["base_orientation"].values,
            time=float(now["time"]),
        )
        assert found.actuator_power == pytest.approx(float(now["actuator_power"]), rel=1e-5)


def test_twists_and_their_rates_are_those_of_the_moving_sections() -> None:
    """Invariant 5: differences in time of poses, for an arbitrary motion of the head; errata (17), (18), (66)."""
    model, h = MacroContinuous(ROD, settings=MacroContinuousSettings(cells=128)), 1e-3
    rate = np.array([0.4, 0.1, -0.3, 0.2, 0.5, -0.6])
    base = [np.eye(4)]

    def head(t: float) -> np.ndarray:
        """exp of the twist ∫: a head motion with twist TWIST + rate t, exact to fourth order in t."""
        twist = TWIST * t + 0.5 * rate * t * t + (t**3 / 12.0) * _bracket(TWIST, rate)
        return _exp(twist)

    def poses(t: float) -> np.ndarray:
        found = model.forward(*tables(model, 0.3 + t)).poses
        g = np.tile(np.eye(4), (len(found), 1, 1))
        g[:, :3, :3], g[:, :3, 3] = found[:, :9].reshape(-1, 3, 3), found[:, 9:]
        return base[0] @ head(t) @ g

    def twists(t: float) -> np.ndarray:
        return _twists(poses(t), (poses(t - 2 * h) - 8 * poses(t - h) + 8 * poses(t + h) - poses(t + 2 * h)) / (12 * h))

    model.forward(*tables(model, 0.3), TWIST)
    eta, eta_rate = _at_sections(model, TWIST, rate)
    assert eta == pytest.approx(twists(0.0), abs=2e-7)
    differences = (twists(-2 * h) - 8 * twists(-h) + 8 * twists(h) - twists(2 * h)) / (12 * h)
    assert eta_rate == pytest.approx(differences, abs=2e-5)


def _bracket(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.concatenate([np.cross(a[3:], b[:3]) + np.cross(a[:3], b[3:]), np.cross(a[3:], b[3:])])


def _hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0, -v[5], v[4], v[0]], [v[5], 0, -v[3], v[1]], [-v[4], v[3], 0, v[2]], [0, 0, 0, 0]])


def _exp(v: np.ndarray) -> np.ndarray:
    from scipy.linalg import expm

    return np.asarray(expm(_hat(v)))


def _twists(g: np.ndarray, g_rate: np.ndarray) -> np.ndarray:
    m = np.linalg.inv(g) @ g_rate
    return np.stack([m[:, 0, 3], m[:, 1, 3], m[:, 2, 3], m[:, 2, 1], m[:, 0, 2], m[:, 1, 0]], axis=1)


def test_rod_that_nothing_pushes_coasts() -> None:
    """(18): ġ_o = g_o η_o^, with the twist and not its rate."""
    data = ll.simulate(
        Rod(),
        BodyWave(amplitude=0.0),
        model=MacroContinuousSettings(cells=4),
        duration=0.03,
        step=0.01,
        initial={"twist": (0.3, -0.2, 0.1, 0, 0, 0), "orientation": (0.8, 0.0, 0.0, 0.6)},
    ).dataset
    velocity = quaternion_to_matrix(np.array([0.8, 0.0, 0.0, 0.6])) @ [0.3, -0.2, 0.1]
    assert data["base_position"].values[-1] == pytest.approx(0.03 * velocity, abs=1e-12)


def test_moving_the_world_changes_nothing() -> None:
    """Invariant 6: translations and turns about the vertical, with weight and drag."""
    model = MacroContinuous(ROD, LOADS)
    strain = tables(model)
    here = model.forward(*strain, TWIST, base_orientation=(0.8, 0.0, 0.6, 0.0))
    turned = np.array([np.cos(0.4), 0.0, 0.0, np.sin(0.4)])
    w, z = turned[0], turned[3]
    there = model.forward(
        *strain, TWIST, base_position=(3.0, -2.0, 5.0), base_orientation=(0.8 * w, -0.6 * z, 0.6 * w, 0.8 * z)
    )
    assert there.base_twist_rate == pytest.approx(here.base_twist_rate, rel=1e-9)
    assert there.internal_wrench == pytest.approx(here.internal_wrench, abs=1e-9)


def test_another_reference_section_changes_nothing() -> None:
    """Invariant 6: the same rod described from its tail, X' = l - X, with axes turned by half a turn about z."""
    half_turn, l = np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0]), 0.8
    rods = [
        Rod(strains="reissner", length=l, half_width=rows, half_height=0.05)
        for rows in (((0.0, 0.03), (l, 0.02)), ((0.0, 0.02), (l, 0.03)))
    ]
    end = PointWrench(abscissa=0.0, force=(0.3, 0.2, -0.1), torque=(0.01, 0.02, 0.03), frame="body")
    same = end.changed(abscissa=l, force=(-0.3, -0.2, -0.1), torque=(-0.01, -0.02, 0.03))
    settings = MacroContinuousSettings(cells=512)
    forth, back = (
        MacroContinuous(rod, (*LOADS[:2], load), settings=settings) for rod, load in zip(rods, (end, same), strict=True)
    )
    strain = tables(forth)
    from_head = forth.forward(*strain, TWIST, base_orientation=(0.8, 0.0, 0.6, 0.0))
    R, p = from_head.poses[-1, :9].reshape(3, 3), from_head.poses[-1, 9:]
    twist, rate = (values[-1] for values in _at_sections(forth, TWIST, from_head.base_twist_rate))
    turned = quaternion_to_matrix(np.array([0.8, 0.0, 0.6, 0.0])) @ R @ np.diag(half_turn[:3])
    reversed_strain = [-half_turn * values[::-1] for values in strain]
    from_tail = back.forward(
        *reversed_strain, half_turn * twist, base_position=p, base_orientation=matrix_to_quaternion(turned[None])[0]
    )
    assert from_tail.base_twist_rate == pytest.approx(half_turn * rate, rel=1e-7, abs=1e-7)
    assert from_tail.internal_wrench[::-1] == pytest.approx(-half_turn * from_head.internal_wrench, abs=1e-8)


def _at_sections(model: MacroContinuous, twist: np.ndarray, twist_rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """η and η̇ of all sections, with the strains of `tables`."""
    from limbless.mechanics.rod.magnus import adjoint_matrices
    from limbless.mechanics.rod.tables import RodShape

    shapes = model.shapes(*tables(model))
    A, swing = adjoint_matrices(shapes), RodShape.of(shapes).swing
    rate = twist_rate + RodShape.of(shapes).surge + np.array([_bracket(twist, s) for s in swing])
    return (A @ (twist + swing)[..., None])[..., 0], (A @ rate[..., None])[..., 0]


def test_line_is_space_with_components_held() -> None:
    """Invariant 9: axial data on a free and on a `line` base, and apart from both as one dimension."""
    waves, drag = Peristalsis(amplitude=0.3, wavelength=0.5, speed=0.4), Drag(along=0.7)
    rods = [
        Rod(strains="extensible-kirchhoff", base=base, half_width=((0.0, 0.03), (1.0, 0.02)))
        for base in ("free", "line")
    ]
    runs = [
        ll.simulate(rod, waves, drag, model=MacroContinuousSettings(cells=128), duration=0.3, step=0.01).dataset
        for rod in rods
    ]
    for name in ("base_position", "base_twist", "internal_wrench"):
        assert runs[0][name].values == pytest.approx(runs[1][name].values, abs=1e-13)
    now, k, c, t = runs[1].isel(time=-1), 2 * np.pi / 0.5, 0.4, 0.3
    nodes, weights = np.polynomial.legendre.leggauss(40)

    def beyond(place: float) -> tuple[float, float]:
        """Mass, and the force that it takes to move it with the head's acceleration 0, of all
        that lies beyond a place.
        """
        X, w = place + 0.5 * (1.0 - place) * (nodes + 1.0), 0.5 * (1.0 - place) * weights
        mass, phase = 1000.0 * np.pi * (0.03 - 0.01 * X) ** 2, k * (c * t - X)
        moved = 0.3 * c * (np.sin(k * c * t) - np.sin(phase))  # ∫ Γ̇ from the head
        pushed = 0.3 * k * c**2 * (np.cos(k * c * t) - np.cos(phase))  # ∫ Γ̈
        return float(w @ mass), float(w @ (mass * pushed + 0.7 * (float(now["base_twist"][0]) + moved)))

    mass, force = beyond(0.0)
    assert float(now["base_acceleration"][0]) == pytest.approx(-force / mass, abs=1e-6 * 0.3 * k * c**2)
    for place, wrench in zip(now["abscissa"].values[::16], now["internal_wrench"].values[::16, 0], strict=True):
        part = beyond(float(place))
        assert wrench == pytest.approx(part[0] * force / mass - part[1], abs=1e-6 * mass * 0.3 * k * c**2)


def test_mass_belongs_to_the_reference_length() -> None:
    """(44): stretched evenly with the head held, Λ_X = -m Γ̈ (l² - X²)/2 with m of the rod at rest."""
    rod = Rod(strains="reissner", base="fixed", length=0.7, half_width=0.02)
    model = MacroContinuous(rod)
    strain = np.tile([1.4, 0, 0, 0, 0, 0], (len(model.mesh.X), 1))
    found = model.forward(strain, 0 * strain, strain * [2.5 / 1.4, 1, 1, 1, 1, 1])
    m = 1000.0 * np.pi * 0.02**2
    assert found.internal_wrench[1:, 0] == pytest.approx(-2.5 * m * (0.7**2 - model.mesh.X[1:] ** 2) / 2, abs=1e-10)


def test_inertia_of_a_straight_rod_is_the_textbooks() -> None:
    """Invariant 7."""
    rod = Rod(length=0.7, half_width=0.02)
    model = MacroContinuous(rod)
    straight = np.tile([1.0, 0, 0, 0, 0, 0], (len(model.mesh.X), 1))
    M = model.forward(straight, 0 * straight, 0 * straight).inertia
    m, l, r = rod.total_mass, 0.7, 0.02
    assert np.allclose(M, M.T) and np.linalg.eigvalsh(M).min() > 0
    assert np.diag(M) == pytest.approx(
        [m, m, m, m * r**2 / 2, m * (l**2 / 3 + r**2 / 4), m * (l**2 / 3 + r**2 / 4)], rel=1e-12
    )
    assert M[1, 5] == pytest.approx(m * l / 2, rel=1e-12) and M[2, 4] == pytest.approx(-m * l / 2, rel=1e-12)


def test_spinning_rod_pulls_on_itself() -> None:
    """Invariant 14: Λ_X = ρA W² (l² - X²)/2 in a straight rod that spins about its held head."""
    rod, W = Rod(length=0.7, half_width=0.02, base="fixed"), 3.0
    model = MacroContinuous(rod)
    straight = np.tile([1.0, 0, 0, 0, 0, 0], (len(model.mesh.X), 1))
    found = model.internal_wrench(straight, 0 * straight, 0 * straight, (0, 0, 0, 0, 0, W), np.zeros(6))
    A = 1000.0 * np.pi * 0.02**2
    assert found.internal_wrench[1:, 0] == pytest.approx(0.5 * A * W**2 * (0.7**2 - model.mesh.X[1:] ** 2), abs=1e-10)


def test_spinning_helix_pulls_on_itself() -> None:
    """Invariant 14: constant strain and a rigid spin about the held head; the pull of all that
    lies beyond, in closed form.
    """
    rod, W, K = Rod(length=0.7, half_width=0.004, base="fixed"), np.array([0.4, -1.0, 3.0]), np.array([2.0, 1.0, 5.0])
    model = MacroContinuous(rod, settings=MacroContinuousSettings(cells=256))
    helix = np.tile([1.0, 0, 0, *K], (len(model.mesh.X), 1))
    found = model.internal_wrench(helix, 0 * helix, 0 * helix, (0, 0, 0, *W), np.zeros(6))
    k, hat = np.linalg.norm(K), np.array([[0, -K[2], K[1]], [K[2], 0, -K[0]], [-K[1], K[0], 0]])

    def place(X: float) -> np.ndarray:
        return (X * np.eye(3) + (1 - np.cos(k * X)) / k**2 * hat + (k * X - np.sin(k * X)) / k**3 * hat @ hat)[:, 0]

    nodes, weights = np.polynomial.legendre.leggauss(30)
    m, inertia = rod.inertia(np.zeros(1))[0, 0], np.diag(rod.inertia(np.zeros(1))[0, 3:])
    for n in (1, 100, 200):
        X = model.mesh.X[n]
        s, w = 0.5 * (0.7 - X) * (nodes + 1) + X, 0.5 * (0.7 - X) * weights
        force = -sum(q * m * np.cross(W, np.cross(W, place(x))) for q, x in zip(w, s, strict=True))
        turns = [np.eye(3) + np.sin(k * x) / k * hat + (1 - np.cos(k * x)) / k**2 * hat @ hat for x in s]
        torque = -sum(
            q
            * (
                m * np.cross(place(x) - place(X), np.cross(W, np.cross(W, place(x))))
                + np.cross(W, R @ inertia @ R.T @ W)
            )
            for q, x, R in zip(w, s, turns, strict=True)
        )
        R = found.poses[n, :9].reshape(3, 3)
        assert found.internal_wrench[n, :3] == pytest.approx(R.T @ force, abs=1e-7)
        assert found.internal_wrench[n, 3:] == pytest.approx(R.T @ torque, abs=1e-8)


def test_a_rigid_helix_falls_like_a_body() -> None:
    """Constant strain, free fall: the centre of mass accelerates with g and nothing acts inside."""
    model = MacroContinuous(Rod(length=0.7), Gravity())
    helix = np.tile([1.0, 0, 0, 1.5, 0.5, 2.0], (len(model.mesh.X), 1))
    found = model.forward(helix, 0 * helix, 0 * helix)
    assert found.base_twist_rate == pytest.approx([0, 0, -9.81, 0, 0, 0], abs=1e-9)
    assert np.abs(found.internal_wrench).max() < 1e-9


def test_order_four_along_the_body() -> None:
    """Invariant 10: four refinements, fitted slope."""
    cells = np.array([16, 32, 64, 128])
    found = [MacroContinuous(ROD, LOADS[:2], settings=MacroContinuousSettings(cells=int(n))) for n in (*cells, 1024)]
    rates = [model.forward(*tables(model), TWIST).base_twist_rate for model in found]
    errors = [np.abs(rate - rates[-1]).max() for rate in rates[:-1]]
    slope = -np.polyfit(np.log(cells), np.log(errors), 1)[0]
    assert 3.8 < slope < 4.3
    assert errors[2] < 2e-5 * np.abs(rates[-1]).max()


def test_order_four_in_time() -> None:
    steps = np.array([0.04, 0.02, 0.01, 0.005])
    ends = [
        ll.simulate(
            ROD,
            gait(),
            LOADS[:2],
            model=MacroContinuousSettings(cells=16),
            duration=0.4,
            step=float(h),
            record_every=0.4,
            initial={"twist": tuple(TWIST)},
        )
        .dataset["base_position"]
        .values[-1]
        for h in (*steps, 0.000625)
    ]
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert 3.7 < np.polyfit(np.log(steps), np.log(errors), 1)[0] < 4.4


def test_plane_is_space_with_components_held() -> None:
    """Invariant 9: a planar motion, with a free and with a planar base."""
    rods = [Rod(strains="planar", base=base) for base in ("free", "planar")]
    runs = [
        ll.simulate(rod, BodyWave(amplitude=0.3), Water(), model="macro-continuous", duration=0.3, step=0.01)
        for rod in rods
    ]
    for name in ("base_position", "base_twist", "internal_wrench"):
        assert runs[0].dataset[name].values == pytest.approx(runs[1].dataset[name].values, abs=1e-12)


def test_chain_of_slices_tends_to_the_rod() -> None:
    """Invariant 8: second order in 1/n, in water, for the acceleration of the base and the torque inside."""
    rod = Rod(strains="planar", length=1.0, half_width=0.03, half_height=0.05)
    wave = BodyWave(amplitude=0.4, growth=0.5, wavelength=1.2, ramp=0.0)
    t, errors = np.array([0.3]), []
    model = MacroContinuous(rod, Water(), settings=MacroContinuousSettings(cells=512))
    strain = [part[0] for part in rod_strain(rod, wave, t, model.mesh.X)]
    twist = np.array([-0.3, 0.1, 0.0, 0.0, 0.0, 0.2])
    exact = model.forward(*strain, twist)
    exact_rate = exact.base_twist_rate + np.array([*np.cross(twist[3:], twist[:3]), 0, 0, 0])
    for links in (10, 20, 40, 80):
        chain = rod.to_chain(links)
        # joint j turns by what the rod turns around it
        ends = np.arange(1, links) / links
        edges = np.concatenate([[0.0], 0.5 * (ends[1:] + ends[:-1]), [1.0]])
        heading = wave.sample(t, edges)
        joints = [np.diff(part[0, :, 0]) for part in heading]
        found = ll.NewtonEuler(chain, Water(points=8)).inverse(*joints, twist)
        errors.append(np.abs(found.base_acceleration - exact_rate).max())
    slope = -np.polyfit(np.log([10, 20, 40, 80]), np.log(errors), 1)[0]
    assert 1.8 < slope < 2.3


@pytest.mark.parametrize("added", ["paper", "consistent", "none"])
def test_water_in_the_form_of_the_spec(added: str) -> None:
    """Section 7: Ma beside M only where it multiplies η̇ and Ma (W x V) in the push, against M + Ma everywhere with
    `added_slice`.
    """
    rod, water = Rod(strains="universal", length=1.0, half_width=0.03, half_height=0.06), Water(added_mass=added)
    model = MacroContinuous(rod, water, settings=MacroContinuousSettings(cells=32))
    strain = [part[0] for part in strain_field(np.array([0.3]), model.mesh.X, (4, 5))]
    rate = model.forward(*strain, TWIST).base_twist_rate
    expected = _spec_rate(model, rod, water, strain, added)
    assert rate == pytest.approx(expected, rel=1e-9, abs=1e-9)


def _spec_rate(model: MacroContinuous, rod: Rod, water: Water, strain: list[np.ndarray], added: str) -> np.ndarray:
    from limbless.mechanics.rod.magnus import adjoint_matrices
    from limbless.mechanics.rod.tables import RodShape

    shapes, w = model.shapes(*strain), model.mesh.weight
    A, shape = adjoint_matrices(shapes), RodShape.of(shapes)
    swing = shape.swing
    eta = (A @ (TWIST + swing)[..., None])[..., 0]
    zeta = (A @ (shape.surge + np.array([_bracket(TWIST, s) for s in swing]))[..., None])[..., 0]
    M = rod.inertia(model.mesh.X)
    drag, extra = water.drag_coefficients(0.03, 0.06), water.added_coefficients(0.03, 0.06)
    Ma = np.array([*extra, 0.0, 0.0])
    need, total = np.zeros(6), np.zeros((6, 6))
    for k in range(len(w)):
        V, W = eta[k, :3], eta[k, 3:]
        n = np.hypot(V[1], V[2])
        F = -np.array(
            [drag[0] * abs(V[0]) * V[0], drag[1] * n * V[1], drag[2] * n * V[2], drag[3] * abs(W[0]) * W[0], 0, 0]
        )
        carried = M[k] * eta[k]
        if added == "consistent":
            carried = carried + Ma * eta[k]  # the rate of the slice's momentum, fluid included
        else:
            F[:3] -= Ma[:3] * np.cross(W, V)
        spin = np.concatenate([np.cross(W, carried[:3]), np.cross(W, carried[3:]) + np.cross(V, carried[:3])])
        need += w[k] * A[k].T @ ((M[k] + Ma) * zeta[k] + spin - F)
        total += w[k] * A[k].T @ np.diag(M[k] + Ma) @ A[k]
    return np.linalg.solve(total, -need)


def test_superposition() -> None:
    """Invariant 13: what a given acceleration of the head adds inside is linear in it."""
    model = MacroContinuous(ROD)
    strain = tables(model)
    a, b = np.arange(6.0), np.ones(6)
    wrench = [model.internal_wrench(*strain, TWIST, rate).internal_wrench for rate in (a, b, a + b, 0 * a)]
    assert wrench[2] - wrench[1] == pytest.approx(wrench[0] - wrench[3], abs=1e-9)
