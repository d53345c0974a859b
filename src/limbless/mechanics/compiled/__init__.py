"""What kernels are made of: all that touches numba. The names that the rest of the library takes from here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.compiled.arrays import *
    from limbless.mechanics.compiled.batching import *
    from limbless.mechanics.compiled.decorators import *
    from limbless.mechanics.compiled.dispatch import *
    from limbless.mechanics.compiled.flat_array import *
    from limbless.mechanics.compiled.function_pointer import *
    from limbless.mechanics.compiled.lanes import *
    from limbless.mechanics.compiled.operators import *
    from limbless.mechanics.compiled.packed import *
    from limbless.mechanics.compiled.scalars import *
    from limbless.mechanics.compiled.tables import *


__getattr__ = lazy_names(
    __name__,
    {
        "arrays": "Array IntArray Scalar aligned_zeros dual_array tangents values",
        "batching": "as_duals clip_infinite map_arrays seed_tangent stack_lanes to_duals",
        "decorators": (
            "CACHE_DIRECTORY align_stack array_kernel compile_seconds func func_overload is_cache_empty kernel "
            "kernel_array noinline_func on_compile prune_cache strict_kernel"
        ),
        "dispatch": "constant_version delegate for_each generic no_op switch switch_scalar version_for",
        "flat_array": ("ALIGNED FlatArray address as_lane_array indices unpack unpack_duals unpack_lanes"),
        "function_pointer": "PythonCallback call_pointer compiled_callback compiled_for compiled_pointer njit",
        "lanes": "LANES lane total with_lane",
        "operators": "Components define_binary define_constants define_negative with_operators",
        "packed": "PackedType pack",
        "scalars": (
            "BEYOND TANGENTS WORDS absolute arctangent2 dual8 eight exponential has_tangents is_single lay_out "
            "logarithm maximum minimum power_of primal sincos sincos_unbranched sine_and_cosine_near_zero "
            "some_positive splat sqrt value_of vector_type where_positive whole zero_vector"
        ),
        "tables": "Rows Table constants is_code table",
    },
)
