"""Spines, tendons, objects, postures and refusals of soft bodies among hard things."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.models.chain.soft.contact_model import SoftContact
from limbless.simulation.simulate import run_scenario

Array = np.ndarray
SMOOTH: dict[str, Any] = {"forward": 0.0, "lateral": 0.0, "rolling": 0.0}
WALL = ll.Boxes(centres=((0.1, -0.535, 0.0),), sizes=((2.0, 1.0, 2.0),), **SMOOTH)
AWAY = ll.Boxes(centres=((0.1, -9.0, 0.0),), sizes=((2.0, 1.0, 2.0),), **SMOOTH)
POLE = ll.Pegs(feet=((0.08, -0.045, -0.5),), span=(0.0, 0.0, 1.0), radius=0.025, **SMOOTH)
GONE = ll.Pegs(feet=((0.08, 9.0, -0.5),), span=(0.0, 0.0, 1.0), radius=0.025, **SMOOTH)


def neck(**fields: Any) -> Any:
    return ll.SnakeNeck(damping_time=0.02, **fields)


def scenario(robot: Any, environment: list[Any], **fields: Any) -> ll.Scenario:
    own = {"gait": ll.Still(), "duration": 0.1, "step": 2e-3, "record_every": 0.05, "model": ll.SoftSettings()}
    return ll.Scenario(name="touch", robot=robot, environment=environment, **{**own, **fields})


# least energy of springs and tendon under a wall y = -0.035, or a pole, by SLSQP: which disks press and how hard, where
# the tip is, and bends of the program with how near those of least energy they are (rad)
LEAST_ENERGY = {
    "a little on the wall": (
        0.3,
        [WALL, GONE],
        {8: 0.0225537268},
        (0.1576231505, -0.02),
        [-0.006593975, -0.01818684, -0.030250625, -0.04282362, -0.055937281, -0.069610186, -0.083840954, -0.098600282],
        1e-6,
    ),
    "the wall": (
        1.2,
        [WALL, GONE],
        {8: 0.1416455945},
        (0.1485891634, -0.02),
        [0.119538715, 0.049215594, -0.023027789, -0.098045476, -0.176358236, -0.256836507, -0.335317548, -0.403864451],
        3e-6,
    ),
    "a pole": (1.0, [AWAY, POLE], {5: 0.1657808135}, (0.1289033654, -0.05781467892), None, 0.0),
}


@pytest.mark.parametrize("case", LEAST_ENERGY)
def test_a_neck_that_is_pulled_against_something_presses_as_least_energy_says(case: str) -> None:
    tension, environment, presses, tip, bends, near = LEAST_ENERGY[case]
    pull = ll.TensionStep(after=(tension, 0.0, 0.0, 0.0), ramp=0.5)
    model = ll.SoftSettings(theta=1.0, stops=False)
    data = ll.run(scenario(neck(), environment, gait=pull, model=model, duration=3.0, record_every=3.0)).dataset
    force = np.linalg.norm(data["contact_force"].values[-1], axis=1)
    disk, found = data["contact_link"].values, np.zeros(9)
    np.add.at(found, disk, force)
    wanted = np.zeros(9)
    wanted[list(presses)] = list(presses.values())
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    np.testing.assert_allclose(data["tip_position"].values[-1, :2], tip, atol=2e-6)
    if bends is not None:
        np.testing.assert_allclose(data["bend"].values[-1, :, 0], bends, atol=near)


def rest(tendon: Any, **more: Any) -> Any:
    return tendon.changed(stiffness=2000.0, damping=0.5, **more)


def elastic_neck(winds: bool) -> Any:
    built = neck().build()
    winch = {"winch": {"radius": 0.01, "rotor_inertia": 1e-6, "damping": 1e-5}} if winds else {}
    return built.changed(tendons=tuple(rest(one, **winch) for one in built.tendons))


@pytest.mark.parametrize("drive", ["length", "torque"])
def test_elastic_tendons_in_the_contact_loop_are_those_of_free_motion(drive: str) -> None:
    """Nothing near: tendons that stretch, and winches, as the midpoint rule of the model without contacts has them."""
    gait: Any = (
        ll.LengthStep(after=(0.004, 0.0, 0.0, 0.0), ramp=0.02)
        if drive == "length"
        else ll.WinchStep(after=(0.004, 0.0, 0.0, 0.0), ramp=0.02)
    )
    fine = {"tolerance": 1e-9}
    free = scenario(
        elastic_neck(drive == "torque"), [ll.Gravity()], gait=gait, model=ll.SoftSettings(integrator="midpoint", **fine)
    )
    near = scenario(
        elastic_neck(drive == "torque"), [ll.Gravity(), AWAY, GONE], gait=gait, model=ll.SoftSettings(theta=0.5, **fine)
    )
    one, two = ll.run(free).dataset, ll.run(near).dataset
    np.testing.assert_allclose(two["bend"].values, one["bend"].values, atol=1e-7)
    np.testing.assert_allclose(two["tension"].values, one["tension"].values, atol=1e-4)
    assert np.abs(one["bend"].values).max() > 0.02


def test_an_elastic_neck_is_drawn_against_a_wall_and_keeps_its_balances() -> None:
    """Winches draw a tendon in: it pulls the disks on the wall, and energy and momentum are accounted for."""
    gait = ll.LengthStep(after=(0.012, 0.0, 0.0, 0.0), ramp=0.3)
    near = WALL.changed(centres=((0.1, -0.525, 0.0),))
    model = ll.SoftSettings(theta=0.5, stops=False)
    result = ll.run(
        scenario(elastic_neck(False), [ll.Gravity(), near, GONE], gait=gait, model=model, duration=0.4, step=1e-3)
    )
    data = result.dataset
    assert data["contact_force"].values[..., 1].max() > 0.005
    assert data["contact_work"].values[-1].sum() < 0.0
    assert float(data["tension"].values[-1, 0]) > 0.1
    assert all(balance.verdict == "pass" for balance in result.balances())


def test_the_step_rule_takes_energy_from_rotors_and_tendons_too() -> None:
    """Winches, nothing damped: springs and tendons store what is passive, and energy balances as it would not without
    the rotors among the masses (1.6e-3) and the tendons among the springs (-1.4e-5 J of 4.3e-3).
    """
    built, winch = elastic_neck(True), {"radius": 0.01, "rotor_inertia": 1e-5}
    loose = tuple(one.changed(damping=0.0, winch=winch) for one in built.tendons)
    body = built.changed(damping_time=0.0, tendons=loose)
    gait, held = ll.WinchStep(before=(0.002,) * 4, after=(0.006, 0.002, 0.002, 0.002), ramp=0.02), {"stops": False}
    result = ll.run(
        scenario(body, [ll.Gravity(), AWAY, GONE], gait=gait, model=ll.SoftSettings(tolerance=1e-9, **held))
    )
    data = result.dataset
    stored = data["elastic_energy"].values + data["tendon_energy"].values
    assert data["numerical_work"].values[-1] < -9e-5
    np.testing.assert_allclose(data["passive_work"].values, stored[0] - stored, atol=1.5e-6)
    assert result.balances()[0].relative < 2e-4, result.balances()[0]


# ------------------------------------------------------------------------------------------- bodies that both move


def arm(**fields: Any) -> ll.Rod:
    own = {"strains": "universal", "base": "free", "passive": {}, "stiffness": 0.05, "damping_time": 5e-3, **fields}
    return ll.Rod(length=0.3, half_width=0.01, density=955.0, **own)


def crate(**fields: Any) -> ll.Objects:
    box = {
        "shape": "box",
        "name": "box",
        "density": 0.2 / 0.06**3,
        "sizes": (0.06, 0.06, 0.06),
        "friction": 0.4,
        **fields,
    }
    return ll.Objects(bodies=(ll.FreeObject(**box),))


def test_a_rod_and_a_box_that_collide_keep_their_momentum() -> None:
    """In empty space, a rod flies into a box: what one loses the other has, and the box gets no energy for free."""
    start = ll.Initial(twist=(0.5, 0.0, 0.0, 0.0, 0.0, 0.0))
    box = crate(position=(0.36, 0.0, 0.0), friction=0.0, rolling=0.0)
    model = ll.SoftSettings(cells=3, tolerance=1e-9, theta=0.5)
    own = scenario(arm(), [box, ll.SelfContact()], model=model, step=1e-3, duration=0.2, initial=start)
    result = ll.run(own)
    data = result.dataset
    total = data["momentum"].values[:, :3] + data["object_momentum"].values[:, 0, :3]
    np.testing.assert_allclose(total - total[:1], 0.0, atol=1e-13)
    assert data["object_momentum"].values[-1, 0, 0] > 0.01
    assert all(balance.verdict == "pass" for balance in result.balances())


@pytest.mark.long
@pytest.mark.parametrize("push", [0.8, 0.95])
def test_a_box_is_pushed_with_the_force_of_its_friction(push: float) -> None:
    """A rod pushes a box over the ground. It stands below what friction of both holds, 0.873 N, and slides above; then
    the force on it is μ times its load, of which the rod bears a part, and what it takes to speed it up.
    """
    ground = ll.Ground(forward=0.1, lateral=0.1, rolling=0.0)
    box = crate(position=(0.3402, 0.0, 0.03), friction=0.4, rolling=0.0)
    environment = [ll.Gravity(), ground, box, ll.PointWrench(abscissa=0.0, force=(push, 0.0, 0.0))]
    start, model = ll.Initial(position=(0.0, 0.0, 0.01)), ll.SoftSettings(cells=3)
    own = scenario(arm(), environment, model=model, step=1e-3, duration=0.3, record_every=1e-3, initial=start)
    data = ll.run(own).dataset
    way = data["object_position"].values[:, 0, 0]
    if push < 0.873:
        assert abs(way[-1] - way[200]) < 1e-6  # it was knocked by the rod that came, and stands
        return
    gains = np.diff(data["object_twist"].values[:, 0, 0]) / 1e-3
    on_box = (data["contact_object"].values == 0) & (data["contact_link"].values >= 0)
    along, _, up = -data["contact_force"].values[1:, on_box].sum(axis=1).T
    np.testing.assert_allclose(along[200:], (0.2 * gains + 0.4 * (0.2 * 9.81 - up))[200:], rtol=1e-3)
    assert way[-1] - way[0] > 0.01


# ------------------------------------------------------------------------------------- restart, postures, refusals


def slithering(**fields: Any) -> ll.Scenario:
    body = arm()
    ground = [ll.Gravity(), ll.Ground(forward=0.1, backward=0.15, lateral=0.3)]
    wave = ll.MuscleWave(couple=0.02, period=0.5, wavelength=0.3, ramp=0.1)
    own = {"gait": wave, "model": ll.SoftSettings(cells=3), "initial": ll.Initial(posture={"kind": "lay"})}
    return scenario(body, ground, **{**own, "step": 1e-3, **fields})


def test_a_run_that_is_continued_is_the_run_in_one_piece() -> None:
    whole = ll.run(slithering(duration=0.2))
    half = ll.run(slithering(duration=0.1))
    rest_ = run_scenario(slithering(duration=0.1), after=half)
    for name in ("base_position", "strain", "contact_force", "numerical_work"):
        np.testing.assert_array_equal(rest_.dataset[name].values[-1], whole.dataset[name].values[-1])
    again = ll.run(slithering(duration=0.2))
    np.testing.assert_array_equal(again.dataset["contact_force"].values, whole.dataset["contact_force"].values)


def test_a_rod_that_is_laid_down_just_touches() -> None:
    data = ll.run(slithering(duration=0.01, record_every=0.01)).dataset
    assert abs(float(data["contact_gap"].values[0].min())) < 1e-9
    assert data["contact_link"].values.tolist() == [0, *range(data.sizes["section"]), data.sizes["section"] - 1]


def test_a_rod_is_wound_around_a_pole_turn_beside_turn() -> None:
    """Every section touches the pole with its skin, and turns do not meet."""
    pole = ll.Pegs(feet=((0.3, 0.2, 0.0),), span=(0.1, 0.0, 1.0), radius=0.03, forward=0.5, lateral=0.5)
    body = arm(strains="kirchhoff").changed(length=0.8)
    own = scenario(
        body,
        [pole],
        model=ll.SoftSettings(cells=16),
        duration=0.002,
        record_every=0.002,
        initial=ll.Initial(posture={"kind": "wrap", "along": 0.2}),
    )
    data = ll.run(own).dataset.isel(time=0)
    up = np.array([0.1, 0.0, 1.0]) / np.linalg.norm([0.1, 0.0, 1.0])
    away = data["position"].values - np.array([0.3, 0.2, 0.0])
    out = away - np.outer(away @ up, up)
    np.testing.assert_allclose(np.linalg.norm(out, axis=1), 0.04, atol=5e-5)
    rise = away @ up
    assert rise[-1] - rise[0] == pytest.approx((0.8 / np.hypot(2 * np.pi * 0.04, 0.025)) * 0.025, rel=0.05)


REFUSED = [
    (lambda: slithering(model=ll.SoftSettings(integrator="sdirk4")), "model.integrator: contacts need 'midpoint'"),
    (lambda: slithering(model=ll.SoftSettings(integrator="rk4")), "model.integrator: contacts need 'midpoint'"),
    (
        lambda: scenario(arm(), [ll.Ground(restitution=0.5)], initial=ll.Initial(position=(0, 0, 1))),
        "ground.restitution: a rod bounces by its own elasticity",
    ),
    (
        lambda: scenario(arm(half_height=0.02), [ll.Ground()], initial=ll.Initial(position=(0, 0, 1))),
        "robot.contact_radius: the rod touches with round sections",
    ),
    (lambda: scenario(arm(), [ll.Ground()]), "initial: 'X = 0"),
    (lambda: scenario(arm(), [ll.Gravity()], model=ll.SoftSettings(theta=0.8)), "model.theta: it says how contacts"),
    (lambda: scenario(arm(), [], initial=ll.Initial(posture={"kind": "lay"})), "initial.posture"),
    (
        lambda: scenario(arm(), [ll.Ground(link_factors=(1.0, 2.0))], initial=ll.Initial(position=(0, 0, 1))),
        "ground.link_factors: a rod has no links",
    ),
]


@pytest.mark.parametrize(("make", "told"), REFUSED, ids=[told[:24] for _, told in REFUSED])
def test_what_cannot_be_is_refused_in_a_sentence(make: Any, told: str) -> None:
    with pytest.raises(InputError) as caught:
        ll.run(make())
    assert told in str(caught.value)


FIRST = ll.Initial(position=(0.0, 0.0, 1.0))
BAR = ll.Pegs(feet=((0.15, -0.5, -0.05),), span=(0.0, 1.0, 0.0), radius=0.02)


def test_what_contacts_of_soft_bodies_cannot_do_is_a_note() -> None:
    """Forces without bound, mechanisms, capsules that overlap."""
    assert not SoftContact(arm(), [ll.Gravity(), ll.Ground()], None, ll.SoftSettings(cells=2)).notes
    given = ll.Rod(length=0.3, half_width=0.01, base="fixed")
    low = [ll.Gravity(), ll.Ground(height=-1.0)]
    found = {
        "fixed base": SoftContact(given, [*low, crate(position=(0.5, 0, -0.9))], None, ll.SoftSettings(cells=2)),
        "robot.stiffness: the passive": SoftContact(
            arm(stiffness=0.0, damping_time=0.0), low, None, ll.SoftSettings(cells=2)
        ),
        "more than half of its shortest cell": SoftContact(arm(), [*low, BAR], None, ll.SoftSettings(cells=20)),
    }
    for told, model in found.items():
        assert any(told in note for note in model.notes), told


def test_what_a_step_or_a_mesh_cannot_follow_is_said_of_the_run() -> None:
    """A station that passes its own radius in a step; a rod that bends away from its straight capsules."""
    fast = scenario(arm(), [ll.Gravity(), ll.Ground()], duration=0.02, step=0.01, record_every=0.01)
    thrown = fast.model_copy(update={"initial": FIRST.changed(twist=(0.0, 3.0, 0.0, 0.0, 0.0, 0.0))})
    notes = ll.run(thrown).notes
    assert any(note.startswith("step: a part of the body goes 3 m/s, more than its radius of 0.01 m") for note in notes)
    bent = ll.Initial(position=(0.0, 0.0, 1.0), joint_position=tuple(np.tile([6.0, 0.0, 0.0, 0.0], 2)))
    around = scenario(
        arm(strains="universal"), [ll.Gravity(), BAR], duration=0.002, model=ll.SoftSettings(cells=2), initial=bent
    )
    assert any("model.cells: the rod bends by" in note for note in ll.run(around).notes)


MISTAKES = [
    ({"model": {"kind": "soft", "theta": 0.4}}, "model.theta"),
    ({"model": {"kind": "soft", "theta": 1.2}}, "model.theta"),
    ({"robot": {"kind": "rod", "contact_radius": 0.0}}, "contact_radius"),
]


@pytest.mark.parametrize(("wrong", "told"), MISTAKES, ids=[told for _, told in MISTAKES])
def test_a_field_out_of_its_range_is_refused_by_name(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as caught:
        ll.Scenario.load({"name": "touch", "robot": {"kind": "rod"}, "gait": {"kind": "still"}, **wrong})
    assert told in str(caught.value)


def test_a_free_body_without_roll_inertia_is_refused() -> None:
    bones = tuple(
        vertebra.changed(joint_mass=0.0, disk_inertia=(0.0, 1e-6, 1e-6)) for vertebra in neck().build().vertebrae
    )
    spine = neck(base="free").build().changed(vertebrae=bones)
    with pytest.raises(InputError, match="nothing resists its roll about its own axis"):
        SoftContact(spine, [ll.Gravity(), ll.Ground(height=-1.0)])


def test_motion_among_contacts_has_no_slopes_and_settles() -> None:
    with pytest.raises(InputError, match="motion among contacts has kinks and jumps"):
        ll.sensitivity(slithering(), ["gait.couple"])


def test_momentum_that_is_off_has_a_cure_beside_a_shorter_step() -> None:
    """A body that turns, with steps that damp: θ = 1/2 passes."""
    thrown = slithering(initial=FIRST.changed(twist=(1.0, 0.0, 0.0, 0.0, 0.0, 30.0)), step=2e-3)
    (told,) = (doubt for doubt in ll.run(thrown).doubts if doubt.startswith("the linear momentum"))
    assert "; try step: " in told and told.endswith(", or model.theta: 0.5, which damps nothing")
    assert ll.run(thrown.changed(model=thrown.model.changed(theta=0.5))).proven


def test_an_unsolved_step_names_time_place_surface_and_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    model = SoftContact(arm(), [ll.Gravity(), ll.Ground()], None, ll.SoftSettings(cells=2))
    load = np.zeros(len(model._scene.owner))
    load[2] = 1.0
    told = model._meetings.unsolved(0.25, 3e-3, 1e-4, load).failure
    for part in ("t = 0.25 s", "0.003 m/s", "'X = ", "on ground", "smaller step or a larger model.compliance"):
        assert part in told
