"""Tendons of soft bodies in motion: lengths and torques of winches, elasticity, friction in holes, channels of rods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.tendon_paths import TendonPath
from limbless.core.errors import InputError
from limbless.mechanics.chain.elastic_tendons import WinchState
from limbless.mechanics.chain.tables import BodyRecord, TendonState
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.soft import SoftSettings
from limbless.robots.rod import Rod
from limbless.robots.tendon import ChannelTendon
from limbless.robots.tendon_spine import Tendon, TendonSpine, Vertebra
from limbless.scenarios.scenario import Initial
from tests.unit.models.chain.soft.test_soft import DOWN, GENTLE, Array, Dense, spine

WINCH = {"radius": 0.01, "rotor_inertia": 2e-6, "damping": 1e-5}
TORQUES: dict[str, Any] = {
    "robot.winch": WINCH,
    "robot.tendon_damping": 0.2,
    "initial.posture": "equilibrium",
    "gait": {"kind": "winch-step", "before": [0.004] * 4, "after": [0.007, 0.004, 0.004, 0.002]},
}


def energy_gap(data: Any) -> float:
    """How much of the kinetic energy no work explains, over the work of the actuators."""
    gap = (data["kinetic_energy"] - data["actuator_work"] - data["environment_work"] - data["passive_work"]).values
    return float(np.abs(gap - gap[0]).max() / np.abs(data["actuator_work"].values).max())


# ------------------------------------------------------------------------------------------------- lengths


def test_held_lengths_raise_the_frequencies_of_a_neck() -> None:
    """Numbers of another program, rad/s: 0.5 N in all four tendons of 2000 N/m, whose unstretched lengths are held."""
    neck = Soft(ll.SnakeNeck(tendon_stiffness=2000.0), ll.Gravity())
    found = neck.linearise(neck.flat(base_orientation=DOWN), length=0.16 - 0.5 / 2000.0).frequency[[0, 1, 2, 3, -1]]
    np.testing.assert_allclose(found, [14.62494777, 18.62112704, 70.9255649, 97.72950196, 1277.403403], rtol=1e-8)


WOUND = np.array(
    [
        [0.0, -0.001286919874, -0.1599600177],
        [0.0, -0.00974262705, -0.1592466304],
        [0.0, -0.02205196843, -0.1578285666],
        [0.0, -0.02310690503, -0.1576832345],
    ]
)
"""Tip at 0.1, 0.2, 0.3 and 0.4 s, m, of `neck-winch`, found by another program (rk4, 50 us)."""


@pytest.mark.parametrize(("integrator", "step", "error"), [("sdirk4", 0.005, 2e-8), ("midpoint", 0.002, 1e-5)])
def test_a_neck_follows_its_winches_as_another_program_has_it(integrator: str, step: float, error: float) -> None:
    found = ll.run(
        "neck-winch",
        {"duration": 0.4, "step": step, "record_every": 0.1, "model.integrator": integrator, "model.tolerance": 1e-9},
    ).dataset
    np.testing.assert_allclose(found["tip_position"].values[1:], WOUND, atol=error)
    np.testing.assert_allclose(
        found["tension"].values[2], [0.4972080263, 0.377452788, 0.377452788, 0.2576975496], atol=1e3 * error
    )
    assert found["iterations"].values[-1] < 6.0  # the rank of the tendons is taken exactly
    assert energy_gap(found) < 1e-4


def test_accelerations_with_elastic_tendons_are_those_of_dense_jacobians() -> None:
    """Lengths and rates from poses by exponentials; one tendon is slack, one of the others damped to nothing."""
    robot = spine()
    robot = robot.changed(tendons=tuple(t.changed(stiffness=300.0, damping=2.0) for t in robot.tendons))
    model, rng = Soft(robot, ll.Gravity(), None, GENTLE), np.random.default_rng(4)
    q, v = 0.3 * rng.normal(size=model.freedoms), rng.normal(size=6 + model.freedoms)
    dense, g = Dense(model), np.eye(4)
    length, h = dense.lengths(g, q), 1e-6
    rate = (dense.lengths(g, q + h * v[6:]) - dense.lengths(g, q - h * v[6:])) / (2.0 * h)
    unstretched = length - np.array([0.002, -0.001, 0.001])
    tension = np.array([max(300.0 * 0.002 + 2.0 * rate[0], 0.0), 0.0, max(300.0 * 0.001 + 2.0 * rate[2], 0.0)])
    wanted = dense.accelerations(g, q, v, tension, np.array([0.0, 0.0, -9.81]))
    found = model.forward(model.flat(q, v[6:], v[:6]), length=unstretched)
    np.testing.assert_allclose(found.strain_acceleration, wanted[6:], atol=1e-7 * np.abs(wanted).max())
    pulls = TendonState.of(model.instant(model.flat(q, v[6:], v[:6]), length=unstretched).memory.cells.pulls)
    np.testing.assert_allclose(pulls.tension, tension, atol=1e-8)
    assert tension[0] > 0.0


def test_slack_tendons_carry_no_force() -> None:
    bent = tuple(float(b) for b in np.tile([0.1, 0.05], 8))
    options: dict[str, Any] = {
        "duration": 0.05,
        "step": 0.005,
        "model": SoftSettings(tolerance=1e-9),
        "initial": {"orientation": DOWN, "joint_position": bent},
    }
    loose = ll.simulate(
        ll.SnakeNeck(tendon_stiffness=2000.0, damping_time=0.01),
        ll.LengthStep(after=(-0.02,) * 4, before=(-0.02,) * 4),
        ll.Gravity(),
        **options,
    ).dataset
    alone = ll.simulate(ll.SnakeNeck(damping_time=0.01), ll.TensionStep(), ll.Gravity(), **options).dataset
    assert not loose["tension"].values.any() and not loose["tendon_energy"].values.any()
    np.testing.assert_allclose(loose["tip_position"].values, alone["tip_position"].values, atol=1e-12)


# ------------------------------------------------------------------------------------------------- winches


def test_torques_of_winches_hold_what_statics_holds() -> None:
    """M = r T at rest: a winch that pulled the wrong way would run off."""
    model = Soft(ll.SnakeNeck(tendon_stiffness=2000.0, winch=WINCH), ll.Gravity())
    torque = np.array([0.007, 0.0, 0.0, 0.0])
    x = model.initial_state(
        Initial(orientation=DOWN, posture="equilibrium"), ll.WinchStep(before=torque, after=torque)
    ).x
    problem = model.instant(x, torque=torque)
    tip = BodyRecord.of(problem.records.bodies).origin[0, 8]
    np.testing.assert_allclose(tip, [0.0, -0.04598569091, -0.1477452579], atol=1e-9)  # statics, 0.7 N
    np.testing.assert_allclose(TendonState.of(problem.memory.cells.pulls).tension, 100.0 * torque, atol=1e-9)
    assert np.abs(WinchState.of(problem.memory.cells.ropes.windings).spin).max() < 1e-4  # of 3500 rad/s2 = M / J
    assert np.abs(model.forward(x, torque=torque).strain_acceleration).max() < 2e-3  # of some 1e3 rad/s2


def test_winches_swing_a_neck_with_the_order_of_the_rule_and_their_work_is_accounted_for() -> None:
    runs = [
        ll.run(
            "neck-winch", {**TORQUES, "duration": 0.2, "step": step, "record_every": 0.1, "model.tolerance": 1e-10}
        ).dataset
        for step in (0.01, 0.005, 0.0025)
    ]
    coarse, fine = (np.abs(one["tip_position"].values - runs[2]["tip_position"].values).max() for one in runs[:2])
    assert fine < 1e-7 and 3.0 < np.log2(coarse / fine) < 5.5
    assert energy_gap(runs[1]) < 1e-5
    wound = 0.16 - 0.01 * runs[1]["winch_angle"].values
    np.testing.assert_allclose(runs[1]["command_length"].values, wound, atol=1e-12)


def test_a_winch_on_a_stiff_body_swings_on_its_tendon() -> None:
    """θ = M / (k r²) (1 - cos ω t), ω = r sqrt(k / J), as long as nothing else gives way."""
    rigid = TendonSpine(
        vertebrae=(Vertebra(lateral_stiffness=1e7, vertical_stiffness=1e7),),
        tendons=(Tendon(holes=((0.01, 0.0),), stiffness=400.0, winch={"rotor_inertia": 1e-6}),),
    )
    found = ll.simulate(
        rigid,
        ll.WinchStep(after=(0.002,), ramp=0.0),
        model=SoftSettings(tolerance=1e-9),
        duration=0.03,
        step=2e-4,
        record_every=1e-3,
    ).dataset
    omega = 0.01 * np.sqrt(400.0 / 1e-6)
    np.testing.assert_allclose(
        found["winch_angle"].values[:, 0],
        0.002 / (400.0 * 1e-4) * (1.0 - np.cos(omega * found["time"].values)),
        atol=1e-5,
    )


def test_winches_without_inertia_give_tensions() -> None:
    """T = M / r: the motion of these tensions; the angle has the stretch of the tendon as well, and rotors that are
    ever lighter tend to it.
    """
    how = {"duration": 0.2, "step": 0.005, "record_every": 0.05, "model.tolerance": 1e-9}
    pull = {"before": [0.4] * 4, "after": [0.7, 0.4, 0.4, 0.2], "ramp": 0.1}
    torque = {name: [0.01 * one for one in pull[name]] for name in ("before", "after")}
    light, lighter = (
        ll.run(
            "neck-winch",
            {
                **how,
                "gait": {"kind": "winch-step", **torque, "ramp": 0.1},
                "initial.posture": "equilibrium",
                "robot.winch": {"rotor_inertia": rotor},
            },
        ).dataset
        for rotor in (0.0, 1e-10)
    )
    given = ll.run(
        "neck-winch",
        {
            **how,
            "gait": {"kind": "tension-step", **pull},
            "initial.posture": "equilibrium",
            "robot.tendon_stiffness": None,
        },
    ).dataset
    for name in ("tip_position", "tension", "tendon_length"):
        np.testing.assert_allclose(light[name].values, given[name].values, atol=1e-10, err_msg=name)
    wound = light["tendon_length"].values - light["tension"].values / 2000.0
    np.testing.assert_allclose(light["winch_angle"].values, (0.16 - wound) / 0.01, atol=1e-9)
    np.testing.assert_allclose(
        light["tendon_energy"].values, (light["tension"].values ** 2).sum(axis=1) / 4000.0, rtol=1e-9
    )
    np.testing.assert_allclose(lighter["tip_position"].values, light["tip_position"].values, atol=2e-6)
    np.testing.assert_allclose(lighter["winch_angle"].values, light["winch_angle"].values, atol=1e-3)
    assert energy_gap(light) < 1e-4
    motors = light["pulley_power"].values - 0.01 * light["tension"].values * light["winch_rate"].values
    assert np.abs(motors).max() < 1e-12  # M θ̇


# ------------------------------------------------------------------------------------------------- friction


def loop(slip: float, last: float, friction: float = 0.2) -> Any:
    """A hanging neck whose right tendon is pulled from 0 to 0.7, to 0.2 and to 0.7 N, 0.05 N/s."""
    table = [[0.0] * 5, [14.0, 0.7, 0.0, 0.0, 0.0], [24.0, 0.2, 0.0, 0.0, 0.0], [34.0, 0.7, 0.0, 0.0, 0.0]]
    return ll.run(
        "neck-swing-air",
        {
            "robot.damping_time": 0.05,
            "robot.friction": friction,
            "robot.slip_speed": slip,
            "gait": {"kind": "tendon-path", "table": table},
            "duration": last,
            "step": 0.01,
        },
    )


def at_half_a_newton(data: Any, first: float, last: float) -> float:
    there = (data["time"].values >= first) & (data["time"].values <= last)
    pull, tip = data["tension"].values[there, 0], -data["tip_position"].values[there, 1]
    order = np.argsort(pull)
    return float(np.interp(0.5, pull[order], tip[order]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("slip", "wanted", "work", "error"),
    [
        (1e-3, (0.03274816791, 0.03372096793, 0.03274818127), 0.0002061487805, 1e-9),
        (3e-4, (0.03248060704, 0.03401994573, 0.03248063767), 0.0003182640686, 1e-6),
    ],
)
def test_friction_leaves_the_loop_that_another_program_has(slip: float, wanted: Any, work: float, error: float) -> None:
    """Pulled, released, pulled again: a released tendon holds the neck farther out, and the loop takes work."""
    result = loop(slip, 34.0)
    data = result.dataset
    found = [at_half_a_newton(data, *leg) for leg in ((0.0, 14.0), (14.0, 24.0), (24.0, 34.0))]
    np.testing.assert_allclose(found, wanted, atol=error)
    cycle = data["time"].values >= 14.0
    taken = np.trapezoid(-data["tension"].values[cycle, 0], data["tendon_length"].values[cycle, 0])
    np.testing.assert_allclose(taken, work, rtol=1e-4)
    assert data["friction_power"].values.max() <= 0.0 and not result.doubts


def test_friction_takes_energy_and_fades_with_its_coefficient() -> None:
    swings = [
        ll.run(
            "neck-swing-air",
            {"robot.friction": mu, "duration": 0.1, "step": 0.005, "record_every": 0.005, "model.tolerance": 1e-9},
        ).dataset
        for mu in (1e-9, 0.3)
    ]
    smooth = ll.run(
        "neck-swing-air", {"duration": 0.1, "step": 0.005, "record_every": 0.005, "model.tolerance": 1e-9}
    ).dataset
    np.testing.assert_allclose(swings[0]["tip_position"].values, smooth["tip_position"].values, atol=1e-9)
    power = swings[1]["friction_power"].values
    assert power.max() <= 0.0 and power.min() < -1e-3
    assert energy_gap(swings[1]) < 1e-4
    assert (swings[1]["distal_tension"].values <= swings[1]["tension"].values).all()  # always pulled here


# ------------------------------------------------------------------------------------------------- rods


def soft_rod(**fields: Any) -> Rod:
    return Rod(
        **{
            "base": "fixed",
            "strains": "planar",
            "length": 0.4,
            "half_width": 0.02,
            "stiffness": 0.02,
            "passive": {},
            **fields,
        }
    )


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_a_tendon_in_a_channel_bends_a_rod_to_a_circle(degree: int) -> None:
    """Curvature T d / EI between start and anchor, whatever the degree; nothing beyond."""
    rod = soft_rod(tendons=(ChannelTendon(place=(0.008, 0.0), start=0.1, anchor=0.3),))
    model = Soft(rod, (), None, SoftSettings(cells=4, degree=degree))
    strain = np.zeros((4, degree + 1))
    strain[1:3, 0] = 0.7 * 0.008 / 0.02
    still = model.forward(model.flat(strain.ravel()), 0.7).strain_acceleration
    moved = model.forward(model.flat(1.01 * strain.ravel()), 0.7).strain_acceleration
    assert np.abs(still).max() < 1e-9 * np.abs(moved).max()


class Channelled(Dense):
    """Lengths of channels by the strains at the Gauss points of each cell, written once more."""

    def lengths(self, g: Array, q: Array) -> Array:
        nodes, weights = np.polynomial.legendre.leggauss(3)
        found = []
        for tendon in self.robot.tendons:
            total, place = 0.0, np.array([0.0, *tendon.place])
            for k, own in enumerate(q.reshape(len(self.cells), 6, 2)):
                for s, w in zip(nodes, weights, strict=True):
                    xi = own[:, 0] + own[:, 1] * s + np.array([1.0, 0, 0, 0, 0, 0])
                    t = xi[:3] + np.cross(xi[3:], place)
                    if tendon.start <= 0.2 * k and 0.2 * (k + 1) <= (tendon.anchor or 0.4) + 1e-9:
                        total = total + 0.1 * w * np.sqrt((t * t).sum())
            found.append(total)
        return np.array(found)


def test_channels_in_a_rod_that_bends_twists_and_stretches() -> None:
    """Six strains of degree 1, free base: accelerations of dense Jacobians, lengths by complex steps."""
    rod = Rod(
        base="free",
        strains="reissner",
        length=0.4,
        half_width=0.02,
        half_height=0.03,
        passive={},
        stiffness=(40.0, 30.0, 20.0, 0.5, 0.4, 0.3),
        tendons=(ChannelTendon(place=(0.012, 0.004)), ChannelTendon(place=(-0.01, 0.01), anchor=0.2)),
    )
    model, rng = Soft(rod, ll.Gravity(), None, GENTLE), np.random.default_rng(7)
    q, v = 0.4 * rng.normal(size=model.freedoms), rng.normal(size=6 + model.freedoms)
    q.reshape(2, 6, 2)[:, :3] *= 0.1
    wanted = Channelled(model).accelerations(np.eye(4), q, v, np.array([0.8, 0.5]), np.array([0.0, 0.0, -9.81]))
    found = model.forward(model.flat(q, v[6:], v[:6]), (0.8, 0.5))
    np.testing.assert_allclose(found.base_acceleration, wanted[:6], atol=1e-8 * np.abs(wanted).max())
    np.testing.assert_allclose(found.strain_acceleration, wanted[6:], atol=1e-8 * np.abs(wanted).max())


def test_a_rod_rests_where_its_elastic_tendons_hold_it() -> None:
    """EI κ = d (T1 - T2), T = k (L (1 -+ κ d) - w): κ = k d (w2 - w1) / (EI + 2 k L d²)."""
    k, d, EI, L, drawn = 500.0, 0.008, 0.02, 0.4, np.array([2e-3, 1e-3])
    rod = soft_rod(
        tendons=(
            ChannelTendon(name="left", place=(d, 0.0), stiffness=k),
            ChannelTendon(name="right", place=(-d, 0.0), stiffness=k),
        )
    )
    model = Soft(rod, (), None, SoftSettings(cells=2))
    kappa = k * d * 1e-3 / (EI + 2.0 * k * L * d * d)
    still, moved = (
        model.forward(model.flat((a, 0.0, a, 0.0)), length=L - drawn).strain_acceleration for a in (kappa, 1.01 * kappa)
    )
    assert np.abs(still).max() < 1e-9 * np.abs(moved).max()


@pytest.mark.parametrize(
    "gait",
    [ll.TensionStep(after=(0.7, 0.1)), ll.LengthStep(after=(2e-3, 1e-3)), ll.WinchStep(after=(7e-3, 1e-3))],
    ids=["tension", "length", "torque"],
)
def test_drives_of_a_rod_do_the_work_that_it_takes(gait: Any) -> None:
    elastic = {} if gait.drives == "tension" else {"stiffness": 500.0, "damping": 0.5}
    winch = {"winch": WINCH} if gait.drives == "winch-torque" else {}
    rod = soft_rod(
        damping_time=0.05, tendons=tuple(ChannelTendon(place=(y, 0.0), **elastic, **winch) for y in (0.008, -0.008))
    )
    data = ll.simulate(rod, gait, model=SoftSettings(cells=2, tolerance=1e-9), duration=0.1, step=0.005).dataset
    assert energy_gap(data) < 1e-4
    assert data["strain"].values[-1, :, 5].mean() > 0.02  # to the left


ARM: dict[str, Any] = {
    "base": "fixed",
    "strains": "planar",
    "length": 0.4,
    "half_width": 0.02,
    "stiffness": 0.02,
    "damping_time": 0.05,
    "passive": {},
}


def channels(**fields: Any) -> list[dict[str, Any]]:
    return [{"place": (side, 0.0), **fields} for side in (0.008, -0.008)]


def test_a_tendon_let_go_at_once_pulls_until_then_and_no_longer() -> None:
    """A step that ends at a jump sees what was before, the next one what is behind: of fourth order, and a jump right
    behind a knot is no trouble. When the last stage saw the tension behind, the tip was 1 % off.
    """
    rod, found = Rod(**ARM, tendons=channels()), []
    for at, step in ((0.05, 0.01), (0.05, 0.005), (0.05 + 1e-8, 0.01)):
        let_go = ll.TensionStep(before=(2.0, 0.0), after=(0.0, 0.0), at=at, ramp=0.0)
        found.append(
            ll.simulate(rod, let_go, model=SoftSettings(cells=2), duration=0.1, step=step, record_every=0.05)
            .dataset["tip_position"]
            .values[-1, 1]
        )
    np.testing.assert_allclose(found, found[1], rtol=2e-4)


def test_a_tension_that_falls_to_nothing_is_not_below_it() -> None:
    """2 + 1 (0 - 2) was -2e-15 N at some times, and refused."""
    times = np.linspace(0.0, 0.3, 4001)
    falls = ll.TensionStep(before=(2.0, 1.1), after=(0.0, 0.0), at=0.1 + 1e-8).sample(times, np.arange(2.0))
    assert falls.value.min() == 0.0


def test_winches_that_follow_a_table_do_the_work_of_their_own_rates() -> None:
    """Rates jump at the rows of a table: half of both at a row left 1e-3 of the work."""
    table = ((0.0, 0.4, 0.4), (0.15, 0.398, 0.4016), (0.3, 0.399, 0.4))
    wound = TendonPath(drives="tendon-length", table=table)
    work = [
        ll.simulate(
            Rod(**ARM, tendons=channels(stiffness=2000.0)), wound, model=SoftSettings(cells=2), duration=0.3, step=step
        )
        .dataset["actuator_work"]
        .values[-1]
        for step in (0.01, 0.0025)
    ]
    np.testing.assert_allclose(*work, rtol=1e-4)


@pytest.mark.parametrize(
    ("gait", "stiffness", "wanted"),
    [
        (ll.TensionStep(before=(0.2, 0.0), after=(0.2, 0.0)), None, {"after": (0.5, 0.1)}),
        (ll.LengthStep(before=(1e-4, 1e-4), after=(1e-4, 1e-4)), 2000.0, {"after": (3e-4, 2e-4)}),
    ],
    ids=["tension", "length"],
)
def test_a_controller_changes_what_tendons_are_told(gait: Any, stiffness: float | None, wanted: dict[str, Any]) -> None:
    """Smoothly, until it is asked again."""
    rod = Rod(**ARM, tendons=channels(stiffness=stiffness))
    data = ll.simulate(
        rod,
        gait,
        model=SoftSettings(cells=2),
        duration=0.06,
        step=0.005,
        control_period=0.02,
        controller=lambda t, seen: wanted if abs(t - 0.02) < 1e-9 else None,
    ).dataset
    told = data["tension"].values if stiffness is None else 0.4 - data["command_length"].values
    np.testing.assert_allclose(told[[0, 4, -1]], [gait.after, gait.after, wanted["after"]], rtol=1e-9)
    passing = told[(data["time"].values > 0.021) & (data["time"].values < 0.039)]
    assert len(passing) and ((passing > gait.after) & (passing < wanted["after"])).all()


def test_a_pulley_has_wound_what_its_stretched_tendon_lacks() -> None:
    neck = ll.SnakeNeck(tendon_stiffness=2000.0, pulley_radius=0.01)
    wind = ll.LengthStep(before=(1e-4,) * 4, after=(4e-3, 1e-4, 1e-4, 1e-4), ramp=0.02)
    data = ll.simulate(neck, wind, model="soft", duration=0.03, step=0.005).dataset
    np.testing.assert_allclose(data["pulley_angle"].values[-1], [0.4, 0.01, 0.01, 0.01], rtol=1e-9)


def test_the_side_of_a_tendon_is_that_of_the_holes_it_runs_through() -> None:
    holes = ((0.01, 0.0), (0.01, 0.0), (-0.01, 0.0), (-0.01, 0.0))
    three = TendonSpine(
        vertebrae=(Vertebra(),) * 3, tendons=(Tendon(holes=holes, anchor=1), Tendon(holes=holes, start=2))
    )
    assert [side for _, side in Soft(three).strung.places] == [1.0, -1.0]


# ------------------------------------------------------------------------------------------------- rigid links

SOLID: dict[str, Any] = {"shape": "elliptic-cylinder", "length": 0.1, "half_width": 0.02, "half_height": 0.03}
BODY: dict[str, Any] = {"length": 0.1, "half_width": 0.02, "half_height": 0.03}
FURTHER = {"position": (0.1, 0.0, 0.0), "solids": (SOLID,), "body": BODY}
JOINTS: list[dict[str, Any]] = [
    {"kind": "revolute", "axis": (0.0, 0.6, 0.8), "stiffness": 0.3, "damping": 0.01},
    {"kind": "universal", "axis": (0.0, 0.0, 1.0), "second_axis": (0.0, 1.0, 0.0), "stiffness": (0.2, 0.1)},
    {"kind": "prismatic", "axis": (1.0, 0.0, 0.0), "stiffness": 50.0, "rest": 0.01},
]
WAYS = [
    [(0, (0.08, 0.02, 0.01)), (1, (0.03, 0.02, 0.0)), (3, (0.05, 0.01, -0.02))],
    [(1, (0.09, -0.02, 0.0)), (2, (0.02, -0.01, 0.01)), (2, (0.09, 0.0, 0.02)), (3, (0.02, 0.0, 0.02))],
]


def links(**fields: Any) -> ll.Chain:
    """Four links with joints of three kinds; the last is lopsided."""
    heavy = {**FURTHER, "solids": ({**SOLID, "position": (0.01, 0.02, -0.01), "axis": (0.8, 0.6, 0.0)},)}
    rows = [
        {"solids": (SOLID,), "body": BODY},
        *({**(heavy if k == 2 else FURTHER), "joint": joint} for k, joint in enumerate(JOINTS)),
    ]
    return ll.Chain(links=rows, **{"base": "free", **fields})


def test_tendons_on_links_pull_as_pairs_of_forces_do() -> None:
    """Newton-Euler with a force at either end of every chord, along it: the same accelerations, on a free base."""
    model, rng = Soft(links(tendons=[{"through": way} for way in WAYS]), ll.Gravity()), np.random.default_rng(11)
    q, v, twist = 0.4 * rng.normal(size=4), rng.normal(size=4), rng.normal(size=6)
    q[3] *= 0.05
    x = model.flat(q, v, twist, base_orientation=(0.5, 0.5, -0.5, 0.5))
    problem = model.instant(x, (2.0, 3.0))
    bodies = BodyRecord.of(problem.records.bodies)
    origin, R = bodies.origin[0], bodies.rotation[0].reshape(-1, 3, 3)
    row, forces = {0: 0, 1: 1, 2: 3, 3: 4}, []  # a universal joint has two rows
    for way, tension in zip(WAYS, (2.0, 3.0), strict=True):
        places = [origin[row[link]] + R[row[link]] @ np.array(point) for link, point in way]
        for k in range(len(way) - 1):
            pull = tension * (places[k + 1] - places[k]) / np.linalg.norm(places[k + 1] - places[k])
            forces += [
                ll.PointWrench(body=way[k + end][0], point=way[k + end][1], force=tuple(sign * pull), frame="world")
                for end, sign in ((0, 1.0), (1, -1.0))
            ]
    wanted = ll.NewtonEuler(links(), [ll.Gravity(), *forces]).forward(
        q, v, np.zeros(4), twist, base_orientation=(0.5, 0.5, -0.5, 0.5)
    )
    found = model.forward(x, (2.0, 3.0))
    np.testing.assert_allclose(found.strain_acceleration, wanted.joint_acceleration, rtol=1e-9, atol=1e-9)


def test_a_finger_closes_and_its_works_add_up() -> None:
    coarse, result = (ll.run("chain-tendons", {"duration": 0.4, "step": step}) for step in (0.005, 0.0025))
    data = result.dataset
    assert not result.doubts and energy_gap(data) < 3e-5 < energy_gap(coarse.dataset) < 5e-4  # of fourth order
    bent = data["joint_position"].values[-1]
    assert (bent > 0.3).all() and data["tip_position"].values[-1, 2] < -0.04  # pitch bends down
    assert data["tension"].values[-1, 0] > data["tension"].values[-1, 1]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tendons": [{"through": [(0, (0.0, 0.0, 0.0)), (7, (0.0, 0.0, 0.0))]}]}, "goes through link 7"),
        ({"tendons": [{"through": [(1, (0.0, 0.0, 0.0)), (1, (0.1, 0.0, 0.0))]}]}, "points of at least two links"),
        ({"tendons": [{"through": [(0, (0.1, 0.0, 0.0)), (1, (0.0, 0.0, 0.0))]}]}, "a piece of no length"),
        ({"tendons": ()}, r"robot\.tendons: the model 'soft' moves a chain by tendons"),
    ],
)
def test_what_tendons_on_links_refuse(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Soft(links(**fields))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"robot.links.1.joint.coulomb_friction": 0.1},
            "coulomb_friction of a joint has no effect in the model 'soft'",
        ),
        ({"robot.links.1.joint.kind": "spherical"}, "takes revolute, prismatic and universal joints"),
        ({"model": {"kind": "newton-euler"}, "gait": {"kind": "body-wave"}}, r"robot\.tendons: the Newton-Euler model"),
        ({"model.degree": 2}, "a chain has one cell per degree of freedom"),
    ],
)
def test_what_a_chain_with_tendons_refuses(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.run("chain-tendons", changes)


# ------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"robot.tendon_stiffness": None}, "the tendons need a stiffness"),
        ({"robot.tendon_stiffness": 0.0}, "tendon_stiffness"),
        ({"gait": {"kind": "tension-step"}}, "stiffness of the tendons has no effect where gait 'tension-step'"),
        ({"gait": {"kind": "winch-step"}}, "the tendons have no winch"),
        ({"robot.winch": {}}, "the winches have no effect where gait 'length-step'"),
        ({"robot.winch": {"rotor_inertia": -1.0}}, "rotor_inertia"),
        (
            {"robot.winch": {"rotor_inertia": 0.0, "damping": 1e-5}},
            "a damping does nothing beside a rotor_inertia of 0",
        ),
        (
            {"robot.winch": {"rotor_inertia": 0.0}, "robot.tendon_damping": 0.1},
            "damping of the tendon does nothing beside",
        ),
        (
            {"robot.winch": {"rotor_inertia": 0.0}, "gait": {"kind": "winch-step", "after": [0.0, 0.0, -1e-3, 0.0]}},
            "a torque below 0 of the winch of tendon 2, whose rotor_inertia is 0",
        ),
        ({"gait.after": [0.1, 0.1]}, "2 lengths, but the robot has 4"),
        ({"gait.after": [1.0, 0.0, 0.0, 0.0]}, "a length is never negative"),
        ({"robot.slip_speed": 0.01}, "slip_speed goes with a `friction`"),
        ({"robot.friction": 1.0}, "friction"),
        ({"gait": {"kind": "still"}}, "driven by tensions, lengths or torques"),
    ],
)
def test_what_tendons_in_motion_refuse(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.run("neck-winch", changes)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tendons": ({"place": (0.03, 0.0)},)}, "tendon 0 runs outside the rod"),
        ({"tendons": ({"place": (0.01, 0.0), "start": 0.3, "anchor": 0.2},)}, "`start` lies before `anchor`"),
        (
            {"tendons": ({"place": (0.01, 0.0), "stiffness": 5.0}, {"place": (0.0, 0.0)})},
            "all tendons have a stiffness",
        ),
        ({"tendons": ({"place": (0.01, 0.0), "winch": {}},)}, "a winch goes with a `stiffness`"),
    ],
)
def test_what_tendons_of_a_rod_refuse(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        soft_rod(**fields)


@pytest.mark.parametrize(
    ("scenario", "changes", "said"),
    [
        ("rod-swim", {"robot.tendons": [{"place": [0.0, 0.0]}]}, r"robot\.tendons: a gait gives all strains"),
        ("rod-hangs", {"gait": {"kind": "tension-step"}}, "but the robot has no tendons"),
        ("rod-hangs", {"robot.tendons": [{"place": [0.0, 0.0]}]}, "driven by tensions, lengths or torques"),
    ],
)
def test_models_refuse_tendons_that_they_do_not_move(scenario: str, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.run(scenario, changes)


# ------------------------------------------------------------------------------------------------- what is summed up


def test_the_summary_has_the_power_of_the_pulleys_and_the_towing_efficiency() -> None:
    """Drag of the straight spine: half of density times 0.01 times pi r L."""
    result = ll.run("spine-45-swim", {"duration": 1.6, "gait.ramp": 0.0, "gait.period": 0.8})
    summary, data = result.summary(), result.dataset
    work = data["pulley_work"].values.sum(axis=1)
    power = (work[-1] - np.interp(0.8, data["time"].values, work)) / 0.8
    np.testing.assert_allclose(summary["mean_pulley_power"], power, rtol=1e-12)
    towed = 0.5 * 1000.0 * 0.01 * np.pi * 0.015 * summary["period_speed"] ** 3
    np.testing.assert_allclose(summary["towing_efficiency"], towed / power, rtol=1e-9)
    assert "towing_efficiency" not in ll.run("neck-swing-air", {"duration": 0.02}).summary()
