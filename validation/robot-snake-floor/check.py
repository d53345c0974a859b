"""A snake robot of 14 joints on a floor: three gaits and their threshold trials, commands held for 50 ms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import limbless as ll
from validation.experiments import NEAR, drawn, points_of

Array = NDArray[np.float64]

GAITS = ("sidewinding", "rolling", "slithering")
LOGGED = ("sidewinding", "slithering")
"""Gaits of which lag, amplitude and current of every joint are known."""
THRESHOLDS = {"sidewinding": ("0.3", "0.5", "0.9"), "rolling": ("0.3", "0.5", "0.9"), "slithering": ("0.3", "0.5")}
DURATION, RATE, SETTLED = 10.0, 20.0, 2.0
TORQUE_OF_CURRENT = 1.3
"""N m/A: 3.0 N m at 2.3 A, as data sheets of such servos state stall; recalled, not measured on this robot."""
USUAL = {"friction": 0.55, "stiffness": 40.0, "damping": 0.6, "limit": 3.5, "rotor": 0.01}
SECOND = {"stiffness": 1.9, "damping": 0.13}
SIGMAS = (0.02, 3e-3)
"""Of an amplitude over its command, and of a lag, s: what the model's own error needs."""


def chain(robot: Mapping[str, Any], damping: float, rotor: float) -> ll.Chain:
    """15 modules in a row, each a disc and, but for the tail, a box behind it; the first joint pitches, the second
    yaws, and so on. What touches is the edge of the discs."""
    made = ll.ModuleSnake(
        modules=robot["links"],
        length=robot["pitch_of_joints_m"],
        radius=robot["disc_radius_m"],
        module_mass=robot["mass_kg"] / robot["links"],
        rotor_inertia=rotor,
        viscous_friction=damping,
        torque_limit=None,
        skin=None,
    ).build()
    last = len(made.links) - 1
    return made.changed(links=tuple(_link(robot, k, link, k == last) for k, link in enumerate(made.links)))


def _link(robot: Mapping[str, Any], number: int, link: ll.Link, tail: bool) -> ll.Link:
    up = link.contact_shapes[0].centre[2]
    at, thin, radius = robot["disc_behind_joint_m"], robot["disc_half_length_m"], robot["disc_radius_m"]
    parts = [_part(robot["disc_mass_kg"], (at, 0.0, up), (0.5 * radius**2, *[radius**2 / 4 + thin**2 / 3] * 2))]
    if not tail:
        x, y, z = (half**2 / 3.0 for half in robot["box_half_m"])
        y, z = (y, z) if number % 2 == 0 else (z, y)
        parts.append(_part(robot["box_mass_kg"], (at + robot["box_behind_disc_m"], 0.0, up), (y + z, x + z, x + y)))
    if number == 0:
        x, y, z = (half**2 / 3.0 for half in robot["head_box_half_m"])
        parts.append(_part(robot["head_box_mass_kg"], (at, 0.0, up), (y + z, x + z, x + y)))
    mass, moment, inertia = (sum(part[k] for part in parts) for k in range(3))
    rim = ll.Sphere(centre=(at, 0.0, up), radius=thin, rim=radius - thin, axis=(1.0, 0.0, 0.0))
    made = link.changed(mass=mass, first_moment=tuple(moment), inertia=inertia.tolist(), contact_shapes=(rim,))
    if number == 0:
        return made
    axis, label = ((0.0, -1.0, 0.0), "pitch") if number % 2 else ((0.0, 0.0, 1.0), "yaw")
    return made.changed(joint=link.joint.changed(axis=axis, label=label))


def _part(mass: float, at: Sequence[float], squares: Sequence[float]) -> tuple[float, Array, Array]:
    """Mass, first moment and inertia about the link's origin, of a part with given radii of gyration squared."""
    c = np.array(at)
    return mass, mass * c, mass * (np.diag(squares) + (c @ c) * np.eye(3) - np.outer(c, c))


def wave(a: Array, e: Array, rate: Array, lead: float, t: Array) -> tuple[Array, Array]:
    """Angles and rates (T, 14): numbers of odd and of even joints, rad and rad/s."""
    joint = np.arange(1, 15)
    pick = (joint - 1) % 2
    phase = joint * e[pick] + np.where(pick == 0, 0.0, lead) + np.outer(t, rate[pick])
    return a[pick] * np.sin(phase), a[pick] * rate[pick] * np.cos(phase)


def commands(case: Any, gait: str, threshold: str = "") -> Array:
    """(rows, 1 + 14): time and angles, 20 a second. Threshold trials send a joint its angle only where another wave of
    it moves faster than that share of its largest rate."""
    t = np.arange(round(DURATION * RATE) + 1) / RATE
    said = case.numbers["snake_robot"]
    if not threshold:
        g = said["robot"]["gaits"][gait]
        a, e, lead = np.radians([[g["a_deg"]] * 2, [g["e_deg"]] * 2, [g["lead_deg"]] * 2])
        return np.column_stack([t, wave(a, e, np.array([g["w_odd"], g["w_even"]]), lead[0], t)[0]])
    sent = said["trials"][gait][f"threshold {threshold}"]["sent"]

    def read(text: str) -> tuple[Array, Array]:
        n = np.array([float(number) for number in text.strip("()").split(",")])
        return wave(np.radians(n[0:2]), np.radians(n[2:4]), 0.1 * n[4:6], float(np.radians(n[6])), t)

    rates, angles = read(sent["motion"])[1], read(sent["curve"])[0]
    sends = np.abs(rates) > float(threshold) * np.abs(rates).max(axis=0)
    held = np.zeros_like(angles)
    for k in range(len(t)):
        held[k] = np.where(sends[k], angles[k], held[k - 1] if k else 0.0)
    return np.column_stack([t, held])


def recorded(rows: Array) -> ll.RecordedGait:
    """Commands, held from one to the next."""
    return ll.RecordedGait(table=tuple(map(tuple, rows.tolist())), between="hold")


def scenario(case: Any, rows: Array, how: Mapping[str, float], step: float = 5e-4) -> ll.Scenario:
    """Ten seconds from straight and still."""
    mu = how["friction"]
    return ll.Scenario(
        name="robot-snake-floor",
        robot=chain(case.numbers["snake_robot"]["robot"], how["damping"], how["rotor"]),
        gait=recorded(rows),
        environment=(ll.Ground(forward=mu, backward=mu, lateral=mu), ll.Gravity()),
        model=ll.NonSmoothSettings(),
        actuation=ll.ProportionalDerivative(stiffness=how["stiffness"], damping=0.0, saturation=how["limit"]),
        initial={"joint_position": [0.0] * 14},
        duration=DURATION,
        step=step,
        record_every=1.0 / RATE,
    )


def ran(case: Any, rows: Array, how: Mapping[str, float], step: float = 5e-4) -> Any:
    """The dataset of such a run."""
    return ll.run(scenario(case, rows, how, step)).dataset


def net_speed(data: Any) -> float:
    """m/s of the head from first to last."""
    head = data.head_position.values[:, :2]
    return float(np.linalg.norm(head[-1] - head[0])) / DURATION


def harmonics(case: Any, gait: str, data: Any, rows: Array) -> Array:
    """(14, 2): amplitude over that of the command, and lag behind it, s."""
    g, use = case.numbers["snake_robot"]["robot"]["gaits"][gait], rows[:, 0] >= SETTLED
    t, found = rows[use, 0], []
    for joint in range(14):
        rate = g["w_odd"] if joint % 2 == 0 else g["w_even"]
        X = np.stack([np.cos(rate * t), np.sin(rate * t), np.ones_like(t), t], axis=1)
        both = np.stack([data.joint_position.values[use, joint], rows[use, joint + 1]], axis=1)
        (c1, c2), (s1, s2) = np.linalg.lstsq(X, both, rcond=None)[0][:2]
        own, sent = complex(c1, -s1), complex(c2, -s2)
        found.append([abs(own) / abs(sent), float(np.angle(sent / own)) / rate])
    return np.array(found)


def rms_torque(data: Any, rows: Array) -> Array:
    """(14,) N m at the instants of the log."""
    return np.asarray(np.sqrt((data.joint_torque.values[rows[:, 0] >= SETTLED] ** 2).mean(axis=0)))


def measured_harmonics(case: Any, gait: str) -> Array:
    """The same of the robot."""
    said = case.numbers["snake_robot"]["trials"][gait]["serpenoid"]
    return np.column_stack([said["amplitude_over_command"], 1e-3 * np.array(said["lag_ms"])])


def values(case: Any, changes: Mapping[str, Any], step: float = 5e-4, thresholds: bool = True) -> dict[str, float]:
    how, found = {**USUAL, **changes}, {}
    for gait in GAITS:
        rows = commands(case, gait)
        data = ran(case, rows, how, step)
        found[gait] = net_speed(data)
        amplitude, lag = harmonics(case, gait, data, rows).mean(axis=0)
        found |= {f"amplitude, {gait}": float(amplitude), f"lag, {gait}": 1e3 * float(lag)}
        if gait in LOGGED:
            found[f"torque, {gait}"] = float(np.sqrt((rms_torque(data, rows) ** 2).mean()))
        for threshold in THRESHOLDS[gait] if thresholds else ():
            found[f"{gait} {threshold}"] = net_speed(ran(case, commands(case, gait, threshold), how, step))
    return found


def second_scene(case: Any) -> dict[str, float]:
    """Speeds with the gains of another scene of the same authors."""
    how = {**USUAL, **SECOND}
    return {f"{gait}, second scene": net_speed(ran(case, commands(case, gait), how)) for gait in GAITS}


FREE = {
    "actuation.stiffness": (10.0, 160.0),
    ",".join(f"robot.links.{k}.joint.viscous_friction" for k in range(1, 15)): (0.1, 3.0),
    ",".join(f"robot.links.{k}.joint.rotor_inertia" for k in range(1, 15)): (5e-4, 0.03),
    "actuation.saturation": (1.5, 6.0),
    ",".join(f"environment.ground.{way}" for way in ("forward", "backward", "lateral")): (0.2, 1.2),
}


def measured_log(case: Any, gait: str) -> ll.JointLog:
    """Joints that move with the amplitude and the lag of the robot's: its logs may not be kept."""
    rows, said = commands(case, gait), case.numbers["snake_robot"]["robot"]["gaits"][gait]
    share, lag = measured_harmonics(case, gait).T
    a, e, lead = np.radians([[said["a_deg"]] * 2, [said["e_deg"]] * 2, [said["lead_deg"]] * 2])
    rate = np.array([said["w_odd"], said["w_even"]])
    late = [wave(a, e, rate, lead[0], rows[:, 0] - each)[0][:, joint] for joint, each in enumerate(lag)]
    return ll.JointLog(gait, rows[:, 0], tuple(f"joint {k}" for k in range(1, 15)), position=share * np.stack(late, 1))


def fit(case: Any, gaits: Sequence[str] = LOGGED, test: Sequence[str] = ()) -> ll.Identified:
    """Gains, limit and friction from lag and amplitude of every joint; its result is written into case.yaml by hand,
    because it takes some minutes."""

    def runs(names: Sequence[str]) -> list[ll.MeasuredRun]:
        sigma, some = {"harmonics": SIGMAS}, {"counts": ("harmonics",), "skip": SETTLED}
        return [
            ll.MeasuredRun(
                gait, {"gait": recorded(commands(case, gait))}, log=measured_log(case, gait), sigma=sigma, **some
            )
            for gait in names
        ]

    start = scenario(case, commands(case, gaits[0]), USUAL)
    return ll.identify(start, runs(gaits), FREE, test=runs(test))


def profiles(case: Any, gait: str, how: Mapping[str, float], step: float = 5e-4) -> Array:
    """(2, 14): lag of every joint, ms, and its torque, N m."""
    rows = commands(case, gait)
    data = ran(case, rows, {**USUAL, **how}, step)
    return np.stack([1e3 * harmonics(case, gait, data, rows)[:, 1], rms_torque(data, rows)])


def curves(case: Any, fitted: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """Lag and torque of every joint: robot, un-fitted run with its numerical error and band, fitted run."""
    found: dict[str, dict[str, Any]] = {}
    for gait in LOGGED:
        said = case.numbers["snake_robot"]["trials"][gait]["serpenoid"]
        current = said["rms_current_A"]
        robot = [
            (said["lag_ms"], said["lag_sd_ms"]),
            (TORQUE_OF_CURRENT * np.array(current[name]) for name in ("mean_of_3", "sd_of_3")),
        ]
        own, other, fine = profiles(case, gait, {}), profiles(case, gait, fitted), profiles(case, gait, {}, 2.5e-4)
        beside = np.stack([own, *(profiles(case, gait, {"friction": f * USUAL["friction"]}) for f in NEAR)])
        error = np.maximum(np.abs(own - fine), np.ptp(beside, axis=0))
        band = np.stack([profiles(case, gait, point) for point in points_of(case)])
        for k, (what, (mean, sd)) in enumerate(zip(("lag, ms", "torque, N m"), robot, strict=True)):
            found[f"{what}, {gait}"] = {
                **{"at": np.arange(1, 15), "along": "joint", "every": 2, "measured": mean, "sd": sd, "run": own[k]},
                **{"fitted": other[k], "error": error[k], "band": (band[:, k].min(axis=0), band[:, k].max(axis=0))},
            }
    return found


def check(case: Any, sheet: Any) -> dict[str, float]:
    fitted = {path: each[0] for path, each in case.fitted.values.items()}
    found = {**values(case, {}), **second_scene(case)}
    found |= {f"{name}, fitted": value for name, value in values(case, fitted).items()}
    return drawn(case, sheet, found, curves(case, fitted))
