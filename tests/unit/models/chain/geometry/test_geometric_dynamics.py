"""The one solution of the geometric model: beside Newton-Euler, as a manipulator, with
everything conserved that must be.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.serpenoid import Serpenoid
from limbless.environments.clamp import Clamp
from limbless.environments.point_wrench import PointWrench
from limbless.environments.wheels import Wheels
from limbless.mechanics.chain.tables import Body
from limbless.models import geometric
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.geometric import GeometricSettings
from limbless.robots.presets.wang_snake import WangSnake

Array = np.ndarray
LAWS = (
    ll.Gravity(),
    ll.Drag(along=0.5, lateral=2.0, vertical=1.5),
    Wheels(law="regularised", slip_speed=0.05, placement="distributed"),
    PointWrench(body=-1, point=(0.1, 0.02, 0.03), force=(0.4, -0.3, 0.2), torque=(0.05, 0.02, -0.01)),
)


def test_nothing_is_taken_from_another_model() -> None:
    """Models that check each other share descriptions, force laws, contact tables and records, no dynamics."""
    for path in Path(geometric.__file__).parent.joinpath("chain", "geometry").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
            home = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            assert not any(other in f"{home}.{name}" for name in names for other in ("newton_euler", "nonsmooth")), (
                path.name
            )


@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
@pytest.mark.parametrize("coordinates", ["virtual", "group"])
def test_equals_newton_euler(tools: Any, base: str, coordinates: str) -> None:
    """Locomotion, mixed and torque-driven motion on random chains, with gravity, drag, wheels, a wrench and rotors."""
    chain = tools.chain(20, base)
    model, peer = (
        Geometric(chain, LAWS, settings=GeometricSettings(coordinates=coordinates)),
        ll.NewtonEuler(chain, LAWS),
    )
    x, v = tools.state(model, 4)
    nb, n, rng = model.frame.speeds, chain.freedoms, np.random.default_rng(5)
    q, qd, qdd, torque = x[-n:], v[-n:], rng.normal(size=n), rng.normal(size=n)
    pose, twist = base_of(model, x, v)
    for mask in (np.ones(n, dtype=bool), np.arange(n) % 2 == 0, np.zeros(n, dtype=bool)):
        found = model.solve(x, v, np.concatenate([np.zeros(nb, dtype=bool), mask]), acceleration=qdd, force=torque)
        expected = peer.hybrid(mask, q, qd, qdd, torque, twist, **pose)
        assert found.force[nb:] == pytest.approx(expected.joint_torque, rel=1e-10, abs=1e-10)
        assert found.acceleration[nb:] == pytest.approx(expected.joint_acceleration, rel=1e-10, abs=1e-10)
        R = Body.of(model._memory.bodies).rotation[0].reshape(3, 3)
        held = np.concatenate([R.T @ found.reaction[:3], R.T @ found.reaction[3:]])
        assert held == pytest.approx(expected.base_reaction, rel=1e-9, abs=1e-9)


def base_of(model: Geometric, x: Array, v: Array) -> tuple[dict[str, Array], Array]:
    """Pose and twist of the base, as Newton-Euler takes them."""
    from limbless.mechanics.algebra.array_rotations import matrix_to_quaternion

    model.bias(x, v)
    body = Body.of(model._memory.bodies)
    R, V = body.rotation[0].reshape(3, 3), body.velocity[0]
    allowed = {"free": np.ones(6), "planar": np.array([1, 1, 0, 0, 0, 1]), "fixed": np.zeros(6)}[model.chain.base]
    return (
        {"base_position": body.origin[0].copy(), "base_orientation": matrix_to_quaternion(R)},
        allowed * np.concatenate([R.T @ V[:3], R.T @ V[3:]]),
    )


def test_manipulation_is_the_sub_block_and_the_arm(tools: Any) -> None:
    """Rows and columns of the joints = the arm on a fixed base, in 3-D too; no other term is recomputed."""
    free, arm = Geometric(tools.chain(21, "free")), Geometric(tools.chain(21, "fixed"))
    x, v = tools.state(free, 6)
    assert free.metric(x)[6:, 6:] == pytest.approx(arm.metric(x[6:]), abs=1e-14)
    assert free.christoffel(x)[6:, 6:, 6:] == pytest.approx(arm.christoffel(x[6:]), abs=1e-14)
    still = np.concatenate([np.zeros(6), v[6:]])
    found = free.solve(x, still, "manipulation", acceleration=0.5 * v[6:])
    assert found.force[6:] == pytest.approx(arm.solve(x[6:], v[6:], acceleration=0.5 * v[6:]).force, abs=1e-12)


def test_any_module_can_be_clamped() -> None:
    """The head clamped: its module stays, the base follows from the joints; torques as on the robot turned round."""
    model, rng = Geometric(WangSnake(), Wheels(law="regularised")), np.random.default_rng(1)
    x, qdd = np.concatenate([[0.1, -0.2, 0.3], rng.uniform(-0.5, 0.5, 4)]), rng.normal(size=4)
    qd = rng.normal(size=4)
    J = model.body_jacobian(x, -1)[[0, 1, 5]]
    v = np.concatenate([-np.linalg.solve(J[:, :3], J[:, 3:] @ qd), qd])
    found = model.solve(x, v, acceleration=qdd, clamp=-1)
    step = 1e-5
    ahead, behind = (model.body_jacobian(x + s * v, -1)[[0, 1, 5]] for s in (step, -step))
    assert np.abs(J @ found.acceleration + (ahead - behind) @ v / (2 * step)).max() < 1e-8
    turned = WangSnake().build()
    pose = model.forward_kinematics(x)
    heading = np.arctan2(pose.rotation[-1][1, 0], pose.rotation[-1][0, 0]) + np.pi
    tip = pose.position[-1] + 0.04 * pose.rotation[-1][:, 0]
    mirror = Geometric(turned, Wheels(law="regularised"))
    same = mirror.solve([*tip[:2], heading, *x[:2:-1]], [0, 0, 0, *qd[::-1]], "manipulation", acceleration=qdd[::-1])
    assert found.force[3:] == pytest.approx(same.force[:2:-1], abs=1e-10)


@pytest.mark.parametrize("coordinates", ["virtual", "group"])
def test_tail_and_head_can_both_be_held_where_joints_are_free(coordinates: str) -> None:
    """Force-given joints between two clamps, beside the equations of a loop written out; each
    clamp's reaction is its own.
    """
    model = Geometric(
        WangSnake(), Wheels(law="regularised", slip_speed=1e-3), settings=GeometricSettings(coordinates=coordinates)
    )
    x, still, torque = np.array([0.2, -0.1, 0.5, 0.4, -0.7, 0.3, 0.6]), np.zeros(7), np.array([0.3, -0.2, 0.5, 0.1])
    held = np.arange(7) < 3
    found = model.solve(x, still, held, force=torque, clamp=-1)
    pose, J = model.forward_kinematics(x), model.body_jacobian(x, -1)
    R, arm = pose.rotation[-1], pose.position[-1] - np.array([0.2, -0.1, 0.0])
    rows, M = np.concatenate([R @ J[:3], R @ J[3:]])[[0, 1, 5]], model.metric(x)
    loop = np.block([[M[3:, 3:], -rows[:, 3:].T], [rows[:, 3:], np.zeros((3, 3))]])
    answer = np.linalg.solve(loop, np.concatenate([torque, np.zeros(3)]))
    assert found.acceleration == pytest.approx(np.concatenate([np.zeros(3), answer[:4]]), abs=1e-10)
    head = np.array([*answer[4:6], 0.0, 0.0, 0.0, answer[6]])
    head[3:] += np.cross(arm, head[:3])
    assert found.clamp_reaction == pytest.approx(head, abs=1e-10)
    inertial = (M @ found.acceleration - rows.T @ answer[4:])[:3]  # what the tail's clamp gives along the base
    tail = (found.reaction - found.clamp_reaction)[[0, 1, 5]]
    if coordinates == "group":
        tail[:2] = np.array([[np.cos(0.5), np.sin(0.5)], [-np.sin(0.5), np.cos(0.5)]]) @ tail[:2]
    assert found.force[:3] == pytest.approx(inertial, abs=1e-10) and tail == pytest.approx(inertial, abs=1e-10)
    with pytest.raises(ll.SimulationError, match="no way to follow"):
        model.solve(x, still, "manipulation", clamp=-1)


@pytest.mark.parametrize("base", ["planar", "free"])
def test_free_motion_conserves_energy_and_momentum(tools: Any, base: str) -> None:
    chain = tools.chain(22, base, joints=4, planar=base == "planar")
    twist = (0.3, -0.2, 0, 0, 0, 0.6) if base == "planar" else (0.3, -0.2, 0.1, 0.4, -0.3, 0.6)
    n = chain.freedoms
    result = ll.simulate(
        chain,
        ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque"),
        (),
        model="geometric",
        actuation="torque",
        duration=0.4,
        step=0.002,
        initial={
            "twist": twist,
            "joint_position": tuple(np.linspace(-0.4, 0.5, n)),
            "joint_velocity": tuple(np.linspace(0.5, -0.4, n)),
        },
    ).dataset
    energy, momentum = result["kinetic_energy"].values, result["momentum"].values
    kept = [0, 1, 5] if base == "planar" else list(range(6))
    assert np.abs(energy - energy[0]).max() < 1e-8 * energy[0]
    assert np.abs(momentum - momentum[0])[:, kept].max() < 1e-8


def test_the_start_moves_the_track_rigidly() -> None:
    turn = 0.7
    runs = [
        ll.simulate(
            WangSnake(), Serpenoid(), Wheels(), model="geometric", duration=2.0, step=2e-3, initial=initial
        ).dataset
        for initial in (None, {"position": (3.0, -1.0, 0.0), "orientation": (np.cos(turn / 2), 0, 0, np.sin(turn / 2))})
    ]
    R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    moved = runs[0]["base_position"].values[:, :2] @ R.T + [3.0, -1.0]
    assert np.abs(moved - runs[1]["base_position"].values[:, :2]).max() < 1e-9
    assert np.abs(runs[0]["joint_torque"].values - runs[1]["joint_torque"].values).max() < 1e-6


def test_prescribed_joints_without_momentum_keep_the_centre_of_mass() -> None:
    """x_b solves M_bb ẋ_b + M_bs ẋ_s = 0 at every record (spec, 8.7); fails with (22) as printed."""
    model = Geometric(WangSnake())
    q, qd = Serpenoid().sample(np.zeros(1), np.arange(4.0))[:2]
    M = model.metric([0, 0, 0, *q[0]])
    start = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ qd[0])
    result = ll.simulate(
        WangSnake(),
        Serpenoid(),
        (),
        model="geometric",
        duration=1.0,
        step=0.05,
        initial={"twist": (start[0], start[1], 0, 0, 0, start[2])},
    ).dataset
    centre = result["com_position"].values
    assert np.abs(centre - centre[0]).max() < 2e-7
    assert np.abs(result["momentum"].values[:, [0, 1, 5]]).max() < 2e-6


def test_generalised_friction_does_not_see_the_pose_of_the_base() -> None:
    """fY_k, k >= 3, is a function of the joints and of speeds along the body; friction takes power."""
    model = Geometric(WangSnake(), Wheels(law="regularised"), settings=GeometricSettings(coordinates="group"))
    rng = np.random.default_rng(2)
    q, v = rng.uniform(-0.6, 0.6, 4), rng.normal(size=7)
    here, there = (model.generalised_force([*pose, *q], v) for pose in ((0, 0, 0), (5.0, -3.0, 2.1)))
    assert here == pytest.approx(there, abs=1e-12)
    assert here @ v < 0.0
    chart = Geometric(WangSnake(), Wheels(law="regularised"))
    forces = [chart.generalised_force([X, Y, 0.4, *q], v) for X, Y in ((0, 0), (2, -1))]
    assert forces[0] == pytest.approx(forces[1], abs=1e-12)


@pytest.mark.parametrize("law", ["set-valued", "regularised"])
@pytest.mark.parametrize("cone", ["box", "ellipse"])
def test_friction_only_takes_power(law: str, cone: str) -> None:
    """Of a crawling snake at every record; no wheel gets more exact friction than its coefficients allow."""
    data = ll.simulate(
        WangSnake(),
        Serpenoid(),
        Wheels(law=law, cone=cone, slip_speed=5e-3),
        model="geometric",
        duration=0.5,
        step=1e-3,
    ).dataset
    power = data["environment_power"].values
    assert power[1:].max() < 0.0
    # a mean since the record before, and there is none
    assert power[0] == 0.0 if law == "set-valued" else power[0] < 0.0
    if law == "set-valued":
        most = 0.5 * 9.81 * np.hypot(0.5, 0.01 if cone == "box" else 0.0)
        assert np.linalg.norm(data["contact_force"].values, axis=-1).max() <= most + 1e-12


def test_a_wrench_on_a_module_works_through_its_jacobian() -> None:
    """(17): Y = J^T W, the wrench in the module's frame; as printed, without the frame, it is another number."""
    x, v = np.array([0.4, -0.3, 0.7, 0.3, -0.5, 0.4, 0.2]), np.zeros(7)
    force = np.array([0.3, -0.8, 0.0])
    model = Geometric(WangSnake(), PointWrench(body=2, point=(0.04, 0, 0), force=tuple(force), frame="world"))
    R = model.forward_kinematics(x).rotation[2]
    assert model.generalised_force(x, v) == pytest.approx(model.body_jacobian(x, 2)[:3].T @ (R.T @ force), abs=1e-14)


def test_clamping_a_moving_snake_takes_the_recorded_energy() -> None:
    """Crawl, clamp the tail: impulse and energy reported equal the drop, and the balances hold through it."""
    result = ll.simulate(
        WangSnake(), Serpenoid(), (Wheels(), Clamp(active=((1.5, 3.0),))), model="geometric", duration=2.0, step=1e-3
    )
    data = result.dataset
    before, after = 1499, 1500
    model = Geometric(WangSnake())
    end = ll.simulate(WangSnake(), Serpenoid(), Wheels(), model="geometric", duration=1.5, step=1e-3).state
    turn, twist = 2.0 * np.arctan2(end.x[6], end.x[3]), end.x[11:17]
    c, s = np.cos(turn), np.sin(turn)
    x = np.array([*end.x[:2], turn, *end.x[7:11]])
    v = np.array([c * twist[0] - s * twist[1], s * twist[0] + c * twist[1], twist[5], *end.x[17:21]])
    impact = model.close_clamp(x, v)
    assert data["clamp_energy"].values[before] == 0.0
    assert data["clamp_energy"].values[after] == pytest.approx(impact.energy, rel=1e-9)
    free = 0.5 * v @ model.metric(x) @ v
    assert data["kinetic_energy"].values[after] == pytest.approx(free - impact.energy, rel=1e-5)
    assert data["clamp_impulse"].values[after, :2] == pytest.approx(impact.impulse[:2], rel=1e-10)
    assert np.abs(data["base_twist"].values[after:]).max() < 1e-15
    assert all(balance["verdict"] == "pass" for balance in result.summary()["balances"].values())
    closed = impact.speeds @ model.metric(x) @ (v - impact.speeds)
    motors = impact.motor_work + impact.joint_impulse @ (impact.speeds - v)[3:] / 2
    assert closed == pytest.approx(-motors, abs=1e-12)  # after the impact only the motors' impulses have power


def test_smooth_clamping_keeps_the_tail_where_it_is() -> None:
    """fY' is fY with the base at rest, wherever it is."""
    result = held_by(0, 0.002, 1e-3)
    assert np.abs(result["base_position"].values - [0.3, -0.2, 0.0]).max() < 1e-15
    assert np.abs(result["base_twist"].values).max() == 0.0


def test_smooth_clamping_of_the_head_gives_the_tail_its_velocity() -> None:
    """The head has none, wherever it is: what a step leaves over goes to the base."""
    model, result = Geometric(WangSnake(modules=2)), held_by(-1, 0.4, 0.02)
    joints, rates = result["joint_position"].values, result["joint_velocity"].values
    w, x, y, z = np.moveaxis(result["base_orientation"].values, -1, 0)
    turn = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    twist, c, s = result["base_twist"].values, np.cos(turn), np.sin(turn)
    along = np.stack([c * twist[:, 0] - s * twist[:, 1], s * twist[:, 0] + c * twist[:, 1], twist[:, 5]])
    at = np.column_stack([result["base_position"].values[:, :2], turn, joints])
    speeds = np.column_stack([along.T, rates])
    assert np.abs(speeds[-1, :2]).max() > 1e-3
    for place, speed in zip(at, speeds, strict=True):
        assert np.abs(model.body_jacobian(place, -1) @ speed).max() < 1e-15


def held_by(module: int, duration: float, step: float) -> Any:
    """A snake that crawls while a module of it is clamped, away from the origin."""
    return ll.simulate(
        WangSnake(modules=2),
        Serpenoid(),
        (Wheels(law="regularised"), Clamp(module=module)),
        model="geometric",
        duration=duration,
        step=step,
        initial={"position": (0.3, -0.2, 0.0)},
    ).dataset


def test_clamping_with_free_joints_loses_half_delta_v_metric_delta_v() -> None:
    model, rng = Geometric(WangSnake()), np.random.default_rng(3)
    x, v = rng.uniform(-0.5, 0.5, 7), rng.normal(size=7)
    for module in (0, 2, -1):
        impact = model.close_clamp(x, v, module, joints_given=False)
        jump = impact.speeds - v
        assert impact.energy == pytest.approx(0.5 * jump @ model.metric(x) @ jump, rel=1e-12) and impact.energy > 0.0
        assert np.abs(model.body_jacobian(x, module) @ impact.speeds).max() < 1e-12
        assert not impact.joint_impulse.any()


@pytest.mark.parametrize("law", ["set-valued", "regularised"])
def test_a_clamped_head_stays_where_it_is(law: str) -> None:
    result = ll.simulate(
        WangSnake(),
        Serpenoid(),
        (Wheels(law=law), Clamp(module=-1, active=((0.1, 9.0),))),
        model="geometric",
        duration=0.5,
        step=2.5e-4,
    ).dataset
    late = result["time"].values > 0.1 + 1e-9
    head = result["position"].values[late, -1]
    assert np.abs(head - head[0]).max() < 1e-12
    assert np.ptp(result["base_position"].values[late], axis=0).max() > 1e-3
    assert np.abs(result["clamp_wrench"].values[late]).max() > 0.1
    if law == "regularised":  # forces of an instant; in the other one they are means
        assert np.abs(result["base_reaction"].values[late]).max() < 1e-9


@pytest.mark.parametrize("actuation", ["motion", "pd"])
def test_balances_hold_with_the_head_clamped(actuation: str) -> None:
    """What the clamp gives in Moreau's steps is all in the impulse: the module is held at the end of each step, not
    in its middle.
    """
    drives = {"kind": "pd", "stiffness": 20.0, "damping": 0.5} if actuation == "pd" else {"kind": "motion"}
    scenario = ll.Scenario(
        robot=WangSnake(),
        gait=Serpenoid(),
        environment=(Wheels(), Clamp(module=-1, active=((0.5, 9.0),))),
        model={"kind": "geometric"},
        actuation=drives,
        duration=1.5,
        step=1e-3,
        record_every=0.01,
    )
    balances = ll.run(scenario).summary()["balances"]
    assert all(balance["verdict"] == "pass" for balance in balances.values()), balances


def test_released_again_it_crawls_on() -> None:
    laws = (Wheels(), Clamp(active=((0.2, 0.4),)))
    result = ll.simulate(WangSnake(), Serpenoid(), laws, model="geometric", duration=1.0, step=1e-3).dataset
    place, time = result["base_position"].values, result["time"].values
    assert np.ptp(place[(time > 0.2) & (time < 0.4)], axis=0).max() == 0.0
    assert np.ptp(place[time > 0.5], axis=0).max() > 0.005


def test_continued_runs_are_the_same_run(tmp_path: Path) -> None:
    """State, seat of the clamp and friction are all in the saved state."""
    laws = (Wheels(), Clamp(active=((0.3, 0.8),)))
    whole = ll.simulate(WangSnake(), Serpenoid(), laws, model="geometric", duration=1.0, step=1e-3)
    half = ll.simulate(WangSnake(), Serpenoid(), laws, model="geometric", duration=0.5, step=1e-3)
    half.save(tmp_path / "half")
    saved = ll.Result.load(tmp_path / "half")
    rest = ll.simulate(WangSnake(), Serpenoid(), laws, model="geometric", duration=0.5, step=1e-3, initial=saved)
    for name in ("base_position", "joint_torque", "contact_force", "clamp_energy"):
        assert np.array_equal(rest.dataset[name].values, whole.dataset[name].values[500:])


def test_a_payload_is_a_point_mass_at_the_tip() -> None:
    plain, loaded = Geometric(WangSnake()), Geometric(WangSnake(payload=0.3))
    x = np.array([0.1, 0.2, 0.3, 0.4, -0.5, 0.6, 0.2])
    J = plain.body_jacobian(x, -1)
    tip = J[:3] + np.cross(J[3:].T, [0.04, 0, 0]).T
    assert loaded.metric(x) - plain.metric(x) == pytest.approx(0.3 * tip.T @ tip, abs=1e-14)


def test_a_weightless_snake_turns_without_momentum() -> None:
    """`wheeled-snake-float`, a base on SE(3): no momentum but that of its weight, and yet another heading after whole
    periods; torques and accelerations of the last record are those of the geometric equations.
    """
    data = ll.run("wheeled-snake-float").dataset
    centre = data["com_position"].values
    assert np.abs(data["momentum"].values[:, :2]).max() < 1e-5 and np.abs(centre - centre[0])[:, :2].max() < 1e-6
    assert abs(data["base_orientation"].values[-1, 0]) < 0.97
    scenario, end = ll.Scenario.load("wheeled-snake-float"), data.isel(time=-1)
    model = Geometric(scenario.robot, scenario.environment, settings=GeometricSettings(coordinates="group"))
    x = np.concatenate([end[name].values for name in ("base_position", "base_orientation", "joint_position")])
    v = np.concatenate([end["base_twist"].values, end["joint_velocity"].values])
    found = model.solve(x, v, acceleration=end["joint_acceleration"].values)
    assert np.abs(found.force[6:] - end["joint_torque"].values).max() < 1e-10


@pytest.mark.parametrize("seed", [1, 3, 4, 12, 16, 19, 20])
def test_weak_torques_on_set_valued_wheels_are_solved(seed: int) -> None:
    """Torques of a few mN m on a straight snake, which its wheels all but hold: slender and strong
    friction, box and ellipse.
    """
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-3, -1)
    torques, rate = size * rng.normal(size=4), rng.uniform(0.5, 6.0)
    gait = ll.FunctionGait(drives="torque", function=lambda t, s: torques * np.sin(rate * t)[:, None])
    for cone in ("box", "ellipse"):
        wheels = ll.Wheels(tangential=rng.choice([0.01, 0.006, 0.1]), normal=rng.choice([0.5, 0.67, 2.0]), cone=cone)
        run = ll.simulate(ll.WangSnake(), gait, wheels, model="geometric", actuation="torque", duration=0.1, step=0.001)
        assert run.status == "completed" and float(run.dataset["contact_residual"].max()) < 1e-9
