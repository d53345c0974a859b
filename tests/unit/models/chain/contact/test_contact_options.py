"""What the paper lists as missing (dry joint friction, offset axes, torque limits), held bases,
and what each gait is for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative, Servo
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from limbless.models.nonsmooth import NonSmoothSettings
from limbless.simulation.simulate import stage_times

HEIGHT, MASS = 0.0525, 7.5 / 11
INERTIA = 9.63e-4 + MASS * 0.061**2  # of the second link about the joint
STIFF = ProportionalDerivative(stiffness=(40.0, 800.0), damping=0.2)


def swing(torque: float, duration: float, step: float, rate: float = 0.0, **friction: float) -> ll.Result:
    """One link on a fixed one, without gravity, under a constant yaw torque."""
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to((torque, 0.0), (len(t), 2)), drives="torque")
    return ll.simulate(
        ll.Aiko(links=2, base="fixed", **friction),
        gait,
        (),
        model="non-smooth",
        duration=duration,
        step=step,
        actuation="torque",
        record_every=max(step, duration / 100),
        initial={"joint_position": (0.0, 0.0), "joint_velocity": (rate, 0.0)},
    )


def passes(run: ll.Result) -> bool:
    return {balance.verdict for balance in run.balances()} == {"pass"}


def test_a_joint_held_by_dry_friction_does_not_creep() -> None:
    run = swing(0.9, 20.0, 0.001, coulomb_friction=1.0)
    angle = run.dataset["joint_position"].values[:, 0]
    assert abs(angle[1]) < 1e-6 and abs(angle[-1] - angle[1]) < 1e-15


def test_dry_friction_takes_its_torque_from_a_joint_that_moves() -> None:
    run = swing(1.1, 0.1, 1e-4, coulomb_friction=1.0)
    assert run.dataset["joint_position"].values[-1, 0] == pytest.approx(0.5 * 0.1 / INERTIA * 0.1**2, rel=1e-3)
    assert passes(run)
    run = swing(0.0, 0.5, 1e-4, rate=1.0, coulomb_friction=0.1)
    assert run.dataset["joint_position"].values[-1, 0] == pytest.approx(0.5 * INERTIA / 0.1, rel=1e-4)
    assert run.dataset["joint_velocity"].values[-1, 0] == pytest.approx(0.0, abs=1e-12)


def test_stribeck_friction_falls_with_the_rate() -> None:
    """Held up to the breakaway torque; beyond, the acceleration at the rate w is (torque - c - (b - c)
    exp(-(w/w_s)²)) / inertia.
    """
    stribeck = {"coulomb_friction": 0.5, "breakaway_friction": 1.0, "stribeck_rate": 2.0}
    assert abs(swing(0.99, 1.0, 0.001, **stribeck).dataset["joint_position"].values[-1, 0]) < 1e-6
    run = swing(1.2, 0.05, 1e-5, **stribeck)
    rate, time = 0.0, 0.0
    while time < 0.05 - 1e-9:  # the same by small steps of its own
        rate += 1e-6 * (1.2 - 0.5 - 0.5 * math.exp(-((rate / 2.0) ** 2))) / INERTIA
        time += 1e-6
    assert rate > 4.0
    assert run.dataset["joint_velocity"].values[-1, 0] == pytest.approx(rate, rel=2e-3)


def test_stribeck_friction_is_refused_where_it_does_not_act() -> None:
    with pytest.raises(ll.InputError, match="non-smooth"):
        ll.NewtonEuler(ll.Aiko(links=2, breakaway_friction=1.0))
    with pytest.raises(ll.InputError, match="greater than 0"):
        ll.run("snake-sidewind", {"robot.stribeck_rate": 0.0})


def test_an_imposed_joint_works_against_its_dry_friction() -> None:
    gait = ll.JointWave(yaw_amplitude=0.3, yaw_rate=3.0)
    plain, rough = (
        ll.simulate(
            ll.Aiko(links=2, base="fixed", coulomb_friction=c),
            gait,
            (),
            model="non-smooth",
            duration=1.0,
            step=0.001,
            record_every=0.1,
        ).dataset
        for c in (0.0, 0.2)
    )
    more = rough["joint_torque"].values[1:, 0] - plain["joint_torque"].values[1:, 0]
    assert more == pytest.approx(0.2 * np.sign(plain["joint_velocity"].values[1:, 0]), abs=1e-9)


def on_the_ground(
    duration: float,
    robot: Any = None,
    gait: Any = None,
    actuation: Any = STIFF,
    mu: tuple[float, float] = (0.1, 0.5),
    **initial: Any,
) -> ll.Result:
    return ll.simulate(
        robot or ll.Aiko(),
        gait or ll.JointWave(),
        (ll.Ground(forward=mu[0], lateral=mu[1]), ll.Gravity()),
        model=NonSmoothSettings(theta=1.0),
        duration=duration,
        step=0.001,
        actuation=actuation,
        record_every=0.05,
        initial={"position": (0.0, 0.0, HEIGHT), **initial},
    )


@pytest.mark.parametrize("base", ["fixed", "planar"])
def test_a_held_base_in_contact_keeps_every_balance(base: str) -> None:
    run = on_the_ground(1.0, ll.Aiko(links=4, base=base), ll.JointWave(yaw_amplitude=0.5, yaw_rate=4.0))
    assert passes(run)
    assert np.ptp(run.dataset["base_position"].values[:, 2]) == 0.0
    assert (np.ptp(run.dataset["base_position"].values[:, :2]) == 0.0) == (base == "fixed")
    assert run.dataset["contact_residual"].values.max() <= 1e-8


def test_the_offset_moves_the_pitch_axis() -> None:
    """At a right angle of yaw the pitch axis, and with it the next link, stands `offset` to
    the side of the yaw axis.
    """
    for offset in (0.0, 0.022):
        run = ll.simulate(
            ll.Aiko(links=2, base="fixed", joint_offset=offset),
            ll.JointWave(yaw_amplitude=0.0),
            (),
            model="non-smooth",
            duration=0.001,
            step=0.001,
            initial={"joint_position": (0.5 * math.pi, 0.5 * math.pi)},
            actuation="pd",
        )
        assert run.dataset["position"].values[0, 1] == pytest.approx((0.061 - offset, offset, -0.061), abs=1e-12)


def test_a_torque_limit_is_kept_and_costs_distance() -> None:
    free, weak = (on_the_ground(3.0, actuation=STIFF.changed(saturation=limit)) for limit in (None, 0.6))
    assert np.abs(free.dataset["joint_torque"].values).max() > 0.7
    assert np.abs(weak.dataset["joint_torque"].values).max() <= 0.6 * (1 + 1e-12)
    assert np.linalg.norm(weak.summary()["com_displacement"]) < np.linalg.norm(free.summary()["com_displacement"])


def test_paths_do_not_depend_on_parameters_of_the_solver() -> None:
    """The length of trial steps, the tolerance and the guess choose how a step is solved, not what is solved."""
    from limbless.models.chain.contact import nonsmooth_model as module

    make = module.NonSmooth._choose
    ends = []
    for stretch, tolerance in ((1.0, 1e-8), (0.3, 1e-8), (3.0, 1e-8), (1.0, 1e-11)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                module.NonSmooth,
                "_choose",
                lambda self, k=stretch: (lambda options: options._replace(descent=k * options.descent))(make(self)),
            )
            run = ll.run(
                "snake-undulate-orthotropic", {"duration": 3.0, "model.tolerance": tolerance, "record_every": 1.0}
            )
        ends.append(run.dataset["position"].values[-1, 5, :2])
    assert np.ptp(ends, axis=0).max() < 1e-4


def test_the_bound_of_the_residual_is_a_setting() -> None:
    with pytest.raises(ll.SimulationError, match=r"model\.bound"):
        ll.run("snake-sidewind", {"duration": 0.5, "model.bound": 1e-300, "model.tolerance": 1e-300})


def heading(run: ll.Result) -> np.ndarray:
    """Direction from the last link to the first, rad, unwrapped."""
    line = run.dataset["position"].values[:, 0, :2] - run.dataset["position"].values[:, -1, :2]
    return np.unwrap(np.arctan2(line[:, 1], line[:, 0]))


def test_an_offset_of_yaw_turns_the_robot() -> None:
    left, straight, right = (heading(on_the_ground(9.0, gait=ll.JointWave(yaw_offset=psi))) for psi in (-0.1, 0.0, 0.1))
    cycle = round(4.5 / 0.05)
    turned = [run[-1] - run[-1 - cycle] for run in (left, straight, right)]
    assert abs(turned[1]) < 0.1
    assert turned[0] == pytest.approx(-turned[2], rel=0.2)
    assert abs(turned[0]) > 0.4 and turned[0] * turned[2] < 0.0


def test_rolling_moves_sideways() -> None:
    """Equal waves of yaw and pitch, a quarter apart and without phase along the body: an arc
    that rolls over the ground.
    """
    run = ll.run("snake-roll")
    moved = np.array(run.summary()["com_displacement"])
    assert abs(moved[1]) > 0.3 and abs(moved[1]) > 3.0 * abs(moved[0])
    assert run.dataset["contact_residual"].values.max() <= 1e-8 and passes(run)


def test_sinus_lifting_lifts_the_crests() -> None:
    """Pitch at twice the rate and phase of yaw, a quarter behind: links where the body bends most leave the ground, and
    carry nothing.
    """
    run, flat = (ll.run("snake-lift", {"gait.pitch_amplitude": angle}) for angle in ("4 deg", 0.0))
    lifted, resting = ((r.dataset["contact_state"].values[60:] == 0) for r in (run, flat))
    assert lifted.mean() > 0.4 and resting.mean() < 0.01
    # every contact lifts at times, none for ever
    assert lifted.any(axis=0).all() and not lifted.all(axis=0).any()
    high = run.dataset["contact_gap"].values[60:][lifted]
    assert high.max() > 2e-3 and not run.dataset["contact_force"].values[60:][lifted].any()
    bend, link = np.abs(run.dataset["joint_position"].values[60:, ::2]), run.dataset["contact_link"].values
    air = np.stack([lifted[:, link == k].all(axis=1) for k in range(1, 10)], axis=1)
    around = 0.5 * (bend[:, :-1] + bend[:, 1:])
    assert around[air].mean() > 1.5 * around[~air].mean()
    assert run.summary()["com_displacement"][0] > 0.03 and flat.summary()["com_displacement"][0] < -0.03


def test_far_obstacles_sleep_without_a_trace() -> None:
    """A recorded step measures every gap, other steps leave out what cannot be in reach: the
    same path to the last bit.
    """
    feet = tuple(
        (0.4 * i, 0.35 * (-1.0) ** j * (j // 2) - 0.18 + 0.18 * (i % 2), 0.0) for i in range(-6, 6) for j in range(8)
    )
    pegs = ll.Pegs(feet=feet, span=(0.0, 0.0, 0.15), radius=0.03)
    boxes = ll.Boxes(
        centres=((-0.7, 0.3, 0.05), (-0.9, -0.35, 0.05)), sizes=((0.1, 0.1, 0.1), (0.1, 0.1, 0.1)), active=((0.5, 9.0),)
    )
    changes = {"duration": 2.0, "environment.pegs": pegs, "environment.3": boxes}
    often, seldom = (ll.run("snake-pegs", {**changes, "record_every": every}) for every in (0.001, 1.0))
    assert (often.dataset["contact_state"].values[:, often.dataset["contact_surface"].values > 0] > 0).any()
    assert np.array_equal(often.state.x, seldom.state.x)
    assert np.array_equal(often.dataset["contact_gap"].values[-1], seldom.dataset["contact_gap"].values[-1])


def test_the_resultant_of_all_contacts_carries_the_robot() -> None:
    """Against contact forces summed here; what rolling friction adds is a couple of at most rolling x radius x load."""
    run = ll.run("snake-sidewind", {"duration": 0.5, "record_every": 0.1}).dataset
    force, turn = run["contact_force"].values, quaternion_to_matrix(run["base_orientation"].values)
    arm = run["contact_position"].values - run["base_position"].values[:, None]
    push, moment = force.sum(axis=1), np.cross(arm, force).sum(axis=1)
    assert np.abs(push[1:, 2]).max() > 30.0
    resultant = np.einsum("tij,tcj->tci", turn, run["contact_wrench"].values.reshape(-1, 2, 3))
    assert resultant[:, 0] == pytest.approx(push, abs=1e-9)
    assert np.linalg.norm(resultant[:, 1] - moment, axis=1).max() < 1.01 * 0.01 * HEIGHT * np.abs(push[:, 2]).max()


SWIM = ll.JointWave(yaw_amplitude=0.5, yaw_rate=6.0, pitch_amplitude=0.3, pitch_rate=6.0, pitch_lead=1.0)


@pytest.mark.parametrize(
    "water", [ll.Water(added_mass="consistent", current=(0.1, 0.2, -0.1)), ll.Water(added_mass="paper")]
)
def test_a_swimmer_is_that_of_newton_and_euler(water: ll.Water) -> None:
    """Added mass in another model with another integrator: path, torques and forces of the water agree
    to first order in the step.
    """
    names = ("position", "joint_torque", "fluid_force")
    off: list[dict[str, float]] = []
    for step in (0.002, 0.0005):
        smooth, hard = (
            ll.simulate(
                ll.Aiko(links=6),
                SWIM,
                (water, ll.Buoyancy(), ll.Gravity()),
                model=model,
                duration=1.0,
                step=step,
                record_every=0.1,
                initial={"twist": (0.3, 0.1, -0.1, 1.0, 0.5, -0.5)},
            ).dataset
            for model in ("newton-euler", "non-smooth")
        )
        off.append({name: float(np.abs(hard[name].values[1:] - smooth[name].values[1:]).max()) for name in names})
    assert off[1]["position"] < 0.005
    assert all(3.0 < off[0][name] / off[1][name] < 5.0 for name in names), off


def test_a_link_that_spins_in_water_stays_bounded_at_five_milliseconds() -> None:
    still = ll.JointWave(yaw_amplitude=0.0, pitch_amplitude=0.0)  # one link has no joint to drive
    run = ll.simulate(
        ll.Aiko(links=1),
        still,
        (ll.Water(added_mass="consistent", drag=(0.0, 0.0, 0.0, 0.0)),),
        model="non-smooth",
        duration=5.0,
        step=0.005,
        initial={"twist": (1.0, 2.0, 0.5, 200.0, 30.0, -20.0)},
    )
    energy = run.dataset["kinetic_energy"].values
    assert energy.max() < 1.5 * energy[0]


def test_a_servo_holds_the_reference_that_it_last_read() -> None:
    """Renewed ten times a second: in between it is the gait's position at the last tenth that has passed, at rest."""
    gait = ll.JointWave(yaw_amplitude=0.3, yaw_rate=3.7)
    robot = ll.Aiko(links=3)
    model = NonSmooth(robot, [ll.Ground()], Servo(refresh=10.0))
    knots = np.array([0.0, 0.03, 0.07, 0.13, 0.2, 0.25])
    told = model.drive(gait, stage_times(knots))
    # feedback looks at the middles of steps
    middles = 0.5 * (knots[1:] + knots[:-1])
    tenths = np.array([0.0, 0.0, 0.1, 0.1, 0.2])
    assert (tenths <= middles).all() and (middles - tenths < 0.1).all()
    assert told.position == pytest.approx(joint_motion(robot.build(), gait, tenths).position, abs=1e-12)
    assert not told.velocity.any() and np.ptp(told.position, axis=0).max() > 0.01
