"""A spine at rest in water with a free surface: against sums over small pieces, differences, closed
forms and the model `soft`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.mechanics.statics import equilibrium_solver
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.statics.spine_problem import dense
from limbless.robots.tendon_spine import SpineSection, Tendon, Vertebra

Array = NDArray[np.float64]
HANGING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
LYING, PITCHED = (1.0, 0.0, 0.0, 0.0), (np.cos(0.2), 0.0, np.sin(0.2), 0.0)
NECK = ll.SnakeNeck(stop_lateral=None, stop_vertical=None).build()
TWISTING = NECK.changed(
    vertebrae=tuple(one.changed(twist_stiffness=0.05) for one in NECK.vertebrae),
    section=SpineSection(half_width=0.012, half_height=0.02),
)
TENSION = [0.2, 0.1, 0.0, 0.0]


def afloat(
    level: float | None, robot: Any = NECK, base_orientation: Any = LYING, points: int = 8, **settings: Any
) -> ll.TendonStatics:
    """Up to a level, or deep in water without one."""
    water = ll.Buoyancy() if level is None else ll.Buoyancy(surface=level, points=points)
    return ll.TendonStatics(
        robot, [ll.Gravity(), water], settings=ll.TendonStaticsSettings(**settings), base_orientation=base_orientation
    )


def weighed(model: ll.TendonStatics, q: Array) -> tuple[float, Array, Array]:
    """Energy, residual and Hessian without tensions."""
    energy, _ = equilibrium_solver.evaluate_forces(model.problem(model.loads(np.zeros(model.tendons))), q)
    found = model.problem(model.loads(np.zeros(model.tendons))).iteration
    return energy, found.residual.copy(), dense(*found.hessian[:3])


def assert_derivatives(model: ll.TendonStatics, q: Array) -> None:
    """Residual and Hessian are what differences of energy and residual say."""
    _, residual, hessian = weighed(model, q)
    for j in range(q.size):
        step = 1e-5 * (np.arange(q.size) == j).reshape(q.shape)
        above, below = weighed(model, q + step), weighed(model, q - step)
        assert (above[0] - below[0]) / 2e-5 == pytest.approx(residual[j], abs=1e-10)
        assert (above[1] - below[1]) / 2e-5 == pytest.approx(hessian[:, j], abs=1e-8)


def pieces(model: ll.TendonStatics, q: Array, along: int = 60, around: int = 40) -> tuple[Array, Array, Array]:
    """Centres (v, pieces, 3) of small pieces of the body, in the paper's axes of disk 0, the share (pieces,) of a
    vertebra in each, and its inner disks' centres and axes: by a straight sum along every arc.
    """
    spine, section = model.spine, model.robot.section
    a, b = (model.robot.disk_radius,) * 2 if section is None else (section.half_width, section.half_height)
    radius, angle = np.meshgrid(
        np.sqrt((np.arange(around) + 0.5) / around), 2.0 * np.pi * (np.arange(2 * around) + 0.5) / (2 * around)
    )
    ring = np.stack([a * radius * np.cos(angle), b * radius * np.sin(angle), 0.0 * angle], axis=-1).reshape(-1, 3)
    R, O, found, disks = np.eye(3), np.zeros(3), [], []
    for i, (bend, up) in enumerate(q[:, :2]):
        disks.append(np.column_stack([R, O]))
        twist = q[i, 2] if q.shape[1] == 3 else 0.0
        first = R @ Rotation.from_rotvec([0.0, 0.0, spine.share * twist]).as_matrix()
        turns = [
            Rotation.from_rotvec(s * np.array([-up, bend, 0.0])).as_matrix()
            for s in np.arange(2 * along + 1) / (2 * along)
        ]
        centre, here = O.copy(), []
        for turn in turns[1::2]:
            step = 0.5 * spine.length[i] / along * (first @ turn)[:, 2]
            here.append(centre + step + ring @ (first @ turn).T)
            centre = centre + 2.0 * step
        found.append(np.concatenate(here))
        R = first @ turns[-1] @ Rotation.from_rotvec([0.0, 0.0, (1.0 - spine.share) * twist]).as_matrix()
        O = centre
    return np.array(found), np.full(along * len(ring), 1.0 / (along * len(ring))), np.array(disks)


@pytest.mark.parametrize(("level", "orientation"), [(0.0, LYING), (-0.08, HANGING), (0.004, PITCHED)])
def test_lift_and_waterplane_are_the_derivatives_of_the_energy_of_water(level: float, orientation: Any) -> None:
    model = afloat(level, TWISTING, orientation, points=3)
    postures = [0.25 * np.random.default_rng(3).standard_normal(model.spine.stiffness.shape)]
    postures += [np.zeros_like(postures[0])] if orientation is HANGING else []  # upright: sections reach nowhere
    for q in postures:
        assert_derivatives(model, q)


def test_the_energy_is_that_of_small_pieces_under_water() -> None:
    model = afloat(-0.01, TWISTING, PITCHED)
    q = 0.2 * np.random.default_rng(1).standard_normal(model.spine.stiffness.shape)
    dry = weighed(afloat(-9.0, TWISTING, PITCHED), q)[0]
    place, share, _ = pieces(model, q)
    depth = np.maximum(-0.01 - place @ model.to_base[:, 2], 0.0)
    sums = 9810.0 * model.robot.values("volume") @ (depth @ share)
    assert (depth > 0.0).any() and (depth == 0.0).any()
    assert weighed(model, q)[0] - dry == pytest.approx(sums, rel=2e-4)


@pytest.mark.parametrize("orientation", [LYING, HANGING])
@pytest.mark.parametrize("level", [9.0, -9.0])
def test_far_below_or_above_it_a_surface_is_none(level: float, orientation: Any) -> None:
    deep = afloat(None, base_orientation=orientation)
    same = (deep if level > 0.0 else deep.changed(environment=ll.Gravity())).solve(TENSION)
    found = afloat(level, base_orientation=orientation).solve(TENSION)
    assert found.q == pytest.approx(same.q, abs=1e-15) and found.hessian == pytest.approx(same.hessian, abs=1e-15)


def beam_tip(force: float, couple: float, foundation: float, bending: float = 0.02, length: float = 0.6) -> float:
    """End of a clamped beam on an elastic foundation: EI w'''' + c w'' + k w = 0."""
    s = np.roots([bending, 0.0, couple, 0.0, foundation])
    end = np.exp(s * length)
    ends = np.array([s**0, s, bending * s**2 * end, (bending * s**3 + couple * s) * end])
    return float((np.linalg.solve(ends, [0.0, 0.0, 0.0, -force]) @ end).real)


def test_a_floating_beam_is_one_on_an_elastic_foundation() -> None:
    """Half as dense as water and half under it: the foundation is rho g times the width 2 r. The lift acts below the
    axis, by 2 r/(3 pi) over the whole area, and so turns a slope further, as a thrust would.
    """
    r, weight = 0.01, 9810.0
    exact = beam_tip(1e-4, weight * 2.0 / 3.0 * r**3, weight * 2.0 * r)
    errors = []
    for count in (15, 30):
        l = 0.6 / count
        volume = np.pi * r**2 * l
        one = Vertebra(
            length=l,
            lateral_stiffness=0.02 / l,
            vertical_stiffness=0.02 / l,
            joint_mass=500.0 * volume,
            disk_mass=0.0,
            volume=volume,
        )
        beam = ll.TendonSpine(vertebrae=(one,) * count, tendons=(Tendon(holes=((0.0, 0.005),)),), disk_radius=r)
        found = afloat(0.0, beam).solve([0.0], tip_force=(0.0, 0.0, 1e-4))
        errors.append(found.tip_position[2] / exact - 1.0)
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.15)  # second order,
    assert errors[1] + (errors[1] - errors[0]) / 3.0 == pytest.approx(0.0, abs=4e-5)  # to nothing
    assert abs(beam_tip(1e-4, 0.0, weight * 2.0 * r) / exact - 1.0) > 2e-3  # the couple is seen


def test_slabs_converge_with_their_number() -> None:
    tips = [afloat(-0.005, points=count).solve(TENSION).tip_position for count in (4, 16, 64)]
    assert np.abs(tips[1] - tips[2]).max() < 1e-8 and np.abs(tips[0] - tips[2]).max() < 1e-7


@pytest.mark.parametrize(
    ("robot", "environment", "told"),
    [
        (NECK, [ll.Gravity(), ll.Buoyancy(surface=0.0), ll.Buoyancy(surface=-0.1)], "takes one surface; got 2"),
        (
            NECK.changed(vertebrae=tuple(one.changed(volume=0.0) for one in NECK.vertebrae)),
            ll.Buoyancy(surface=0.0),
            "its vertebrae a `volume`",
        ),
        (TWISTING, ll.Buoyancy(), "robot.section: statics asks for a section where a surface cuts it"),
        (NECK, [ll.Gravity(), ll.Water(surface=0.0)], "its lift alone is `buoyancy` with the same `surface`"),
    ],
)
def test_what_remains_refused(robot: Any, environment: Any, told: str) -> None:
    with pytest.raises(ll.InputError, match=told):
        ll.TendonStatics(robot, environment)


# What compiles more


@pytest.mark.long
@pytest.mark.parametrize("form", ["energy", "moment"])
def test_residual_of_vertebrae_with_hinges(form: Any) -> None:
    """Their one slab lies at the hinge, with the inner disk's axes: energy by differences, moments beside those of
    dead loads far below the surface.
    """
    hinged = TWISTING.changed(kinematics="hinge")
    model = afloat(0.0, hinged, PITCHED, form=form)
    q = 0.2 * np.random.default_rng(4).standard_normal(model.spine.stiffness.shape)
    if form == "moment":
        below, deep = (
            afloat(9.0, hinged, PITCHED, form=form),
            afloat(None, hinged.changed(section=None), PITCHED, form=form),
        )
        assert weighed(below, q)[1] == pytest.approx(weighed(deep, q)[1], abs=1e-15)
        return
    assert_derivatives(model, q)


@pytest.mark.long
def test_the_moment_form_has_the_moments_of_small_pieces_under_water() -> None:
    robot = NECK.changed(section=SpineSection(half_width=0.012, half_height=0.02))
    model, dry = (afloat(level, robot, PITCHED, form="moment") for level in (-0.01, -9.0))
    q = 0.2 * np.random.default_rng(5).standard_normal(model.spine.stiffness.shape)
    place, share, disks = pieces(model, q)
    up, weight = model.to_base[:, 2], 9810.0 * robot.values("volume")
    wet = (place @ up < -0.01) * share * weight[:, None]
    change = (weighed(model, q)[1] - weighed(dry, q)[1]).reshape(q.shape)
    for i, disk in enumerate(disks):
        arms = place[i:] - disk[:, 3]
        moment = disk[:, :3].T @ np.cross(np.einsum("vp,vpc->c", wet[i:], arms), up)
        assert change[i] == pytest.approx([-moment[1], moment[0]], abs=2e-4 * np.abs(change).max())


@pytest.mark.long
def test_inverse_path_workspace_and_friction_at_a_surface() -> None:
    model, target = afloat(-0.02), [[0.0, 0.0], [-0.02, 0.01]]
    found = model.inverse(target)
    assert found.reached.all()
    for tension, wanted in zip(found.tension, target, strict=True):
        assert model.solve(tension).tip_in_base[1:] == pytest.approx(wanted, abs=1e-9)
    here, pushed = model.solve(TENSION), model.solve(TENSION, tip_force=(0.0, 0.0, 1e-6))
    assert pushed.tip_position - here.tip_position == pytest.approx(1e-6 * here.tip_compliance[:, 2], abs=1e-10)
    along = model.path(found.tension)[-1]
    assert along.tip_in_base[1:] == pytest.approx(target[-1], abs=1e-9)
    space = model.workspace(0.5, 3)
    assert space.tip[2, 1] == pytest.approx(model.solve(space.tension[2, 1]).tip_in_base, abs=1e-12)
    rubbed, free = (model.changed(friction=mu).solve(TENSION).q for mu in (1e-9, None))
    assert rubbed == pytest.approx(free, abs=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("section", [None, SpineSection(half_width=0.01, half_height=0.02)])
def test_soft_rests_where_statics_does(section: SpineSection | None) -> None:
    """Slabs and stations both become finer; `soft` then takes the posture that its own stations rest in."""
    robot, apart = NECK.changed(section=section), []
    rest = afloat(-0.005, robot, points=40).solve(TENSION).bend.ravel()
    for stations in (2, 12):
        body = Soft(robot, [ll.Gravity(), ll.Buoyancy(surface=-0.005)], settings=ll.SoftSettings(stations=stations))
        found = body.equilibrium(TENSION)
        apart.append(np.abs(found - rest).max())
        assert np.abs(body.forward(body.flat(found), tension=TENSION).strain_acceleration).max() < 1e-8
    assert apart[0] < 5e-5 and apart[1] < 5e-7


@pytest.mark.long
@pytest.mark.parametrize("water", [ll.Buoyancy(surface=-0.005), ll.Water(surface=-0.005)])
def test_a_damped_spine_comes_to_rest_where_statics_says_and_one_put_there_stays(water: Any) -> None:
    robot, gait = NECK.changed(damping_time=0.3), ll.TensionStep(before=TENSION, after=TENSION, ramp=0.0)

    def bends(duration: float, **initial: Any) -> Array:
        run = ll.simulate(
            robot,
            gait,
            [ll.Gravity(), water],
            model=ll.SoftSettings(tolerance=1e-9),
            duration=duration,
            step=0.01,
            record_every=duration,
            initial=initial,
        )
        return np.asarray(run.dataset["bend"].values)

    settled, put = bends(6.0)[-1], bends(0.5, posture="equilibrium")
    assert put[-1] == pytest.approx(put[0], abs=1e-9)
    assert settled == pytest.approx(put[0], abs=1e-6)
    assert put[0] == pytest.approx(afloat(-0.005).solve(TENSION).bend, abs=3e-5)


def test_a_long_spine_at_the_surface_with_elastic_tendons_and_stops_takes_newtons_steps() -> None:
    """Near a solution the number of right digits doubles: a step that is not Newton's, by a mistake in how the matrix
    is taken apart, would need many more of them.
    """
    model = afloat(-0.05, ll.SnakeNeck(count=60), tendon_stiffness=500.0)
    lengths = model.solve(np.zeros(4)).tendon_length - np.array([0.03, 0.01, 0.0, 0.0])
    found = model.solve(length=lengths)
    assert found.held.any() and not found.held.all() and (found.tension > 0.0).any()
    near = found.q + 1e-5 * np.random.default_rng(3).standard_normal(found.q.shape) * ~found.held
    again = model.solve(length=lengths, start=near)
    assert again.iterations <= 5 and again.q == pytest.approx(found.q, abs=1e-9)
