"""Half a step of a rotation."""

from __future__ import annotations

from limbless.mechanics.algebra import Quaternion, Vector, quaternion_product
from limbless.mechanics.compiled import Scalar, func


@func
def quaternion_rate(q: Quaternion, w: Vector) -> Quaternion:
    """½ q ω (8), as a quaternion."""
    return quaternion_product(q, Quaternion(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z))


@func
def half_turn(q: Quaternion, w: Vector, a: Scalar) -> Quaternion:
    """The quaternion a time `a` on, by the closed form of the implicit (72)."""
    d = quaternion_rate(q, w)
    scale = 1.0 / (1.0 + 0.25 * a * a * (w.x * w.x + w.y * w.y + w.z * w.z))
    return Quaternion(
        scale * (q.w + a * d.w), scale * (q.x + a * d.x), scale * (q.y + a * d.y), scale * (q.z + a * d.z)
    )
