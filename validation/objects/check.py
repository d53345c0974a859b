"""Free objects that roll, slide, tip, are struck and float, and links that press on each other."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

import limbless as ll

G, RADIUS, LENGTH = 9.81, 0.02, 0.2
BALL = {
    "shape": "sphere",
    "radius": 0.05,
    "density": 1500.0,
    "friction": 0.0,
    "position": (0.10085, 0.08, 0.0),
    "velocity": (-0.5, 0.0, 0.0),
}
BOX = {"shape": "box", "sizes": (0.1, 0.3, 0.1), "friction": 0.0, "position": (0.0, 0.0, 0.0)}
CROWD = (
    {"shape": "box", "sizes": (0.12, 0.08, 0.05), "position": (0.25, -0.12, 0.0), "yaw": 0.4, "roll": 0.3},
    {"shape": "capsule", "radius": 0.03, "length": 0.15, "position": (0.1, 0.14, 0.02), "yaw": 1.0},
    {"shape": "sphere", "radius": 0.04, "position": (0.42, 0.12, -0.01), "velocity": (-0.5, -0.5, 0)},
    {"shape": "box", "sizes": (0.06, 0.06, 0.06), "position": (0.25, -0.25, 0.01), "velocity": (0, 0.6, 0)},
)
SCENE = """<mujoco><option timestep="1e-6" gravity="0 0 0" cone="elliptic"/>
<default><geom solref="0.0001 10" solimp="0.99 0.999 0.0001" condim="1"/></default><worldbody>
<body><freejoint/><geom type="box" size="0.05 0.15 0.05" density="500"/></body>
<body pos="0.10085 0.08 0"><freejoint/><geom type="sphere" size="0.05" density="1500"/></body>
</worldbody></mujoco>"""


def rod(links: int = 1, length: float = LENGTH, viscous: float = 0.0) -> ll.Chain:
    return ll.Chain.uniform(
        links=links,
        length=length,
        half_width=RADIUS,
        half_height=RADIUS,
        contact_radius=RADIUS,
        viscous_friction=viscous,
    )


def run(
    bodies: Any,
    duration: float,
    step: float = 1e-3,
    robot: ll.Chain | None = None,
    ground: float = 0.0,
    slope: float = 0.0,
    friction: float = 0.3,
    torques: tuple[float, ...] = (),
    touching: bool = False,
    gravity: float = G,
    compliance: float = 5e-4,
    **initial: Any,
) -> Any:
    """A robot among objects over a ground."""
    around: list[Any] = [
        ll.Ground(forward=friction, lateral=friction, rolling=0.0, height=ground, slope=(slope, 0.0)),
        ll.Gravity(acceleration=(0.0, 0.0, -gravity)),
        ll.Objects(bodies=tuple(ll.FreeObject(**body) for body in bodies)),
    ]
    if touching:
        around.append(ll.SelfContact(friction=friction))
    gait = ll.FunctionGait(function=lambda t, s: np.tile(torques, (len(t), 1)), drives="torque")
    return ll.simulate(
        robot or rod(),
        gait,
        around,
        model=ll.NonSmoothSettings(compliance=compliance),
        duration=duration,
        actuation="torque",
        step=step,
        record_every=max(step, 1e-3),
        initial={"position": (0.0, 3.0, 2.0), **initial},
    ).dataset


def rolling() -> tuple[Any, float, float]:
    """A ball thrown along the ground, with friction 0.2: its speed, how far from 5/7 it ends, when it rolls."""
    ball = {
        "shape": "sphere",
        "radius": 0.05,
        "position": (0.0, 0.0, 0.05),
        "velocity": (1.0, 0.0, 0.0),
        "friction": 0.2,
    }
    data = run([ball], 0.3, 2.5e-4)
    speed = data.object_momentum.values[:, 0, 0] / float(data.object_mass[0])
    R = turned(data.object_orientation.values[:, 0])
    spin = np.einsum("rij,rj->ri", R, data.object_twist.values[:, 0, 3:])[:, 1]
    slip = np.abs(speed - 0.05 * spin)
    rolls = float(data.time[int(np.argmax(slip < 1e-3))])
    return (data.time.values, speed), abs(float(speed[-1]) * 7.0 / 5.0 - 1.0), rolls


def turned(q: np.ndarray) -> np.ndarray:
    w, x, y, z = q.T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)


def on_slope(angle: float, sizes: tuple[float, float, float], mu: float, duration: float) -> tuple[float, np.ndarray]:
    """A box laid on a slope: its way, and the angle by which it has turned."""
    up = 0.5 * sizes[2]
    box = {
        "shape": "box",
        "sizes": sizes,
        "position": (-up * math.sin(angle), 0.0, up * math.cos(angle)),
        "pitch": -angle,
        "friction": mu,
    }
    data = run([box], duration, slope=angle)
    q = data.object_orientation.values[:, 0]
    turn = 2.0 * np.arccos(np.clip(np.abs(q @ q[0]), 0.0, 1.0))
    return float(np.linalg.norm(data.object_position.values[-1, 0] - data.object_position.values[0, 0])), turn


def pushed() -> float:
    """A frictionless robot pushes a box that rubs: its force over what slows the robot."""
    box = {
        "shape": "box",
        "sizes": (0.1, 0.1, 0.04),
        "density": 600.0,
        "position": (-0.0705, 0.0, 0.02),
        "friction": 0.25,
    }
    data = run([box], 0.2, friction=0.0, position=(0.0, 0.0, RADIUS), twist=(-0.8, 0, 0, 0, 0, 0))
    m, M = float(rod().bodies().mass.sum()), float(data.object_mass[0])
    touching = (data.contact_link.values >= 0) & (data.contact_object.values == 0)
    push = data.contact_force.values[:, touching].sum(axis=1)[data.time.values > 0.05]
    return float(np.abs(push[:, 0] / (m * 0.25 * (M * G + push[:, 2]) / (m + M)) - 1.0).max())


def struck() -> dict[str, float]:
    """A ball hits a box off its centre, without friction, and does not bounce; the same by MuJoCo."""
    data = run([BOX, BALL], 0.02, 1e-4, ground=-50.0, gravity=0.0, compliance=1e-6)
    M, m = data.object_mass.values[:2]
    inertia, c = M / 12.0 * (0.1**2 + 0.3**2), 0.08
    J = 0.5 / (1.0 / m + 1.0 / M + c * c / inertia)
    hit = data.object_twist.values[data.time.values > 0.0019][0, 0]  # 0.3 ms after it
    model = mujoco.MjModel.from_xml_string(SCENE)
    peer = mujoco.MjData(model)
    peer.qvel[6] = -0.5
    for _ in range(4000):
        mujoco.mj_step(model, peer)
    return {
        "struck": abs(hit[0] / (-J / M) - 1.0),
        "spun": abs(hit[5] / (c * J / inertia) - 1.0),
        "mujoco speed": abs(hit[0] / peer.qvel[0] - 1.0),
        "mujoco spin": abs(hit[5] / peer.qvel[5] - 1.0),
    }


def crash() -> dict[str, float]:
    """A spinning robot among a ball, a capsule and two boxes, in free flight."""
    data = run(
        CROWD,
        0.5,
        2.5e-4,
        rod(4, 0.12, 0.01),
        ground=-50.0,
        gravity=0.0,
        torques=(0.2, 0.2, 0.2),
        touching=True,
        position=(0.0, 0.0, 0.0),
        twist=(0, 0, 0, 0, 0, 2.0),
    )
    momentum = data.momentum.values + data.object_momentum.values.sum(axis=1)
    impulse = data.impulse.values + data.object_impulse.values.sum(axis=1)
    energy = data.kinetic_energy.values + data.object_energy.values.sum(axis=1) - data.actuator_work.values
    drift = np.abs(momentum - momentum[0])
    return {
        "momentum": float(drift[:, :3].max()),
        "third law": float(np.abs(impulse).max()),
        "angular": float(drift[:, 3:].max() / np.abs(momentum).max()),
        "energy": float(np.diff(energy).max() / energy[0]),
    }


def fold() -> float:
    """Three links folded to a U by torques: the force between the tips over tau / (L cos phi)."""
    tau, phi = 0.4, math.asin((LENGTH - 2 * RADIUS) / (2 * LENGTH))
    far = {"shape": "sphere", "radius": 0.05, "position": (0.0, 90.0, 0.0)}
    data = run(
        [far],
        0.6,
        robot=rod(3, viscous=0.05),
        ground=-50.0,
        gravity=0.0,
        torques=(tau, tau),
        touching=True,
        position=(0.0, 0.0, 0.0),
        joint_position=(math.pi / 2 + phi - 0.01,) * 2,
    )
    inner = data.contact_other_link.values >= 0
    force = float(np.linalg.norm(data.contact_force.values[-1, inner].sum(axis=0)))
    return abs(force / (tau / (LENGTH * math.cos(phi))) - 1.0)


def in_water(
    density: float,
    duration: float,
    z: float = 0.0,
    level: float = 0.0,
    swing: float = 0.0,
    drag: tuple[float, float, float] | None = None,
    gravity: float = G,
) -> tuple[np.ndarray, np.ndarray]:
    """A ball of 5 cm in water of that level, which swings with 0.5 Hz: times, height and velocity along x and z."""
    water = ll.Water(surface=level, flow=({"kind": "oscillating", "amplitude": (swing, 0.0, 0.0), "period": 2.0},))
    ball = ll.FreeObject(shape="sphere", radius=0.05, density=density, position=(0.0, 0.0, z), drag=drag)
    gait = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 0)), drives="torque")
    data = ll.simulate(
        rod(),
        gait,
        (water, ll.Gravity(acceleration=(0.0, 0.0, -gravity)), ll.Objects(bodies=(ball,))),
        model="non-smooth",
        actuation="torque",
        duration=duration,
        step=1e-3,
        record_every=5e-3,
        initial={"position": (0.0, 20.0, 0.0)},
    ).dataset
    moved = data.object_momentum.values[:, 0] / float(data.object_mass[0])
    return data.time.values, np.stack([data.object_position.values[:, 0, 2], moved[:, 0], moved[:, 2]])


def floating() -> dict[str, float]:
    """Draught, bobbing and sinking of balls, and one in a stream that swings."""
    s, r = 0.35, 0.05
    h = next(float(root.real) for root in np.roots([-1.0, 0.0, 3.0, 2.0 - 4.0 * s]) if abs(root) < 1.0)
    _, (rests, _, _) = in_water(1000.0 * s, 1.0, -r * h)
    time, (bobs, _, _) = in_water(1000.0 * s, 4.0, -r * h + 1e-3, drag=(0.0, 0.0, 0.0))
    high = bobs + r * h
    up = np.flatnonzero((high[:-1] < 0.0) & (high[1:] >= 0.0))
    period = np.diff(time[up] - high[up] * 5e-3 / (high[up + 1] - high[up])).mean()
    mass = 1000.0 * 4.0 / 3.0 * math.pi * r**3 * s * 1.5
    _, (_, _, sinks) = in_water(2500.0, 3.0, level=50.0)
    time, (_, swings, _) = in_water(3000.0, 2.0, level=50.0, swing=0.2, drag=(0.0, 0.0, 0.0), gravity=1e-9)
    spring, stream = 1000.0 * G * math.pi * r * r * (1.0 - h * h), 0.2 * np.sin(math.pi * time)
    return {
        "draught": float(np.abs(rests - rests[0]).max()),
        "bobs": abs(period / (2.0 * math.pi * math.sqrt(mass / spring)) - 1.0),
        "sinks": abs(-sinks[-1] / math.sqrt(8.0 * 1.5 * G * r / (3.0 * 0.47)) - 1.0),
        "swings": float(np.abs(swings - 3.0 / 7.0 * stream).max()),
    }


def check(case: Any, sheet: Any) -> dict[str, float]:
    (time, speed), sevenths, rolls = rolling()
    mu, foot = 0.3, (0.06, 0.06, 0.2)
    held, _ = on_slope(math.atan(0.98 * mu), (0.1, 0.1, 0.04), mu, 1.0)
    steep = math.atan(1.02 * mu)
    way, _ = on_slope(steep, (0.1, 0.1, 0.04), mu, 1.0)
    turns = {share: on_slope(math.atan(share * foot[0] / foot[2]), foot, 1.0, 1.5)[1] for share in (0.98, 1.02)}
    ball, box = sheet.subplots(1, 2)
    ball.plot(time, speed)
    ball.axhline(5 / 7, linewidth=0.5, color="k")
    ball.axvline(2 / (7 * 0.2 * G), linewidth=0.5, color="k")
    ball.set(xlabel="time (s)", ylabel="speed of the ball (m/s)")
    for share, turn in turns.items():
        box.plot(np.linspace(0.0, 1.5, len(turn)), turn, label=f"slope {share:g} b/h")
    box.set(xlabel="time (s)", ylabel="angle of the box (rad)")
    box.legend()
    return {
        "five sevenths": sevenths,
        "rolling time": rolls,
        "held": held,
        "slides": abs(way / (0.5 * G * (math.sin(steep) - mu * math.cos(steep))) - 1.0),
        "stands": float(turns[0.98][-1]),
        "tips": float(turns[1.02][-1]),
        "pushed": pushed(),
        "fold": fold(),
        **struck(),
        **crash(),
        **floating(),
    }
