"""Commands for what was measured: `log`, `identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--like", type=click.Path(path_type=Path), metavar="YAML", help="What the names in the file mean.")
@click.option("--rate", type=float, metavar="HZ", help="Samples a second, where the file has no times.")
@click.option("--track", is_flag=True, help="It holds places of markers, not joints.")
@click.option("--column", metavar="NAME", help="Which track, where there are several.")
def log(file: Path, like: Path | None, rate: float | None, track: bool, column: str | None) -> None:
    """Read a log of joints, or a track of markers, and say what is in it.

    FILE is CSV, TSV, JSON lines, .mat, .xlsx, a ROS bag, .npz, or result.nc of a run. Prints joints, rate, jitter, lost
    samples, and amplitude and lag against the command if there is one.

    \b
    Examples:
      limbless log side_1.csv
      limbless log side_1.mat --like log.yaml
      limbless log video.xlsx --track --column C1
    """
    from limbless.core import InputError, printable
    from limbless.interop.log_files import read_log, read_track

    if track and like is not None:
        raise InputError("--like is for logs of joints; leave it out with --track")
    if column is not None and not track:
        raise InputError("--column names a track; add --track")
    more: dict[str, Any] = {} if rate is None else {"rate": rate}
    found = read_track(file, column, rate) if track else read_log(file, like, **more)
    for line in found.lines():
        click.echo(printable(line))
