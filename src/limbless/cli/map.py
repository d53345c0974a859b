"""The command `map`: why a gait moves, in numbers and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limbless.cli.common import ALLOW_CODE, FORMAT
from limbless.cli.scenario_arguments import changes_in, permitted
from limbless.cli.search import SET

if TYPE_CHECKING:
    from limbless.search.studies.connection import Connection
    from limbless.search.studies.strokes import Stroke


@click.command("map")
@click.argument("scenario", metavar="NAME|FILE")
@SET
@click.option(
    "--shapes", metavar="SHAPES", help="joints, or waves:N.  [default: the principal components of the scenario's gait]"
)
@click.option("--joints", metavar="I,J,..", help="Numbers of the joints (from 0) that are the shapes.")
@click.option("--region", type=float, help="Half width of the shapes that are shown.  [default: 1.25 times the loop]")
@click.option(
    "--loop", default="gait", show_default=True, metavar="gait|FILE", help="The loop: or a text file of points."
)
@click.option(
    "--frame",
    type=click.Choice(["base", "middle", "mean", "minimum"]),
    default="minimum",
    show_default=True,
    help="The frame whose motion is told.",
)
@click.option(
    "--best",
    type=click.Choice(["efficiency", "distance", "x", "y", "turn"]),
    help="Also find the best loop for this, and write it as a scenario.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder.  [default: maps/NAME]")
@FORMAT
@ALLOW_CODE
def map_(
    scenario: str,
    settings: tuple[str, ...],
    shapes: str | None,
    joints: str | None,
    region: float | None,
    loop: str,
    frame: str,
    best: str | None,
    out: Path | None,
    form: str,
    allow_code: bool,
) -> None:
    """Show why a gait moves: heights and loops of its shapes.

    Motion by its connection is exact where drag is linear, wheels do not slip or the body floats; otherwise the
    command draws a fitted connection and prints a note.

    \b
    Examples:
      limbless map purcell-swimmer
      limbless map purcell-swimmer --region 2.5 --best efficiency
      limbless map sandfish --frame mean
    """
    from limbless.core import InputError, as_word
    from limbless.search.studies.connection import connection

    chosen = permitted(scenario, changes_in(settings), allow_code)
    numbers = None
    if joints is not None:
        try:
            numbers = [int(part) for part in joints.split(",")]
        except ValueError:
            raise InputError(f"--joints: give numbers such as 0,1; got {joints!r}") from None
    made = connection(chosen, shapes=shapes, joints=numbers, region=region, frame=frame)
    stroke = made.around(loop) if made.planar else None
    folder = out or Path("maps") / as_word(chosen.name)
    lines = told(made, stroke)
    found = made.optimum(best) if best else None
    if found is not None:
        lines += [f"best loop for {best}:", *(f"  {line}" for line in found.lines())]
    lines += [f"wrote {path}" for path in written(made, stroke, found, lines, folder, form)]
    click.echo("\n".join(lines))


def told(made: Connection, stroke: Stroke | None) -> list[str]:
    """What the map says in words."""
    shapes = ", ".join(made.shapes.names)
    spans = ", ".join(f"{low:.4g} to {high:.4g}" for low, high in made.region)
    found = [f"{made.scenario.name}: {made.medium}; shapes {shapes} from {spans} {made.shapes.unit}"]
    found += [f"note: {note}" for note in made.notes]
    return found + (stroke.lines() if stroke is not None else ["robot.base is free: A alone, no loops and pictures"])


def written(
    made: Connection, stroke: Stroke | None, best: Stroke | None, lines: list[str], folder: Path, form: str
) -> list[Path]:
    """map.nc, pictures, the loop as a table, the best loop as a scenario, and what was said."""
    import numpy as np

    from limbless.core import write_table, write_text
    from limbless.view.figures.style import save_figure, styled

    folder.mkdir(parents=True, exist_ok=True)
    paths = [made.save(folder / "map.nc")]
    if stroke is not None:
        shown = best or stroke
        for kind, name in (("height", "heights"), ("arrows", "arrows")):
            if made.count >= 2:
                with styled():
                    paths.append(save_figure(made.plot(kind, loop=shown), folder / f"{name}.{form}"))
        count = len(shown.path)
        r, _ = shown.loop.at(count)
        table = {"phase": np.arange(count) / count}
        table |= {f"{name} ({made.shapes.unit})": r[:, k] for k, name in enumerate(made.shapes.names)}
        table |= {
            f"{name} ({unit})": shown.path[:, k]
            for k, (name, unit) in enumerate((("x", "m"), ("y", "m"), ("angle", "rad")))
        }
        paths.append(write_table(folder / "stroke.csv", table))
    if best is not None:
        paths.append(best.scenario().save(folder / "best.yaml"))
    paths.append(write_text(folder / "map.txt", "\n".join(lines) + "\n"))
    return paths
