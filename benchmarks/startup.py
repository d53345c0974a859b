"""What a user waits for before anything moves: compilation, imports, the help text."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile

from benchmarks.table import Row

FIRST_EEL = "import limbless; limbless.run('eel-planar', {'duration': 0.1})"
FIRST_CONTACT = "import limbless; limbless.run('snake-sidewind', {'duration': 0.1})"
COLD = (
    "Half of it is numba's typing and lowering of some 170 small functions, a third LLVM; `limbless warmup` does "
    "it ahead."
)
WARM = (
    "A wish of the same study. Nearly all of it is imports: xarray with pandas, scipy, numba, pydantic; the run "
    "itself takes "
    "milliseconds."
)
HELP = "from limbless.cli.main import main; main(['--help'])"


def cpu_of(code: str, cache: str | None = None) -> float:
    """CPU time (s) of a fresh interpreter that runs this code."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    places = {"LIMBLESS_CACHE_DIR": cache} if cache else {}
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env={**os.environ, **places})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(eel: str = FIRST_EEL, contact: str = FIRST_CONTACT, repeats: int = 3) -> list[Row]:
    """CPU time of fresh interpreters: with an empty compile cache, with a filled one, and for the help text."""
    with tempfile.TemporaryDirectory() as cache:
        cold = cpu_of(eel, cache)
        warm = min(cpu_of(eel, cache) for _ in range(repeats))
    with tempfile.TemporaryDirectory() as cache:
        touching = cpu_of(contact, cache)
    text = min(cpu_of(HELP) for _ in range(repeats))
    return [
        Row(
            "first eel with an empty compile cache, CPU",
            f"{cold:.1f} s",
            "",
            cold,
            f"{cold:.1f} s",
            8.0,
            "at most",
            " s",
            reason=COLD,
        ),
        Row(
            "first contact run (`snake-sidewind`) with an empty compile cache, CPU",
            f"{touching:.1f} s",
            "",
            touching,
            f"{touching:.1f} s",
            15.0,
            "at most",
            " s",
            reason=COLD,
        ),
        Row(
            "fresh interpreter to first result, cache filled, CPU",
            f"{warm:.2f} s",
            "",
            warm,
            f"{warm:.2f} s",
            1.2,
            "at most",
            " s",
            reason=WARM,
        ),
        Row("`limbless --help`, CPU", f"{text:.2f} s", "", text, f"{text:.2f} s", 0.2, "at most", " s"),
    ]
