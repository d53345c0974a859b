"""A tendon-driven spine: what must hold whatever the numbers are (spec of paper 004, section 12), and how wrong
input is answered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.control.gaits.tendon_paths import TipEight
from limbless.environments.point_wrench import PointWrench
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.mechanics.statics import potential_energy as kernels
from limbless.models.statics.spine_problem import FROM_PAPER, dense
from limbless.robots.tendon_spine import Tendon, Vertebra
from limbless.view.figures import names_for

HANGING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
STANDING = (np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0)
FREE = ll.SnakeNeck(stop_lateral=None, stop_vertical=None)
GRID = {"task": "grid", "gait": {"kind": "tension-grid", "largest": 0.1, "count": 2}}
LENGTHS = {
    "task": "path",
    "gait": {"kind": "tendon-path", "drives": "tendon-length", "table": [[0.0] + [0.16] * 4, [1.0] + [0.15] * 4]},
}
rng = np.random.default_rng


def neck(
    robot: Any = FREE, environment: Any = None, base_orientation: Any = HANGING, **settings: Any
) -> ll.TendonStatics:
    return ll.TendonStatics(
        robot,
        ll.Gravity() if environment is None else environment,
        settings=ll.TendonStaticsSettings(**settings),
        base_orientation=base_orientation,
    )


def slanted(twist: float | None = None) -> ll.TendonSpine:
    """Two segments: three tendons at 120 degrees to the middle, three to the tip, all of them
    slanted, and bent at rest.
    """
    v, random = 6, rng(3)
    vertebrae = tuple(
        Vertebra(
            length=0.02 + 0.001 * i,
            lateral_stiffness=0.05 - 0.003 * i,
            vertical_stiffness=0.06,
            twist_stiffness=twist,
            rest_lateral=0.03 * (i % 2),
            rest_vertical=-0.02,
            disk_mass=0.002 + 0.0003 * i,
        )
        for i in range(v)
    )
    tendons = []
    for c in range(6):
        angle = 2 * np.pi * c / 3 + 0.3 + 0.1 * np.arange(v + 1) + 0.05 * random.standard_normal(v + 1)
        radius = 0.011 - 0.0005 * np.arange(v + 1)
        tendons.append(
            Tendon(
                holes=tuple(zip(radius * np.cos(angle), radius * np.sin(angle), strict=True)),
                anchor=3 if c < 3 else None,
            )
        )
    return ll.TendonSpine(vertebrae=vertebrae, tendons=tuple(tendons))


# Equations


@pytest.mark.parametrize(("twist", "form"), [(None, "energy"), (0.08, "energy"), (0.08, "moment")])
@pytest.mark.parametrize("kinematics", ["arc", "hinge"])
def test_residual_and_hessian_are_the_derivatives_of_the_energy(
    twist: float | None, form: Any, kinematics: str
) -> None:
    """For both places of the twist: halved about the bend, and at the outer disk (whose minimum is
    where the moment form starts).
    """
    model = ll.TendonStatics(
        slanted(twist).changed(kinematics=kinematics),
        [ll.Gravity(acceleration=(1.0, 2.0, -9.0)), ll.Buoyancy()],
        settings=ll.TendonStaticsSettings(tendon_stiffness=800.0, form=form),
        base_orientation=HANGING,
    )
    shape, n = model.spine.stiffness.shape, model.spine.stiffness.size
    q = 0.2 * rng(1).standard_normal(shape)
    loads = model.loads(np.array([0.11, 0.3, 0.05, 0.2, 0.1, 0.4]), tip_force=(0.02, -0.05, 0.03))
    loads = loads._replace(
        elastic=np.array([500.0, 0.0, 0.0, 0.0, 0.0, 900.0]), command=np.array([0.06, 0.3, 0.05, 0.2, 0.1, 0.5])
    )
    r, memory = np.zeros(n), model.problem(loads).iteration.hessian

    def energy(q: np.ndarray) -> float:
        posture = model.posture_at(q)
        return kernels.energy(model.spine, loads, q, posture)

    def residual(q: np.ndarray) -> np.ndarray:
        r = np.zeros(n)
        posture = model.posture_at(q)
        kernels.energy_gradient(model.spine, loads, q, posture, r, memory)
        return r

    posture = model.posture_at(q)
    kernels.energy_gradient(model.spine, loads, q, posture, r, memory)
    H, h = dense(*memory[:3]), 1e-5
    for j in range(n):
        step = np.zeros(n)
        step[j] = h
        step = step.reshape(shape)
        slope = (8 * (energy(q + step) - energy(q - step)) - energy(q + 2 * step) + energy(q - 2 * step)) / (12 * h)
        assert r[j] == pytest.approx(slope, abs=2e-10)
        column = (8 * (residual(q + step) - residual(q - step)) - residual(q + 2 * step) + residual(q - 2 * step)) / (
            12 * h
        )
        assert H[:, j] == pytest.approx(column, abs=2e-9)
    assert np.abs(H - H.T).max() == 0.0


def test_tip_rates_are_differences_of_the_tip() -> None:
    model, h = ll.TendonStatics(slanted(0.08)), 1e-6
    q = 0.2 * rng(2).standard_normal(model.spine.stiffness.shape)
    _, J, lever = model.levers(q)

    def at(q: np.ndarray) -> np.ndarray:
        """Place and yaw, pitch, roll by another library's Euler angles, and lengths."""
        posture = model.posture_at(q)
        z, x, y = posture.origin[-1][[2, 0, 1]]
        heading, down, roll = Rotation.from_matrix(FROM_PAPER @ posture.rotation[-1] @ FROM_PAPER.T).as_euler("ZYX")
        return np.array([z, -x, -y, heading, -down, roll, *posture.total])

    assert model.levers(q)[0] == pytest.approx(at(q)[:6], abs=1e-12)
    for j in range(q.size):
        step = np.zeros(q.size)
        step[j] = h
        change = (at(q + step.reshape(q.shape)) - at(q - step.reshape(q.shape))) / (2 * h)
        assert np.concatenate([J[:, j], lever[j]]) == pytest.approx(change, abs=1e-9)


@pytest.mark.parametrize("twist", [None, 0.08])
def test_moment_form_in_a_vertebra_feels_the_tension_of_its_own_chords(twist: float | None) -> None:
    """Tendon forces telescope: without other loads the moment about a disk is that of the chords that leave it."""
    model = ll.TendonStatics(slanted(twist), settings=ll.TendonStaticsSettings(form="moment"))
    q = 0.2 * rng(4).standard_normal(model.spine.stiffness.shape)
    tension, r = np.array([0.3, 0.1, 0.2, 0.5, 0.2, 0.3]), np.zeros(q.size)
    posture = model.posture_at(q)
    kernels.moments(model.spine, model.loads(tension), q, posture, False, r)
    for i, row in enumerate(r.reshape(q.shape)):
        R, d = posture.bones.rotation[i], posture.bones.offset[i]
        M = np.zeros(3)
        for c in range(6):
            if i < model.spine.end[c]:
                outer, inner = d + R @ model.spine.holes[i + 1, c], model.spine.holes[i, c]
                M += tension[c] * np.cross(outer, (inner - outer) / np.linalg.norm(inner - outer))
        strain = model.spine.stiffness[i] * (q[i] - model.spine.rest[i])
        elastic = np.array([-strain[1], strain[0], 0.0]) + (R @ [0.0, 0.0, strain[2]] if twist else 0.0)
        assert row == pytest.approx(((elastic - M) * [-1, 1, 1])[[1, 0, 2]][: len(row)], abs=1e-15)


# Symmetries and limits


@pytest.mark.parametrize("form", ["energy", "moment"])
def test_straight_without_load(form: str) -> None:
    for tension in (0.0, 0.6):
        found = neck(environment=(), form=form).solve(np.full(4, tension))
        assert found.tip_in_base == pytest.approx([0.16, 0.0, 0.0], abs=1e-14)


def test_almost_straight_loses_no_digits() -> None:
    """A bend b of the first vertebra moves its outer disk by l b/2 and all beyond by b, however small it is."""
    model, q = neck(environment=()), np.zeros((8, 2))
    for b in (1e-3, 1e-6, 1e-9, 1e-12):
        q[0, 0] = b
        posture = model.posture_at(q)
        first, total = model.spine.length[0], model.spine.length.sum()
        assert posture.origin[1:, 0] / b == pytest.approx(np.cumsum(model.spine.length) - 0.5 * first, rel=1e-6)
        assert posture.origin[-1, 2] == pytest.approx(total, rel=b)


def test_mirrored_tensions_mirror_the_tip() -> None:
    right, left = neck().solve([0.5, 0.3, 0.0, 0.0]).tip_in_base, neck().solve([0.0, 0.0, 0.3, 0.5]).tip_in_base
    assert right == pytest.approx(left * [1, -1, -1], abs=1e-13)


def test_turning_base_gravity_and_force_together_changes_nothing() -> None:
    random = rng(5)
    turn = random.standard_normal(4)
    turn /= np.linalg.norm(turn)
    R = quaternion_to_matrix(turn)
    gravity, force = np.array([1.0, -3.0, -9.0]), np.array([0.02, 0.03, -0.01])
    plain = ll.TendonStatics(slanted(), ll.Gravity(acceleration=tuple(gravity))).solve(np.full(6, 0.2), tip_force=force)
    turned = ll.TendonStatics(
        slanted(), ll.Gravity(acceleration=tuple(R @ gravity)), base_orientation=turn, base_position=(1, 2, 3)
    ).solve(np.full(6, 0.2), tip_force=R @ force)
    assert turned.bend == pytest.approx(plain.bend, abs=1e-12)
    assert turned.tip_position == pytest.approx(R @ plain.tip_position + [1, 2, 3], abs=1e-12)
    assert turned.tip_compliance == pytest.approx(R @ plain.tip_compliance @ R.T, abs=1e-10)


def test_neutral_fluid_reproduces_weightlessness() -> None:
    vertebra = Vertebra(length=0.02, joint_mass=0.004, disk_mass=0.0, volume=4e-6)
    robot = FREE.build().changed(vertebrae=(vertebra,) * 8)
    tension = [0.5, 0.2, 0.0, 0.0]
    afloat = ll.TendonStatics(robot, [ll.Gravity(), ll.Buoyancy(density=1000.0)]).solve(tension)
    assert afloat.tip_in_base == pytest.approx(ll.TendonStatics(robot).solve(tension).tip_in_base, abs=1e-14)


def test_sag_in_water_and_at_three_quarters_immersed() -> None:
    for immersed, sag in ((1.0, 18.08e-3), (0.75, 42.31e-3)):
        rest = ll.TendonStatics(FREE, [ll.Gravity(), ll.Buoyancy(immersed=immersed)]).solve(np.zeros(4))
        assert -rest.tip_in_base[2] == pytest.approx(sag, abs=5e-6)


def test_reciprocity_and_sensitivities_by_differences() -> None:
    model, tension = ll.TendonStatics(slanted(0.08), ll.Gravity()), np.array([0.3, 0.1, 0.2, 0.25, 0.2, 0.3])
    found = model.solve(tension)
    assert found.tip_compliance == pytest.approx(found.tip_compliance.T, abs=1e-13)
    assert found.length_per_tension == pytest.approx(found.length_per_tension.T, abs=1e-14)
    assert found.length_per_tip_force == pytest.approx(-found.tip_per_tension.T, abs=1e-14)
    h = 1e-5
    for c in range(6):
        pull = h * np.eye(6)[c]
        above, below = model.solve(tension + pull), model.solve(tension - pull)
        assert found.tip_per_tension[:, c] == pytest.approx(
            (above.tip_position - below.tip_position) / (2 * h), abs=1e-8
        )
    for axis in range(3):
        push = h * np.eye(3)[axis]
        above, below = model.solve(tension, tip_force=push), model.solve(tension, tip_force=-push)
        assert found.tip_compliance[:, axis] == pytest.approx(
            (above.tip_position - below.tip_position) / (2 * h), abs=1e-8
        )
    stiff = [
        one.changed(lateral_stiffness=one.lateral_stiffness + 1e-6) if i == 2 else one
        for i, one in enumerate(model.robot.vertebrae)
    ]
    other = model.changed(robot=model.robot.changed(vertebrae=tuple(stiff))).solve(tension)
    assert found.tip_per_stiffness[:, 2, 0] == pytest.approx((other.tip_position - found.tip_position) / 1e-6, abs=1e-5)


def test_any_start_reaches_the_same_posture() -> None:
    model, random = neck(), rng(7)
    reference = model.solve([0.5, 0.4, 0.0, 0.0])
    for _ in range(20):
        found = model.solve([0.5, 0.4, 0.0, 0.0], start=random.uniform(-0.3, 0.3, (8, 2)))
        assert found.q == pytest.approx(reference.q, abs=1e-10)


def test_a_standing_neck_falls() -> None:
    found = neck(base_orientation=STANDING).solve(np.zeros(4))
    assert np.linalg.norm(found.tip_in_base[1:]) > 0.1 and found.min_eigenvalue > 0.0
    straight = neck(base_orientation=STANDING)
    posture = straight.posture_at(np.zeros((8, 2)))
    loads = straight.loads(np.zeros(4))
    H = straight.problem(loads).iteration.hessian
    kernels.energy_gradient(straight.spine, loads, np.zeros((8, 2)), posture, np.zeros(16), H)
    assert np.linalg.eigvalsh(dense(*H[:3]))[0] == pytest.approx(-0.03154652578884, abs=1e-11)


def test_hinges() -> None:
    for tension, tip in ((0.7, 46.78e-3), (1.2, 75.79e-3)):
        found = neck(FREE.changed(kinematics="hinge")).solve([tension, 0.0, 0.0, 0.0])
        assert -found.tip_in_base[1] == pytest.approx(tip, abs=5e-6)


def test_pulling_all_tendons_softens_and_holding_their_lengths_stiffens() -> None:
    model = neck()
    soft = [1e3 * model.solve(np.full(4, t)).tip_compliance[1, 1] for t in (0.0, 0.5, 1.0, 2.5)]
    assert soft == pytest.approx([551.0, 568.0, 587.0, 650.0], abs=1.0)
    held = neck(tendon_stiffness=2000.0)
    slack = held.solve(length=np.full(4, 0.16 - 0.5 / 2000.0))  # half a newton in each
    assert 1e3 * slack.tip_compliance[1, 1] == pytest.approx(278.0, abs=1.5)


def test_elastic_tendons_pull_by_their_stretch() -> None:
    model = neck(tendon_stiffness=2000.0)
    found = model.solve(length=[0.150, 0.16, 0.16, 0.20])
    stretch = found.tendon_length - [0.150, 0.16, 0.16, 0.20]
    assert found.proximal_tension == pytest.approx(np.maximum(2000.0 * stretch, 0.0), abs=1e-9)
    assert found.proximal_tension[3] == 0.0
    assert model.solve(found.proximal_tension).q == pytest.approx(found.q, abs=1e-9)


def test_tip_moment_by_its_closed_form() -> None:
    """Without other loads every vertebra carries the same moment about z."""
    model = ll.TendonStatics(FREE)
    plane = model.solve(np.zeros(4), tip_moment=(0.0, 0.0, 0.004))
    assert plane.bend[:, 0] == pytest.approx(0.004 / model.spine.stiffness[:, 0], abs=1e-12)


# Friction and stops


def test_friction_takes_from_a_pulled_tendon_and_gives_to_a_released_one() -> None:
    for friction in (0.1, 0.3, "gautreau2024"):
        model = neck(friction=friction)
        pulled, released = (model.solve([0.6, 0.3, 0.0, 0.0], slip=slip).tension[:, :2] for slip in (1.0, -1.0))
        assert (np.diff(pulled, axis=0) < 0.0).all() and (np.diff(released, axis=0) > 0.0).all()
    smooth, rough = neck().solve([0.6, 0.3, 0.0, 0.0]), neck(friction=1e-9).solve([0.6, 0.3, 0.0, 0.0])
    assert rough.q == pytest.approx(smooth.q, abs=1e-9)


def test_friction_is_the_capstan_for_a_symmetric_bend() -> None:
    """One disk between two equal chords that meet under an angle d: F2/F1 = (1 - mu sin(d/2))/(1 + mu sin(d/2))."""
    from limbless.mechanics.algebra.vectors import Vector

    for mu, d in ((0.2, 0.3), (0.5, 1.0)):
        before = Vector(np.sin(d / 2), 0.0, -np.cos(d / 2))
        after = Vector(np.sin(d / 2), 0.0, np.cos(d / 2))
        ratio = kernels.friction_ratio(mu, 1.0, before, after)
        assert ratio == pytest.approx((1 - mu * np.sin(d / 2)) / (1 + mu * np.sin(d / 2)), rel=1e-14)
        assert ratio == pytest.approx(np.exp(-mu * d), rel=0.02)
        assert kernels.friction_ratio(mu, -1.0, before, after) == pytest.approx(1 / ratio, rel=1e-14)


def test_given_at_the_tip_the_tension_is_found_there() -> None:
    found = neck(friction=0.2, tension_at="tip").solve([0.5, 0.0, 0.0, 0.0])
    assert found.distal_tension[0] == pytest.approx(0.5, abs=1e-14) and found.proximal_tension[0] > 0.51
    back = neck(friction=0.2).solve([found.proximal_tension[0], 0.0, 0.0, 0.0])
    assert back.q == pytest.approx(found.q, abs=1e-10)


def test_a_tendon_that_is_let_go_a_little_sticks_before_it_slides_back() -> None:
    """Pulled, it slides (slip 1); a little less tension only turns the friction round, and nothing moves; far less,
    it slides back (-1).
    """
    pulls = np.array([0.3, 0.299, 0.295, 0.1])
    pulled, less, lesser, back = neck(ll.SnakeNeck(count=3), friction=0.3).path(pulls[:, None] * [1.0, 0.0, 0.0, 0.0])
    length = [one.tendon_length[0] for one in (pulled, less, lesser, back)]
    assert pulled.slip[0] == 1.0 and 1.0 > less.slip[0] > lesser.slip[0] > -1.0 and back.slip[0] == -1.0
    assert length[:3] == pytest.approx([length[0]] * 3, abs=1e-10) and length[3] > length[0] + 1e-4
    assert less.distal_tension[0] / less.proximal_tension[0] > pulled.distal_tension[0] / pulled.proximal_tension[0]
    assert back.distal_tension[0] > back.proximal_tension[0]


def test_a_closed_path_with_friction_costs_work_and_without_it_none() -> None:
    s = np.linspace(0.0, 2.0 * np.pi, 60)
    pull = np.stack([0.4 + 0.2 * np.cos(s), 0.3 + 0.2 * np.sin(s), 0 * s, 0 * s], axis=1)
    lost = {}
    for friction in (None, 0.2):
        found = neck(friction=friction).path(np.concatenate([pull, pull[1:]]))[59:]
        length, tension = (
            np.array([one.tendon_length for one in found]),
            np.array([one.proximal_tension for one in found]),
        )
        lost[friction] = -(0.5 * (tension[1:] + tension[:-1]) * np.diff(length, axis=0)).sum()
    assert abs(lost[None]) < 1e-9 and lost[0.2] > 1e-4


@pytest.mark.parametrize("load", [(1.2, 0.0, 0.0, 0.0), (0.0, 0.0, 1.2, 0.0), (1.0, 0.9, 0.0, 0.0)])
def test_stops_are_the_bound_constrained_minimum(load: tuple) -> None:
    model = neck(ll.SnakeNeck(), [ll.Gravity(), ll.Buoyancy()])
    found, loads = model.solve(load), model.loads(np.array(load))
    r, H = np.zeros(16), model.problem(loads).iteration.hessian

    def energy(x: np.ndarray) -> tuple[float, np.ndarray]:
        q = x.reshape(8, 2)
        posture = model.posture_at(q)
        kernels.energy_gradient(model.spine, loads, q, posture, r, H)
        return 1e3 * kernels.energy(model.spine, loads, q, posture), 1e3 * r

    bounds = list(zip(model.spine.low.ravel(), model.spine.high.ravel(), strict=True))
    other = minimize(
        energy,
        np.zeros(16),
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 5000, "maxls": 100},
    )
    assert found.q.ravel() == pytest.approx(other.x, abs=1e-8)
    assert (found.q <= model.spine.high).all() and (found.q >= model.spine.low).all()
    assert found.held.any()
    assert (found.stop_moment * found.bend <= 0.0).all() and (found.stop_moment[~found.held] == 0.0).all()


def test_stops_with_moment_form_and_friction() -> None:
    for options in ({"form": "moment"}, {"friction": 0.2}):
        model = neck(ll.SnakeNeck(), **options)
        found = model.solve([1.2, 0.0, 0.0, 0.0])
        assert found.held.any() and (np.abs(found.q) <= model.spine.high).all() and found.residual < 1e-12


# Inverse


def test_inverse_undoes_forward() -> None:
    model = neck(ll.SnakeNeck())
    for u in ((0.4, -0.3), (-0.5, 0.2), (0.0, 0.0), (1.2, 0.3)):
        tension = np.array([max(u[0], 0), max(u[1], 0), max(-u[1], 0), max(-u[0], 0)])
        found = model.inverse(model.solve(tension).tip_in_base[None, 1:])
        assert found.tension[0] == pytest.approx(tension, abs=1e-8) and found.reached.all()


def test_the_low_tension_branch_is_found_and_another_on_request() -> None:
    model = neck()
    low = model.inverse([[-0.03, -0.01]])
    assert low.tension[0, :2] == pytest.approx([0.4498, 0.2096], abs=1e-4)
    curled = model.inverse([[-0.03, -0.01]], start=[2.04, 1.63, 0.0, 0.0])
    assert curled.tension[0, :2] == pytest.approx([2.04, 1.63], abs=0.03) and curled.reached.all()


def test_out_of_reach_is_answered_with_the_nearest_and_does_not_spoil_what_follows() -> None:
    found = neck(ll.SnakeNeck()).inverse([[-0.03, 0.0], [-0.115, 0.02], [-0.02, 0.0]], largest_tension=1.0)
    assert found.reached.tolist() == [True, False, True]


@pytest.mark.parametrize(
    ("target", "largest", "stops", "state"),
    [
        ((-0.14, 0.03), 2.5, False, "free-free"),
        ((-0.1, -0.1), 2.5, False, "free-free"),
        ((-0.115, 0.02), 1.0, True, "high-free"),
        ((0.01, 0.12), 2.5, False, "free-low"),
        ((-0.09, -0.09), 1.0, True, "high-high"),
        ((-0.12, 0.0), 2.5, False, "free-slack"),
    ],
)
def test_the_nearest_point_is_first_order_optimal(target: tuple, largest: float, stops: bool, state: str) -> None:
    """Slope of half the squared distance by signed tensions: none where free, outward at a bound, uphill on both
    sides of a slack pair.
    """
    model = neck(ll.SnakeNeck(), stops=stops)
    found = model.inverse([target], largest_tension=largest)
    miss = found.tip[0] - target
    rates = (model.base_rotation.T @ found.equilibria[0].tip_per_tension)[1:]
    scale = np.linalg.norm(rates) * np.linalg.norm(miss)
    assert not found.reached.any() and np.linalg.norm(miss) > 0.02
    for (first, second), expected in zip(model.robot.pairs, state.split("-"), strict=True):
        u = found.tension[0, first] - found.tension[0, second]
        above, below = rates[:, first] @ miss / scale, -rates[:, second] @ miss / scale
        if expected == "free":
            assert 0.0 < abs(u) < largest and abs(above if u > 0.0 else below) < 1e-8
        else:
            assert {
                "high": u == largest and above < -0.01,
                "low": u == -largest and below > 0.01,
                "slack": u == 0.0 and above > 0.01 and below < -0.01,
            }[expected]


def test_the_nearest_point_where_a_stop_is_met() -> None:
    """There the slope jumps: no neighbour is nearer."""
    model = neck(ll.SnakeNeck())
    found = model.inverse([[0.2, 0.01]])
    assert found.equilibria[0].held.sum() == 8
    for angle in np.arange(16) * np.pi / 8:
        pull = found.tension[0] + 1e-3 * np.array([0.0, 0.0, -np.sin(angle), -np.cos(angle)])
        assert np.linalg.norm(model.solve(pull).tip_in_base[1:] - [0.2, 0.01]) >= found.error[0] - 1e-9


def test_tensions_stay_below_the_range_of_the_sensors() -> None:
    stiff = FREE.changed(count=2, first_stiffness=1.0, last_stiffness=1.0)
    far = neck(stiff, ()).inverse([[-0.01, 0.0]])
    assert far.tension.max() == pytest.approx(2.5, abs=1e-6) and not far.reached.any()


def test_inverse_with_friction_and_in_the_moment_form() -> None:
    targets = np.array([[-0.01, 0.005], [-0.02, 0.008], [-0.01, 0.005]])
    for options in ({"friction": 0.2}, {"form": "moment"}):
        found = neck(**options).inverse(targets)
        assert found.error.max() < 1e-8
    rubbed = neck(friction=0.2).inverse(targets).tension
    assert rubbed[0, 0] > rubbed[2, 0] + 1e-3, "it takes more to pull to a place than to hold it when let back"


def test_redundant_tendons() -> None:
    model = neck(ll.SnakeNeck())
    least = model.inverse([[-0.03, -0.01]], prefer="tension")
    pair = model.inverse([[-0.03, -0.01]])
    assert least.reached.all() and (least.tension**2).sum() <= (pair.tension**2).sum() + 1e-12
    soft = model.inverse([[-0.02, 0.0]], prefer="stiffness", stiffness=1.7)
    assert 1.0 / soft.equilibria[0].tip_compliance[1, 1] == pytest.approx(1.7, rel=1e-3) and soft.reached.all()
    for prefer in ("tension", "work"):
        far = model.inverse([[-0.14, 0.03]], prefer=prefer, largest_tension=1.0)
        assert far.error[0] <= model.inverse([[-0.14, 0.03]], largest_tension=1.0).error[0] + 1e-9, (
            "pairs are a special case"
        )


def positive_work(before: Any, after: Any) -> float:
    """What the actuators give between two equilibria, J."""
    mean = 0.5 * (before.proximal_tension + after.proximal_tension)
    return float(np.maximum(mean * (before.tendon_length - after.tendon_length), 0.0).sum())


@pytest.mark.parametrize(
    ("robot", "targets"),
    [
        (ll.SnakeNeck(), [[-0.01, 0.0], [-0.03, -0.01], [-0.02, 0.015], [0.02, 0.01]]),
        (slanted(), [[0.01, 0.0], [0.02, 0.008], [0.005, 0.015]]),
    ],
)
def test_no_other_tensions_on_the_target_take_less_work(robot: Any, targets: list) -> None:
    """Along the null space of the tip: tendons are pulled more (or less, if they pull), and the tip
    is put back on its target.
    """
    model, random = neck(robot), rng(9)
    found = model.inverse(targets, prefer="work")
    assert found.error.max() < 1e-7
    for point in range(1, len(targets)):
        before, there, tension = found.equilibria[point - 1], found.equilibria[point], found.tension[point]
        least, tried = positive_work(before, there), 0
        for size in (1e-3, 1e-2, 0.1):
            for _ in range(30):
                change = size * random.standard_normal(len(tension))
                pull = np.maximum(tension + np.where(tension > 1e-9, change, np.abs(change)), 0.0)
                for _ in range(9):
                    other = model.solve(pull, start=there.q)
                    miss = other.tip_in_base[1:] - found.tip[point]
                    rates = (model.base_rotation.T @ other.tip_per_tension)[1:]
                    pull = np.maximum(pull - np.linalg.pinv(rates) @ miss, 0.0)
                if np.linalg.norm(miss) < 1e-11 and np.abs(other.proximal_tension - tension).max() > 0.1 * size:
                    tried += 1
                    # J: the weight of tension that makes the choice unique
                    lighter = 1e-9 * (tension @ tension - pull @ pull)
                    assert positive_work(before, other) > least + min(lighter, 0.0) - 1e-11
        assert tried > 20


def test_in_space_with_six_tendons() -> None:
    model = ll.TendonStatics(slanted(), ll.Gravity())
    there = model.solve([0.3, 0.1, 0.0, 0.2, 0.4, 0.1])
    found = model.inverse(there.tip_in_base[None], ("x", "y", "z"), prefer="tension")
    assert found.reached.all() and (found.tension**2).sum() <= 0.31 + 1e-9


def test_design_gradient_and_what_it_saves() -> None:
    from limbless.models.statics.routing_design import Consumption

    gait = TipEight(points=13)
    targets = gait.sample(gait.instants(), np.zeros(0)).value[:, 1:]
    model = neck(ll.SnakeNeck())
    consumption = Consumption(model, targets)
    factors = 1.0 + 0.1 * rng(0).uniform(-1.0, 1.0, consumption.size)
    _, gradient = consumption(factors)
    assert consumption.size >= 16
    h = 1e-4
    for j in range(0, consumption.size, 3):
        e = h * np.eye(consumption.size)[j]
        near, far = (consumption(factors + k * e)[0] - consumption(factors - k * e)[0] for k in (1, 2))
        assert gradient[j] == pytest.approx((8 * near - far) / (12 * h), abs=1e-6 * np.abs(gradient).max())
    found = model.design(targets, steps=10)
    assert found.saved > 0.2
    assert found.robot.values("lateral_stiffness").sum() == pytest.approx(model.robot.values("lateral_stiffness").sum())
    again = model.changed(robot=found.robot).inverse(targets)
    length = np.array([one.tendon_length for one in again.equilibria])
    steps = -(0.5 * (again.tension[1:] + again.tension[:-1]) * np.diff(length, axis=0)).sum(axis=1)
    assert np.maximum(steps, 0.0).sum() == pytest.approx(found.after, rel=1e-9)


def test_a_design_with_fewer_freedoms_saves_less() -> None:
    """Stiffness alone keeps every hole; with no sum of stiffnesses to keep, more is saved. Factors
    stay within their bounds.
    """
    model = neck(ll.SnakeNeck(count=2, stop_lateral=None, stop_vertical=None))
    reached = model.path(np.linspace(0.05, 0.2, 3)[:, None] * [1.0, 0.5, 0.0, 0.0])
    targets = [one.tip_in_base[1:] for one in reached]
    kept, soft = (model.design(targets, routing=False, keep_compliance=keep, steps=5) for keep in (True, False))
    assert kept.robot.tendons == model.robot.tendons and len(kept.factors) == 4
    assert kept.robot.values("lateral_stiffness").sum() == pytest.approx(model.robot.values("lateral_stiffness").sum())
    assert kept.before == pytest.approx(soft.before) and soft.after < kept.after <= kept.before
    assert soft.factors.min() == pytest.approx(0.5) and soft.factors.max() <= 1.2
    with pytest.raises(ll.SimulationError, match="point 1 of the trajectory is out of reach"):
        model.design([targets[0], [0.5, 0.5]], routing=False)


@pytest.mark.parametrize("form", ["energy", "moment"])
def test_a_workspace_has_each_equilibrium_in_its_place(form: str) -> None:
    """However the grid is walked through: the tip at [i, j] is that of the tensions at [i, j], found alone."""
    model = neck(ll.SnakeNeck(count=2), form=form)
    found = model.workspace(0.2, 3)
    for i, j in np.ndindex(3, 3):
        alone = model.solve(found.tension[i, j])
        assert found.tip[i, j] == pytest.approx(alone.tip_in_base, abs=1e-9) and found.q[i, j] == pytest.approx(
            alone.q, abs=1e-9
        )
    pull = found.tension[:, :, [0, 1]] - found.tension[:, :, [3, 2]]
    assert pull[:, 1, 0] == pytest.approx([-0.2, 0.0, 0.2]) and pull[1, :, 1] == pytest.approx([-0.2, 0.0, 0.2])


def test_a_target_is_reached_against_a_tip_moment() -> None:
    model = neck(ll.SnakeNeck(count=3), (ll.Gravity(), PointWrench(torque=(0.0, 0.0, 0.004))))
    target = model.solve([0.1, 0.0, 0.05, 0.0]).tip_in_base[1:]
    found = model.inverse([target])
    assert found.reached.all() and found.tension[0] == pytest.approx([0.1, 0.0, 0.05, 0.0], abs=1e-5)


def test_an_interrupted_path_keeps_its_points() -> None:
    shares: list[float] = []

    def stop(share: float) -> None:
        shares.append(share)
        if len([one for one in shares if one > 0.0]) == 2:
            raise KeyboardInterrupt

    found = ll.run("neck-friction", {"gait.points": 5}, progress=lambda share, *_: stop(share))
    assert found.status == "interrupted" and found.dataset.sizes["point"] == 2


def test_pulleys_wind_up_what_the_tendons_lose() -> None:
    model = neck()
    found = model.solve([0.5, 0.0, 0.0, 0.0])
    angle = model.pulley_angles(found.tendon_length)
    assert angle[0] == pytest.approx((0.16 - found.tendon_length[0]) / 0.01) and angle[0] > 0.0 > angle[3]


# Wrong input


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda m: m.solve([-0.1, 0, 0, 0]), "can only pull; got -0.1 N for 'right'"),
        (lambda m: m.solve([0.1, 0]), "tension must have shape"),
        (lambda m: m.solve([np.nan, 0, 0, 0]), "tension must be finite"),
        (lambda m: m.solve(), "either tension or length"),
        (lambda m: m.solve(length=[0.1] * 4), "give tendon_stiffness"),
        (lambda m: m.solve([0.1] * 4, slip=2.0), "slip must lie between"),
        (lambda m: m.inverse([[0.1, 0.1, 0.1]]), "targets must be finite numbers of shape"),
        (lambda m: m.inverse([[0.1]], ["w"]), "follow: name each"),
        (lambda m: m.inverse([[0.1] * 3], ["x", "y", "z"]), "as many signed tensions"),
        (lambda m: m.inverse([[0.0, 0.0]], largest_tension=0.0), "largest_tension must be greater"),
        (lambda m: m.inverse([[0.0, 0.0]], prefer="stiffness"), "needs a wanted tip stiffness"),
        (lambda m: m.workspace(-1.0), "largest tension greater than 0"),
        (lambda m: m.path([0.1, 0.1]), "a path has shape"),
        (lambda m: m.changed(friction=1.5), "friction must lie between 0 and below 1"),
        (lambda m: m.changed(form="other"), "must be 'energy' or 'moment'"),
        (lambda m: m.changed(base_orientation=(2, 0, 0, 0)), "unit quaternion"),
        (lambda m: m.changed(tendon_stiffness=-1.0), "tendon_stiffness must be greater"),
        (lambda m: m.changed(environment=(ll.Gravity(active=((0, 1),)),)), "`active` time windows"),
        (lambda m: m.changed(environment=(ll.Water(),)), "takes gravity, buoyancy and point-wrench"),
        (lambda m: m.changed(environment=(PointWrench(frame="body"),)), "frame"),
        (lambda m: m.changed(environment=(PointWrench(body=9),)), "`body` 9 is no disk"),
        (
            lambda m: m.changed(environment=(PointWrench(body=1, torque=(0, 0, 0.1)),)),
            "a torque acts on the last disk only",
        ),
        (
            lambda m: m.changed(tendon_stiffness=500.0).solve(length=[0.1, 0.1, 0.0, 0.1]),
            "length must be greater than 0 m; got 0 for 'up'",
        ),
        (
            lambda m: m.inverse([[0.0, 0.0]], prefer="ease"),
            "prefer must be antagonists, tension, work or stiffness; got 'ease'",
        ),
        (
            lambda m: m.changed(friction=0.1).inverse([[0.0, 0.0]], prefer="work"),
            "need the energy form without friction",
        ),
        (
            lambda m: ll.TendonStatics(slanted()).workspace(0.1),
            "6 tendons with 13 tensions each has 4.83e+06 postures, more than 1000000",
        ),
        (
            lambda m: m.changed(friction=0.1).design([[0.0, 0.0]]),
            "design needs the energy form, no friction and as many",
        ),
        (lambda m: ll.TendonStatics(slanted()).pulley_angles([0.1] * 6), "no pulley_radius"),
        (lambda m: m.changed(friction=0.1).solve([0.1] * 4).tip_compliance, "sensitivities belong to the energy form"),
        (lambda m: ll.TendonStatics(ll.KhalilEel()), "takes a tendon spine"),
    ],
)
def test_wrong_input_is_refused_in_words(call: Any, told: str) -> None:
    with pytest.raises(ll.InputError) as refused:
        call(neck())
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"tendons": (Tendon(holes=((0.02, 0.0),)),), "pairs": ()}, "outside the disk"),
        ({"tendons": (Tendon(holes=((0.0, 0.0),) * 3),), "pairs": ()}, "one per disk: 9"),
        ({"tendons": (Tendon(holes=((0.0, 0.0),), anchor=9),), "pairs": ()}, "the last disk is 8"),
        ({"pairs": ((0, 0),)}, "two different tendons"),
        ({"pairs": ((0, 1), (1, 2))}, "one pair only"),
        ({"vertebrae": ()}, "at least one vertebra"),
    ],
)
def test_wrong_spines_are_refused_in_words(fields: dict, told: str) -> None:
    with pytest.raises(ll.InputError) as refused:
        FREE.build().changed(**fields)
    assert told in str(refused.value)


def test_a_spine_that_folds_on_itself_says_so_and_keeps_what_was_solved() -> None:
    soft = FREE.changed(first_stiffness=0.002, last_stiffness=0.002, name="soft")
    kept: list = []
    with pytest.raises(ll.SimulationError, match="folds on itself"):
        neck(soft, ()).path([[0.01, 0, 0, 0], [5.0, 0, 0, 0]], kept=kept)
    assert len(kept) == 1
    changes = {
        "robot": {
            "preset": "snake-neck",
            "first_stiffness": 0.002,
            "last_stiffness": 0.002,
            "stop_lateral": None,
            "stop_vertical": None,
        },
        "gait.table": [[0, 0, 0, 0, 0], [1, 0.01, 0, 0, 0], [2, 5.0, 0, 0, 0]],
        "gait.points": 0,
        "model.friction": None,
    }
    with pytest.raises(ll.SimulationError, match="at point 2") as failed:
        ll.run("neck-friction", changes)
    assert failed.value.result is not None and failed.value.result.dataset.sizes["point"] == 2
    assert failed.value.result.status.startswith("failed")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"duration": 3.0}, "a task has no time"),
        ({"task": "path"}, "needs a gait that drives tension"),
        ({"task": None}, "give a `task`"),
        ({"environment": [{"kind": "water"}]}, "environments of role load"),
        ({"model.prefer": "stiffness"}, "give both or neither"),
        ({"model.drop_axial": True}, "belongs to the moment form"),
        ({"initial.twist": [1, 0, 0, 0, 0, 0]}, "does not move"),
        ({"model.friction": 1.5}, "friction must lie between 0 and below 1; got 1.5"),
        ({"model.tension_at": "tip"}, "without friction a tension is the same at both ends"),
        ({**GRID, "model.tendon_stiffness": 500.0}, "tendon_stiffness is for given tendon lengths"),
        (
            {"model.tendon_stiffness": 500.0, "model.friction": 0.1},
            "held lengths need the energy form without friction",
        ),
        ({"model.tendon_stiffening": 500.0}, "tendon_stiffening goes with a tendon_stiffness"),
        ({**GRID, "model.prefer": "work"}, "prefer 'work' belongs to the task inverse; the task is grid"),
        ({**GRID, "model.friction": 0.2}, "a grid has no path"),
        ({**LENGTHS}, "needs elastic tendons"),
    ],
)
def test_scenarios_of_statics_refuse_what_has_no_meaning(changes: dict, told: str) -> None:
    with pytest.raises(ll.InputError) as refused:
        ll.run("neck-vertical-air", changes)
    assert told in str(refused.value)


def test_a_motion_has_no_task() -> None:
    with pytest.raises(ll.InputError, match="moves through time"):
        ll.run("eel-planar", {"task": "path"})


def test_a_recorded_trajectory_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "head.csv"
    s = np.linspace(0, 1, 12)
    np.savetxt(
        file, np.stack([s, 0.15 + 0 * s, 0.02 * np.sin(6 * s), 0.01 * s], axis=1), delimiter=",", header="time, x, y, z"
    )
    result = ll.run("neck-vertical-air", {"gait": {"kind": "tip-path", "file": str(file)}})
    assert result.dataset["tip_in_base"].values[:, 1] == pytest.approx(0.02 * np.sin(6 * s), abs=1e-9)
    assert result.dataset["time"].values == pytest.approx(s)
    table = result.to_csv(tmp_path / "all.csv").read_text().splitlines()
    assert table[0].startswith("time,tip_position_x") and len(table) == 13


def test_results_of_statics_are_saved_and_loaded(tmp_path: Path) -> None:
    for name, changes in (("neck-workspace", {"gait.count": 3}), ("neck-planar", {"gait.points": 9})):
        result = ll.run(name, changes)
        result.write(tmp_path / name)
        again = ll.Result.load(tmp_path / name)
        assert again.dataset.equals(result.dataset) and again.scenario == result.scenario
        assert again.summary()["statics"] == result.summary()["statics"]
        assert all(balance["verdict"] == "pass" for balance in again.summary()["balances"].values())
        drawn = {path.stem for path in (tmp_path / name / "figures").glob("*.png")}
        assert drawn == set(names_for(result)) and drawn >= set(result.scenario.figures)
        assert "postures" in repr(result)
    with pytest.raises(ll.InputError, match="no table"):
        ll.run("neck-workspace", {"gait.count": 2}).to_csv(tmp_path / "x.csv")


def test_the_pages_name_every_variable_and_every_field_of_statics() -> None:
    from limbless.core.fields import rows
    from limbless.models.statics.statics_tasks import SCHEMA
    from limbless.models.tendon_statics import TendonStaticsSettings

    docs = Path(__file__).parents[4] / "docs"
    result = ll.run("neck-friction", {"gait.points": 3})
    page = (docs / "results.md").read_text()
    assert not {
        name for name in {*SCHEMA, *map(str, result.dataset.data_vars), *result.dataset.dims} if f"`{name}`" not in page
    } - {"axis", "quaternion", "transverse"}
    page = (docs / "kinds.md").read_text()
    described = [row.name for cls in (Vertebra, Tendon, TendonStaticsSettings) for row in rows(cls)]
    assert not {name for name in described if f"`{name}`" not in page} - {"kind"}


def test_the_rim_of_a_workspace_goes_once_around_and_every_corner_is_on_it_once() -> None:
    found = neck(ll.SnakeNeck(count=2)).workspace(0.2, 3)
    rim = found.boundary
    assert len(rim) == 8 and len(np.unique(np.round(rim, 12), axis=0)) == 8
    for i, j in ((0, 0), (0, 2), (2, 0), (2, 2)):
        assert (np.linalg.norm(rim - found.tip[i, j], axis=1) < 1e-12).sum() == 1
    around = np.unwrap(np.arctan2(rim[:, 2], rim[:, 1]))
    assert abs(np.sign(np.diff(around)).sum()) == 7 and abs(around[-1] - around[0]) < 2 * np.pi


def test_statics_and_motion_take_friction_from_the_same_fields() -> None:
    """A neck with friction in its tendons rests where model.friction has it; what acts in motion alone is said."""
    own = ll.run("neck-planar", {"robot.friction": 0.1, "robot.damping_time": 0.02, "robot.slip_speed": 1e-4})
    same = ll.run("neck-planar", {"model.friction": 0.1})
    smooth = ll.run("neck-planar")
    pulls = [run.dataset["tension"].values for run in (own, same, smooth)]
    np.testing.assert_array_equal(pulls[0], pulls[1])
    assert np.abs(pulls[0] - pulls[2]).max() > 1e-3
    assert any("robot.damping_time, slip_speed of tendons: without effect at rest" in note for note in own.notes)
    assert any(
        "stiffness of tendons: without effect" in note
        for note in ll.run("neck-planar", {"robot.tendon_stiffness": 500.0}).notes
    )


def test_one_place_for_all_disks_is_a_pair_of_numbers() -> None:
    assert ll.Tendon(holes=(0.02, 0)).holes == ll.Tendon(holes=((0.02, 0.0),)).holes
    assert ll.Tendon(holes=("2 cm", 0)).holes == ((0.02, 0.0),)


@pytest.mark.parametrize("gait", [{"kind": "tension-wave"}, {"kind": "tension-step", "after": [1.0]}])
def test_tensions_in_time_are_no_path(gait: dict) -> None:
    with pytest.raises(ll.InputError, match=r"gait: tension-\w+ changes with time, and statics has none"):
        ll.run("neck-planar", {"gait": gait, "task": "path"})
