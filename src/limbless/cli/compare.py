"""`limbless compare` and `limbless ladder`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limbless.cli.common import ALLOW_CODE, FORMAT, say, shown, simulated
from limbless.cli.completion import complete_runs
from limbless.cli.scenario_arguments import changes_in, permitted
from limbless.cli.search import SET

if TYPE_CHECKING:
    from limbless.simulation.result import Result


@click.command()
@click.argument("sources", metavar="A B [C]...", nargs=-1, required=True, shell_complete=complete_runs)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for compare.png, compare.csv and the table as a picture and for LaTeX (compare.tex).  [default: "
    "runs/compare, or runs/compare-2, ...]",
)
@FORMAT
@click.option("--no-figures", is_flag=True, help="Print the table and write nothing.")
@ALLOW_CODE
def compare(sources: tuple[str, ...], out: Path | None, form: str, no_figures: bool, allow_code: bool) -> None:
    """Compare runs: their numbers and figures.

    A, B, ... are folders that `limbless run` wrote; a scenario (a name or a .yaml) is run first. The table shows the
    summary of every run and how far each is from the first, with error bars where the runs have them (run --error).
    The figures of all runs are drawn on top of each other. To watch two of them together: limbless view A B.

    \b
    Example:
      limbless compare runs/eel-planar runs/wide
    """
    from limbless.core import InputError, fresh_folder, write_table, write_text
    from limbless.simulation import comparison
    from limbless.view import terminal

    if len(sources) < 2:
        raise InputError("give at least two runs to compare, such as runs/eel-planar runs/wide")
    results = [_opened(source, allow_code) for source in sources]
    names = comparison.names_of(results, sources)
    found = comparison.lines(results)
    screen = terminal.console()
    for result, name in zip(results, names, strict=True):
        if result.warning:
            say(f"{name}: {result.warning}")
    heads = ("", *names, *(f"{name} - {names[0]}" for name in names[1:]))
    models = comparison.models_of(results)
    rows = [("model", *models, *[""] * (len(models) - 1)), *comparison.rows(found, len(results))]
    screen.print(terminal.table(rows, heads))
    if no_figures:
        return
    folder = out or fresh_folder(Path("runs") / "compare")
    from limbless.view.comparison_figure import save_table, save_together

    table = write_table(folder / "compare.csv", comparison.columns(found, names))
    click.echo(f"\nWritten: {table}")
    click.echo(f"         {write_text(folder / 'compare.tex', comparison.latex(found, names, models))}")
    click.echo(f"         {save_table(rows, heads, folder / f'compare-table.{form}')}")
    try:
        click.echo(f"         {save_together(results, names, folder / f'compare.{form}')}")
    except InputError as error:
        say(f"No figure: {error}")


@click.command()
@click.argument("scenario", metavar="NAME|FILE")
@click.option("--models", metavar="A,B,..", help="Which models, that with the most physics first.  [default: all]")
@SET
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for ladder.csv, ladder.md, ladder.tex, the figures, replay.html and a folder for each run.  [default: "
    "runs/ladder, or runs/ladder-2, ...]",
)
@click.option("--workers", type=click.IntRange(min=0), help="Processes, one model each.  [default: one per core]")
@FORMAT
@ALLOW_CODE
def ladder(
    scenario: str,
    models: str | None,
    settings: tuple[str, ...],
    out: Path | None,
    workers: int | None,
    form: str,
    allow_code: bool,
) -> None:
    """Run one scenario through every model that takes it.

    A model that takes another kind of robot sees this one as that. The table has every number with its numerical error,
    and says whether the models differ by more than that (model form) or not (numerical error). To watch all of them
    together: limbless view with the folders of the runs.

    \b
    Example:
      limbless ladder rod-swim --models macro-continuous,newton-euler
    """
    from limbless.core import fresh_folder
    from limbless.search.studies import ladder as rungs
    from limbless.simulation.result import show
    from limbless.view import terminal

    chosen = permitted(scenario, changes_in(settings), allow_code)
    kinds = None if models is None else [kind.strip() for kind in models.split(",")]
    found = rungs.ladder(
        chosen,
        models=kinds,
        watch=lambda label: terminal.progress_bar(label, chosen.duration, False),
        workers=workers,
    )
    rows = found.rows()
    terminal.console().print(terminal.table(rows, found.heads))
    for told in found.told():
        say(told)
    folder = found.write(out or fresh_folder(Path("runs") / "ladder"))
    from limbless.view.comparison_figure import save_ladder, save_table

    click.echo(f"\nWritten: {folder}")
    click.echo(f"         {save_table(rows, found.heads, folder / f'ladder-table.{form}')}")
    timed = [rung for rung in found.ran if rung.result and "time" in rung.result.dataset.dims]
    if len(timed) > 1:
        click.echo(f"         {save_ladder(rungs.Ladder(timed), folder / f'ladder.{form}')}")
        shown = {rung.label: rung.result for rung in timed if rung.result}
        for path in show.replay_into(folder, found.results[0], shown) if show.can_replay() else ():
            click.echo(f"         {path}")
    click.echo(f"Watch:   limbless view {' '.join(str(folder / rung.model) for rung in found.ran)}")


def _opened(source: str, allow_code: bool) -> Result:
    """A saved run, or a scenario that is run now."""
    from limbless.simulation.result import Result

    if Path(source).is_dir() or source.endswith(".nc"):
        with shown(Path(source)):
            found = Result.load(source)
            found.summary()  # what its numbers cannot be made of is told here, by its name
            return found
    return simulated(permitted(source, {}, allow_code), quiet=False)
