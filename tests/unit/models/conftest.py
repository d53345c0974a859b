"""The equations of motion of a chain once more, dense and slow: (8) of paper 001 assembled along the world axes, slice
by slice.

Written with NumPy from the description of the robot and the formulas of the paper alone, without anything of
`limbless.mechanics`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

Array = np.ndarray


def hat(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turn(axis: Array, angle: float) -> Array:
    """Rotation about a unit axis (Rodrigues)."""
    K = hat(np.asarray(axis, dtype=float))
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def rotation_of(vector: Array) -> Array:
    """Rotation by a rotation vector."""
    angle = float(np.linalg.norm(vector))
    return turn(vector / angle, angle) if angle > 0.0 else np.eye(3)


def matrix_of(quaternion: Array) -> Array:
    w, *v = quaternion
    return np.eye(3) + 2.0 * w * hat(v) + 2.0 * hat(v) @ hat(v)


class Body:
    """Where a body is, how it moves, and its Jacobians and bias accelerations (classical), along the world axes."""

    def __init__(self, R: Array, p: Array, v: Array, w: Array, freedoms: int) -> None:
        self.R, self.p, self.v, self.w = R, p, v, w
        self.Jv, self.Jw = np.zeros((3, 6 + freedoms)), np.zeros((3, 6 + freedoms))
        self.a, self.alpha = np.zeros(3), np.zeros(3)

    def shifted(self, arm: Array) -> Body:
        """The same body looked at from a point `arm` (world) away from its origin."""
        there = Body(self.R, self.p + arm, self.v + np.cross(self.w, arm), self.w, self.Jv.shape[1] - 6)
        there.Jv, there.Jw = self.Jv - hat(arm) @ self.Jw, self.Jw.copy()
        there.a, there.alpha = (
            self.a + np.cross(self.alpha, arm) + np.cross(self.w, np.cross(self.w, arm)),
            self.alpha.copy(),
        )
        return there

    def turned(self, R: Array, axes: Array, columns: list[int], rates: Array) -> Body:
        """A body hinged at this point: axes (world) in columns, constant in one of the two bodies."""
        spin = axes @ rates
        there = Body(R, self.p, self.v, self.w + spin, self.Jv.shape[1] - 6)
        there.Jv, there.Jw = self.Jv.copy(), self.Jw.copy()
        there.Jw[:, columns] += axes
        there.a, there.alpha = self.a.copy(), self.alpha + np.cross(self.w, spin)
        return there

    def slid(self, axis: Array, column: int, distance: float, rate: float) -> Body:
        """A body that slides along an axis (world) of this one."""
        there = self.shifted(axis * distance)
        there.v = there.v + axis * rate
        there.Jv[:, column] += axis
        there.a = there.a + 2.0 * np.cross(self.w, axis) * rate
        return there


class DenseForm:
    """[0; Γ] = A [V̇0; q̈] + C of (8), with V̇0 the classical acceleration of the base in its own axes.

    Parameters
    ----------
    chain : the description of the robot.
    density, drag, inertia, current : of the water; `drag` holds C1..C4, `inertia` C5..C7. No water without a density.
    consistent : the momentum-consistent form of the added mass in place of the printed one.
    gravity : world, m/s2.
    points : Gauss points of the drag. `floating` False fixes the base.
    """

    def __init__(
        self,
        chain: Any,
        density: float | None = None,
        *,
        drag: tuple = (0.01, 1.0, 1.0, 1.0),
        inertia: tuple = (1.0, 1.0, 1.0),
        current: tuple = (0.0, 0.0, 0.0),
        consistent: bool = False,
        gravity: tuple = (0.0, 0.0, 0.0),
        points: int = 4,
    ) -> None:
        self.chain, self.density, self.consistent = chain, density, consistent
        self.drag, self.inertia, self.current = drag, inertia, np.array(current)
        self.gravity, self.points = np.array(gravity), points

    def bodies(self, q: Array, qd: Array, twist: Array, position: Array, quaternion: Array) -> list[Body]:
        """One body per link."""
        n, R0 = self.chain.freedoms, matrix_of(quaternion)
        base = Body(R0, np.asarray(position, dtype=float), R0 @ twist[:3], R0 @ twist[3:], n)
        base.Jv[:, :3], base.Jw[:, 3:6] = R0, R0
        found, column = [base], 0
        for link in self.chain.links[1:]:
            count = link.joint.freedoms
            found.append(
                self._carried(found[-1], link, q[column : column + count], qd[column : column + count], 6 + column)
            )
            column += count
        return found

    def _carried(self, before: Body, link: Any, q: Array, qd: Array, column: int) -> Body:
        joint, x, z = link.joint, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
        if link.dh:  # (1)-(2): Rx(alpha) Tx(d) Rz(theta) Tz(r)
            tilt = turn(x, link.dh.alpha)
            home, place = tilt @ turn(z, link.dh.offset), tilt @ np.array([link.dh.d, 0.0, link.dh.r])
        else:
            home, place = matrix_of(link.orientation), np.array(link.position)
        R = before.R @ home
        axis = np.array(joint.axis)
        if joint.kind == "revolute":
            return before.shifted(before.R @ place).turned(R @ turn(axis, q[0]), (R @ axis)[:, None], [column], qd)
        if joint.kind == "prismatic":
            moved = before.shifted(before.R @ place).slid(R @ axis, column, q[0], qd[0])
            moved.R = R
            return moved
        if joint.kind == "universal":
            offset, second = np.array(joint.offset), np.array(joint.second_axis)
            middle = before.shifted(before.R @ (place - home @ offset)).turned(
                R @ turn(axis, q[0]), (R @ axis)[:, None], [column], qd[:1]
            )
            there = middle.shifted(middle.R @ offset)
            return there.turned(there.R @ turn(second, q[1]), (there.R @ second)[:, None], [column + 1], qd[1:])
        assert np.allclose(home, np.eye(3)), "spherical joints here start parallel to the base"
        child = before.R @ rotation_of(q)
        return before.shifted(before.R @ place).turned(child, child, [column, column + 1, column + 2], qd)

    def matrices(
        self,
        q: Array,
        qd: Array,
        twist: Array,
        position: Array = (0.0, 0.0, 0.0),
        quaternion: Array = (1.0, 0.0, 0.0, 0.0),
    ) -> tuple[Array, Array]:
        """A and C."""
        n = 6 + self.chain.freedoms
        A, C = np.zeros((n, n)), np.zeros(n)
        for link, body in zip(
            self.chain.links, self.bodies(q, qd, np.asarray(twist), position, quaternion), strict=True
        ):
            self._add_rigid(link, body, A, C)
            if self.density and link.body is not None:
                self._add_fluid(link.body, body, A, C)
        return A, C

    def _add_rigid(self, link: Any, body: Body, A: Array, C: Array) -> None:
        """(14), (16)-(17), with gravity."""
        own = link.mass_properties()
        MS, I, M = body.R @ own.moment, body.R @ own.inertia @ body.R.T, own.mass
        A += body.Jv.T @ (M * body.Jv - hat(MS) @ body.Jw) + body.Jw.T @ (hat(MS) @ body.Jv + I @ body.Jw)
        force = M * (body.a - self.gravity) + np.cross(body.alpha, MS) + np.cross(body.w, np.cross(body.w, MS))
        moment = np.cross(MS, body.a - self.gravity) + I @ body.alpha + np.cross(body.w, I @ body.w)
        C += body.Jv.T @ force + body.Jw.T @ moment

    def _add_fluid(self, shape: Any, body: Body, A: Array, C: Array) -> None:
        """(46)-(53) at Gauss points; all wrenches by the slice on the fluid."""
        a, b, rho = shape.half_width, shape.half_height, self.density
        C1, C2, C3, C4 = self.drag
        C5, C6, C7 = self.inertia
        drag = 0.5 * rho * np.array([C1 * np.pi * (a + b) / 2, C2 * 2 * b, C3 * 2 * a])
        roll_drag, roll_added = 0.5 * rho * C4 * (b**2 - a**2) ** 2, rho * np.pi * C7 * (b**2 - a**2) ** 2 / 8
        added = rho * np.pi * np.array([0.0, C5 * b**2, C6 * a**2])
        e1, e2 = np.array(shape.axis) / np.linalg.norm(shape.axis), np.array(shape.lateral)
        e2 = e2 - e1 * (e1 @ e2)
        e2 = e2 / np.linalg.norm(e2)
        E = body.R @ np.column_stack([e1, e2, np.cross(e1, e2)])
        D = E @ np.diag(added) @ E.T
        nodes, weights = np.polynomial.legendre.leggauss(self.points)
        for node, weight in zip(nodes, weights, strict=True):
            s, ds = 0.5 * (node + 1.0) * shape.length, 0.5 * weight * shape.length
            slice_ = body.shifted(body.R @ (np.array(shape.position) + s * e1))
            U, w = E.T @ (slice_.v - self.current), E.T @ slice_.w
            normal = np.hypot(U[1], U[2])
            force = E @ (drag * np.array([abs(U[0]) * U[0], normal * U[1], normal * U[2]])) + D @ slice_.a
            moment = E[:, 0] * (roll_drag * abs(w[0]) * w[0] + roll_added * (E[:, 0] @ slice_.alpha))
            if self.consistent:
                for C_i, e, U_i in zip(added, np.eye(3), U, strict=True):
                    force = force + E @ (C_i * ((U @ np.cross(w, e)) * e + U_i * np.cross(w, e)))
                moment = moment + E @ (roll_added * w[0] * np.cross(w, [1.0, 0.0, 0.0]) + np.cross(U, added * U))
            C += ds * (slice_.Jv.T @ force + slice_.Jw.T @ moment)
            A += ds * (slice_.Jv.T @ D @ slice_.Jv + roll_added * np.outer(slice_.Jw.T @ E[:, 0], E[:, 0] @ slice_.Jw))

    def inverse(self, q: Array, qd: Array, qdd: Array, twist: Array, **pose: Array) -> SimpleNamespace:
        """(11)-(12): base acceleration and joint torques."""
        A, C = self.matrices(q, qd, twist, **pose)
        base = -np.linalg.solve(A[:6, :6], C[:6] + A[:6, 6:] @ qdd)
        return SimpleNamespace(base_acceleration=base, joint_torque=A[6:, :6] @ base + A[6:, 6:] @ qdd + C[6:])

    def forward(self, q: Array, qd: Array, torque: Array, twist: Array, **pose: Array) -> SimpleNamespace:
        """(13): accelerations of base and joints."""
        A, C = self.matrices(q, qd, twist, **pose)
        rates = np.linalg.solve(A, np.concatenate([-C[:6], torque - C[6:]]))
        return SimpleNamespace(base_acceleration=rates[:6], joint_acceleration=rates[6:])


@pytest.fixture(scope="session")
def dense_form() -> type[DenseForm]:
    """The class itself: tests make one for each robot."""
    return DenseForm


@pytest.fixture
def random_state() -> Any:
    """`random_state(seed, freedoms, size)`: joint positions, velocities, accelerations,
    base twist, pose of the base.
    """

    def draw(seed: int, freedoms: int, size: float = 0.3) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        rng = np.random.default_rng(seed)
        quaternion = rng.normal(size=4)
        pose = {"position": rng.normal(size=3), "quaternion": quaternion / np.linalg.norm(quaternion)}
        return (*(size * rng.normal(size=(3, freedoms))), size / 0.3 * rng.normal(size=6), pose)

    return draw
