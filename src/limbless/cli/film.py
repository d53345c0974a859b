"""The command `film`: a tracked animal, the model beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from limbless.cli.common import FORMAT, say
from limbless.cli.scenario_arguments import changes_in


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--length", metavar="M", help="Length of the animal, m, or '15 cm'.  [default: the film's unit, or 1 length]"
)
@click.option("--rate", metavar="HZ", help="Frames per second, where the file has no times.")
@click.option("--points", metavar="HEAD,..,TAIL", help="Names of the points of the midline, from head to tail.")
@click.option("--track", metavar="NAME", help="Track to use, if SLEAP follows several animals.")
@click.option("--animal", metavar="NAME", help="Animal to use, if the file has several.")
@click.option(
    "--likelihood",
    type=click.FloatRange(0.0, 1.0),
    default=0.6,
    show_default=True,
    help="Treat DeepLabCut points below this likelihood as missing.",
)
@click.option("--kind", type=click.Choice(["bend", "curvature", "angle"]), help="What a table without x and y holds.")
@click.option("--array", metavar="NAME", help="Which array of a .npz holds the midline.")
@click.option("--from", "start", metavar="S", help="Start time of the part to use (s).")
@click.option("--until", metavar="S", help="End of the part to use, s.")
@click.option(
    "--width",
    metavar="SHARE|CSV",
    help="Diameter over length, or a CSV of s and diameter.  [default: the film's own, or 0.05]",
)
@click.option(
    "--medium",
    type=click.Choice(["water", "slow-water", "fast-water", "agar", "ground"]),
    default="water",
    show_default=True,
    help="What the animal moves in; water is slow-water below Reynolds' number 10.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Change a field of the model's scenario; may be repeated.",
)
@click.option("--identify", metavar="PATH,..", help="Coefficients to find, such as drag.0,drag.1.")
@click.option("--no-model", is_flag=True, help="The film's own numbers only.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for what is written.  [default: films/NAME]",
)
@FORMAT
@click.option("--no-figures", is_flag=True, help="Draw nothing, write no page.")
def film(
    file: Path,
    width: str | None,
    medium: str,
    settings: tuple[str, ...],
    identify: str | None,
    no_model: bool,
    out: Path | None,
    form: str,
    no_figures: bool,
    **reading: Any,
) -> None:
    """Analyse a tracked animal and compare it with the model.

    FILE is from SLEAP (CSV, analysis HDF5), DeepLabCut (CSV, HDF5), a worm tracker (WCON, Tierpsy, WormPose),
    movement, or a table (CSV with frame, point, x, y; npy; npz). Prints what the animal did, with errors, and what the
    model does with the same shape; writes midline.nc, scenario.yaml and curvature.csv (which run again), result.nc,
    summary.json, figures and report.html. `limbless view DIR` shows film and model together.

    \b
    Examples:
      limbless film lamprey.csv --length 0.154 --rate 50
      limbless film worm.wcon --medium agar --width 0.065
      limbless film fish.csv --rate 60 --points snout,a,b,c,d,tail --identify drag.0,drag.1
    """
    from limbless.core import InputError, as_word, fresh_folder
    from limbless.interop.films.film import Film

    if no_model and (identify or settings or width):
        raise InputError("--no-model makes no model: omit --identify, --set and --width")
    found = Film.load(file, **reading)
    changes = changes_in(settings)
    paths = [path.strip() for path in identify.split(",")] if identify else []
    if paths:
        from limbless.interop.films.identification import checked_scenario

        checked_scenario(found, paths, medium, width if width is not None else found.width, changes)
    predicted = None if no_model else found.predict(medium, width, changes)
    identified = found.identify(paths, medium, width, changes) if paths else None
    if out is not None and out.is_dir() and any(out.iterdir()) and not (out / "midline.nc").is_file():
        raise InputError(f"the folder {out} holds something else; choose another with --out")
    folder = out or fresh_folder(Path("films") / as_word(found.name))
    for line in found.lines(predicted, identified):
        click.echo(line)
    written = found.write(folder, predicted, identified, figures=not no_figures, form=form)
    if predicted is not None and predicted.result.warning:
        say(predicted.result.warning)
    names = [path.name for path in written if path.parent == folder]
    click.echo(f"\nWritten to {folder}: {', '.join(names)}")
