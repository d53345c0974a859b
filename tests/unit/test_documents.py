"""Every piece of Python, YAML and shell that the documents show is run, as it stands, in an empty directory."""

from __future__ import annotations

import linecache
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.core import registry
from limbless.core.fields import rows
from limbless.mechanics.chain import joints
from limbless.mechanics.contact.shapes.primitives import known_shapes
from limbless.models.variables import CATALOGUE
from limbless.scenarios import loader
from limbless.scenarios.scenario import Initial, Scenario
from limbless.view.studio import studio_limits

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXTENDING = ROOT / "docs" / "extending.md"
START = [
    *sorted((ROOT / "docs" / "start").glob("*.md")),
    ROOT / "docs" / "compare-log.md",
    ROOT / "docs" / "fit-my-robot.md",
]
"""Pages that are followed from top to bottom: what one block writes, the next one reads."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")

ENGINES = {
    "forward dynamics of the eel": ("in a compiled loop / `pin.aba`", "beside `mj_forward`"),
    "a step of the eel in water with a wake": ("with a wake at the tail: MuJoCo",),
    "snake on friction": ("snake on friction, 32 cells",),
    "a step of a sidewinding snake": ("step of `snake-sidewind`",),
}
"""Rows of the README and rows of docs/benchmark.md in which their numbers stand."""
REALITY = {
    "speed of a filmed lamprey": ("lamprey-film", "Speed over the last two beats, laminar skin"),
    "speed of lampreys in water": ("lamprey-viscosity", "Speed in water, laminar skin"),
    "speed of an eel": ("eel-cfd-torque", "Steady speed"),
    "largest bending moment": ("eel-cfd-torque", "Largest bending moment of a period"),
    "rolling speed": ("robot-snake-floor", "Net speed of rolling"),
    "sidewinding speed": ("robot-snake-floor", "Net speed of sidewinding"),
    "the same with the floor": ("robot-snake-floor", "Net speed of sidewinding, second scene of the authors"),
    "torque of that robot": ("robot-snake-floor", "Rms torque in slithering"),
}
"""Rows of the README, and case and row of docs/experiments.md."""
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\d)")


def blocks(path: Path, language: str) -> list[str]:
    return [text for found, text in BLOCK.findall(path.read_text()) if found == language]


def having(*languages: str) -> list[Any]:
    return [
        pytest.param(path, id=str(path.relative_to(ROOT)))
        for path in DOCUMENTS
        if path not in START and any(blocks(path, word) for word in languages)
    ]


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty working directory, and registries that forget what a document adds to them."""
    for family in registry._FOLDERS:
        registry.kinds(family)
    monkeypatch.setattr(registry, "_known", {family: dict(known) for family, known in registry._known.items()})
    monkeypatch.setattr(joints, "known_kinds", list(joints.known_kinds))
    monkeypatch.chdir(tmp_path)
    shapes = set(known_shapes)
    yield tmp_path
    for code in set(known_shapes) - shapes:
        del known_shapes[code]
    for name in [name for name, module in sys.modules.items() if module.__name__ == "document"]:
        del sys.modules[name]


def run_python(document: Path) -> None:
    """The blocks share their names, in the order of reading, as if they were one module; a
    later one finds a file of the library under its own name.
    """
    module = sys.modules["document"] = ModuleType("document")
    for number, text in enumerate(blocks(document, "python"), start=1):
        if path := re.match(r"# src/(limbless/.*)\.py\n", text):
            sys.modules[path[1].replace("/", ".")] = module
        exec(compile(text, f"{document.name}, block {number}", "exec", dont_inherit=True), module.__dict__)


def write_yaml(text: str) -> str:
    """A scenario file from a block; the first line names it: `# swimmer.yaml`."""
    name = Path(text.splitlines()[0].removeprefix("#").strip()).name
    Path(name).write_text(text)
    return name


@pytest.mark.parametrize("document", having("python", "yaml"))
def test_python_runs_and_yaml_is_a_scenario_that_runs(document: Path, empty: Path) -> None:
    run_python(document)
    for text in blocks(document, "yaml"):
        assert ll.run(write_yaml(text), {"duration": 0.1}).status == "completed"


def run_commands(text: str) -> None:
    for line in text.replace("\\\n", " ").splitlines():  # a long command goes on after a backslash
        program, *arguments = shlex.split(line)
        answer = CliRunner().invoke(main, arguments)
        assert program == "limbless" and answer.exit_code == 0, f"{line}\n{answer.output}"


@pytest.mark.parametrize("document", having("sh"))
def test_commands_run(document: Path, empty: Path) -> None:
    run_commands("\n".join(blocks(document, "sh")))


@pytest.mark.parametrize("document", START, ids=lambda path: path.stem)
def test_a_page_for_beginners_runs_from_top_to_bottom(
    document: Path, empty: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a stranger follows it, in an empty folder; the tutorial reaches a robot that is
    described, moved and compared.
    """
    monkeypatch.setenv("LIMBLESS_STATE_DIR", str(empty / "state"))
    module = sys.modules["document"] = ModuleType("document")
    for number, (language, text) in enumerate(BLOCK.findall(document.read_text()), start=1):
        if language == "python":
            source = f"{document.stem}-{number}.py"
            linecache.cache[source] = (len(text), None, text.splitlines(keepends=True), source)
            exec(compile(text, source, "exec", dont_inherit=True), module.__dict__)
        elif language == "yaml":
            assert ll.run(write_yaml(text), {"duration": 0.1}).status == "completed"
        elif language == "sh":
            run_commands(text)
        elif text.startswith("# "):
            write_yaml(text)  # a file that is not a scenario


def test_messages_that_the_page_of_troubles_explains_are_those_of_the_library() -> None:
    library = "".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    said = re.sub(r"[\"']\s*\n\s*f?[\"']", "", library)  # sentences that go on in the next line
    headings = re.findall(r"^### `(.*)`$", (ROOT / "docs" / "troubleshooting.md").read_text(), re.MULTILINE)
    assert len(headings) > 8
    for heading in headings:
        words = re.split(r"[^\w '-]+", heading)
        assert all(word.strip() in said for word in words), heading


def test_what_contributing_adds_does_what_it_says(empty: Path) -> None:
    run_python(EXTENDING)
    tadpole = write_yaml(blocks(EXTENDING, "yaml")[0])
    stays = ll.run(tadpole, {"step": 0.005}).summary()
    # Purcell's scallop, but for a little inertia
    assert 0.0 < max(map(abs, stays["com_displacement"])) < 0.01 * stays["path_length"]
    thrown = {
        "model": "ballistic",
        "environment": [{"kind": "gravity"}],
        "initial.twist": [1, 0, 0, 0, 0, 0],
        "duration": 2,
    }
    flies = ll.run(tadpole, thrown)
    assert flies.summary()["com_displacement"] == pytest.approx([2.0, 0.0, -0.5 * 9.81 * 4.0])


def test_laws_forces_joints_and_engines_of_contributing_do_what_they_say() -> None:
    """Against closed forms, in plain Python; `make test-long` compiles them."""
    script = ROOT / "tests" / "plain" / "one_file.py"
    answer = subprocess.run([sys.executable, script, "plain"], capture_output=True, text=True, timeout=300)
    assert answer.returncode == 0, answer.stderr[-2000:]


def test_the_gait_of_contributing_has_the_derivatives_of_its_value(empty: Path) -> None:
    run_python(EXTENDING)
    gait = sys.modules["document"].__dict__["StandingWave"]()
    times, stations = np.linspace(0.1, 1.9, 7), np.linspace(0.0, 0.5, 3)
    # refuses wrong derivatives
    ll.FunctionGait(function=lambda t, s: tuple(gait.sample(t, s))).sample(times, stations)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for link in LINK.findall(document.read_text()):
        if "://" not in link:
            target, _, heading = link.partition("#")
            path = document.parent / target if target else document
            assert path.exists(), f"{link} leads nowhere"
            assert not heading or heading in anchors(path), f"{link}: no such heading"


def anchors(path: Path) -> set[str]:
    """Headings as GitHub names them in links."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_scenario_page_names_every_kind_and_every_field_of_the_top_level() -> None:
    """Fields of kinds are in docs/kinds.md, which tests/unit/test_site.py holds against the code."""
    page = (ROOT / "docs" / "scenarios.md").read_text()
    families = ("robot", "preset", "gait", "environment", "flow", "actuation", "model")
    kinds = {
        kind
        for family in families
        for kind, cls in registry.kinds(family).items()
        # other tests register classes of their own
        if cls.__module__.startswith("limbless.")
    }
    words = {row.name for cls in (Scenario, Initial) for row in rows(cls)} | kinds
    assert not {word for word in words if f"`{word}`" not in page and f"`{word}:" not in page}


def test_result_page_names_every_variable_and_every_number_of_the_summary() -> None:
    page = (ROOT / "docs" / "results.md").read_text()
    result = ll.run("eel-planar", {"duration": 0.1})
    # the page says what look_... variables are
    recorded = {str(name).removeprefix("look_") for name in result.dataset.variables}
    words = {*CATALOGUE, *recorded, *result.summary()} - {"time", "axis", "screw", "quaternion", "transverse"}
    assert "`look_...`" in page and any(str(name).startswith("look_") for name in result.dataset.variables)
    assert not {word for word in words if f"`{word}`" not in page}
    assert all(f"| {name} |" in page for name in result.summary()["balances"])


def test_result_page_shows_the_catalogue_of_variables() -> None:
    """`python docs/variables.py` writes its tables."""
    page = (ROOT / "docs" / "results.md").read_text()
    assert runpy.run_path(str(ROOT / "docs" / "variables.py"))["with_tables"](page) == page
    assert not {name for name in CATALOGUE if f"| `{name}` |" not in page}


@pytest.mark.parametrize("page", sorted((ROOT / "docs/models").glob("*.md")), ids=lambda page: page.stem)
def test_tests_that_a_page_names_exist(page: Path) -> None:
    known = {
        name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    assert {name for name in re.findall(r"`(test_\w+)`", page.read_text()) if name not in known} == set()


def test_the_gallery_shows_every_scenario() -> None:
    """`make screenshots` takes the pictures and writes the page."""
    page = (ROOT / "docs/gallery.md").read_text()
    for name in loader.names():
        assert (
            f"images/studio/{name}.webp" in page and (ROOT / f"docs/images/studio/{name}.webp").stat().st_size < 100_000
        ), name


def test_limits_of_the_studio_are_those_that_the_page_of_safety_gives() -> None:
    text = (ROOT / "docs" / "safety.md").read_text()
    given = f"{studio_limits.MOST_BODIES} bodies or cells, {studio_limits.MOST_STEPS // 10**6} million steps, "
    given += f"{studio_limits.MOST_PLACES:,} records times bodies, {studio_limits.MOST_SECONDS:g} s"
    assert given in text
    assert f"| visitors at a time | {studio_limits.MOST_VISITORS} " in text
    assert f"| runs at a time | {studio_limits.MOST_RUNS};" in text


def cells(path: Path, heading: str = "") -> list[list[str]]:
    """Rows of the tables of a page, below a heading."""
    text = path.read_text().partition(heading)[2].partition("\n## ")[0] if heading else path.read_text()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]


def rounds_to(short: str, long: str) -> bool:
    """Whether a number is another one with fewer digits: half a unit of its last place away at most."""
    mantissa, _, exponent = short.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(short) - float(long)) <= 0.5000001 * unit


def test_the_readme_has_the_numbers_of_the_benchmark() -> None:
    known, page = cells(ROOT / "docs" / "benchmark.md"), (ROOT / "docs" / "benchmark.md").read_text()
    said = cells(ROOT / "README.md", "## Compared with other engines")[2:-1]
    assert len(said) == len(ENGINES)
    for row in said:
        wanted = next(words for name, words in ENGINES.items() if row[0].startswith(name))
        there = [found for other in known if any(word in other[0] for word in wanted) for found in other[1:]]
        numbers = NUMBER.findall(" ".join(there))
        for number in NUMBER.findall(" ".join(row[1:])):
            assert any(rounds_to(number, other) for other in numbers), (row, number)
    met, of = re.findall(r"all (\d+) targets, of which (\d+) are met", (ROOT / "README.md").read_text())[0][::-1]
    assert f"{met} of {of} targets are met." in page


def test_the_readme_has_the_numbers_of_the_experiments() -> None:
    known = {(row[0].partition("]")[0].strip("["), row[1]): row for row in cells(ROOT / "docs" / "experiments.md")}
    said = cells(ROOT / "README.md", "## Compared with reality")[2:]
    assert len(said) == len(REALITY)
    for row in said:
        found = known[next(words for name, words in REALITY.items() if row[0].startswith(name))]
        for short, long in zip(row[1:], found[2:4], strict=True):
            assert rounds_to(NUMBER.findall(short)[0], NUMBER.findall(long)[0]), (row, long)
