"""The contact laws recomputed in NumPy from saved states and forces, step by step over whole runs of the three examples
of paper 002.

Nothing here is taken from the library but the recorded numbers: kinematics of the chain, gaps, velocities of the
contact points (9), (15)-(30) and the natural map of the normal and friction laws are
written once more.
"""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll

LENGTH, RADIUS, ARM, MASS, ACROSS = 0.122, 0.0525, 0.0393, 7.5 / 11, 9.63e-4
STEP, RECOVERY, COMPLIANCE = 0.001, 0.2, 5e-4
Array = np.ndarray


def rotation(q: Array) -> Array:
    """(T, 3, 3) from unit quaternions, scalar first."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
            np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
            np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1),
        ],
        -2,
    )


def about(axis: int, angle: Array) -> Array:
    """(T, 3, 3) rotations about y (1) or z (2)."""
    c, s, o, i = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [[c, o, s], [o, i, o], [-s, o, c]] if axis == 1 else [[c, -s, o], [s, c, o], [o, o, i]]
    return np.stack([np.stack(row, -1) for row in rows], -2)


def middle_quaternion(q: Array, rate: Array, h: float) -> Array:
    """p_M = (p_A + a Hbar(p_A)^T w_A) / (1 + a^2 |w_A|^2), a = h/4, made a unit quaternion: (72) in closed form."""
    w, v = q[:, :1], q[:, 1:]
    moved = np.concatenate(
        [w - 0.25 * h * (v * rate).sum(1, keepdims=True), v + 0.25 * h * (w * rate + np.cross(v, rate))], axis=1
    )
    return moved / np.linalg.norm(moved, axis=1, keepdims=True)


def contact_kinematics(data: dict[str, Array]) -> tuple[Array, Array, Array, Array]:
    """Gaps (T, 22), velocities of the contact points (T, 22, 3) and tangents at the middles of all steps, in the order
    of the contacts.
    """
    place, turn, twist, angle, rate = (
        data[name] for name in ("base_position", "base_orientation", "base_twist", "joint_position", "joint_velocity")
    )
    before, after = slice(0, -1), slice(1, None)
    start = place[before] + 0.5 * STEP * np.einsum("tij,tj->ti", rotation(turn[before]), twist[before, :3])
    R = rotation(middle_quaternion(turn[before], twist[before, 3:], STEP))
    joints, rates = angle[before] + 0.5 * STEP * rate[before], rate[after]
    # of the middle of link 1, after the step
    v = np.einsum("tij,tj->ti", rotation(turn[after]), twist[after, :3])
    w = np.einsum("tij,tj->ti", R, twist[after, 3:])
    r = start
    gaps, speeds, tangents = [], [], []
    for link in range(11):
        if link:
            e = 0.5 * LENGTH * R[:, :, 0]
            r, v = r + e, v + np.cross(w, e)
            w = w + rates[:, 2 * link - 2, None] * R[:, :, 2]  # yaw about the previous link's z
            R = R @ about(2, joints[:, 2 * link - 2])
            w = w + rates[:, 2 * link - 1, None] * R[:, :, 1]  # pitch about the turned y
            R = R @ about(1, joints[:, 2 * link - 1])
            e = 0.5 * LENGTH * R[:, :, 0]
            r, v = r + e, v + np.cross(w, e)
        along = R[:, :, 0] * [1.0, 1.0, 0.0]
        along = along / np.linalg.norm(along, axis=1, keepdims=True)
        for side in (-1.0, 1.0):
            arm = side * ARM * R[:, :, 0]
            gaps.append((r + arm)[:, 2] - RADIUS)
            speeds.append(v + np.cross(w, arm - [0.0, 0.0, RADIUS]))
            tangents.append(along)
    across = [np.cross([0.0, 0.0, 1.0], t) for t in tangents]
    return np.stack(gaps, 1), np.stack(speeds, 1), np.stack(tangents, 1), np.stack(across, 1)


def natural_map(data: dict[str, Array], mu: Array, rho: float) -> Array:
    """Worst residual of every step, m/s."""
    gap, speed, along, across = contact_kinematics(data)
    assert np.abs(gap - data["contact_gap"][1:]).max() < 1e-9
    e = COMPLIANCE * (1.0 / MASS + ARM**2 / ACROSS)
    impulse = STEP * data["contact_force"]
    N, shift = impulse[1:, :, 2], np.where(gap > 0, gap, RECOVERY * gap) / STEP
    z = np.maximum(N - rho * (speed[..., 2] + shift + e * N), 0.0)
    worst = (np.abs(N - z) / rho).max(axis=1)
    xi = np.stack([np.einsum("tci,tci->tc", impulse[1:], t) for t in (along, across)], -1) / mu
    slip = np.stack([np.einsum("tci,tci->tc", speed, t) for t in (along, across)], -1) * mu
    # 0 at the start, and wherever it was open
    memory = np.concatenate([np.zeros_like(xi[:1]), xi[:-1]])
    soft, step = e * mu.min() ** 2, rho / mu.max() ** 2
    y = xi - step * (slip + soft * (xi - memory))
    size = np.linalg.norm(y, axis=-1)
    inside = np.where((size > z)[..., None], z[..., None] * y / np.maximum(size, 1e-300)[..., None], y)
    friction = np.linalg.norm((xi - inside) / mu, axis=-1) / step
    # N s: what a residual of 2e-8 m/s is as an impulse
    slack = 2e-8 * step * mu.max()
    # inside the cone, and N >= 0 with it
    assert (np.linalg.norm(xi, axis=-1) <= N + slack).all()
    return np.maximum(worst, friction.max(axis=1))


NEEDED = (
    "base_position",
    "base_orientation",
    "base_twist",
    "joint_position",
    "joint_velocity",
    "contact_gap",
    "contact_force",
)


@pytest.mark.parametrize("mu", [(0.8, 0.8), (1.5, 1.5), (2.0, 2.0), (2.0, 0.3)])
def test_friction_of_rubber_and_more_keeps_the_contact_laws(mu: tuple[float, float]) -> None:
    """From about 0.8 on radii of friction that follow the loads do not settle: sidewinding
    with coefficients up to 2.
    """
    run = ll.run(
        "snake-sidewind",
        {
            "step": STEP,
            "record_every": STEP,
            "model.theta": 1.0,
            "duration": 1.0,
            "environment.ground.forward": mu[0],
            "environment.ground.lateral": mu[1],
        },
    )
    assert natural_map({key: run.dataset[key].values for key in NEEDED}, np.array(mu), 0.3).max() < 2e-8
    assert run.dataset["contact_residual"].max() < 1e-8


@pytest.mark.parametrize(
    ("name", "mu"),
    [
        ("snake-undulate-orthotropic", (0.1, 0.5)),
        ("snake-undulate-isotropic", (0.2, 0.2)),
        ("snake-sidewind", (0.2, 0.2)),
    ],
)
def test_every_step_of_a_whole_run_keeps_the_contact_laws(name: str, mu: tuple[float, float]) -> None:
    run = ll.run(name, {"step": STEP, "record_every": STEP, "model.theta": 1.0})
    data = {key: run.dataset[key].values for key in NEEDED}
    assert len(data["contact_gap"]) == 15001
    residual = natural_map(data, np.array(mu), 0.3)
    assert residual.max() < 2e-8, (residual.max(), residual.argmax())
    weaker = {**data, "contact_force": data["contact_force"] * [0.999, 0.999, 1.0]}
    # friction a thousandth too weak: the check can fail
    assert natural_map(weaker, np.array(mu), 0.3).max() > 1e-6
