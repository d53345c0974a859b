"""Commands that show a run: `plot`, `view`, `report`, `movie`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limbless.cli.common import ALLOW_CODE, FORMAT, say, shown, simulated
from limbless.cli.completion import complete_runs, complete_settings
from limbless.cli.scenario_arguments import changes_in, may_run_again, permitted

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result


def _saved(directory: Path) -> Result:
    """A saved run; what cannot be seen of it is said."""
    from limbless.simulation.result import Result

    result = Result.load(directory)
    for item in result.environment:
        if item.unseen:
            say(item.unseen)
    return result


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete_runs)
@click.option(
    "--figure",
    "names",
    multiple=True,
    metavar="NAME",
    help="Draw this figure; may be repeated.  [default: all of the run]",
)
@FORMAT
def plot(directory: Path, names: tuple[str, ...], form: str) -> None:
    """Draw the figures of a saved run again.

    They are written to DIR/figures. For a sweep, finished or not, the command draws a heat map, lines or a scatter
    matrix.

    \b
    Example:
      limbless plot runs/eel-planar
    """
    from limbless.core import InputError, below
    from limbless.view import figures

    if (directory / "plan.yaml").is_file():
        return _plot_many(directory, names, form)
    with shown(directory):
        result = _saved(directory)
        chosen = names or figures.names_for(result)
    folder = directory if directory.is_dir() else directory.parent
    paths: list[Path] = []
    for name in chosen:
        try:
            with shown(directory):
                paths += figures.save(result, name, below(folder, "figures"), form)
        except InputError as error:
            if names:
                raise
            say(f"{name} is not drawn: {error}")
    for path in paths:
        if path.suffix == f".{form}":
            click.echo(path)


def _plot_many(directory: Path, names: tuple[str, ...], form: str) -> None:
    """The pictures of a sweep."""
    from limbless.core import below
    from limbless.search.sweeps.sweep import Sweep
    from limbless.view import sweep_figures

    with shown(directory):
        found = Sweep.load(directory)
        for name in names or sweep_figures.names_for(found):
            click.echo(sweep_figures.save(found, name, below(directory, "figures"), form)[0])


@click.command()
@click.argument("sources", metavar="NAME|FILE|DIR [OTHER]...", nargs=-1, required=True, shell_complete=complete_runs)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    shell_complete=complete_settings,
    help="Change a field of the first scenario; may be repeated.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on.  [default: a free port]")
@click.option("--host", default="127.0.0.1", help="Address to listen on.  [default: this machine only]")
@click.option("--no-browser", is_flag=True, help="Print the address and open nothing.")
@click.option("--live", is_flag=True, help="Drive one scenario by sliders and keys while it moves, without an end.")
@ALLOW_CODE
def view(
    sources: tuple[str, ...],
    settings: tuple[str, ...],
    port: int,
    host: str,
    no_browser: bool,
    live: bool,
    allow_code: bool,
) -> None:
    """Watch and tune a run in the browser.

    A scenario is run first; a folder that `limbless run` or `limbless film` wrote is shown as it is. Further runs
    are drawn on one clock, to compare: one as a ghost, the rungs of a ladder in a colour and a lane each. For a tracked
    animal the ghost is the tracked midline. For a sweep, the page shows a map of its runs, even while the sweep is
    running; click a cell to run that point. Ends when the page is closed, or with Ctrl-C.

    \b
    Examples:
      limbless view eel-planar
      limbless view runs/eel-planar runs/eel-planar-2
      limbless view sweeps/eel-planar
      limbless view agnathax --live
    """
    from limbless.core import InputError
    from limbless.interop.films import FILMED
    from limbless.view.studio.auth import HERE
    from limbless.view.studio.server import require

    require()
    _refuse_taken(host, port)
    if live:
        from limbless.view.studio.live_drive import drive_live

        if len(sources) > 1:
            raise InputError(f"--live drives one scenario; got {len(sources)}")
        scenario = permitted(sources[0], changes_in(settings), allow_code)
        return drive_live(scenario, host, port, not no_browser, click.echo)
    from limbless.view.studio.studio import Studio, opened, opened_sweep, serve

    def load(name: str, changes: dict[str, Any]) -> Scenario:
        return permitted(name, changes, allow_code)

    def go(scenario: Scenario) -> Result:
        return simulated(scenario, quiet=False)

    first, sweep = Path(sources[0]), None
    source: str | Scenario | None
    if (first / "plan.yaml").is_file():
        if settings:
            raise InputError(f"{first} is a sweep: change its fields in the page, and omit --set")
        with shown(first):
            result, found, run = opened_sweep(first, go, allow_code)
        source, sweep = result.scenario, (found, run)
    else:
        result, source = opened(sources[0], changes_in(settings), load, go)
    beside = [*sources[1:], *([str(Path(sources[0]) / FILMED)] if (Path(sources[0]) / FILMED).is_file() else [])]
    ghosts = [opened(one, {}, load, go)[0] for one in beside]
    if host not in HERE:
        say(
            f"Warning: listening on {host}; whoever has the address below can use it and save into {Path.cwd()} "
            "(unencrypted: others on the network may read it); elsewhere put this machine's own name or address into "
            "it"
        )
    with shown(Path(sources[0])):
        studio = Studio(
            result,
            source,
            ghosts[0] if ghosts else None,
            host,
            port,
            sweep=sweep,
            allow_code=may_run_again(source, sources[0], allow_code),
            others=ghosts[1:],
        )
    serve(
        studio,
        not no_browser,
        lambda url: click.echo(f"Watch and tune at {url} (ends when the page is closed, or with Ctrl-C)"),
    )


def _refuse_taken(host: str, port: int) -> None:
    """A port on which something listens already is said before anything is run."""
    import socket

    from limbless.core import InputError

    if not port:
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((host, port))
        except OSError as error:
            raise InputError(
                f"--port {port} cannot be listened on at {host} ({error.strerror or error}); choose "
                "another, or omit --port for a free one"
            ) from None


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete_runs)
def report(directory: Path) -> None:
    """Write the report of a saved run.

    One page, DIR/report.html, with the replay, plots, numbers, balances, the paper to cite and the lines to run it
    again. It needs no network, and can be printed.

    \b
    Example:
      limbless report runs/eel-planar
    """
    from limbless.view.report import write_report

    with shown(directory):
        click.echo(write_report(_saved(directory), directory if directory.is_dir() else directory.parent))


@click.command()
@click.argument("directory", metavar="DIR", type=click.Path(path_type=Path), shell_complete=complete_runs)
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file, .mp4 or .gif.  [default: DIR/movie.mp4]",
)
@click.option(
    "--show",
    multiple=True,
    metavar="FORCES",
    help="Draw forces as arrows: contacts, fluid, clamp or base; may be repeated.",
)
@click.option("--speed", type=float, default=1.0, show_default=True, help="Simulated seconds per second of the movie.")
@click.option("--size", metavar="WxH", help="Width and height in pixels.  [default: 960x540, a .gif 640x360]")
@click.option(
    "--camera",
    metavar="VIEW",
    help="side, front, back, top, or azimuth,elevation[,distance] such as 30,20,1.5 in degrees and shares of "
    "the usual distance.  [default: as the studio begins]",
)
@click.option("--fine", type=int, default=2, show_default=True, help="Samples along a side of a pixel: 1 is a draft.")
def movie(
    directory: Path,
    target: Path | None,
    show: tuple[str, ...],
    speed: float,
    size: str | None,
    camera: str | None,
    fine: int,
) -> None:
    """Make a movie of a saved run.

    Needs no display. A .gif needs nothing more; .mp4 needs the extra movie.

    \b
    Example:
      limbless movie runs/eel-planar --to eel.gif
      limbless movie runs/eel-planar --size 1280x720 --camera top --speed 2
    """
    from limbless.view import terminal
    from limbless.view.movie import write_movie

    path = target or (directory if directory.is_dir() else directory.parent) / "movie.mp4"
    with shown(directory), terminal.progress_bar(path.name, 1.0, quiet=False) as bar:
        write_movie(
            _saved(directory),
            path,
            show,
            speed,
            (lambda share: bar(share, share, 0.0)) if bar else None,
            size=size,
            camera=camera,
            fine=fine,
        )
    click.echo(path)
