"""The command line: light to start, clean in its messages, careful with folders. Runs are stood in for; the
real one is in contracts.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

import limbless
from limbless.cli import warmup
from limbless.cli.main import main
from limbless.core import citations, registry
from limbless.core.errors import InputError, SimulationError
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from limbless.view import terminal

SUMMARY = {
    "status": "completed",
    "duration": 30.0,
    "wall_time": 0.25,
    "realtime_factor": 120.0,
    "com_displacement": [-8.4148, 0.0117, -0.0],
    "mean_speed": 0.28,
    "period_speed": None,
    "peak_torque": {"yaw": 5.2, "pitch": 0.0},
    "limits_exceeded": [{"joint": "yaw 4"}],
    "balances": {"power": {"verdict": "pass", "relative": 3.8e-9}},
}


class Outcome:
    """What a run gives back, as far as the command line looks at it."""

    def __init__(self, scenario: Scenario, status: str = "completed", doubts: tuple[str, ...] = ()) -> None:
        self.scenario, self.status, self.doubts, self.proven = scenario, status, doubts, not doubts
        self.warning = f"{status}, not proven: {'; '.join(doubts)}" if doubts else ""

    def summary(self) -> dict[str, Any]:
        return SUMMARY | {"status": self.status}

    def write(self, directory: Path, figures: bool = True, form: str = "png") -> list[Path]:
        paths = [self.scenario.save(directory / "scenario.yaml")]
        if figures:
            (directory / "figures").mkdir()
            names = (f"a.{form}", "a.csv", f"b.{form}", "b.csv")
            paths += [directory / "figures" / name for name in names]
        return paths


@pytest.fixture
def simulated(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Runs end at once, in an empty working directory; a test may say how."""
    plan: dict[str, Any] = {"outcome": Outcome, "ran": []}

    def run_scenario(scenario: Scenario, progress: Callable[..., None] | None = None, **checkpoint: Any) -> Any:
        plan["ran"].append(scenario)
        plan["checkpoint"] = checkpoint
        if progress:
            progress(0.5, 15.0, 100.0)
        return plan["outcome"](scenario)

    monkeypatch.setitem(sys.modules, "limbless.simulation.simulate", SimpleNamespace(run_scenario=run_scenario))
    monkeypatch.setattr("limbless.mechanics.compiled.decorators.is_cache_empty", lambda: False)
    monkeypatch.chdir(tmp_path)
    yield plan


def call(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def test_help_imports_nothing_heavy_and_is_quick() -> None:
    heavy = ("numpy", "numba", "pydantic", "xarray", "matplotlib", "scipy", "rich", "ruamel", "limbless.core.errors")
    code = (
        "import sys\nsys.argv = ['limbless', '--help']\nfrom limbless.cli.main import main\n"
        f"try:\n    main()\nfinally:\n    print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stderr.strip() == "[]" and "Usage:" in done.stdout


@pytest.mark.parametrize("command", sorted(main.commands))
def test_every_command_explains_itself_with_an_example(command: str) -> None:
    text = call(command, "--help").output
    assert f"limbless {command}" in text.partition("Example")[2]
    assert "..." not in main.commands[command].get_short_help_str(60)


def test_letters_that_a_pipe_does_not_know_are_replaced() -> None:
    """On Windows a pipe has an encoding of its own; this one has even fewer letters."""
    words = [sys.executable, "-m", "limbless", "list", "controllers"]
    told = subprocess.run(words, check=True, capture_output=True, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert b"oscillators" in told.stdout and b"?" in told.stdout


def test_the_package_is_the_command() -> None:
    told = subprocess.run([sys.executable, "-m", "limbless", "--version"], check=True, capture_output=True, text=True)
    assert told.stdout.startswith("limbless")


def test_version() -> None:
    assert call("--version").output == f"limbless, version {limbless.__version__}\n"


def test_list_shows_every_scenario_and_kind_with_one_line() -> None:
    lines = call("list").output.splitlines()
    shown = {line.split()[0]: line for line in lines if line.startswith("  ")}
    for name in [*loader.names(), *(kind for family in registry._FOLDERS for kind in registry.kinds(family))]:
        assert len(shown[name].split(None, 1)[1]) > 10, name


def test_list_of_one_sort_only() -> None:
    assert call("list", "gaits").output.startswith("gaits\n  body-wave ")
    done = call("list", "gait")
    assert done.exit_code == 2 and "unknown list 'gait'; did you mean 'gaits'?" in done.stderr


def test_describe_a_kind_shows_fields_with_units() -> None:
    text = call("describe", "body-wave").output
    row = next(line for line in text.splitlines() if line.split()[:1] == ["amplitude"])
    assert row.split()[1:4] == ["angle", "rad", "0.06"] and "heading amplitude" in row
    assert "number > 0" in text and "travelling wave" in text


def test_describe_does_not_lose_what_looks_like_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_known", {family: dict(registry.kinds(family)) for family in registry._FOLDERS})

    class Odd(limbless.BodyWave):  # type: ignore[name-defined,misc]
        """Rates in [rad/s], [bold]not bold[/bold]."""

    assert registry.find("gait", "body-wave") is Odd
    assert "Rates in [rad/s], [bold]not bold[/bold]." in call("describe", "body-wave").output


def test_describe_a_scenario_shows_its_file_and_its_paper() -> None:
    text = call("describe", "eel-planar").output
    assert "Wisama Khalil" in text and "gait:\n  kind: body-wave\n  amplitude: 0.06\n" in text


def test_describe_shows_what_is_inside_a_robot() -> None:
    text = call("describe", "chain").output
    assert "\nLink\n" in text and "\nJoint\n" in text and "list of Links" in text


def test_describe_of_an_unknown_name() -> None:
    done = call("describe", "body-wav")
    assert (
        done.exit_code,
        done.stderr.startswith("Error: nothing is called 'body-wav'; did you mean 'body-wave'?"),
    ) == (2, True)


def test_run_writes_a_fresh_folder_each_time(simulated: dict[str, Any]) -> None:
    for folder in ("runs/eel-planar", "runs/eel-planar-2", "runs/eel-planar-3"):
        done = call("run", "eel-planar")
        assert done.exit_code == 0, done.stderr
        assert f"Written to {folder}: scenario.yaml, figures/ (2 figures, each with its numbers as .csv)" in done.output
        assert Scenario.load(f"{folder}/scenario.yaml") == simulated["ran"][-1] == Scenario.load("eel-planar")


def test_run_prints_a_short_table(simulated: dict[str, Any]) -> None:
    rows = dict(line.split("  ", 1) for line in call("run", "eel-planar").output.splitlines() if "  " in line)
    assert {name: value.strip() for name, value in rows.items()} == {
        "status": "completed",
        "simulated": "30 s in 0.25 s (120 x real time)",
        "displacement": "(-8.4148, 0.0117, 0) m",
        "mean speed": "0.28 m/s",
        "peak torque": "yaw 5.2 N m, pitch 0 N m",
        "torque limits": "exceeded by 1 joint: yaw 4",
        "balance: power": "pass, 3.8e-09 of its scale",
    }


def test_set_reads_values_as_yaml(simulated: dict[str, Any]) -> None:
    settings = [
        "gait.dive=30 deg",
        "environment.water.current=[0.1, 0, 0]",
        "step=1e-3",
        "initial={position: [1, 2, 3]}",
    ]
    settings += ["robot.yaw_limit=null"]
    done = call("run", "eel-planar", "--quiet", *(word for setting in settings for word in ("--set", setting)))
    assert done.output == "runs/eel-planar\n"
    scenario = simulated["ran"][0]
    assert scenario.gait.dive == pytest.approx(0.5235987755982988) and scenario.environment[0].current == (
        0.1,
        0.0,
        0.0,
    )
    assert scenario.step == 0.001 and scenario.initial.position == (1.0, 2.0, 3.0) and scenario.robot.yaw_limit is None


def test_run_of_a_file_and_of_what_a_run_wrote(simulated: dict[str, Any]) -> None:
    Path("mine.yaml").write_text("robot: khalil-eel\ngait: body-wave\n")
    assert call("run", "mine.yaml", "--no-figures").exit_code == 0
    assert call("run", "runs/mine/scenario.yaml", "--no-figures", "--out", "again/here").exit_code == 0
    assert Path("runs/mine/scenario.yaml").read_bytes() == Path("again/here/scenario.yaml").read_bytes()
    assert not Path("runs/mine/figures").exists()


def test_a_named_folder_is_used_again_for_the_same_scenario_or_by_force(simulated: dict[str, Any]) -> None:
    assert call("run", "eel-planar", "--no-figures", "--out", "here").exit_code == 0
    Path("here/mine.txt").write_text("mine")
    Path("here/replay.html").write_text("of the earlier run")
    assert call("run", "eel-planar", "--no-figures", "--out", "here", "--set", "duration=3").exit_code == 0
    assert Path("here/mine.txt").exists() and not Path("here/replay.html").exists()
    assert "duration: 3.0" in Path("here/scenario.yaml").read_text()
    done = call("run", "eel-loop", "--out", "here")
    assert done.exit_code == 2 and "the folder here holds a run of eel-planar" in done.stderr
    Path("notes").mkdir()
    Path("notes/text").write_text("mine")
    done = call("run", "eel-planar", "--out", "notes")
    assert done.exit_code == 2 and "the folder notes holds something else" in done.stderr and "--force" in done.stderr
    assert len(simulated["ran"]) == 2
    assert call("run", "eel-planar", "--no-figures", "--out", "notes", "--force").exit_code == 0
    assert Path("notes/text").read_text() == "mine"


def test_a_folder_that_cannot_be_made_is_said_before_the_run(simulated: dict[str, Any]) -> None:
    Path("runs").write_text("a file in the way")
    done = call("run", "eel-planar")
    assert (
        done.exit_code == 2 and done.stderr.startswith("Error: the folder runs cannot be made") and not simulated["ran"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("eel-planer",), "Error: unknown scenario 'eel-planer'; did you mean 'eel-planar'?"),
        (
            ("eel-planar", "--set", "gait.amplitud=1"),
            "Error: --set gait.amplitud=1: unknown field; did you mean 'amplitude'?",
        ),
        (("eel-planar", "--set", "gait.amplitude"), "Error: --set gait.amplitude: give path=value"),
        (("eel-planar", "--set", "gait.amplitude="), "Error: --set gait.amplitude=: give path=value"),
        (("eel-planar", "--set", "duration=[1"), "Error: --set duration=[1:1:3: not valid YAML"),
        (("eel-planar", "--set", "figures=[fig]"), "Error: unknown figure 'fig'"),
        (("nowhere.yaml",), "Error: there is no file nowhere.yaml"),
    ],
)
def test_bad_input_is_one_clean_message(simulated: dict[str, Any], words: tuple[str, ...], message: str) -> None:
    done = call("run", *words)
    assert (
        done.exit_code == 2 and done.stderr.startswith(message) and "Traceback" not in done.stderr and done.stdout == ""
    )
    assert not simulated["ran"] and not Path("runs").exists()


def test_a_failed_run_keeps_what_was_computed(simulated: dict[str, Any]) -> None:
    def fail(scenario: Scenario) -> None:
        kept: Any = Outcome(scenario, "failed: it diverged")
        raise SimulationError("it diverged at 3 s", 3.0, "link 2", kept)

    simulated["outcome"] = fail
    done = call("run", "eel-planar")
    assert done.exit_code == 1
    assert (
        done.stderr == "The run failed: it diverged at 3 s\nWhat was computed until then is kept in runs/eel-planar\n"
    )
    assert Path("runs/eel-planar/scenario.yaml").is_file()


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (SimulationError("nothing came"), 1, "The run failed: nothing came\n"),
        (InputError("the start does not fit"), 2, "Error: the start does not fit\n"),
        (ZeroDivisionError("division by zero"), 1, "Unexpected error: ZeroDivisionError: division by zero\n"),
        (OSError(28, "No space left on device"), 1, "Error: No space left on device\n"),
    ],
)
def test_a_run_without_a_result_leaves_no_folder(
    simulated: dict[str, Any], error: Exception, code: int, message: str
) -> None:
    def fail(_: Scenario) -> None:
        raise error

    simulated["outcome"] = fail
    done = call("run", "eel-planar")
    assert done.exit_code == code and done.stderr.startswith(message) and "Traceback" not in done.output
    assert list(Path("runs").iterdir()) == []
    assert CliRunner().invoke(main, ["--traceback", "run", "eel-planar"]).exception is error


def test_an_interrupted_run_keeps_what_was_computed(simulated: dict[str, Any]) -> None:
    simulated["outcome"] = lambda scenario: Outcome(scenario, "interrupted")
    done = call("run", "eel-planar")
    assert (
        done.exit_code == 130 and "Interrupted: what was computed until then is kept in runs/eel-planar" in done.stderr
    )
    assert "status              interrupted" in done.output or "interrupted" in done.output


PROGRAM = """
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == wanted:
            os.kill(os.getpid(), signal.SIGINT)

wanted = sys.argv[1]
sys.meta_path.insert(0, Finder())
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
from limbless.__main__ import main
sys.argv[1:] = ["list"]
main()
"""


@pytest.mark.parametrize(
    ("imported", "code", "told"),
    [("click", 130, ""), ("limbless.core.registry", 130, "Interrupted\n"), ("nothing", 0, "")],
)
def test_an_interrupted_program_ends_without_a_traceback(imported: str, code: int, told: str) -> None:
    """Ctrl-C comes while the command line or what a command needs is imported, and once more as Python leaves."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, imported], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, told)


@pytest.mark.parametrize("cold", [True, False])
def test_a_cold_first_run_says_that_it_compiles(
    simulated: dict[str, Any], monkeypatch: pytest.MonkeyPatch, cold: bool
) -> None:
    monkeypatch.setattr("limbless.mechanics.compiled.decorators.is_cache_empty", lambda: cold)
    assert ("Compiling the kernels" in call("run", "eel-planar").stderr) is cold
    assert call("run", "eel-planar", "--quiet").stderr == ""


def test_plot_draws_the_figures_of_a_saved_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from limbless.view import figures

    def save(result: Any, name: str, folder: Path, form: str) -> list[Path]:
        if name == "impossible":
            raise InputError("it needs a joint that is not there")
        return [folder / f"{name}.png", folder / f"{name}.csv"]

    hills = SimpleNamespace(unseen="hills are not drawn")
    monkeypatch.setattr("limbless.simulation.result.Result.load", lambda path: SimpleNamespace(environment=(hills,)))
    monkeypatch.setattr(figures, "names_for", lambda result: ["one", "impossible", "two"])
    monkeypatch.setattr(figures, "save", save)
    done = call("plot", str(tmp_path))
    written = [str(tmp_path / "figures" / f"{name}.png") for name in ("one", "two")]
    assert done.exit_code == 0 and done.stdout.split() == written
    assert done.stderr == "hills are not drawn\nimpossible is not drawn: it needs a joint that is not there\n"
    assert call("plot", str(tmp_path), "--figure", "impossible").exit_code == 2


def test_plot_of_something_else(tmp_path: Path) -> None:
    done = call("plot", str(tmp_path))
    assert done.exit_code == 2 and done.stderr.startswith("Error: cannot load a result")


def test_warmup_compiles_and_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "limbless.cli.warmup", SimpleNamespace(warm_all=lambda report: report("chain: 2.1 s"))
    )
    monkeypatch.setattr("limbless.mechanics.compiled.decorators.is_cache_empty", lambda: True)
    done = call("warmup")
    assert done.exit_code == 0 and done.output.splitlines()[1:] == ["chain: 2.1 s", "Done."]


def test_warmup_runs_two_steps_of_every_model() -> None:
    assert {part.partition(": ")[0] for part in warmup.PARTS} == set(registry.kinds("model"))
    for part, items in warmup.PARTS.items():
        for scenario in (item.load() for item in items if isinstance(item, warmup.Start)):
            assert part.startswith(scenario.model.kind)
            assert scenario.task is not None or scenario.duration <= 3.0 * scenario.step


@pytest.mark.parametrize("name", ["eel-planar", "001_6af647dcdb8b62c0"])
def test_cite_gives_text_and_bibtex(name: str) -> None:
    text = call("cite", name).output
    assert text.startswith("Wisama Khalil, Guillaume Gallot and Frédéric Boyer. Dynamic modeling") and "2007" in text
    assert "@article{khalil2007dynamic,\n  author = {Khalil, Wisama and Gallot, Guillaume and Boyer, Frédéric}," in text


def test_cite_everything_and_nothing(tmp_path: Path) -> None:
    assert call("cite").output.count("author = {") == len(citations.PAPERS) == 16
    assert "no scenario and no paper is called 'eel'; did you mean" in call("cite", "eel").stderr
    path = tmp_path / "mine.yaml"
    path.write_text("robot: khalil-eel\ngait: body-wave\n")
    assert "names no paper" in call("cite", str(path)).stderr
    path.write_text("paper: smith2020\n")
    assert "unknown paper 'smith2020'" in call("cite", str(path)).stderr


@pytest.mark.parametrize("paper", citations.PAPERS.values(), ids=list(citations.PAPERS))
def test_citations_are_whole(paper: citations.Paper) -> None:
    bibtex = paper.bibtex()
    assert bibtex.count("{") == bibtex.count("}") and bibtex.isprintable() is False and paper.text().endswith(".")
    assert "None" not in bibtex + paper.text() and ".." not in paper.text()


def test_progress_bar_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal.progress_bar("x", 30.0, quiet=False) as callback:
        assert callback is None
    monkeypatch.setenv("FORCE_COLOR", "1")
    with terminal.progress_bar("x", 30.0, quiet=False) as callback:
        assert callback is not None
        callback(0.5, 15.0, 123.4)
    with terminal.progress_bar("x", 30.0, quiet=True) as callback:
        assert callback is None


# Runs that are not proven, and runs that go on


def test_a_run_that_is_not_proven_says_so_first(simulated: dict[str, Any]) -> None:
    simulated["outcome"] = lambda scenario: Outcome(
        scenario, doubts=("the power balance is off by 0.3 of its scale", "a body sank")
    )
    told = call("run", "eel-planar", "--no-figures")
    assert told.exit_code == 0
    assert (
        told.stdout.splitlines()[0]
        == "completed, not proven: the power balance is off by 0.3 of its scale; a body sank"
    )
    quiet = call("run", "eel-planar", "--no-figures", "--quiet")
    assert quiet.stdout == "runs/eel-planar-2\n" and quiet.stderr.startswith("completed, not proven: the power balance")


def test_it_is_red_on_a_terminal() -> None:
    from rich.console import Console

    out = Console(force_terminal=True, color_system="standard", width=200, file=io.StringIO())
    terminal.warn(Outcome(Scenario.load("eel-planar"), doubts=("it hovers",)), out)
    assert out.file.getvalue().startswith("\x1b[1;31mcompleted, not proven: it hovers")


@pytest.mark.parametrize(
    ("doubts", "words", "code"), [((), ("--strict",), 0), (("it hovers",), ("--strict",), 3), (("it hovers",), (), 0)]
)
def test_strict_ends_with_3_where_a_run_is_not_proven(
    simulated: dict[str, Any], doubts: tuple[str, ...], words: tuple[str, ...], code: int
) -> None:
    simulated["outcome"] = lambda scenario: Outcome(scenario, doubts=doubts)
    assert call("run", "eel-planar", "--no-figures", *words).exit_code == code
    assert "exit code 3" in call("run", "--help").output


def test_notes_are_rows_of_the_table() -> None:
    rows = terminal.summary_rows({**SUMMARY, "notes": ["actuation.backlash has no effect here"]})
    assert rows[-1] == ("note", "actuation.backlash has no effect here")


def test_resume_takes_the_scenario_of_its_folder(simulated: dict[str, Any]) -> None:
    Scenario.load("eel-planar", {"duration": 3.0}).save("long/scenario.yaml")
    assert call("run", "--resume", "long", "--no-figures", "--checkpoint-every", "5").exit_code == 0
    assert simulated["ran"][0].duration == 3.0
    assert simulated["checkpoint"] == {"checkpoint": Path("long"), "checkpoint_every": 5.0, "resume": True}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "one of the two"),
        (("eel-planar", "--resume", "long"), "one of the two"),
        (("--resume", "long"), "holds no unfinished run"),
        (("--resume", "long", "--set", "duration=2"), "omit --set and --out"),
    ],
)
def test_resume_refuses_in_words(words: tuple[str, ...], said: str, simulated: dict[str, Any]) -> None:
    told = call("run", *words)
    assert told.exit_code == 2 and said in told.stderr and not simulated["ran"]


def test_map_writes_pictures_and_says_how_far(tmp_path: Path) -> None:
    asked = ["map", "purcell-swimmer", "--region", "1.3", "--format", "svg", "--out", str(tmp_path)]
    found = CliRunner().invoke(main, asked)
    assert found.exit_code == 0, found.output
    assert "distance 0.0512808 m" in found.output and "by area" in found.output
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"map.nc", "heights.svg", "arrows.svg", "stroke.csv", "map.txt"}
    refused = CliRunner().invoke(main, ["map", "eel-planar", "--out", str(tmp_path)])
    assert refused.exit_code == 2 and "Traceback" not in refused.output
