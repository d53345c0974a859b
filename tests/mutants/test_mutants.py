"""Every erratum that changes a number has a mutant, and every mutant is killed by its test (see `table.py` and
`__main__.py`).
"""

from __future__ import annotations

import ast
import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MUTANTS = runpy.run_path(str(HERE / "table.py"))["MUTANTS"]
each = pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)

ERRATA = {
    "table-1-yaw",
    "table-1-pitch",
    "after-25",
    "16",
    "30",
    "32",
    "38-41",
    "48",
    "50",
    "51",
    "61-lumped",
    "62-lumped",
    "56-62",
    "65",
    "A12",
    "rho",
    *(f"003-{name}" for name in ("22", "24", "4", "M", "12", "17", "fY", "J3", "table-1", "table-4", "29")),
}
"""The rows of the specs' errata that change a number (003-: paper 003, the others paper 001);
the others correct a reference in the text."""


ERRATA_000 = {
    f"000-{name}"
    for name in (
        "66",
        "12",
        "20",
        "fig-2",
        "fig-2-step-1",
        "17",
        "18",
        "33",
        "footnote-4",
        "42",
        "44",
        "36",
        "inchworm-intervals",
        "inchworm-pose",
        "51",
        "52",
        "53",
        "54",
        "55",
        "56",
        "64",
    )
}
"""Of paper 000, section 2 of its spec. The signs under (12) are those of Fig. 2; the other rows
correct a claim or a word.
"""


ERRATA_004 = {
    f"004-{number}"
    for number in (
        "1",
        "5",
        "6",
        "8",
        "9",
        "12",
        "14",
        "17",
        "18",
        "22",
        "26",
        "27",
        "31",
        "31-axes",
        "33",
        "34",
        "46",
        "54",
        "57",
    )
}
"""Of paper 004, section 10 of its spec. The others rename a symbol, say a limit, or choose between
two forms that both exist.
"""


SURVIVORS = {
    "contact-gap-sign",
    "rod-base-acceleration",
    "equivalent-force-sign",
    "anchorage-acceleration",
    "rod-elastic-energy",
    "chain-elastic-energy",
    "servo-reference",
    "slope-height",
    "patch-backward",
    "workspace-corner",
    "eight-tilt",
    "end-off-grid",
    "limits-parabola",
    "tip-reach",
    "drawn-boxes",
    "frame-late",
    "drawn-tendons",
    "tierpsy-size",
    "tierpsy-pixels",
    "film-columns",
    "film-clock",
    "street-spacing",
    "street-turns",
    "wake-share-sign",
    "stl-length",
    "mesh-scale",
    "limit-above-zero",
    "mjcf-springref",
    "studio-patience",
    "flow-period",
}
"""Small mistakes that no test noticed once, and that matter; `table_edges.py` has more of their kind."""


def test_no_erratum_is_forgotten() -> None:
    names = [mutant.name for mutant in MUTANTS]
    assert set(names) >= ERRATA | ERRATA_000 | ERRATA_004 | SURVIVORS
    assert len(set(names)) == len(names)


@each
def test_the_source_still_holds_the_text_of_the_mutant(mutant: tuple) -> None:
    """If this fails the source was rewritten: put the new text, and what the misprint makes of it, into the table."""
    source = (ROOT / "src" / "limbless" / mutant.file).read_text(encoding="utf-8")
    assert source.count(mutant.correct) == mutant.times
    assert mutant.correct != mutant.printed


@each
def test_the_killer_exists(mutant: tuple) -> None:
    path, name = mutant.killer.partition("[")[0].split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


SAMPLE = [mutant for mutant in MUTANTS if mutant.name in ("000-64", "003-29", "004-31")]
"""What the fast suite runs; `limbless validate --mutants` runs all."""


def test_a_sample_of_the_mutants_is_killed() -> None:
    """In a process of its own, where kernels run as plain Python: about a second for each."""
    done = subprocess.run(
        [sys.executable, str(HERE), *(mutant.name for mutant in SAMPLE)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
    )
    verdicts = dict(line.split("\t")[:2] for line in done.stdout.splitlines() if "\t" in line)
    assert verdicts == {"unchanged": "pass", **{mutant.name: "killed" for mutant in SAMPLE}}, done.stdout + done.stderr
    assert done.returncode == 0
