"""`limbless run` and `limbless demo`."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limbless.cli.common import ALLOW_CODE, FORMAT, INTERRUPTED, NOT_PROVEN, say, simulated
from limbless.cli.completion import complete_scenarios, complete_settings
from limbless.cli.scenario_arguments import changes_in, permitted

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result


DEMO = "eel-lighthill"
"""What a stranger sees first: its water takes no more energy than the joints give."""


@click.command()
@click.argument("scenario", metavar="NAME|FILE", required=False, shell_complete=complete_scenarios)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    shell_complete=complete_settings,
    help="Change a field, such as gait.amplitude=0.08; may be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for what the run writes.  [default: runs/NAME, or runs/NAME-2, ...]",
)
@click.option("--force", is_flag=True, help="Write into the folder of --out whatever it holds.")
@click.option("--no-figures", is_flag=True, help="Write the data only.")
@FORMAT
@click.option(
    "--error",
    "with_error",
    is_flag=True,
    help="Repeat at half the step and half the quadrature, and give each number its numerical error.",
)
@click.option(
    "--robust",
    type=click.IntRange(min=1),
    metavar="N",
    help="Repeat N times with starts and steps that differ a little, and tell how often it ends alike.",
)
@click.option("--strict", is_flag=True, help="End with exit code 3 when the run is not proven.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Continue the unfinished run in DIR (killed or interrupted), bit for bit, instead of NAME|FILE.",
)
@click.option(
    "--checkpoint-every",
    "every",
    default="60 s",
    show_default=True,
    metavar="SECONDS",
    help="How often a long run writes its state and records into its folder.",
)
@click.option(
    "--quiet", is_flag=True, help="Print only the folder that was written (and on standard error what is wrong)."
)
@ALLOW_CODE
def run(
    scenario: str | None,
    settings: tuple[str, ...],
    out: Path | None,
    force: bool,
    no_figures: bool,
    form: str,
    with_error: bool,
    robust: int | None,
    strict: bool,
    resume: Path | None,
    every: str,
    quiet: bool,
    allow_code: bool,
) -> None:
    """Run a scenario and write what came out.

    The scenario is given by its name or as a .yaml file. Writes scenario.yaml (complete, can be run again), result.nc,
    summary.json, figures/ and replay.html, which plays in any browser (extra view). Values after --set are read as
    YAML: numbers, [lists], numbers with units such as '30 deg' or '5 cm'. Items of a list are named by number or by
    kind. Ctrl-C keeps the computed part, and --resume continues it. An earlier run of the same scenario in the
    folder of --out is replaced.

    If a run fails a balance check, its first line is "completed, not proven" with the reason. That one is
    proven means that its equations were solved, not that another start or step ends alike: --robust tells that.

    \b
    Exit codes:
      0  completed        1  failed           2  refused: bad input
      3  not proven, with --strict          130  interrupted

    \b
    Examples:
      limbless run eel-planar
      limbless run eel-planar --set gait.amplitude=0.08 --set environment.water.density=1025
      limbless run my-eel.yaml --out results/my-eel
      limbless run eel-planar --error --strict
      limbless run snake-pegs --robust 10
      limbless run --resume runs/eel-planar
    """
    from limbless.core import InputError, SimulationError, in_unit
    from limbless.view import figures

    seconds = in_unit(every, "s", "--checkpoint-every")
    if not seconds >= 0.0:
        raise InputError(f"--checkpoint-every: must be zero or more; got {every}")
    chosen = _chosen(scenario, settings, out, resume, allow_code)
    for name in chosen.figures if not no_figures else ():  # said before the run, not after it
        figures.find(name)
    folder = _reserve(out, force, chosen) if resume is None else resume
    with _unless_unused(folder):
        try:
            kept = folder if chosen.driven_by is None else None  # what a function remembers is its own affair
            result = simulated(chosen, quiet, checkpoint=kept, checkpoint_every=seconds, resume=resume is not None)
            if with_error and result.status == "completed":
                _add_errors(chosen, result, quiet)
            if robust and result.status == "completed":
                _add_repeats(chosen, result, robust, quiet)
        except SimulationError as error:
            if error.result is None:
                raise
            error.result.write(folder, figures=not no_figures, form=form)
            told = f"{error}\nWhat was computed until then is kept in {folder}"
            raise SimulationError(told, error.time, error.place, error.result) from error
    began = time.time_ns()
    try:
        _remove_stale(folder)
        paths = result.write(folder, figures=not no_figures, form=form)
    except KeyboardInterrupt:  # the data are written; pictures are not, or not all
        say(f"Interrupted while drawing: the data are kept in {folder}; `limbless plot {folder}` draws the figures")
        click.get_current_context().exit(INTERRUPTED)
    except OSError as error:
        raise OSError(error.errno, f"{error.strerror or error}; {_rescued(result, folder, began)}") from error
    _tell(result, folder, paths, quiet)
    if result.status == "interrupted":
        say(
            f"Interrupted: what was computed until then is kept in {folder}; `limbless run --resume {folder}` goes on "
            "with it"
        )
        click.get_current_context().exit(INTERRUPTED)
    if strict and not result.proven:
        click.get_current_context().exit(NOT_PROVEN)


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs/demo"),
    show_default=True,
    help="Folder for what the demo writes.",
)
@click.pass_context
def demo(context: click.Context, out: Path) -> None:
    """Simulate a swimming eel and draw its figures.

    This is the shortest way to see that limbless works. It runs the scenario eel-lighthill, whose water keeps the
    energy balance, and writes the same files as `limbless run`.

    \b
    Examples:
      limbless demo
      limbless demo --out my-first-eel
    """
    say(f"limbless run {DEMO} --out {out}  (the first run also compiles the kernels)")
    context.invoke(run, scenario=DEMO, out=out, force=True)


def _chosen(
    name: str | None, settings: tuple[str, ...], out: Path | None, resume: Path | None, allow_code: bool
) -> Scenario:
    """The scenario that is asked for, or that of an unfinished run."""
    from limbless.core import InputError

    if (name is None) == (resume is None):
        raise InputError(
            "give the name or the .yaml of a scenario, or --resume with the folder of an unfinished run: one of the two"
        )
    if resume is None:
        return permitted(str(name), changes_in(settings), allow_code)
    if settings or out is not None:
        raise InputError("--resume continues a run as it was, in its own folder: omit --set and --out")
    if not (resume / "scenario.yaml").is_file():
        raise InputError(f"the folder {resume} holds no unfinished run: there is no scenario.yaml in it")
    return permitted(str(resume / "scenario.yaml"), {}, allow_code)


def _reserve(out: Path | None, force: bool, scenario: Scenario) -> Path:
    """A folder for this run that holds no other one.

    A folder that the user named is taken again for a run of the same scenario, which is replaced when the new one has
    been made; with --force it is taken whatever it holds.
    """
    from limbless.core import InputError, fresh_folder

    try:
        if out is None:
            return fresh_folder(Path("runs") / scenario.name)
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {out or 'runs'} cannot be made: {error.strerror}; choose another with --out"
        ) from None
    if not os.access(out, os.W_OK):  # said now, and not when all is computed
        raise InputError(f"the folder {out} may not be written; choose another with --out")
    if (out / "checkpoint").is_dir():
        say(f"{out} holds an unfinished run, which is replaced; to continue it: limbless run --resume {out}")
    if any(out.iterdir()) and not force:
        earlier = _name_in(out / "scenario.yaml")
        if earlier != scenario.name:
            held = f"a run of {earlier}" if earlier else "something else"
            raise InputError(
                f"the folder {out} holds {held}; choose another with --out, omit --out for a fresh "
                "one in runs/, or take it all the same with --force"
            )
    return out


def _name_in(file: Path) -> str | None:
    """The name of the scenario that a folder was written by; None where that cannot be told."""
    from limbless.core import InputError
    from limbless.scenarios.document import read_file

    try:
        name = read_file(file).data.get("name")
    except InputError:
        return None
    return name if isinstance(name, str) else None


def _rescued(result: Result, folder: Path, began: int) -> str:
    """Where the data are of a run whose folder could not be filled: there, or with temporary files."""
    from limbless.simulation.result import FILE_NAME

    with suppress(OSError):
        if (folder / FILE_NAME).stat().st_mtime_ns >= began - 10**9:  # clocks of disks are coarse
            return f"the data are kept in {folder}"
    try:
        return f"what was computed is kept in {result.save(Path(tempfile.mkdtemp(prefix='limbless-')) / FILE_NAME)}"
    except OSError:
        return "nor is there room for temporary files, and what was computed is lost"


def _remove_stale(folder: Path) -> None:
    """What an earlier run drew here, which the new one may not draw; files of the user's own stay."""
    from limbless.core import below

    drawn = below(folder, "figures")
    stale = [path for form in ("png", "pdf", "svg", "csv") for path in drawn.glob(f"*.{form}")]
    for path in [*stale, folder / "replay.html", folder / "report.html"]:
        path.unlink(missing_ok=True)


@contextmanager
def _unless_unused(folder: Path) -> Iterator[None]:
    """A run that fails before it has written anything leaves no empty folder."""
    try:
        yield
    except BaseException:
        if not any(folder.iterdir()):
            folder.rmdir()
        raise


def _add_errors(scenario: Scenario, result: Result, quiet: bool) -> None:
    from limbless.search.studies.error_bars import error_bars
    from limbless.view import terminal

    try:
        error_bars(scenario, result=result, watch=lambda label: terminal.progress_bar(label, scenario.duration, quiet))
    except KeyboardInterrupt:
        say("Interrupted before all repeats were made: the run is kept without error bars")


def _add_repeats(scenario: Scenario, result: Result, repeats: int, quiet: bool) -> None:
    from limbless.search.studies.robustness import robustness
    from limbless.view import terminal

    def watch(label: str) -> Any:
        return terminal.progress_bar(label, scenario.duration, quiet)

    try:
        result.robustness = robustness(scenario, repeats=repeats, result=result, watch=watch).as_dict()
    except KeyboardInterrupt:
        say("Interrupted before all repeats were made: the run is kept without them")


def _tell(result: Result, folder: Path, paths: list[Path], quiet: bool) -> None:
    from limbless.scenarios import plausibility
    from limbless.view import terminal

    out = terminal.console(stderr=quiet)
    terminal.warn(result, out)
    if quiet:
        click.echo(folder)
        return
    summary, said = result.summary(), plausibility.notes(result.scenario) if result.scenario is not None else ()
    summary["notes"] = [note for note in summary.get("notes") or () if note not in said]  # before the run: never twice
    out.print(terminal.table(terminal.summary_rows(summary)))
    _tell_files(folder, paths)


def _tell_files(folder: Path, paths: list[Path]) -> None:
    """What was written and where: files by name, pictures by number."""
    names = [str(path.relative_to(folder)) for path in paths if path.parent == folder]
    pictures = [path for path in paths if path.parent.name == "figures" and path.suffix != ".csv"]
    if pictures:
        count = f"{len(pictures)} figure{'s' if len(pictures) > 1 else ''}"
        names.append(f"{pictures[0].parent.relative_to(folder)}/ ({count}, each with its numbers as .csv)")
    click.echo(f"\nWritten to {folder}: {', '.join(names)}")
    from limbless.simulation.result import show

    if pictures and not show.can_replay():
        click.echo("To get replay.html, which plays in any browser: pip install 'limbless[view]'")
