"""Cases of validation/: their files, how they are decided, the command and its page. The quick ones are run."""

from __future__ import annotations

import ast
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from limbless.cli.main import main
from limbless.core import checkout
from limbless.core.errors import InputError
from limbless.scenarios import loader
from validation.runner import cases, convergence_orders, results_page, run_cases, scorecard, validate

ROOT = Path(__file__).parents[3]
HOME = ROOT / "validation"
QUICK = [name for name in cases.names(HOME) if cases.load(name, HOME).quick]
CASE = """
title: A number that is two
kind: closed form
source: arithmetic of the first year
models: [none]
caption: A line that shows nothing.
rows:
  - {statement: It is two indeed, value: two, reference: 2.0, tolerance: 0.1, reason: a tenth is enough here}
  - {statement: It is below one as well, value: two, between: [null, 1.0], reason: one is not two by far,
     shortfall: two is larger than one}
  - {statement: What nobody can measure, verdict: not decidable, reason: the figure is missing}
"""
CHECK = '''
"""Two."""
def check(case, sheet):
    sheet.subplots().plot([1, 2])
    return {"two": 2.05}
'''


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one case, as the working directory."""
    made = tmp_path / "validation"
    (made / "two").mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("")  # what a clone is known by
    (made / "two" / "case.yaml").write_text(CASE)
    (made / "two" / "check.py").write_text(CHECK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return made


# The cases of the project


@pytest.mark.parametrize("name", cases.names(HOME))
def test_every_case_has_a_source_tolerances_with_reasons_and_a_check(name: str) -> None:
    """The schema refuses a row without a reason; here that the file is read, and that check.py
    returns what its rows name.
    """
    case = cases.load(name, HOME)
    tree = ast.parse((HOME / name / "check.py").read_text(encoding="utf-8"))
    assert "check" in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)} and ast.get_docstring(tree)
    assert case.data is None or (ROOT / case.data).is_file()
    assert len({row.statement for row in case.rows}) == len(case.rows)
    assert all(row.between is None or any(bound is not None for bound in row.between) for row in case.rows)


@pytest.mark.parametrize("name", QUICK)
def test_a_quick_case_comes_out_as_the_page_says(name: str) -> None:
    """If this fails and the new verdict is right: `limbless validate --write` writes the page again."""
    case = cases.load(name, HOME)
    for package in case.needs:
        pytest.importorskip("pinocchio" if package == "pin" else package)
    report = run_cases.run_case(case)
    assert not report.problem
    assert {outcome.row.statement: outcome.measured for outcome in report.outcomes if outcome.fails} == {}
    page = results_page.verdicts((ROOT / "docs" / "validation.md").read_text(encoding="utf-8"))
    assert {results_page.stated(outcome): outcome.verdict for outcome in report.outcomes} == page[case.title]


def test_cases_know_what_a_user_knows() -> None:
    """The public interface alone, so that no change inside the library breaks a proof of it."""
    for path in sorted([*HOME.glob("*.py"), *HOME.glob("*/check.py")]):
        text = path.read_text(encoding="utf-8")
        tree = ast.walk(ast.parse(text))
        taken = [
            name
            for node in tree
            if isinstance(node, ast.ImportFrom | ast.Import)
            for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        ]
        inner = [name for name in taken if name.startswith("limbless")]
        assert set(inner) <= {"limbless"} and (not inner or "import limbless as ll" in text), path


def test_every_kind_of_proof_is_there() -> None:
    known = [cases.load(name, HOME) for name in cases.names(HOME)]
    assert {case.kind for case in known} == {"paper", "closed form", "ladder", "engine", "experiment"}
    assert sum(case.kind == "ladder" for case in known) == 6
    assert {model for case in known for model in case.models} == {
        "newton-euler",
        "macro-continuous",
        "non-smooth",
        "geometric",
        "soft",
        "tendon-statics",
    }


def test_every_scenario_is_held_to_its_own_balances() -> None:
    """A new scenario is a new row of that case."""
    assert {row.value for row in cases.load("own-proof", HOME).rows} == set(loader.names())


def test_the_page_shows_every_row_of_every_case() -> None:
    """If this fails: `limbless validate --write` writes the page again."""
    pages = {name: (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("validation.md", "experiments.md")}
    for name in cases.names(HOME):
        case = cases.load(name, HOME)
        text = pages["experiments.md" if case.kind == "experiment" else "validation.md"]
        for row in case.rows:
            assert row.statement.strip().replace("|", "\\|") in text, f"{name}: {row.statement}"
        assert (
            f"images/validation/{name}.png" in text
            and (ROOT / "docs" / "images" / "validation" / f"{name}.png").is_file()
        )


def test_every_test_that_the_scorecard_names_exists() -> None:
    card = scorecard.load(HOME)
    assert set(card.models) == {"newton-euler", "macro-continuous", "non-smooth", "geometric", "tendon-statics"}
    for lines in card.models.values():
        assert [line.item for line in lines] == [str(number) for number in range(1, len(lines) + 1)]
        for line in lines:
            assert line.tests or line.note, f"{line.invariant}: neither tested nor explained"
            for test in line.tests:
                path, name = test.split("::")
                tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
                assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test


# How a row is decided


def row(**fields: Any) -> cases.CaseRow:
    return cases.CaseRow(statement="some statement", reason="a reason that is long enough", **fields)


@pytest.mark.parametrize(
    ("fields", "measured", "holds"),
    [
        ({"reference": 2.0, "tolerance": 0.1}, 2.09, True),
        ({"reference": 2.0, "tolerance": 0.1}, 2.2, False),
        ({"reference": 0.0, "tolerance": 0.1}, math.nan, False),
        ({"between": (None, 1.0)}, -5.0, True),
        ({"between": (None, 1.0)}, 1.1, False),
        ({"between": (0.5, None)}, 0.4, False),
        ({"between": (0.5, 1.0)}, 1.0, True),
        ({"between": (None, 1.0)}, math.nan, False),
    ],
)
def test_a_row_holds(fields: dict, measured: float, holds: bool) -> None:
    assert row(value="x", **fields).holds(measured) is holds


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"value": "x"},
        {"value": "x", "reference": 1.0},
        {"value": "x", "reference": 1.0, "tolerance": 0.1, "between": (None, 1.0)},
        {"value": "x", "verdict": "open"},
        {"reference": 1.0, "tolerance": 0.1},
        {"value": "x", "reference": 1.0, "tolerance": -0.1},
    ],
)
def test_a_row_that_decides_nothing_or_twice_is_refused(fields: dict) -> None:
    with pytest.raises(InputError):
        row(**fields)


def test_a_row_without_a_reason_is_refused_with_its_line(home: Path) -> None:
    (home / "two" / "case.yaml").write_text(CASE.replace(", reason: a tenth is enough here", ""))
    with pytest.raises(InputError, match=r"case\.yaml:\d+: rows\.0\.reason: missing"):
        cases.load("two")


def test_verdicts_of_a_case(home: Path) -> None:
    report = run_cases.run_case(cases.load("two"), home.parent / "pictures")
    assert [outcome.verdict for outcome in report.outcomes] == ["met", "not met", "not decidable"]
    assert not any(outcome.fails for outcome in report.outcomes), "a declared shortfall is shown, and does not fail"
    assert report.figure is not None and report.figure.stat().st_size > 1000


def test_a_check_that_breaks_is_shown_as_not_met(home: Path) -> None:
    (home / "two" / "check.py").write_text("def check(case, sheet):\n    raise ValueError('it broke')\n")
    report = run_cases.run_case(cases.load("two"))
    assert (
        report.problem == "validation/two/check.py:2: ValueError: it broke"
        and report.outcomes[0].verdict == "not met"
        and report.outcomes[0].fails
    )


def test_an_error_without_words_has_its_place_too(home: Path) -> None:
    (home / "two" / "check.py").write_text(
        "def deeper():\n    raise NotImplementedError\n\ndef check(case, sheet):\n    deeper()\n"
    )
    assert run_cases.run_case(cases.load("two")).problem == "validation/two/check.py:2: NotImplementedError"


def test_a_check_that_forgets_a_number_says_which(home: Path) -> None:
    (home / "two" / "check.py").write_text("def check(case, sheet):\n    return {'three': 3.0}\n")
    with pytest.raises(InputError, match="returns no 'two'; it returns three"):
        run_cases.run_case(cases.load("two"))


def test_a_case_whose_engine_is_missing_is_not_run(home: Path) -> None:
    (home / "two" / "case.yaml").write_text(CASE + "needs: [no-such-engine]\n")
    report = run_cases.run_case(cases.load("two"))
    assert [outcome.verdict for outcome in report.outcomes] == ["not run", "not run", "not decidable"]
    assert "no-such-engine" in report.problem


# The command


def ran(*words: str) -> Any:
    return CliRunner().invoke(main, ["validate", *words])


def test_the_command_prints_a_table_and_a_part_writes_nothing(home: Path) -> None:
    for words in (("--quick",), ("two",)):
        found = ran(*words)
        assert found.exit_code == 0, found.output
        assert "It is two indeed" in found.output and "1 met, 1 not met, 1 not decidable" in found.output
    assert not (home.parent / "docs").exists()


def test_all_cases_together_write_the_page(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "scorecard.yaml").write_text(
        "models: {none: [{item: '1', invariant: nothing is conserved, note: nothing moves}]}\n"
    )
    found = ran("--write")
    assert found.exit_code == 0, found.output
    text = (home.parent / "docs" / "validation.md").read_text()
    assert "## What falls short" in text and "two is larger than one" in text and "nothing is conserved" in text
    assert "![A number that is two](images/validation/two.png)" in text
    assert (home.parent / "docs" / "images" / "validation" / "two.png").is_file()
    page = home.parent / "docs" / "validation.md"
    page.write_text(text.replace("two is larger than one", "an earlier reason"))
    assert ran("two", "--write").exit_code == 0
    assert page.read_text() == text, "a case alone writes its own section and the counts; the scorecard stays"


def test_a_verdict_that_is_not_the_pages_fails_the_command(home: Path) -> None:
    """Also one that is better than the page says, or that the page does not know."""
    (home / "scorecard.yaml").write_text(
        "models: {none: [{item: '1', invariant: nothing is conserved, note: nothing moves}]}\n"
    )
    assert ran("--write").exit_code == 0 and ran("two").exit_code == 0
    page = home.parent / "docs" / "validation.md"
    whole = page.read_text()
    told = "It is below one as well: not met here, met on docs/validation.md"
    page.write_text(whole.replace("**not met**", "met").replace("not met |", "met |"))
    found = ran("two")
    assert found.exit_code == 1 and told in " ".join(found.output.split())
    page.write_text(whole.replace("It is two indeed", "It was two"))
    found = ran("two")
    assert found.exit_code == 1 and "It is two indeed: met here, not on docs/validation.md" in found.output


def test_a_statement_that_is_not_met_fails_the_command(home: Path) -> None:
    (home / "two" / "case.yaml").write_text(CASE.replace("reference: 2.0", "reference: 3.0"))
    assert ran("--quick").exit_code == 1


def test_unknown_cases_and_missing_folders_are_said(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = ran("tow")
    assert found.exit_code == 2 and "did you mean 'two'" in found.output
    monkeypatch.chdir(tmp_path.parent)
    monkeypatch.setattr(checkout, "__file__", str(tmp_path / "site-packages" / "limbless" / "core" / "checkout.py"))
    found = ran("--quick")
    assert found.exit_code == 2 and "clone the repository" in found.output
    assert ran("--mutants").exit_code == 2


def test_mutants_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [["unchanged", "pass"], ["one", "killed", "test_a"], ["two", "survived", "test_b"]]
    monkeypatch.setattr(validate, "_verdicts", lambda root: iter(lines))
    found = ran("--mutants")
    assert found.exit_code == 1 and "1 of 2 misprints are noticed by their tests; not: two" in found.output
    del lines[2]
    assert ran("--mutants").exit_code == 0


# The page and the scorecard


def test_numbers_show_as_many_digits_as_their_tolerance() -> None:
    assert (
        results_page.number(1.38602853, "m", 1e-6) == "1.3860285 m"
        and results_page.number(0.0) == "0"
        and results_page.number(None) == ""
    )


def test_numbers_with_errors() -> None:
    summary = {"speed": 0.45342, "displacement": [1.0, 2.0, 3.0], "peak": {"yaw": 5.2}, "status": "completed"}
    errors = {"speed": 1e-4, "displacement": [0.1, 0.1, None], "peak": {"yaw": 0.01}, "status": None}
    rows = [line for name, value in summary.items() for line in results_page._with_errors(name, value, errors[name])]
    assert rows == [
        ("speed", "0.45342", "1.0e-04"),
        ("displacement, x", "1", "1.0e-01"),
        ("displacement, y", "2", "1.0e-01"),
        ("displacement, z", "3", "not known"),
        ("peak, yaw", "5.2", "1.0e-02"),
    ]


def test_orders() -> None:
    assert convergence_orders.fitted_order([1, 2, 4, 8], [1.0, 0.25, 0.0625, 0.015625]) == pytest.approx(2.0)
    assert convergence_orders.extrapolated(1.0 + 1.0, 1.0 + 0.25) == pytest.approx(1.0)


def test_margins_note_the_nearest_miss_of_every_test(tmp_path: Path) -> None:
    """In a process of its own: the plugin of the scorecard watches approx, assert_allclose and comparisons."""
    (tmp_path / "test_some.py").write_text("""
import numpy as np
import pytest

def test_approx():
    assert np.array([1.0, 2.0]) == pytest.approx([1.0, 2.001], abs=0.01)

def test_close():
    np.testing.assert_allclose([1.0], [1.002], rtol=0, atol=0.004)

def test_below():
    x = 3e-4
    assert abs(x) < 1e-3 * 0.5 and 2.0 < 5.0

def test_order():
    slope = 2.1
    assert 1.8 < slope < 2.2

def test_wrong():
    assert 3.0 == pytest.approx(4.0, abs=0.1)
""")
    notes = tmp_path / "notes.json"
    paths = os.pathsep.join([str(HOME / "runner"), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "margins", "-p", "no:cacheprovider", "test_some.py"],
        cwd=tmp_path,
        env={**os.environ, "LIMBLESS_MARGINS": str(notes), "PYTHONPATH": paths},
        capture_output=True,
        check=False,
    )
    found = {name.partition("::")[2]: entry for name, entry in json.loads(notes.read_text()).items()}
    shares = {name: entry["difference"] / entry["tolerance"] for name, entry in found.items()}
    wanted = {"test_approx": 0.1, "test_close": 0.5, "test_below": 0.6, "test_order": 0.5, "test_wrong": 10.0}
    assert shares == pytest.approx(wanted, rel=1e-6)
    assert [name for name, entry in found.items() if not entry["passed"]] == ["test_wrong"]


def test_the_scorecard_counts_what_passes() -> None:
    line = scorecard.Invariant(item="1", invariant="something is kept", tests=("a::b", "a::c"))
    card = scorecard.Scorecard(models={"some": (line, line.changed(item="2", tests=(), note="never tested"))})
    good = scorecard.Measured(True, 1e-3, 1e-2)
    score = scorecard.ModelScore(card, {"a::b": good, "a::c": good._replace(difference=5e-3)})
    assert score.good and score.counts() == {"some": (1, 2)}
    assert "| 5.0e-03 | 1.0e-02 |" in score.markdown() and "**not tested**" in score.markdown()
    bad = scorecard.ModelScore(card, {"a::b": good, "a::c": good._replace(passed=False)})
    assert not bad.good and bad.counts() == {"some": (0, 2)} and "**fails**" in bad.markdown()


# Experiments


@pytest.mark.parametrize(
    ("trials", "value", "band", "told"),
    [
        ([0.9, 1.0, 1.1], 1.15, None, "inside"),
        ([0.9, 1.0, 1.1], 1.5, None, "outside by 29 %"),
        ([0.9, 1.0, 1.1], 1.5, [1.15, 1.6], "inside"),
        ([0.9, 1.0, 1.1], 0.5, [0.4, 0.6], "outside by 19 %"),
        ([0.9, 1.0, 1.1], 1.0, [0.7, 1.3], "not decidable"),
    ],
)
def test_verdicts_of_experiments_are_computed(trials: list[float], value: float, band: Any, told: str) -> None:
    """Scatter of 0.1 either way twice, a numerical error of 0.01, and the band."""
    from validation.experiments import verdict

    row = cases.CaseRow(
        statement="A number of a robot", value="x", reference=value, tolerance=0.01, reason="steps of half the size",
        trials=tuple(trials), band=band,
    )  # fmt: skip
    assert row.scatter == pytest.approx((1.0, 0.1))
    assert verdict(row, value) == told


def test_experiments_need_scatter_and_have_a_page(home: Path) -> None:
    from validation.runner import experiments_page

    text = CASE.replace("closed form", "experiment")
    (home / "two" / "case.yaml").write_text(text)
    with pytest.raises(InputError, match="needs trials, or mean and sd"):
        cases.load("two", home)
    rows = """rows:
  - {statement: It is two indeed, value: two, reference: 2.0, tolerance: 0.1, trials: [1.4, 1.5, 1.6],
     reason: a tenth is enough here, missing: something that nobody knows}
"""
    (home / "two" / "case.yaml").write_text(text.partition("rows:")[0] + rows)
    report = run_cases.run_case(cases.load("two", home))
    page = experiments_page.markdown([report])
    told = "| 1.5 ± 0.1 (3 trials, mean ± 0.058) | 2.05 | 1.37 | outside by 17 % |"
    assert told in page and "something that nobody knows" in page
    assert "A number that is two" not in results_page.markdown([report])


def test_what_is_outside_says_why_and_what_is_assumed_shows_its_effects(home: Path) -> None:
    """An assumption moves a value by itself (the largest in bold); a number that nobody measured is a prediction."""
    from validation import experiments
    from validation.runner import experiments_page

    text = CASE.replace("closed form", "experiment").partition("rows:")[0]
    guess = "reason: a guess of ours"
    assumed = f"assumed: {{gain: {{between: [1.0, 4.0], {guess}}}, load: {{between: [0.0, 1.0], {guess}}}}}\n"
    row = """  - {statement: It is two indeed, value: two, reference: 2.0, tolerance: 0.1, mean: 1.5, sd: 0.1, count: 4,
     effects: {gain: [1.9, 2.1], load: [2.6, 1.2]}, reason: a tenth is enough here}
"""
    (home / "two" / "case.yaml").write_text(text + assumed + "rows:\n" + row)
    case = cases.load("two", home)
    assert case.rows[0].mean_error == pytest.approx(0.05)
    with pytest.raises(InputError, match="'It is two indeed' is outside: say which physics is `missing`"):
        experiments_page.markdown([run_cases.run_case(case)])
    known = row.replace("mean: 1.5, sd: 0.1, count: 4,", "predicted: true,")
    (home / "two" / "case.yaml").write_text(text + assumed + "rows:\n" + known)
    page = experiments_page.markdown([run_cases.run_case(cases.load("two", home))])
    assert "| It is two indeed |  | 2.05 | 0.1 |  | predicted, not measured |" in page
    assert "| It is two indeed | 1.9 to 2.1 | **2.6 to 1.2** |" in page
    for wrong, said in (("load:", "mass:"), ("predicted: true,", "")):
        (home / "two" / "case.yaml").write_text(text + assumed + "rows:\n" + known.replace(wrong, said))
        with pytest.raises(InputError, match=r"effects are of what is assumed, gain, load|or predicted: true"):
            cases.load("two", home)

    def value(case: Any, changes: Any) -> dict[str, float]:
        how = {"gain": 2.0, "load": 0.5, **changes}
        return {"two": how["gain"] * (1.0 + how["load"])}

    assert experiments.effects_of(case, value)["two"] == {"gain": (1.5, 6.0), "load": (2.0, 4.0)}
    low, high = experiments.band_of(case, value)["two"]
    assert 1.0 <= low < 1.3 and 6.5 < high <= 8.0 and len(experiments.points_of(case)) == 32


def test_a_fitted_arm_stands_beside_with_its_interval(home: Path) -> None:
    """Values of a fit are checked as others are; a row that it was fitted to decides nothing."""
    from validation.experiments import fitted_verdict
    from validation.runner import experiments_page

    check = (home / "two" / "check.py").read_text()
    (home / "two" / "check.py").write_text(check + "\n_own = check\n\ndef check(case, sheet):\n"
        "    found = _own(case, sheet)\n    return {**found, 'two, fitted': 1.52}\n")  # fmt: skip
    text = CASE.replace("closed form", "experiment").partition("rows:")[0]
    arm = "fitted: {values: {gain: [3.0, 2.5, 3.6]}, train: the first log, test: the second log, open: nothing here}\n"
    for trained, told, reference, met in ((False, "inside", 1.52, True), (True, "not decidable", 1.7, False)):
        rows = f"""rows:
  - {{statement: It is two indeed, value: two, reference: 2.0, tolerance: 0.1, trials: [1.4, 1.5, 1.6],
     reason: a tenth is enough here, missing: something that nobody knows,
     fitted: {{reference: {reference}, tolerance: 0.01, interval: [1.45, 1.6], trained: {str(trained).lower()}}}}}
"""
        (home / "two" / "case.yaml").write_text(text + arm + rows)
        report = run_cases.run_case(cases.load("two", home))
        (outcome,) = report.outcomes
        assert outcome.fitted == 1.52 and (outcome.verdict == "met") is met
        assert fitted_verdict(outcome.row, 1.52).startswith(told)
    page = experiments_page.markdown([report])
    assert "| two | gain | 3 | 2.5 to 3.6 |" in page and "fitted to the first log. Tested on the second log" in page
    assert "| 1.52 | not decidable (fitted to it) |" in page and "| 1.52 | 1.45 to 1.6 |" in page
