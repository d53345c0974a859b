"""A free chain of revolute joints about z in JAX: articulated bodies by 6 x 6 matrices, unrolled over the bodies,
Runge-Kutta steps in a scan, `vmap` over robots. The form that a user of JAX would write; it is checked against ours.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

import limbless as ll
from limbless.robots.links import symmetric_matrix

Array = NDArray[np.float64]
INSTALLED = importlib.util.find_spec("jax") is not None


def one_thread() -> None:
    """Before JAX is imported: one thread, as all others have here."""
    os.environ["XLA_FLAGS"] = (
        os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    )


def _spatial_inertia(arrays: Any, k: int) -> Array:
    """Of body k about its origin, angular part first."""
    x, y, z = arrays.moment[k]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.block([[symmetric_matrix(arrays.inertia[k]), cross], [cross.T, arrays.mass[k] * np.eye(3)]])


def advance(chain: ll.Chain, robots: int, step: float) -> tuple[Any, Any]:
    """f(states, torques) -> states after as many steps as there are rows, compiled, of so many robots; and first states
    at rest. A state is position, quaternion, joints, twist of the base (linear, angular, own axes) and rates.
    """
    one_thread()
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    arrays, n = chain.arrays(), chain.freedoms
    own = [jnp.asarray(_spatial_inertia(arrays, k)) for k in range(n + 1)]
    arms, rotor = [jnp.asarray(arm) for arm in arrays.arm], jnp.asarray(arrays.rotor_inertia)
    S = jnp.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def hat(v: Any) -> Any:
        zero = jnp.zeros(())
        return jnp.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]])

    def motion_cross(v: Any, m: Any) -> Any:
        return jnp.concatenate([jnp.cross(v[:3], m[:3]), jnp.cross(v[3:], m[:3]) + jnp.cross(v[:3], m[3:])])

    def force_cross(v: Any, f: Any) -> Any:
        return jnp.concatenate([jnp.cross(v[:3], f[:3]) + jnp.cross(v[3:], f[3:]), jnp.cross(v[:3], f[3:])])

    def across(k: int, angle: Any) -> Any:
        """Motion from body k - 1 to body k."""
        c, s, o = jnp.cos(angle), jnp.sin(angle), jnp.zeros(())
        E = jnp.array([[c, s, o], [-s, c, o], [o, o, o + 1.0]])
        return jnp.block([[E, jnp.zeros((3, 3))], [-E @ hat(arms[k]), E]])

    def rate(x: Any, torque: Any) -> Any:
        q, angles, twist, rates = x[3:7], x[7 : 7 + n], x[7 + n : 13 + n], x[13 + n :]
        V = [jnp.concatenate([twist[3:], twist[:3]])]
        X, c = [None], [None]
        for k in range(1, n + 1):
            X.append(across(k, angles[k - 1]))
            joint = S * rates[k - 1]
            V.append(X[k] @ V[k - 1] + joint)
            c.append(motion_cross(V[k], joint))
        IA, pA = list(own), [force_cross(V[k], own[k] @ V[k]) for k in range(n + 1)]
        U, D, u = [None] * (n + 1), [None] * (n + 1), [None] * (n + 1)
        for k in range(n, 0, -1):
            U[k] = IA[k] @ S
            D[k] = S @ U[k] + rotor[k - 1]
            u[k] = torque[k - 1] - S @ pA[k]
            Ia = IA[k] - jnp.outer(U[k], U[k]) / D[k]
            pa = pA[k] + Ia @ c[k] + U[k] * (u[k] / D[k])
            IA[k - 1] = IA[k - 1] + X[k].T @ Ia @ X[k]
            pA[k - 1] = pA[k - 1] + X[k].T @ pa
        a = -jnp.linalg.solve(IA[0], pA[0])
        base, joints = a, []
        for k in range(1, n + 1):
            a = X[k] @ a + c[k]
            joints.append((u[k] - U[k] @ a) / D[k])
            a = a + S * joints[-1]
        w, v = twist[3:], twist[:3]
        spin = 0.5 * jnp.array(
            [
                -q[1] * w[0] - q[2] * w[1] - q[3] * w[2],
                q[0] * w[0] + q[2] * w[2] - q[3] * w[1],
                q[0] * w[1] + q[3] * w[0] - q[1] * w[2],
                q[0] * w[2] + q[1] * w[1] - q[2] * w[0],
            ]
        )
        moved = v + 2.0 * jnp.cross(q[1:], jnp.cross(q[1:], v) + q[0] * v)
        return jnp.concatenate([moved, spin, rates, base[3:], base[:3], jnp.stack(joints)])

    def one_step(x: Any, torques: Any) -> tuple[Any, None]:
        first, middle, last = torques
        a = rate(x, first)
        b = rate(x + 0.5 * step * a, middle)
        c = rate(x + 0.5 * step * b, middle)
        d = rate(x + step * c, last)
        x = x + step / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        return x.at[3:7].set(x[3:7] / jnp.linalg.norm(x[3:7])), None

    def run(x: Any, torques: Any) -> Any:
        return jax.lax.scan(one_step, x, (torques[:-1:2], torques[1::2], torques[2::2]))[0]

    start = np.zeros((robots, 13 + 2 * n))
    start[:, 3] = 1.0
    return jax.jit(jax.vmap(run, in_axes=(0, None))), start
