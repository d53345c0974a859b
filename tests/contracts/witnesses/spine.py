"""Spines pulled by tendons: three vertebrae of the neck put together by hand; its energy, differentiated numerically,
says the rest.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import limbless as ll
from tests.contracts.witnesses import Array, Case, case_of, matrix, witness

MODEL = "tendon-statics"
LENGTH, LATERAL = np.array([0.022, 0.020, 0.018]), np.array([0.045, 0.040, 0.035])
STIFFNESS = np.stack([LATERAL, 2.0 * LATERAL], axis=1)  # lateral, vertical
JOINT, DISK, HEAD = 0.001, np.array([0.003, 0.0025, 0.002]), np.array([0.0, 0.0, 0.006])
VOLUME = (JOINT + DISK) / 950.0 + HEAD / 1300.0
HOLES = 0.012 * np.array([[-1.0, 0.0], [0.0, -1.0], [0.0, 1.0], [1.0, 0.0]])  # y, z of right, down, up, left
STOPS = np.radians([15.0, 8.0])
GRAVITY, WATER = np.array([0.0, 0.0, -9.81]), 1000.0
PLACE, TURN = np.array([0.2, -0.1, 0.4]), Rotation.from_rotvec([0.4, 0.9, -0.3])
RUB, ELASTIC, PULLEY = 0.2, 900.0, 0.01

ROBOT = {"preset": "snake-neck", "count": 3}
INITIAL = {"position": PLACE.tolist(), "orientation": np.roll(TURN.as_quat(), 1).tolist()}
PULLS = [[0.0, 0.0, 0.0, 0.0, 0.0], [1.0, 0.5, 0.2, 0.0, 0.1], [2.0, 0.6, 0.45, 0.05, 0.0]]
HARD = [[0.0, 2.0, 0.3, 0.0, 0.0], [1.0, 2.4, 2.2, 0.0, 0.0]]
TO_AND_FRO = [
    [0.0, 0.2, 0.1, 0.0, 0.0],
    [1.0, 0.8, 0.5, 0.0, 0.0],
    [2.0, 0.79, 0.5, 0.0, 0.0],
    [3.0, 0.1, 0.05, 0.0, 0.0],
]
# the last is out of reach
POINTS = [[0.0, 0.055, 0.002, 0.001], [1.0, 0.055, -0.004, 0.003], [2.0, 0.0, 0.2, 0.0]]
LOOKS = [[0.0, 0, 0, 0, 0.1, 0.05, 0.0], [1.0, 0, 0, 0, -0.2, 0.1, 0.0], [2.0, 0, 0, 0, 2.0, -0.3, 0.0]]


def solved(task: str, gait: dict[str, Any], **model: Any) -> Any:
    changes = {
        "robot": ROBOT,
        "task": task,
        "gait": gait,
        "initial": INITIAL,
        "figures": [],
        "environment": [{"kind": "gravity"}, {"kind": "buoyancy", "density": WATER, "immersed": 0.6}],
        "model": {"kind": MODEL, **model},
    }
    return ll.run("neck-friction", changes).dataset


@case_of(MODEL)
@cache
def tendon_statics() -> Case:
    path = {"kind": "tendon-path"}
    return Case(
        {
            "path": lambda: solved("path", {**path, "table": PULLS}),
            "stops": lambda: solved("path", {**path, "table": HARD}),
            "rub": lambda: solved("path", {**path, "table": TO_AND_FRO}, friction=RUB),
            "place": lambda: solved("inverse", {"kind": "tip-path", "table": POINTS}),
            "look": lambda: solved(
                "inverse",
                {"kind": "tip-path", "table": LOOKS, "follow": ["heading", "elevation"]},
                tendon_stiffness=ELASTIC,
            ),
        },
        1e-6,
    )


# The spine by hand: axes of the clamped disk, x along the body

SHARES, WEIGHTS = np.polynomial.legendre.leggauss(8)
SHARES, WEIGHTS = 0.5 * (SHARES + 1.0), 0.5 * WEIGHTS
REACH = np.array([WEIGHTS, (1.0 - SHARES) * WEIGHTS])  # of the outer end, and of the centroid


def posture(bend: Array) -> tuple[Array, Array, Array]:
    """Centres (4, 3) and axes (4, 3, 3) of the disks, and centroids of the joints (3, 3).

    A vertebra is an arc: its end and centroid are integrals (Gauss) of its direction, which turns evenly to the whole
    bend.
    """
    whole = np.stack([np.zeros(3), -bend[:, 1], bend[:, 0]], axis=1)
    # along each vertebra, its outer end last
    shares = np.append(SHARES, 1.0)[:, None, None] * whole
    turning = Rotation.from_rotvec(shares.reshape(-1, 3)).as_matrix().reshape(-1, 3, 3, 3)
    ends = LENGTH[:, None] * np.einsum("es,svi->evi", REACH, turning[:-1, :, :, 0])
    places, turns, middles = [np.zeros(3)], [np.eye(3)], []
    for v in range(3):
        middles.append(places[-1] + turns[-1] @ ends[1, v])
        places.append(places[-1] + turns[-1] @ ends[0, v])
        turns.append(turns[-1] @ turning[-1, v])
    return np.array(places), np.array(turns), np.array(middles)


def chords(bend: Array) -> Array:
    """Vectors (3, tendons, 3) of every tendon from hole to hole, from the clamped disk on."""
    place, turns, _ = posture(bend)
    holes = place[:, None] + np.einsum("dij,cj->dci", turns, np.concatenate([np.zeros((4, 1)), HOLES], axis=1))
    return np.diff(holes, axis=0)


def lengths(bend: Array) -> Array:
    return np.linalg.norm(chords(bend), axis=2).sum(axis=0)


def stored(bend: Array) -> float:
    """Elastic energy, weight and buoyancy, J; heights along the world's vertical, from the clamped disk's place on."""
    place, _, middle = posture(bend)
    up = TURN.inv().apply([0.0, 0.0, 1.0]) * -GRAVITY[2]
    heights = (DISK + HEAD) @ (place[1:] @ up) + (JOINT - 0.6 * WATER * VOLUME) @ (middle @ up)
    return float(0.5 * (STIFFNESS * bend**2).sum() + heights)


def slopes(function: Any, bend: Array, h: float = 1e-4) -> Array:
    """Derivatives (.., 6) by all bends, central differences of fourth order."""
    parts = []
    for step in h * np.eye(6).reshape(6, 3, 2):
        near, far = (np.asarray(function(bend + k * step)) - np.asarray(function(bend - k * step)) for k in (1, 2))
        parts.append((8.0 * near - far) / (12.0 * h))
    return np.stack(parts, axis=-1)


def unbalanced(bend: Array, tension: Array) -> Array:
    """Moments (3, 2) that nothing balances, N m: minus the slope of all energy."""
    return -slopes(lambda b: stored(b) + tension @ lengths(b), bend).reshape(3, 2)


_KNOWN: dict[tuple[bytes, bytes], Array] = {}


def stiffness_of(bend: Array, tension: Array, elastic: float = 0.0) -> Array:
    """Hessian (6, 6), with the tendons that pull held at their lengths where they are elastic."""
    key = bend.tobytes(), tension.tobytes()
    if key not in _KNOWN:
        _KNOWN[key] = slopes(lambda b: -unbalanced(b, tension).ravel(), bend, 2e-3)
    H = _KNOWN[key]
    lever = slopes(lengths, bend)
    return 0.5 * (H + H.T) + elastic * lever.T @ np.diag((tension > 0.0).astype(float)) @ lever


def every(case: Case, *names: str) -> list[tuple[dict[str, Array], int]]:
    return [(data, k) for name in names for data in (case.of(name),) for k in range(len(data["time"]))]


# Postures


@witness(MODEL, "bend", "min_eigenvalue")
def bends_balance_all_moments(case: Case) -> None:
    """Where no stop is touched, the energy is stationary, and its least curvature is the stiffness of the posture."""
    least, found = [], []
    for data, k in every(case, "path"):
        left = unbalanced(data["bend"][k], data["tension"][k])
        assert np.abs(left).max() < 1e-9, f"{np.abs(left).max():.3g} N m are not balanced"
        least.append(np.linalg.eigvalsh(stiffness_of(data["bend"][k], data["tension"][k]))[0])
        found.append(data["min_eigenvalue"][k])
    case.same(np.array(found), np.array(least), 1e-4)
    assert np.abs(case.of("path")["bend"][-1]).min() > 1e-3


@witness(MODEL, "equilibrium_residual")
def moments_balance(case: Case) -> None:
    data = case.of("path")
    assert data["equilibrium_residual"].min() >= 0.0 and data["equilibrium_residual"].max() < 1e-12
    bends_balance_all_moments(case)


@witness(MODEL, "stop_moment")
def stops_carry_what_is_left(case: Case) -> None:
    data = case.of("stops")
    for k in range(len(data["time"])):
        bend = data["bend"][k]
        at_stop = np.abs(np.abs(bend) - STOPS) < 1e-9
        left = unbalanced(bend, data["tension"][k])
        case.same(data["stop_moment"][k], np.where(at_stop, -left, 0.0), 1e-5)
        assert (data["stop_moment"][k] * bend <= 0.0).all() and np.abs(left[~at_stop]).max(initial=0.0) < 1e-9
    assert (data["stop_moment"] != 0.0).any(axis=(0, 1)).all() and not case.of("path")["stop_moment"].any()


@witness(MODEL, "position", "orientation", "tip_position", "tip_in_base")
def disks_are_where_the_bends_put_them(case: Case) -> None:
    for data, k in every(case, "path", "place"):
        place, turns, _ = posture(data["bend"][k])
        case.same(data["tip_in_base"][k], place[-1])
        case.same(data["position"][k], PLACE + TURN.apply(place))
        case.same(data["tip_position"][k], PLACE + TURN.apply(place[-1]))
        case.same(matrix(data["orientation"][k]), TURN.as_matrix() @ turns)
        case.same(np.linalg.norm(data["orientation"][k], axis=1), np.ones(4), 1e-9)
        assert data["orientation"][k, 0] @ np.roll(TURN.as_quat(), 1) > 0.9


@witness(MODEL, "tip_angles")
def the_last_disk_looks_along_its_angles(case: Case) -> None:
    for data, k in every(case, "path", "look"):
        heading, down, roll = Rotation.from_matrix(posture(data["bend"][k])[1][-1]).as_euler("ZYX")
        if k:
            case.same(data["tip_angles"][k], np.array([heading, -down, roll]))


# Tendons


@witness(MODEL, "tension")
def tensions_are_those_that_were_given(case: Case) -> None:
    case.same(case.of("path")["tension"], np.array(PULLS)[:, 1:], 1e-12)


@witness(MODEL, "tendon_length", "pulley_angle")
def tendons_run_from_hole_to_hole(case: Case) -> None:
    data = case.of("path")
    for k in range(len(data["time"])):
        case.same(data["tendon_length"][k], lengths(data["bend"][k]))
        case.same(PULLEY * data["pulley_angle"][k], LENGTH.sum() - lengths(data["bend"][k]))


@witness(MODEL, "distal_tension", "friction_coefficient", "slip_state")
def friction_takes_from_the_tension_at_every_disk_that_is_passed(case: Case) -> None:
    """F' = F - s μ |in-plane part of F u + F' u'|, by iteration; pulled, stuck a little, then sliding back."""
    data = case.of("rub")
    state = data["slip_state"]
    assert (state[[0, 1], :2] == 1.0).all() and (state[3, :2] == -1.0).all() and -1.0 < state[2, 0] < 1.0
    case.same(
        data["friction_coefficient"],
        np.broadcast_to(RUB * np.array([1.0, 1.0, 0.0])[:, None], data["friction_coefficient"].shape),
    )
    for k in range(len(data["time"])):
        along, turns = chords(data["bend"][k]), posture(data["bend"][k])[1]
        expected = []
        for c in range(4):
            pull = data["tension"][k, c]
            for disk in (1, 2):
                normal, before, after = turns[disk][:, 0], -along[disk - 1, c], along[disk, c]
                left = pull
                for _ in range(60):
                    force = pull * before / np.linalg.norm(before) + left * after / np.linalg.norm(after)
                    left = pull - state[k, c] * RUB * np.linalg.norm(force - (force @ normal) * normal)
                pull = left
            expected.append(pull)
        case.same(data["distal_tension"][k], np.array(expected))
    case.same(case.of("path")["distal_tension"], case.of("path")["tension"], 1e-12)


@witness(MODEL, "equivalent_force")
def tendons_pull_the_last_disk_back(case: Case) -> None:
    data = case.of("path")
    for k in (1, 2):
        last = chords(data["bend"][k])[-1]
        pull = -(data["tension"][k][:, None] * last / np.linalg.norm(last, axis=1)[:, None]).sum(axis=0)
        case.same(data["equivalent_force"][k], TURN.apply(pull))


@witness(MODEL, "command_length")
def elastic_tendons_pull_by_their_stretch(case: Case) -> None:
    data = case.of("look")
    case.same(ELASTIC * (data["tendon_length"] - data["command_length"]), data["tension"])


# Energy and stiffness


@witness(MODEL, "potential_energy")
def potential_energy(case: Case) -> None:
    """Up to a constant: heights are counted from elsewhere."""
    data = case.of("path")
    mine = np.array([stored(bend) for bend in data["bend"]])
    case.same(data["potential_energy"] - data["potential_energy"][0], mine - mine[0])


@witness(MODEL, "tip_compliance")
def the_tip_gives_way(case: Case) -> None:
    for run, elastic in (("path", 0.0), ("look", ELASTIC)):
        data = case.of(run)
        for k in (1, 2) if run == "path" else (0, 1):
            bend = data["bend"][k]
            J = slopes(lambda b: posture(b)[0][-1], bend)
            give = J @ np.linalg.solve(stiffness_of(bend, data["tension"][k], elastic), J.T)
            case.same(data["tip_compliance"][k], np.diagonal(give), 1e-3)


# Targets


@witness(MODEL, "target", "target_error")
def targets_and_what_is_missed(case: Case) -> None:
    data = case.of("place")
    case.same(data["target"], np.array(POINTS)[:, 1:], 1e-12)
    away = [
        np.linalg.norm(posture(bend)[0][-1, 1:] - target[1:])
        for bend, target in zip(data["bend"], data["target"], strict=True)
    ]
    case.same(data["target_error"], np.array(away))
    assert data["target_error"][:2].max() < 1e-9 and data["target_error"][2] > 0.01


@witness(MODEL, "target_angles", "target_angle_error")
def directions_and_what_is_missed(case: Case) -> None:
    data = case.of("look")
    case.same(data["target_angles"], np.array(LOOKS)[:, 4:], 1e-12)
    away = []
    for bend, target in zip(data["bend"], data["target_angles"], strict=True):
        heading, down, _ = Rotation.from_matrix(posture(bend)[1][-1]).as_euler("ZYX")
        away.append(np.hypot(heading - target[0], -down - target[1]))
    case.same(data["target_angle_error"], np.array(away))
    assert data["target_angle_error"][:2].max() < 1e-9 and data["target_angle_error"][2] > 0.1
