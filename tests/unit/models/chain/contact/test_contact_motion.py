"""Robots that fall, slide, stick, roll and fly: closed forms and conservation laws, none of which
share code with the solver.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative, Servo, Torque
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from limbless.models.nonsmooth import NonSmoothSettings
from limbless.robots.joints import Joint
from limbless.robots.links import Link
from limbless.scenarios.scenario import Initial

G = 9.81
STILL = ll.JointWave(yaw_amplitude=0.0)
FREE = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
HEIGHT = 0.0525
STIFF = ProportionalDerivative(stiffness=(40.0, 800.0), damping=0.2)


def move(links: int, environment: Any, duration: float, step: float = 0.001, **initial: Any) -> ll.Result:
    """With the joints held straight."""
    return ll.simulate(
        ll.Aiko(links=links),
        STILL,
        (*environment, ll.Gravity()),
        model=NonSmoothSettings(theta=1.0),
        duration=duration,
        step=step,
        actuation=STIFF,
        record_every=max(step, duration / 20),
        initial=initial,
    )


def slope_pose(angle: float) -> dict[str, Any]:
    """On a plane that rises along x, with the body along the slope."""
    return {
        "position": (-HEIGHT * math.sin(angle), 0.0, HEIGHT * math.cos(angle)),
        "orientation": (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0),
    }


def test_a_held_slope_does_not_creep_in_a_minute() -> None:
    mu = 0.4
    angle = 0.9 * math.atan(mu)
    run = move(3, [ll.Ground(forward=mu, lateral=mu, slope=(angle, 0.0))], 60.0, **slope_pose(angle))
    place = run.dataset["com_position"].values
    assert np.linalg.norm(place[-1] - place[0]) < 1e-6
    assert np.linalg.norm(place[-1] - place[10]) < 1e-11
    # some carry all they can, and still do not move
    assert (run.dataset["contact_state"].values[1:] == 1).any(axis=1).all()


def test_a_steeper_slope_slides_as_a_point_would() -> None:
    mu, time = 0.4, 1.0
    angle = 1.1 * math.atan(mu)
    run = move(3, [ll.Ground(forward=mu, lateral=mu, slope=(angle, 0.0))], time, 0.0005, **slope_pose(angle))
    place = run.dataset["com_position"].values
    along = (place[-1] - place[0]) @ np.array([math.cos(angle), 0.0, math.sin(angle)])
    assert along == pytest.approx(-0.5 * G * (math.sin(angle) - mu * math.cos(angle)) * time**2, rel=2e-3)
    half = move(3, [ll.Ground(forward=mu, lateral=mu, slope=(angle, 0.0))], time, 0.00025, **slope_pose(angle))
    finer = (half.dataset["com_position"].values[-1] - place[0]) @ np.array([math.cos(angle), 0.0, math.sin(angle)])
    exact = -0.5 * G * (math.sin(angle) - mu * math.cos(angle)) * time**2
    # what is left is of first order in the step
    assert 2.0 * finer - along == pytest.approx(exact, rel=1e-5)


@pytest.mark.parametrize("n", [1, 3])
def test_stopping_distance(n: int) -> None:
    mu, speed = 0.3, 1.0
    run = move(
        n, [ll.Ground(forward=mu, lateral=mu)], 0.5, 0.00025, position=(0.0, 0.0, HEIGHT), twist=(speed, 0, 0, 0, 0, 0)
    )
    place = run.dataset["com_position"].values
    assert place[-1, 0] - place[0, 0] == pytest.approx(speed**2 / (2 * mu * G), abs=1e-6)
    assert np.abs(run.dataset["com_velocity"].values[-1]).max() < 1e-9
    assert run.dataset["contact_state"].values[-1].min() == 1


# its head is its base: forwards is towards -x
@pytest.mark.parametrize(("direction", "mu"), [(-1.0, 0.2), (1.0, 0.6)])
def test_forward_and_backward_friction_differ(direction: float, mu: float) -> None:
    run = move(
        1,
        [ll.Ground(forward=0.2, backward=0.6, lateral=0.4)],
        0.8,
        0.0005,
        position=(0.0, 0.0, HEIGHT),
        twist=(direction, 0, 0, 0, 0, 0),
    )
    moved = run.dataset["com_position"].values[-1, 0] - run.dataset["com_position"].values[0, 0]
    assert moved == pytest.approx(direction / (2 * mu * G), abs=2e-5)


def test_a_link_pushed_sideways_rolls() -> None:
    """Until v = r ω: dv/dt = -μ g, r dω/dt = (μ - μV) g / k, k = Θ3 / (m r²); then dv/dt = -μV g / (1 + k)."""
    mu, rolling, m, axial = 0.3, 0.01, 7.5 / 11, 2.35e-4
    k = axial / (m * HEIGHT**2)
    run = move(
        1,
        [ll.Ground(forward=mu, lateral=mu, rolling=rolling)],
        1.0,
        0.00025,
        position=(0.0, 0.0, HEIGHT),
        twist=(0, 1, 0, 0, 0, 0),
    )
    rolls = 1.0 / (G * (mu + (mu - rolling) / k))
    expected = 1.0 - mu * G * rolls - rolling * G / (1.0 + k) * (1.0 - rolls)
    assert run.dataset["com_velocity"].values[-1, 1] == pytest.approx(expected, abs=1e-4)
    assert run.dataset["base_twist"].values[-1, 3] == pytest.approx(-expected / HEIGHT, rel=2e-3)


def test_slip_across_unequal_friction_follows_the_normal_cone() -> None:
    """Friction is -N S² v / |S v|, which is not opposite to v (the radial rule would be)."""
    mu = np.array([0.1, 0.5])
    model = NonSmooth(ll.Aiko(links=1), [ll.Ground(forward=mu[0], lateral=mu[1], rolling=0.0), ll.Gravity()], Torque())
    state = model.initial_state(Initial(position=(0.0, 0.0, HEIGHT), twist=(0.3, 0.3, 0, 0, 0, 0)), FREE)
    step = model.step(state, 1e-5, FREE)
    v, force = step.velocity[0, 1:], step.force[0]
    wanted = -force[2] * mu**2 * v / np.linalg.norm(mu * v)
    assert force[:2] == pytest.approx(wanted, rel=1e-4)
    assert abs(force[0] * v[1] - force[1] * v[0]) > 0.3 * np.linalg.norm(force[:2]) * np.linalg.norm(v)


def drop(**settings: Any) -> ll.Result:
    tilted = (math.cos(0.2), math.sin(0.2) * 0.6, math.sin(0.2) * 0.8, 0.0)
    return ll.simulate(
        ll.Aiko(links=4),
        FREE,
        (ll.Ground(forward=0.3, lateral=0.3), ll.Gravity()),
        model=NonSmoothSettings(**settings),
        duration=0.6,
        step=0.0005,
        actuation="torque",
        initial={"position": (0.0, 0.0, 0.35), "orientation": tilted},
    )


def test_a_drop_never_gains_energy() -> None:
    data = drop().dataset
    energy = data["kinetic_energy"].values + data["potential_energy"].values
    fall = energy[: int(np.argmax(data["contact_state"].values.any(axis=1)))]
    assert np.ptp(fall) < 2e-2 * energy[0]
    assert np.diff(energy).max() < 1e-3 * 0.0005 * energy[0] + 1e-6
    assert energy[-1] < 0.6 * energy[0]
    assert data["contact_gap"].values.min() > -1e-4


def test_complementarity_and_cone_in_every_record() -> None:
    data = ll.run("snake-sidewind", {"duration": 2.0}).dataset
    force, state, gap = (data[f"contact_{name}"].values for name in ("force", "state", "gap"))
    assert (force[..., 2] >= -1e-9).all() and (force[state == 0] == 0.0).all()
    assert (np.linalg.norm(force[..., :2], axis=-1) <= 0.2 * force[..., 2] * (1 + 1e-6) + 1e-9).all()
    assert gap.min() > -2e-6
    slipping = state == 2
    assert np.linalg.norm(force[slipping][:, :2], axis=-1) == pytest.approx(0.2 * force[slipping][:, 2], rel=1e-5)


def test_joints_do_not_open_in_a_whole_run() -> None:
    """(12) and (13) from the recorded poses: neighbours meet in a point, and the axes of a joint stay perpendicular."""
    data = ll.run("snake-sidewind").dataset
    turn, center = quaternion_to_matrix(data["orientation"].values), data["position"].values
    half = 0.061 * turn[..., 0]
    assert np.abs(center[:, :-1] + half[:, :-1] - center[:, 1:] + half[:, 1:]).max() < 1e-12
    assert np.abs(np.einsum("tsi,tsi->ts", turn[:, :-1, :, 2], turn[:, 1:, :, 1])).max() < 1e-12
    assert np.linalg.norm(data["orientation"].values, axis=-1) == pytest.approx(1.0, abs=1e-12)


def test_restitution_bounces_to_the_height_it_should() -> None:
    run = ll.simulate(
        ll.Aiko(links=1),
        FREE,
        (ll.Ground(restitution=0.8), ll.Gravity()),
        model="non-smooth",
        duration=0.8,
        step=0.0005,
        actuation="torque",
        initial={"position": (0.0, 0.0, HEIGHT + 0.2)},
    )
    height, time = run.dataset["position"].values[:, 0, 2] - HEIGHT, run.dataset["time"].values
    lands = math.sqrt(2 * 0.2 / G)
    assert height[time > lands].max() == pytest.approx(0.2 * 0.8**2, rel=0.02)


def test_free_flight_keeps_momentum() -> None:
    gait = ll.JointWave(pitch_amplitude=0.3, pitch_lead=1.0)
    drift = []
    for step in (1 / 2000, 1 / 4000):
        run = ll.simulate(
            ll.Aiko(), gait, (), model="non-smooth", duration=0.5, step=step, actuation=STIFF, record_every=0.1
        )
        momentum = run.dataset["momentum"].values
        assert np.abs(momentum[:, :3]).max() < 1e-12
        drift.append(np.abs(momentum[:, 3:]).max())
    assert drift[1] < 1e-4 and drift[1] < 0.7 * drift[0]


@pytest.mark.parametrize("rate", [70.0, 300.0])
def test_a_fast_spinning_link_stays_bounded_at_five_milliseconds(rate: float) -> None:
    run = ll.simulate(
        ll.Aiko(links=1),
        FREE,
        (),
        model="non-smooth",
        duration=5.0,
        step=0.005,
        actuation="torque",
        initial={"twist": (0, 0, 0, rate, 5.0, 0)},
    )
    energy = run.dataset["kinetic_energy"].values
    assert energy.max() < 1.001 * energy[0] and energy.min() > 0.9 * energy[0]


def test_accelerations_of_a_short_step_are_those_of_newton_and_euler() -> None:
    """In the air, (u_E - u_A) / h tends to the acceleration of another model of the same chain."""
    robot, rng = ll.Aiko(links=4), np.random.default_rng(3)
    q, qd, twist, torque = rng.normal(size=6) * 0.4, rng.normal(size=6), rng.normal(size=6), rng.normal(size=6) * 0.1
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to(torque, (len(t), 6)), drives="torque")
    model, h = NonSmooth(robot, [ll.Gravity()], Torque()), 1e-7
    before = model.initial_state(
        Initial(twist=tuple(twist), joint_position=tuple(q), joint_velocity=tuple(qd), position=(0, 0, 9.0)), gait
    )
    first = model.step(before, h, gait).state
    last = model.step(first, h, gait).state
    seen = [model.observe(state) for state in (first, last)]
    exact = ll.NewtonEuler(robot, ll.Gravity()).forward(q, qd, torque, twist)
    assert (seen[1]["joint_velocity"] - seen[0]["joint_velocity"]) / h == pytest.approx(
        exact.joint_acceleration, rel=1e-4, abs=1e-3
    )


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_sliding_joints_are_those_of_newton_and_euler(base: Any) -> None:
    """Prismatic and revolute joints in turn, in the air: accelerations of a short step, as
    above, for every kind of base.
    """
    body = {"solids": ({"shape": "box", "density": 900.0, "length": 0.2, "half_width": 0.03, "half_height": 0.02},)}
    joints = (Joint(kind="prismatic", axis=(1, 0, 0)), Joint(axis=(0, 0, 1)), Joint(kind="prismatic", axis=(0, 1, 0)))
    robot = ll.Chain(
        base=base, links=(Link(**body), *(Link(joint=joint, position=(0.2, 0.0, 0.0), **body) for joint in joints))
    )
    q, qd, torque = np.array([0.05, 0.4, -0.03]), np.array([0.3, -1.2, 0.5]), np.array([0.6, 0.05, -0.4])
    twist = {"free": (0.1, -0.2, 0.3, 0.5, -0.4, 0.6), "planar": (0.1, -0.2, 0, 0, 0, 0.6), "fixed": (0.0,) * 6}[base]
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to(torque, (len(t), 3)), drives="torque")
    model, h = NonSmooth(robot, [ll.Gravity()], Torque()), 1e-6
    start = model.initial_state(Initial(twist=twist, joint_position=tuple(q), joint_velocity=tuple(qd)), gait)
    first = model.step(start, h, gait).state
    last = model.step(first, h, gait).state
    seen = [model.observe(state) for state in (first, last)]
    exact = ll.NewtonEuler(robot, ll.Gravity()).forward(q, qd, torque, twist)
    assert np.abs(exact.joint_acceleration).min() > 0.1
    assert (seen[1]["joint_velocity"] - seen[0]["joint_velocity"]) / h == pytest.approx(
        exact.joint_acceleration, rel=1e-4, abs=1e-4
    )


@pytest.mark.parametrize("torque", [0.0, 0.3])
def test_a_controller_gives_what_a_gait_of_torques_gives(torque: float) -> None:
    """Half of the torque from the gait and half from a controller is all of it from the gait."""

    def swing(share: float, controller: Any = None) -> np.ndarray:
        gait = ll.FunctionGait(function=lambda t, s: np.full((len(t), 2), share * torque), drives="torque")
        run = ll.simulate(
            ll.Aiko(links=2),
            gait,
            (),
            model="non-smooth",
            duration=0.005,
            step=0.001,
            actuation="torque",
            controller=controller,
        )
        return run.dataset["joint_position"].values

    both = swing(0.5, lambda t, _: np.full(2, 0.5 * torque))
    assert both == pytest.approx(swing(1.0), abs=1e-15) and np.abs(both[-1] - both[0]).max() >= 1e-6 * torque
    with pytest.raises(ll.InputError, match="torques only to torque-given joints"):
        ll.simulate(
            ll.Aiko(links=2),
            STILL,
            (),
            model="non-smooth",
            duration=0.005,
            step=0.001,
            controller=lambda t, _: np.zeros(2),
        )


def test_contact_velocity_is_the_rate_of_the_gap() -> None:
    """(15)-(18) at both ends of every link: the gaps at two middles, a step apart, against the
    normal velocity between them.
    """
    gait, h = ll.JointWave(pitch_amplitude=0.05, pitch_lead=1.5), 1e-3
    model = NonSmooth(ll.Aiko(links=5), [ll.Ground(), ll.Gravity()], STIFF)
    initial = Initial(position=(0, 0, HEIGHT + 0.012), twist=(0.1, 0.2, 0.3, 0.5, -0.1, 0.2), joint_position=(0.0,) * 8)
    one = model.step(model.initial_state(initial, gait), h, gait)
    two = model.step(one.state, h, gait)
    assert (one.gap > 0.0).all() and (one.gap < 0.019).all() and not one.force.any()
    assert np.ptp(one.velocity[:, 0]) > 0.02
    assert (two.gap - one.gap) / h == pytest.approx(one.velocity[:, 0], abs=1e-3)


def test_prescribed_motion_in_the_air_is_that_of_newton_and_euler() -> None:
    """Another model, another integrator: path and torques of imposed joints agree, with an error
    of first order in the step.
    """
    gait = ll.JointWave(yaw_amplitude=0.5, yaw_rate=6.0, pitch_amplitude=0.3, pitch_rate=6.0, pitch_lead=1.0)
    off, torque = [], []
    for step in (0.002, 0.0005):
        smooth, hard = (
            ll.simulate(
                ll.Aiko(links=5), gait, ll.Gravity(), model=model, duration=1.0, step=step, record_every=0.1
            ).dataset
            for model in ("newton-euler", "non-smooth")
        )
        off.append(np.abs(hard["position"].values - smooth["position"].values).max())
        torque.append(np.abs(hard["joint_torque"].values[1:] - smooth["joint_torque"].values[1:]).max())
    largest = np.abs(smooth["joint_torque"].values).max()
    assert off[1] < 0.003 and 3.6 < off[0] / off[1] < 4.4
    assert torque[1] < 0.02 * largest and 3.0 < torque[0] / torque[1] < 5.0


def test_backlash_and_a_held_reference_shorten_the_way() -> None:
    way = []
    for actuation in (
        STIFF,
        Servo(stiffness=(40.0, 800.0), damping=0.2, backlash=math.radians(4.0)),
        Servo(stiffness=(40.0, 800.0), damping=0.2, refresh=10.0),
    ):
        run = ll.simulate(
            ll.Aiko(),
            ll.JointWave(),
            (ll.Ground(forward=0.1, lateral=0.5), ll.Gravity()),
            actuation=actuation,
            model=NonSmoothSettings(theta=1.0),
            duration=5.0,
            step=0.001,
            record_every=0.5,
            initial={"position": (0, 0, HEIGHT)},
        )
        way.append(np.linalg.norm(run.summary()["com_displacement"]))
    assert way[1] < 0.97 * way[0] and way[2] != pytest.approx(way[0], rel=1e-4)


def test_a_continued_run_is_the_uninterrupted_one() -> None:
    whole = ll.run("snake-sidewind", {"duration": 0.4, "record_every": 0.1})
    first = ll.run("snake-sidewind", {"duration": 0.2, "record_every": 0.1})
    scenario = first.scenario
    rest = ll.simulate(
        scenario.robot,
        scenario.gait,
        scenario.environment,
        model=scenario.model,
        duration=0.2,
        step=scenario.step,
        actuation=scenario.actuation,
        record_every=0.1,
        initial=first,
    )
    assert np.array_equal(whole.state.x, rest.state.x)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"initial.position": [0.61, 0.0, 0.02]}, "inside ground"),
        ({"step": 0.005, "record_every": 0.05}, "too long for explicit control"),
        ({"environment.ground.forward": -0.1}, "greater than or equal to 0"),
        ({"environment.ground.slope": ["89 deg", 0.0]}, "steeper"),
        ({"robot": {"kind": "chain", "preset": "uniform", "joint": "universal", "links": 11}}, "contact_shapes"),
        (
            {
                "robot": {"kind": "chain", "preset": "uniform", "joint": "spherical", "links": 5},
                "initial.joint_position": None,
            },
            "spherical",
        ),
        ({"robot.joint_offset": 0.2}, "shorter than a link"),
        ({"environment.0": {"kind": "pegs", "feet": [[0.3, 0.0, 0.0]]}}, r"m inside pegs; raise"),
        ({"environment.0": {"kind": "boxes", "centres": [[0, 0, 0]], "sizes": [[1, -1, 1]]}}, "positive"),
        ({"environment.0": {"kind": "terrain"}}, "either `table` or `function`"),
        ({"actuation": {"kind": "pd", "stiffness": [1.0, 2.0, 3.0]}}, "pattern"),
    ],
)
def test_bad_input_is_refused_in_words(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.run("snake-sidewind", {"duration": 0.05, **change})


def test_an_unsolved_step_fails_the_run_and_keeps_what_was_computed() -> None:
    from limbless.models.chain.contact import nonsmooth_model as module

    with pytest.MonkeyPatch.context() as patch:
        make = module.NonSmooth._choose
        patch.setattr(module.NonSmooth, "_choose", lambda self: make(self)._replace(bound=1e-12))
        with pytest.raises(ll.SimulationError, match="contact laws could not be solved") as caught:
            ll.run("snake-sidewind", {"duration": 0.5, "record_every": 0.01})
    assert caught.value.result.dataset.sizes["time"] >= 1
    assert caught.value.result.status.startswith("failed")


def test_joint_rates_are_rates_of_the_angles() -> None:
    """Erratum of (67): the printed rate of yaw is cos(pitch) times the true one."""
    gait = ll.JointWave(yaw_amplitude=0.0)
    initial = {"position": (0, 0, 5.0), "joint_position": (0.3, 0.9), "joint_velocity": (1.0, 0.5)}
    run = ll.simulate(
        ll.Aiko(links=2), FREE, (), model="non-smooth", duration=2e-3, step=1e-4, actuation="torque", initial=initial
    )
    angle, rate = run.dataset["joint_position"].values, run.dataset["joint_velocity"].values
    assert gait.cycle and (angle[2:] - angle[:-2]) / 2e-4 == pytest.approx(rate[1:-1], abs=2e-3)
    assert abs(rate[5, 0] * math.cos(angle[5, 1]) - rate[5, 0]) > 0.3


def test_printed_inertia_is_that_of_half_the_radius() -> None:
    printed, full = ll.Aiko().inertias(), ll.Aiko(inertia="cylinder").inertias()
    assert printed == (9.63e-4, 2.35e-4) and full == pytest.approx((1.315e-3, 9.396e-4), rel=1e-3)
    assert ll.Aiko(length=0.1220001).inertias() == pytest.approx(printed, rel=1e-3)
    bodies = ll.Aiko().build().bodies()
    assert bodies.inertia[2, 2, 2] == pytest.approx(9.63e-4 + 7.5 / 11 * 0.061**2)


def test_the_soft_start_waits_for_the_band() -> None:
    gait = ll.JointWave(pitch_amplitude=0.3, pitch_lead=1.0, release=math.radians(3.0))
    plain = gait.changed(release=0.0)
    times = np.arange(0.0, 12.0, 1e-3)
    soft, wave = (g.sample(times, np.arange(20.0)).value for g in (gait, plain))
    for column in range(20):
        first = int(np.argmax(np.abs(wave[:, column]) <= math.radians(3.0)))
        assert not soft[: max(first - 1, 0), column].any()
        assert np.array_equal(soft[first:, column], wave[first:, column])


def test_orientation_follows_body_rates() -> None:
    """A turned link that flies with the body rate w: its orientation goes on by the rotation w t in its own axes."""
    rate, time, start = np.array([0.5, -2.0, 1.0]), 0.01, np.array([0.5, 0.5, -0.5, 0.5])
    model = NonSmooth(ll.Aiko(links=1), [], Torque())
    state = model.initial_state(Initial(orientation=tuple(start), twist=(0, 0, 0, *rate)), FREE)
    for _ in range(5):
        state = model.step(state, time / 5, FREE).state
    half = 0.5 * time * np.linalg.norm(rate)
    w, v = math.cos(half), math.sin(half) * rate / np.linalg.norm(rate)
    turned = np.array([start[0] * w - start[1:] @ v, *(start[0] * v + w * start[1:] + np.cross(start[1:], v))])
    # the rate itself turns a little
    assert model.observe(state)["base_orientation"] == pytest.approx(turned, abs=1e-2 * half)
