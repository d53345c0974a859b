"""What kernels are made of: all that touches numba."""

from limbless.mechanics.compiled.light_imports import import_without_coverage

import_without_coverage()
