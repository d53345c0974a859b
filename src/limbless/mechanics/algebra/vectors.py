"""Vectors and 3 x 3 matrices as named tuples, so that a kernel reads like its equations.

Every function works with any scalar that numba knows (float64, Dual8) and, called from Python, with floats. A zero is
written 0.0 * something, so that all elements of a tuple have one type; fast math folds it away, with all it multiplies.
"""

from __future__ import annotations

from limbless.mechanics.compiled import Components, Scalar, func, sincos, with_operators


@with_operators
class Vector(Components):
    x: float
    y: float
    z: float


@func
def dot(a: Vector, b: Vector) -> Scalar:
    return a.x * b.x + a.y * b.y + a.z * b.z


@func
def cross(a: Vector, b: Vector) -> Vector:
    return Vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@with_operators
class Matrix(Components):
    """3 x 3 matrix: its three rows."""

    x: Vector
    y: Vector
    z: Vector

    def __matmul__(a: Matrix, b: Vector) -> Vector:
        return Vector(dot(a.x, b), dot(a.y, b), dot(a.z, b))


@func
def transpose(A: Matrix) -> Matrix:
    return Matrix(Vector(A.x.x, A.y.x, A.z.x), Vector(A.x.y, A.y.y, A.z.y), Vector(A.x.z, A.y.z, A.z.z))


@func
def product(A: Matrix, B: Matrix) -> Matrix:
    Bt = transpose(B)
    return Matrix(Bt @ A.x, Bt @ A.y, Bt @ A.z)


@func
def outer(a: Vector, b: Vector) -> Matrix:
    """a bᵀ"""
    return Matrix(a.x * b, a.y * b, a.z * b)


@func
def skew(h: Vector) -> Matrix:
    """[h], such that [h] a = h x a."""
    o = 0.0 * h.x
    return Matrix(Vector(o, -h.z, h.y), Vector(h.z, o, -h.x), Vector(-h.y, h.x, o))


@func
def rotation_about(axis: Vector, angle: Scalar) -> Matrix:
    """Rotation by `angle` about the unit vector `axis`."""
    return rotation_by(axis, *sincos(angle))


@func
def rotation_by(axis: Vector, s: Scalar, c: Scalar) -> Matrix:
    """Rotation about the unit vector `axis` by the angle of sine s and cosine c (Rodrigues)."""
    x, y, z = axis
    t = 1.0 - c
    return Matrix(
        Vector(c + t * x * x, t * x * y - s * z, t * x * z + s * y),
        Vector(t * x * y + s * z, c + t * y * y, t * y * z - s * x),
        Vector(t * x * z - s * y, t * y * z + s * x, c + t * z * z),
    )


@func
def rotation_from_quaternion(w: Scalar, x: Scalar, y: Scalar, z: Scalar) -> Matrix:
    """The rotation of a quaternion of any length: between the stages of an integration step it is not quite 1."""
    k = 2.0 / (w * w + x * x + y * y + z * z)
    return Matrix(
        Vector(1.0 - k * (y * y + z * z), k * (x * y - z * w), k * (x * z + y * w)),
        Vector(k * (x * y + z * w), 1.0 - k * (x * x + z * z), k * (y * z - x * w)),
        Vector(k * (x * z - y * w), k * (y * z + x * w), 1.0 - k * (x * x + y * y)),
    )


@with_operators
class Symmetric(Components):
    """Symmetric 3 x 3 matrix: its upper triangle."""

    xx: float
    xy: float
    xz: float
    yy: float
    yz: float
    zz: float

    def __matmul__(a: Symmetric, b: Vector) -> Vector:
        return rows(a) @ b


@func
def rows(S: Symmetric) -> Matrix:
    return Matrix(Vector(S.xx, S.xy, S.xz), Vector(S.xy, S.yy, S.yz), Vector(S.xz, S.yz, S.zz))


@func
def upper(A: Matrix) -> Symmetric:
    """Upper triangle of a matrix that is symmetric by construction."""
    return Symmetric(A.x.x, A.x.y, A.x.z, A.y.y, A.y.z, A.z.z)


@func
def rotate_diagonal(R: Matrix, d: Vector) -> Symmetric:
    """R diag(d) Rᵀ = d2 1 + (d1 - d2) e1 e1ᵀ + (d3 - d2) e3 e3ᵀ, with e1 and e3 the first and last column of R."""
    o, axes = 0.0 * d.x, transpose(R)
    return (
        Symmetric(d.y, o, o, d.y, o, d.y)
        + upper(outer((d.x - d.y) * axes.x, axes.x))
        + upper(outer((d.z - d.y) * axes.z, axes.z))
    )


@func
def inverse(S: Symmetric) -> Symmetric:
    """S⁻¹ by cofactors."""
    xx, xy, xz, yy, yz, zz = S
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    k = 1.0 / (xx * a + xy * b + xz * c)
    return Symmetric(k * a, k * b, k * c, k * (xx * zz - xz * xz), k * (xy * xz - xx * yz), k * (xx * yy - xy * xy))
