"""Commands for what was measured: `log`, `identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from limbless.cli.common import FORMAT


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--like",
    type=click.Path(path_type=Path),
    metavar="YAML",
    help="File that says what the columns mean (joints, units, command).",
)
@click.option("--rate", type=float, metavar="HZ", help="Samples a second, where the file has no times.")
@click.option("--track", is_flag=True, help="The file holds positions of markers, not joints.")
@click.option("--column", metavar="NAME", help="Track to use, if the file has several.")
@click.option("--run", "scenario", metavar="NAME|FILE", help="Run this scenario, and compare it with the log.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="PNG",
    help="File for a picture of the log over the run.",
)
def log(
    file: Path,
    like: Path | None,
    rate: float | None,
    track: bool,
    column: str | None,
    scenario: str | None,
    out: Path | None,
) -> None:
    """Read a log or a track and say what is in it.

    FILE is CSV, TSV, JSON lines, .mat, .xlsx, a ROS bag, .npz, or result.nc of a run. Prints joints, rate, jitter, lost
    samples, and amplitude and lag against the command if there is one.

    \b
    Examples:
      limbless log side_1.csv
      limbless log side_1.mat --like log.yaml
      limbless log side_1.csv --run snake.yaml --out both.png
      limbless log video.xlsx --track --column C1
    """
    from limbless.core import InputError, printable
    from limbless.interop.log_files import MarkerTrack, read_log, read_track

    if track and like is not None:
        raise InputError("--like is for logs of joints; leave it out with --track")
    if column is not None and not track:
        raise InputError("--column names a track; add --track")
    if out is not None and scenario is None:
        raise InputError("--out is for a picture of a log over a run; add --run")
    more: dict[str, Any] = {} if rate is None else {"rate": rate}
    found = read_track(file, column, rate) if track else read_log(file, like, **more)
    lines = found.lines()
    if scenario is not None:
        from limbless.interop.identification.measured_run import MeasuredRun

        run = (
            MeasuredRun(file.stem, track=found) if isinstance(found, MarkerTrack) else MeasuredRun(file.stem, log=found)
        )
        lines += run.compare(scenario, out)
    for line in lines:
        click.echo(printable(line))


@click.command()
@click.argument("scenario", metavar="NAME|FILE")
@click.option(
    "--runs",
    multiple=True,
    required=True,
    metavar="FILE.yaml",
    help="Files of the measured runs; * is allowed; may be repeated.",
)
@click.option("--test", multiple=True, metavar="FILE.yaml", help="Runs that are not fitted to, to test it on.")
@click.option(
    "--fit", "fields", multiple=True, required=True, metavar="PATH=LOW..HIGH[~MEAN+-SD]", help="What is to be found."
)
@click.option("--set", "settings", multiple=True, metavar="PATH=VALUE", help="Change a field; may be repeated.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Folder for the fit.")
@FORMAT
def identify(
    scenario: str,
    runs: tuple[str, ...],
    test: tuple[str, ...],
    fields: tuple[str, ...],
    settings: tuple[str, ...],
    out: Path | None,
    form: str,
) -> None:
    """Fit fields of a scenario to measured runs.

    Prints values with intervals, and what the runs do not determine.

    A run is a YAML file with `log` or `track` (or both), `changes` of the scenario, `counts` and `sigma`. Writes
    fitted.yaml (which runs), fit.json, a table of residuals for each run, pictures of logs over runs and report.html.
    Begun again, it goes on where it was.

    \b
    Examples:
      limbless identify snake.yaml --runs 'side_*.yaml' --test roll_1.yaml \\
          --fit environment.ground.lateral=0.2..1 --fit actuation.stiffness=10..80 --out fitted
    """
    from limbless.cli.scenario_arguments import changes_in
    from limbless.core import InputError, printable
    from limbless.interop.identification.fit_folder import write_fit
    from limbless.interop.identification.identify import identify as find
    from limbless.search.sweeps.parameter_ranges import from_words

    if (
        out is not None
        and out.is_dir()
        and any(out.iterdir())
        and not any((out / kept).is_file() for kept in ("fit.json", "runs.jsonl"))
    ):
        raise InputError(f"the folder {out} holds something else; choose another with --out")
    fit: dict[str, Any] = {}
    for text in fields:
        bounds, _, prior = text.partition("~")
        try:
            path, given = from_words(bounds)
        except InputError as error:
            raise InputError(str(error).replace("--over", "--fit")) from None
        fit[path] = given
        if prior:
            mean, _, sd = prior.partition("+-")
            try:
                fit[path] = {"between": [given["from"], given["to"]], "prior": [float(mean), float(sd)]}
            except (ValueError, TypeError, KeyError):
                raise InputError(f"--fit {text}: a prior is ~MEAN+-SD behind LOW..HIGH") from None
    changes = changes_in(settings)
    found = find(scenario, runs, fit, test=test, changes=changes, folder=out)
    for line in found.lines():
        click.echo(printable(line))
    if out is not None:
        written = write_fit(found, scenario, out, changes, form)
        click.echo(
            f"\nWritten to {out}: {', '.join(path.name for path in written[:2])}, residuals/, figures, report.html"
        )
