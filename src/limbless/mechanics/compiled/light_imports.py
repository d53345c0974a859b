"""numba without what no kernel uses: a fresh interpreter comes to its first result a quarter of a second earlier.

When numba is imported it imports `coverage`, where that is installed, to tell it which lines were compiled; when it
loads its first kernel it imports `scipy.linalg`, and with it NumPy's Fortran and test tools, to learn whether BLAS is
there. Kernels call no BLAS: that SciPy is installed answers the question.

The second replaces a function of numba that is not part of its interface, under the same switch as `inlining`.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from typing import Any


def import_without_coverage() -> None:
    """Import numba while `coverage` cannot be found; where somebody has imported it, numba is told lines as always."""
    if "coverage" in sys.modules:
        return
    sys.modules["coverage"] = None  # type: ignore[assignment]
    try:
        import numba.core.lowering  # noqa: F401
    finally:
        del sys.modules["coverage"]


def _is_there() -> None:
    if find_spec("scipy") is None:
        raise ImportError("scipy is required for linear algebra")


@cache
def spare_scipy() -> bool:
    """Import numba's arrays while it takes SciPy's word for BLAS, once. Returns whether it was possible."""
    from numba.np import linalg

    whole: Any = getattr(linalg, "ensure_blas", None)
    if whole is None:
        return False
    linalg.ensure_blas = _is_there
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        linalg.ensure_blas = whole
    return True
