"""The command line. Only click is imported here: whatever is slow to import waits until a command needs it."""
from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limbless import __version__

if TYPE_CHECKING:
    from limbless.result import Result
    from limbless.scenarios.scenario import Scenario

BAD_INPUT, FAILED, NOT_PROVEN, INTERRUPTED = 2, 1, 3, 130
_ALLOW_CODE = click.option("--allow-code", is_flag=True,
                           help="Run Python code that the scenario names, now and from now on for its folder.")


def say(text: object) -> None:
    """A line on standard error."""
    from limbless.errors import printable

    click.echo(printable(text), err=True)


class Commands(click.Group):
    """A group whose commands end with one clean message instead of a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            if ctx.params.get("traceback") or (isinstance(error, OSError) and error.errno == errno.EPIPE):
                raise
            ctx.exit(_explained(error))


def _explained(error: Exception) -> int:
    """Say an error on standard error; the exit code."""
    from limbless.errors import InputError, SimulationError

    if isinstance(error, InputError):
        say(f"Error: {error}")
        return BAD_INPUT
    if isinstance(error, SimulationError):
        say(f"The run failed: {error}")
        return FAILED
    if isinstance(error, OSError):
        say(f"Error: {error}")
        return FAILED
    say(f"Unexpected error: {type(error).__name__}: {error}\n`limbless --traceback ...` shows where it comes from.")
    return FAILED


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="limbless")
@click.option("--traceback", is_flag=True, help="Show where an error comes from, for reports of bugs.")
def main(traceback: bool) -> None:
    """Simulate robots without limbs: snakes, eels, worms, tendon-driven spines.

    \b
    Begin with:
      limbless list
      limbless run eel-planar
    """


@main.command("list")
@click.argument("what", required=False)
def list_(what: str | None) -> None:
    """Show every scenario and kind there is.

    WHAT shows one list only: scenarios, robots, presets, gaits, environments, actuations or models.

    \b
    Example:
      limbless list gaits
    """
    from limbless import terminal

    out = terminal.console()
    for heading, rows in terminal.listing(what):
        out.print(heading, style="bold")
        out.print(terminal.table((f"  {name}", line) for name, line in rows) if rows else "  (none)")


@main.command()
@click.argument("name")
def describe(name: str) -> None:
    """Show a scenario, or the fields of a kind.

    Fields are shown with type, unit, default and meaning. NAME is a scenario, the path of a .yaml, a kind that `limbless list` shows,
    or the word scenario.

    \b
    Examples:
      limbless describe eel-planar
      limbless describe body-wave
    """
    from limbless import terminal

    terminal.describe(name, terminal.console())


@main.command()
@click.argument("scenario", metavar="NAME|FILE", required=False)
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE",
              help="Change a field, such as gait.amplitude=0.08; may be repeated.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for what the run writes.  [default: runs/NAME, or runs/NAME-2, ...]")
@click.option("--no-figures", is_flag=True, help="Write the data only.")
@click.option("--error", "with_error", is_flag=True,
              help="Repeat at half the step and half the quadrature, and give each number its numerical error.")
@click.option("--strict", is_flag=True, help="End with exit code 3 when the run is not proven.")
@click.option("--resume", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Go on with the unfinished run in DIR (killed or interrupted), bit for bit; in place of NAME|FILE.")
@click.option("--checkpoint-every", "every", type=click.FloatRange(min=0.0), default=60.0, show_default=True, metavar="SECONDS",
              help="How often a long run writes its state and records into its folder.")
@click.option("--quiet", is_flag=True, help="Print only the folder that was written (and on standard error what is wrong).")
@_ALLOW_CODE
def run(scenario: str | None, settings: tuple[str, ...], out: Path | None, no_figures: bool, with_error: bool, strict: bool,
        resume: Path | None, every: float, quiet: bool, allow_code: bool) -> None:
    """Run a scenario and write what came out.

    The scenario is given by its name or as a .yaml file. Writes scenario.yaml (complete, can be run again), result.nc, summary.json,
    figures/ and replay.html, which plays in any browser (extra view). Values after --set are read as YAML: numbers, [lists], angles
    such as '30 deg'. Items of a list are named by number or by kind. Ctrl-C keeps what was computed, and --resume goes on with it.

    A run that failed its own proof says so in its first line, "completed, not proven" and the reason.

    \b
    Exit codes:
      0  completed        1  failed           2  refused: bad input
      3  not proven, with --strict          130  interrupted

    \b
    Examples:
      limbless run eel-planar
      limbless run eel-planar --set gait.amplitude=0.08 --set environment.water.current='[0.1, 0, 0]'
      limbless run my-eel.yaml --out results/my-eel
      limbless run eel-planar --error --strict
      limbless run --resume runs/eel-planar
    """
    from limbless.errors import SimulationError

    chosen, folder = _chosen(scenario, settings, out, resume, not no_figures, allow_code)
    try:
        result = _simulated(chosen, quiet, checkpoint=folder, checkpoint_every=every, resume=resume is not None)
        if with_error and result.status == "completed":
            _add_errors(chosen, result, quiet)
    except SimulationError as error:
        if error.result is None:
            raise
        error.result.write(folder, figures=not no_figures)
        told = f"{error}\nWhat was computed until then is kept in {folder}"
        raise SimulationError(told, error.time, error.place, error.result) from error
    finally:
        _remove_if_empty(folder)
    paths = result.write(folder, figures=not no_figures)
    _tell(result, folder, paths, quiet)
    if result.status == "interrupted":
        say(f"Interrupted: what was computed until then is kept in {folder}; `limbless run --resume {folder}` goes on with it")
        click.get_current_context().exit(INTERRUPTED)
    if strict and not result.proven:
        click.get_current_context().exit(NOT_PROVEN)


def _chosen(name: str | None, settings: tuple[str, ...], out: Path | None, resume: Path | None, figures: bool,
            allow_code: bool) -> tuple[Scenario, Path]:
    """The scenario that is asked for, and the folder for what it writes."""
    from limbless.errors import InputError

    if (name is None) == (resume is None):
        raise InputError("give the name or the .yaml of a scenario, or --resume with the folder of an unfinished run: one of the two")
    if resume is None:
        chosen = _permitted(str(name), _changes(settings), allow_code)
    elif settings or out is not None:
        raise InputError("--resume goes on with a run as it was, in its own folder: leave --set and --out away")
    elif not (resume / "scenario.yaml").is_file():
        raise InputError(f"the folder {resume} holds no unfinished run: there is no scenario.yaml in it")
    else:
        chosen = _permitted(str(resume / "scenario.yaml"), {}, allow_code)
    if figures:
        _check_figures(chosen.figures)
    return chosen, _reserve(out, chosen) if resume is None else resume


def _permitted(source: str, changes: dict[str, Any], allow_code: bool) -> Scenario:
    """A scenario to be run; Python code that it names is loaded if the user allows it, now or before, and refused otherwise."""
    from limbless.callables import named_in, refuse_named
    from limbless.scenarios.scenario import Scenario

    chosen = Scenario.load(source, changes)
    named = named_in(chosen)
    if not named:
        return chosen
    from limbless import permission

    folders = permission.folders_of(named, source)
    if not permission.allowed(folders):
        if not (allow_code or _agreed(source, named, folders)):
            refuse_named(chosen)
        _remember(folders)
    return Scenario.load(source, changes, allow_code=True)


def _may_run_again(source: str | Scenario | None, given: str, allow_code: bool) -> bool:
    """Whether the studio may load the code of what it shows when a field is changed: a saved run is shown without running any."""
    from limbless import permission
    from limbless.callables import named_in
    from limbless.result import FILE_NAME
    from limbless.scenarios.scenario import Scenario

    named = named_in(Scenario.load(source)) if source is not None else {}
    home = Path(given) / FILE_NAME if Path(given).is_dir() else Path(given)
    return bool(named) and (allow_code or permission.allowed(permission.folders_of(named, home)))


def at_terminal() -> bool:
    """Whether somebody sits there who can be asked."""
    import sys

    return sys.stdin.isatty() and sys.stderr.isatty()


def _agreed(source: str, named: Mapping[str, Any], folders: list[Path]) -> bool:
    """Ask whoever sits at the terminal; nobody there means no."""
    if not at_terminal():
        return False
    code = "\n".join(f"  {path}: {function.text}" for path, function in named.items())
    say(f"{source} names Python code, and running it executes that code:\n{code}\nLook at it before you say yes.")
    say(f"Yes holds from now on for scenarios in {' and '.join(map(str, folders))}.")
    return click.confirm("Run it?", err=True)


def _remember(folders: list[Path]) -> None:
    from limbless import permission

    where = " and ".join(map(str, folders))
    try:
        say(f"Python code that scenarios in {where} name is allowed from now on (kept in {permission.remember(folders)})")
    except OSError as error:
        say(f"Python code is allowed for this run only: it could not be remembered ({error})")


def _changes(settings: Iterable[str]) -> dict[str, Any]:
    """`path=value` words as a mapping; the value is YAML."""
    from limbless.errors import InputError
    from limbless.scenarios.document import parse_value

    changes = {}
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not path.strip() or not equals or not text.strip():
            raise InputError(f"--set {setting}: give path=value, such as --set gait.amplitude=0.08 (null for nothing)")
        changes[path.strip()] = parse_value(text, f"--set {setting}")
    return changes


def _check_figures(names: Iterable[str]) -> None:
    """A figure that does not exist is said before the run, not after it."""
    from limbless.view import figures

    for name in names:
        figures.find(name)


def _reserve(out: Path | None, scenario: Scenario) -> Path:
    """A folder for this run that holds no other one.

    A folder that the user named is taken again only for the same scenario, whose data will be the same.
    """
    from limbless.errors import InputError
    from limbless.files import fresh_folder

    try:
        if out is None:
            return fresh_folder(Path("runs") / scenario.name)
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {out or 'runs'} cannot be made: {error.strerror}; choose another with --out") from None
    written = out / "scenario.yaml"
    if (out / "checkpoint").is_dir():
        say(f"{out} holds an unfinished run, which is replaced; to go on with it: limbless run --resume {out}")
    if any(out.iterdir()) and not (written.is_file() and written.read_text(encoding="utf-8") == scenario.to_yaml()):
        raise InputError(f"the folder {out} holds something else; choose another with --out, or leave --out away for a fresh one in runs/")
    return out


def _remove_if_empty(folder: Path) -> None:
    import sys

    if sys.exc_info()[0] is not None and not any(folder.iterdir()):
        folder.rmdir()


def _simulated(scenario: Scenario, quiet: bool, **options: Any) -> Result:
    from limbless import terminal
    from limbless.mechanics.compiled.kernel import is_cold
    from limbless.simulation import run_scenario

    if not quiet and is_cold():
        click.echo("Compiling the kernels: this first run takes some seconds more (`limbless warmup` does it ahead).", err=True)
    with terminal.progress_bar(scenario.name, scenario.duration, quiet) as progress:
        return run_scenario(scenario, progress=progress, **options)


def _add_errors(scenario: Scenario, result: Result, quiet: bool) -> None:
    from limbless import terminal
    from limbless.analysis.errors import error_bars

    error_bars(scenario, result=result, watch=lambda label: terminal.progress_bar(label, scenario.duration, quiet))


def _tell(result: Result, folder: Path, paths: list[Path], quiet: bool) -> None:
    from limbless import terminal

    out = terminal.console(stderr=quiet)
    terminal.warn(result, out)
    if quiet:
        click.echo(folder)
        return
    out.print(terminal.table(terminal.summary_rows(result.summary())))
    _tell_files(folder, paths)


def _tell_files(folder: Path, paths: list[Path]) -> None:
    """What was written and where: files by name, pictures by number."""
    names = [str(path.relative_to(folder)) for path in paths if path.parent == folder]
    pictures = [path for path in paths if path.suffix == ".png"]
    if pictures:
        count = f"{len(pictures)} figure{'s' if len(pictures) > 1 else ''}"
        names.append(f"{pictures[0].parent.relative_to(folder)}/ ({count}, each with its numbers as .csv)")
    click.echo(f"\nWritten to {folder}: {', '.join(names)}")
    from limbless.result import can_replay

    if pictures and not can_replay():
        click.echo("To get replay.html, which plays in any browser: pip install 'limbless[view]'")


@contextmanager
def _shown(path: Path) -> Iterator[None]:
    """What a saved run does not hold, or holds in another form, is said in a sentence: its file may be damaged or a stranger's."""
    from limbless.errors import InputError, SimulationError

    try:
        yield
    except (InputError, SimulationError, OSError):
        raise
    except Exception as error:                               # data that do not fit together fail anywhere
        raise InputError(f"{path} cannot be shown ({type(error).__name__}: {error}): its file is damaged or was not written "
                         "by this version of limbless; `limbless --traceback ...` shows where it fails") from error


@main.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--figure", "names", multiple=True, metavar="NAME", help="Draw this figure; may be repeated.  [default: all of the run]")
def plot(directory: Path, names: tuple[str, ...]) -> None:
    """Draw the figures of a saved run again.

    They are written to DIR/figures.

    \b
    Example:
      limbless plot runs/eel-planar
    """
    from limbless.errors import InputError
    from limbless.files import below
    from limbless.result import Result
    from limbless.view import figures

    with _shown(directory):
        result = Result.load(directory)
        chosen = names or figures.names_for(result)
    folder = directory if directory.is_dir() else directory.parent
    paths: list[Path] = []
    for name in chosen:
        try:
            with _shown(directory):
                paths += figures.save(result, name, below(folder, "figures"))
        except InputError as error:
            if names:
                raise
            say(f"{name} is not drawn: {error}")
    for path in paths:
        if path.suffix == ".png":
            click.echo(path)


@main.command()
@click.argument("sources", metavar="NAME|FILE|DIR [OTHER]", nargs=-1, required=True)
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="Change a field of the first scenario; may be repeated.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where to listen.  [default: a free port]")
@click.option("--host", default="127.0.0.1", help="Address to listen on.  [default: this machine only]")
@click.option("--no-browser", is_flag=True, help="Print the address and open nothing.")
@_ALLOW_CODE
def view(sources: tuple[str, ...], settings: tuple[str, ...], port: int, host: str, no_browser: bool, allow_code: bool) -> None:
    """Watch and tune a run in the browser.

    A scenario is run first; a folder that `limbless run` wrote is shown as it is. A second one is drawn as a ghost, to compare.
    Ends when the page is closed, or with Ctrl-C.

    \b
    Examples:
      limbless view eel-planar
      limbless view runs/eel-planar runs/eel-planar-2
    """
    from limbless.errors import InputError
    from limbless.view.gate import HERE
    from limbless.view.serving import require

    require()
    if len(sources) > 2:
        raise InputError(f"view takes one run, or two to compare; got {len(sources)}")
    from limbless.view.studio import Studio, opened, serve

    def load(name: str, changes: dict[str, Any]) -> Scenario:
        return _permitted(name, changes, allow_code)

    result, source = opened(sources[0], _changes(settings), load, lambda scenario: _simulated(scenario, quiet=False))
    ghost = opened(sources[1], {}, load, lambda scenario: _simulated(scenario, quiet=False))[0] if len(sources) == 2 else None
    if host not in HERE:
        say(f"Warning: listening on {host}; whoever has the address below can use it and save into {Path.cwd()} "
            "(unencrypted: others on the network may read it); elsewhere put this machine's own name or address into it")
    with _shown(Path(sources[0])):
        studio = Studio(result, source, ghost, host, port, allow_code=_may_run_again(source, sources[0], allow_code))
    serve(studio, not no_browser, lambda url: click.echo(f"Watch and tune at {url} (ends when the page is closed, or with Ctrl-C)"))


@main.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
def report(directory: Path) -> None:
    """Write the report of a saved run.

    One page, DIR/report.html, with the replay, plots, numbers, balances, the paper to cite and the lines to run it again.
    It needs no network, and can be printed.

    \b
    Example:
      limbless report runs/eel-planar
    """
    from limbless.result import Result
    from limbless.view.report import write_report

    with _shown(directory):
        click.echo(write_report(Result.load(directory), directory if directory.is_dir() else directory.parent))


@main.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--to", "target", type=click.Path(path_type=Path, dir_okay=False), help="The file, .mp4 or .gif.  [default: DIR/movie.mp4]")
@click.option("--show", multiple=True, metavar="FORCES", help="Draw forces as arrows: contacts, fluid, clamp or base; may be repeated.")
@click.option("--speed", type=float, default=1.0, show_default=True, help="Simulated seconds per second of the movie.")
def movie(directory: Path, target: Path | None, show: tuple[str, ...], speed: float) -> None:
    """Make a movie of a saved run.

    Needs no display. A .gif needs nothing more; .mp4 needs the extra movie.

    \b
    Example:
      limbless movie runs/eel-planar --to eel.gif
    """
    from limbless import terminal
    from limbless.result import Result
    from limbless.view.movie import write_movie

    path = target or (directory if directory.is_dir() else directory.parent) / "movie.mp4"
    with _shown(directory), terminal.progress_bar(path.name, 1.0, quiet=False) as bar:
        write_movie(Result.load(directory), path, show, speed, (lambda share: bar(share, share, 0.0)) if bar else None)
    click.echo(path)


@main.command()
@click.argument("names", metavar="[CASE]...", nargs=-1)
@click.option("--quick", is_flag=True, help="Only the fast cases, in less than two minutes; writes nothing.")
@click.option("--mutants", is_flag=True, help="Put each misprint of the papers back and count those that a test notices; writes nothing.")
def validate(names: tuple[str, ...], quick: bool, mutants: bool) -> None:
    """Hold limbless against papers, formulas and other engines.

    Runs the cases of the folder validation/ of the repository and prints what was measured, what was wanted and the verdict. All of them
    together also run the tests of the scorecard and write docs/validation.md with a figure per case. Ends with an error when a
    statement is not met that is not declared as a known shortfall.

    \b
    Examples:
      limbless validate --quick
      limbless validate eel-planar
    """
    from limbless import terminal
    from limbless.validation import command

    out = terminal.console()
    good = command.mutants(out) if mutants else command.validate(names, quick, out)
    click.get_current_context().exit(0 if good else FAILED)


@main.command()
@click.option("--only", multiple=True, metavar="PART", help="Measure this part and write nothing; may be repeated.")
@click.option("--quick", is_flag=True, help="Measure roughly, in about a minute, and write nothing.")
def bench(only: tuple[str, ...], quick: bool) -> None:
    """Measure the speed beside other engines.

    Runs every speed target side by side with its peer (Pinocchio, MuJoCo, PyElastica) in one process, prints a table per part, and writes
    docs/benchmark.md. Needs a clone of the repository and the extra dev. Takes some minutes; leave the machine alone meanwhile.

    \b
    Examples:
      limbless bench
      limbless bench --only dynamics --quick
    """
    from limbless import checkout

    checkout.load("benchmarks", "command").bench(only, quick, click.echo)


@main.command()
def warmup() -> None:
    """Compile all kernels ahead of the first run.

    \b
    Example:
      limbless warmup
    """
    from limbless.mechanics.compiled.kernel import is_cold

    click.echo("Compiling the kernels; this takes a minute." if is_cold() else "Kernels have been compiled before; checking all of them.")
    from limbless.warmup import warm_all

    warm_all(click.echo)
    click.echo("Done.")


@main.command()
@click.argument("name", required=False)
def cite(name: str | None) -> None:
    """Show how to cite the paper of a scenario.

    In plain text and BibTeX. NAME is a scenario, the path of a .yaml or a paper's key; without it all papers are shown.

    \b
    Example:
      limbless cite eel-planar
    """
    from limbless.citations import PAPERS

    papers = list(PAPERS.values()) if name is None else [_paper(name)]
    click.echo("\n\n".join(f"{paper.text()}\n\n{paper.bibtex()}" for paper in papers))


def _paper(name: str) -> Any:
    from limbless.citations import PAPERS, find
    from limbless.errors import InputError, nearest

    if name in PAPERS:
        return PAPERS[name]
    from limbless.scenarios import document, loader

    if name not in loader.names() and Path(name).suffix not in (".yaml", ".yml"):
        raise InputError(f"no scenario and no paper is called {name!r}; {nearest(name, [*loader.names(), *PAPERS])}")
    key = document.read_file(loader.path_of(name) if name in loader.names() else Path(name)).data.get("paper")
    if key is None:
        raise InputError(f"the scenario {name} names no paper")
    return find(key)
