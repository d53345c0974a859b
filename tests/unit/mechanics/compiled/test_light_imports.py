"""What numba would import and no kernel uses stays out, and this numba allows it."""

from __future__ import annotations

import subprocess
import sys

from limbless.mechanics.compiled.light_imports import spare_scipy

CODE = """
import sys
from limbless.mechanics.compiled import kernel
kernel.spare_scipy()
import numba.np.arraymath
print(*[name for name in ("coverage", "scipy.linalg", "numpy.f2py", "numpy.testing") if name in sys.modules])
"""


def test_this_numba_can_do_without() -> None:
    assert spare_scipy(), (
        "numba has lost `ensure_blas`, which compiled/imports.py replaces: a fresh "
        "interpreter takes a quarter of a second longer; adapt imports.py to this numba"
    )


def test_nothing_needless_is_imported() -> None:
    told = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == ""


def test_coverage_that_somebody_imported_stays() -> None:
    code = "import coverage, sys; import limbless.mechanics.compiled; print(sys.modules['coverage'].__name__)"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "coverage"
