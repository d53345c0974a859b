"""Vectors, spatial inertias, rotations and small dense systems: what every kernel computes with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.algebra.array_rotations import *
    from limbless.mechanics.algebra.flat_vectors import *
    from limbless.mechanics.algebra.lie import *
    from limbless.mechanics.algebra.matrix6 import *
    from limbless.mechanics.algebra.small_dense import *
    from limbless.mechanics.algebra.spatial import *
    from limbless.mechanics.algebra.step_length import *
    from limbless.mechanics.algebra.vectors import *


__getattr__ = lazy_names(
    __name__,
    {
        "array_rotations": (
            "matrix_to_quaternion quaternion_to_matrix quaternion_to_rotation_vector rotate "
            "rotation_vector_to_quaternion"
        ),
        "flat_vectors": (
            "copy copy_part fill put_pair_at put_quaternion_at put_vector_at quaternion_at twist_at vector_at wrench_at"
        ),
        "lie": (
            "Pose Quaternion adjoint axial compose half_turn normalised pose_exp quaternion_conjugate "
            "quaternion_exp quaternion_from_rotation quaternion_log quaternion_product quaternion_rate "
            "rotation_log"
        ),
        "matrix6": (
            "Matrix6 articulated_matrix6 carry_matrix6 matrix6_of no_matrix6 point_matrix6 put_matrix6 "
            "put_system transposed_product turn_matrix6"
        ),
        "small_dense": "cholesky cholesky_solve gauss_solve lu_factorise lu_solve",
        "spatial": (
            "Inertia Twist Wrench articulated_inertia carry_inertia carry_twist carry_wrench diagonal "
            "even_inertia power rigid_inertia rotate_inertia rotate_symmetric solve twist_cross wrench_cross"
        ),
        "step_length": "directional_slope line_search",
        "vectors": (
            "Matrix Symmetric Vector cross dot inverse outer product rotate_diagonal rotation_about rotation_by "
            "rotation_from_quaternion rows skew transpose upper"
        ),
    },
)
