"""From descriptions to arrays for the kernels, and between the library's axes and the paper's.

Kernels work in the paper's axes of the clamped disk (z along the backbone). Here x runs along the body: x, y, z are z,
-x, -y of the paper.

Water with a free surface around a spine at rest, as kernels take it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array, InputError
from limbless.environments import NO_VOLUME, Buoyancy, Environment, PointWrench, Water, gauss_rules
from limbless.mechanics.algebra import Vector
from limbless.mechanics.statics.potential_energy import coefficient_at
from limbless.mechanics.statics.tables import ChainMatrix, Coulomb, Iteration, LossRatio, Spine, SpineState, SpineWater
from limbless.mechanics.statics.vertebra import vertebrae
from limbless.models.base import refuse_unused
from limbless.robots.tendon_spine import Tendon, TendonSpine, Vertebra

FROM_PAPER = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Takes components along the paper's axes to components along the library's."""
BEND_SIGN = np.array([-1.0, -1.0, 1.0])
"""From b, g, e (towards x and y of the paper, about its z) to lateral, vertical, twist (towards y and z, about x)."""
NO_STOP = 10.0  # rad: beyond any bend (infinity is not for kernels in fast math)
_MOVING = ("head", "damping_time")
_MOVING_VERTEBRA = (
    "damping_lateral",
    "damping_vertical",
    "damping_twist",
    "joint_radius",
    "disk_inertia",
    "stop_stiffness",
    "stop_damping",
)
_MOVING_TENDON = ("damping", "winch", "slip_speed")


def at_rest(robot: TendonSpine, floats: bool) -> TendonSpine:
    """The robot without what acts in motion alone; its section too, unless it `floats` at a surface."""
    still = {name: Vertebra.model_fields[name].default for name in _MOVING_VERTEBRA}
    bare = {name: Tendon.model_fields[name].default for name in (*_MOVING_TENDON, "stiffness", "friction")}
    return robot.changed(
        vertebrae=tuple(one.changed(**still) for one in robot.vertebrae),
        tendons=tuple(one.changed(**bare) for one in robot.tendons),
        section=robot.section if floats else None,
        **{name: TendonSpine.model_fields[name].default for name in (*_MOVING, "material")},
    )


def of_motion(robot: TendonSpine) -> tuple[str, ...]:
    """What of a robot acts in motion alone, as a note: the same robot may be taken by both models."""
    given = [f"robot.{name}" for name in robot.given(*_MOVING)]
    given += [f"{name} of vertebrae" for one in robot.vertebrae for name in one.given(*_MOVING_VERTEBRA)]
    given += [f"{name} of tendons" for tendon in robot.tendons for name in tendon.given(*_MOVING_TENDON)]
    told = list(dict.fromkeys(given))
    return (f"{', '.join(told)}: without effect at rest; they act in motion (model soft)",) if told else ()


def rubbing(robot: TendonSpine, own: float | str | None) -> float | str | None:
    """Friction of the tendons on the disks: the model's own, else what the robot's tendons have."""
    found = {tendon.friction for tendon in robot.tendons}
    if own is None and len(found) > 1:
        raise InputError(
            f"robot.tendons: statics takes one friction for all tendons, and they have {min(found):g} to "
            f"{max(found):g}; give all of them the same, or model.friction"
        )
    return own if own is not None else max(found) or None


def stretching(robot: TendonSpine) -> tuple[float, ...] | None:
    """Stiffness of the robot's tendons, N/m; None where they do not stretch."""
    return tuple(tendon.stiffness for tendon in robot.tendons if tendon.stiffness is not None) or None


def spine_arrays(robot: TendonSpine, form: str) -> Spine:
    """The robot as kernels take it. The moment form twists at the outer disk as published code does, the energy form
    on both sides.
    """
    v, m = len(robot.vertebrae), len(robot.tendons)
    refuse_unused(
        robot, ["material"], "it acts in motion, and statics has none; leave it out, or choose the model `soft`"
    )
    begins = [number for number, tendon in enumerate(robot.tendons) if tendon.start]
    if begins:
        raise InputError(
            f"robot.tendons: tendon {begins[0]} has `start` {robot.tendons[begins[0]].start}; in statics "
            "every tendon comes from disk 0 (the model `soft` takes others; segments of a preset make "
            "them)"
        )
    if robot.base != "fixed":
        raise InputError(
            f"robot.base: statics clamps disk 0; set it to 'fixed', or choose the model `soft` (it is {robot.base!r})"
        )
    stiffness = [robot.values("lateral_stiffness"), robot.values("vertical_stiffness")]
    rest = [-robot.values("rest_lateral"), -robot.values("rest_vertical")]
    side, up, down = (_stops(robot, field) for field in ("stop_lateral", "stop_up", "stop_down"))
    low, high = [-side, -up], [side, down]
    if robot.twists:
        stiffness, rest = [*stiffness, robot.values("twist_stiffness")], [*rest, np.zeros(v)]
        low, high = [*low, np.full(v, -NO_STOP)], [*high, np.full(v, NO_STOP)]
    holes = np.zeros((v + 1, m, 3))
    for c, tendon in enumerate(robot.tendons):
        holes[:, c, :2] = -np.array(tendon.holes)
    end = np.array([v if tendon.anchor is None else tendon.anchor for tendon in robot.tendons], dtype=np.int64)
    stiff, unbent, lowest, highest = (
        np.ascontiguousarray(np.stack(part, axis=1)) for part in (stiffness, rest, low, high)
    )
    hinge = None if robot.kinematics == "arc" else robot.hinge_at
    return Spine(
        robot.values("length"), hinge, 0.5 if form == "energy" else 0.0, stiff, unbent, holes, end, lowest, highest
    )


def _stops(robot: TendonSpine, field: str) -> Array:
    return np.array([NO_STOP if getattr(one, field) is None else getattr(one, field) for one in robot.vertebrae])


def posture_arrays(spine: Spine) -> SpineState:
    """Memory for one posture, with disk 0 at the origin."""
    (v, freedoms), m, z = spine.stiffness.shape, len(spine.end), np.zeros
    rotation = z((v + 1, 3, 3))
    rotation[0] = np.eye(3)
    return SpineState(
        vertebrae(v),
        z((v, m)),
        z((v, m, 3)),
        z((v, m, 6)),
        z((v, m)),
        rotation,
        z((v + 1, 3)),
        z((v, 3, 3)),
        z((v, 3, 3)),
        z(m),
        z((v * freedoms, m)),
    )


def chain_matrix(spine: Spine, surface: bool, elastic: bool) -> ChainMatrix:
    """Memory for the Hessian of a spine, perhaps at a surface of water, perhaps with elastic tendons."""
    (v, freedoms), z = spine.stiffness.shape, np.zeros
    n, rank = v * freedoms, 3 + 6 * surface + len(spine.end) * elastic
    blocks, rows = (v, freedoms, freedoms), (n, rank)
    return ChainMatrix(
        z(blocks), z(rows), z(rows), z(blocks), z(rows), z(rows), z((rank, rank)), z((freedoms + 1, rank)), z(freedoms)
    )


def dense(block: Array, near: Array, far: Array) -> Array:
    """(n, n) a `ChainMatrix` written out."""
    v, freedoms = block.shape[:2]
    vertebra = np.repeat(np.arange(v), freedoms)
    upper = np.where(vertebra[:, None] < vertebra, near @ far.T, 0.0)
    found = upper + upper.T
    found.reshape(v, freedoms, v, freedoms)[np.arange(v), :, np.arange(v)] = block
    return found


def iteration_arrays(spine: Spine, surface: bool, elastic: bool) -> Iteration:
    """Memory for Newton's method."""
    n, m, z = spine.stiffness.size, len(spine.end), np.zeros
    return Iteration(
        residual=z(n),
        hessian=chain_matrix(spine, surface, elastic),
        step=z(n),
        held=z(n, dtype=np.int64),
        trial=z(spine.stiffness.shape),
        above=z(n),
        below=z(n),
        slips=z(m),
        system=z((n + m, n + m + 1)),
        answers=z((m + 1, n)),
        tips=z((m, m + 1)),
        rate=z((m, m)),
        component=z(6),
        component_rate=z((6, n)),
    )


def dead_loads(robot: TendonSpine, environment: Sequence[Environment], to_base: Array) -> tuple[Array, Array, Array]:
    """Forces on disks (v, 3) and joints (v, 3), N, and the moment on the tip (3,), N m, along the paper's axes of disk
    0.

    `to_base` takes world components to those axes.
    """
    v = len(robot.vertebrae)
    disk, joint, moment = np.zeros((v, 3)), np.zeros((v, 3)), np.zeros(3)
    for item in environment:
        if item.active is not None:
            raise InputError(
                f"environment {item.kind!r}: `active` time windows have no meaning in statics; leave them out"
            )  # type: ignore[attr-defined]
        if item.pull is not None:
            field = to_base @ np.array(item.pull)
            disk += robot.values("disk_mass")[:, None] * field
            joint += robot.values("joint_mass")[:, None] * field
        elif isinstance(item, Buoyancy):
            if item.surface is not None:  # its lift follows the posture: see `water`
                continue
            joint -= item.density * item.immersed * robot.values("volume")[:, None] * (to_base @ item.field)
        elif isinstance(item, PointWrench):
            _point_wrench(item, v, to_base, disk, moment)
        else:
            told = (
                ("; its lift alone is `buoyancy` with the same `surface`, and waves and flows are for the model `soft`")
                if isinstance(item, Water)
                else ""
            )
            raise InputError(
                f"tendon statics takes gravity, buoyancy and point-wrench; got {type(item).__name__}{told}"
            )
    return disk, joint, moment


def _point_wrench(item: PointWrench, v: int, to_base: Array, disk: Array, moment: Array) -> None:
    """A force at the centre of a disk; a moment on the last one."""
    if item.law is not None:
        raise InputError(
            "environment 'point-wrench': `law` is a function of time, which statics does not have; give `force` and "
            "`torque`"
        )
    if item.frame != "world" or any(item.point):
        raise InputError(
            "environment 'point-wrench': tendon statics takes a force at the centre of a disk (`point` 0, 0, 0) whose "
            f"direction stays in the world (`frame` world); got point {item.point}, frame {item.frame!r}"
        )
    number = item.body if item.body >= 0 else v + 1 + item.body
    if not 1 <= number <= v:
        raise InputError(
            f"environment 'point-wrench': `body` {item.body} is no disk that moves; they are numbered 1 to {v}, -1 is "
            "the last"
        )
    if any(item.torque) and number != v:
        raise InputError(
            f"environment 'point-wrench': a torque acts on the last disk only (`body` -1); got body {item.body}"
        )
    disk[number - 1] += to_base @ np.array(item.force)
    moment += to_base @ np.array(item.torque)


def friction_of(friction: float | str | None) -> Coulomb | LossRatio | None:
    """The law of friction between tendons and disks: none, a Coulomb coefficient, or `gautreau2024`, the paper's fit
    (an extrapolation here: see the page of the model).
    """
    if isinstance(friction, str):
        return LossRatio(0.689, 0.027)
    return Coulomb(float(friction)) if friction else None


def numbers(name: str, values: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Finite floats of that shape (a single number fills it), or a clear refusal."""
    array = np.array(values, dtype=np.float64)
    if array.ndim == 0:
        array = np.full(shape, float(array))
    if array.shape != shape:
        raise InputError(f"{name} must have shape {shape}; got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite; got {array[~np.isfinite(array)][0]}")
    return array


def water_around(
    robot: TendonSpine, environment: Sequence[Environment], spine: Spine, to_base: Array, base_position: Array
) -> SpineWater | None:
    """The surface of the one buoyancy that has one; `to_base` takes world components to the axes of disk 0."""
    ending = ends(environment)
    if not ending:
        if robot.section is not None:
            raise InputError(
                "robot.section: statics asks for a section where a surface cuts it "
                "(environment.buoyancy.surface), and here is none; leave it out, or choose the model "
                "`soft`"
            )
        return None
    if len(ending) > 1:
        raise InputError(
            f"environment.buoyancy.surface: tendon statics takes one surface; got {len(ending)}, at "
            f"heights {[item.surface for item in ending]} m"
        )
    item, volume = ending[0], robot.values("volume")
    if not volume.any():
        raise InputError(NO_VOLUME)
    lift, level = -item.density * volume / robot.values("length") * item.field[2], float(item.surface or 0.0)
    return level_of(robot, spine, lift, to_base[:, 2].copy(), level - float(base_position[2]), item.points)


def ends(environment: Sequence[Environment]) -> list[Buoyancy]:
    """What has a surface."""
    return [item for item in environment if isinstance(item, Buoyancy) and item.surface is not None]


def level_of(robot: TendonSpine, spine: Spine, lift: Array, up: Array, height: float, count: int) -> SpineWater:
    """A surface `height` above disk 0; an arc is cut into `count` slabs, a vertebra with a hinge is one."""
    (v, freedoms), half = spine.stiffness.shape, robot.disk_radius
    across, high = (half, half) if robot.section is None else (robot.section.half_width, robot.section.half_height)
    hinged = spine.hinge is not None
    count = 1 if hinged else count
    slabs, marks = vertebrae(v * count), 2 * count + 1
    if hinged:
        slabs.rotation[:] = np.eye(3)
        slabs.offset[:, 2] = spine.hinge * spine.length
        slabs.turn[:, 2, 2] = spine.share
    reached = np.outer(spine.length, np.linspace(0.0, 1.0, marks)).ravel()
    return SpineWater(
        up,
        height,
        across,
        high,
        lift,
        spine.length / count,
        *gauss_rules(2),
        slabs,
        vertebrae(len(reached)),
        reached,
        np.zeros((len(reached), freedoms)),
        np.zeros((6, 6)),
        np.zeros((freedoms, 6)),
    )


def coefficients_at_disks(law: Coulomb | LossRatio | None, holes: Array, end: Array) -> Array:
    """(v, tendons) coefficient at each disk that a tendon passes through a hole (v + 1, tendons, 3); 0 on its anchor
    disk and beyond.
    """
    mu = np.zeros((len(holes) - 1, holes.shape[1]))
    if law:
        along = np.diff(holes, axis=0)
        along /= np.linalg.norm(along, axis=2, keepdims=True)
        for i in range(len(mu) - 1):
            mu[i] = [
                coefficient_at(law, Vector(*-back), Vector(*ahead))
                for back, ahead in zip(along[i], along[i + 1], strict=True)
            ]
    mu[np.arange(len(mu))[:, None] >= end - 1] = 0.0
    return mu
