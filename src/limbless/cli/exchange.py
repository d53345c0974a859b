"""Commands for what users bring and take away: `robot`, `export`."""

from __future__ import annotations

from pathlib import Path

import click

from limbless.cli.common import ALLOW_CODE, shown
from limbless.cli.scenario_arguments import changes_in, permitted


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="How to read it, such as branches=weld; may be repeated (`limbless describe file` lists all).",
)
@click.option(
    "--medium",
    type=click.Choice(["water", "ground", "nothing"]),
    help="What the scenario of --out puts it into.  [default: the file's own fluid, or water]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.yaml",
    help="Write a complete scenario with the robot in it; `limbless run` runs it.",
)
def robot(file: Path, settings: tuple[str, ...], medium: str | None, out: Path | None) -> None:
    """Read a robot file and say what was read, changed and lost.

    FILE is a URDF, SDF, MJCF (.xml) or xacro. MJCF and xacro need the extra robots.

    \b
    Examples:
      limbless robot snake.urdf
      limbless robot snake.urdf --set branches=weld --medium ground --out snake.yaml
    """
    from limbless.core import printable
    from limbless.interop.robots.first_run import first_scenario
    from limbless.interop.robots.robot_file import read_robot
    from limbless.scenarios.scenario import Scenario

    options = changes_in(settings)
    found = read_robot(file, **options)
    click.echo(printable(found))
    for entry in [*found.environment, *([found.actuation] if found.actuation else [])]:
        click.echo(printable(f"the file asks for: {entry}"))
    if out is not None:
        from limbless.core import write_text

        scenario = Scenario.load({**first_scenario(file, options, medium), "robot": found.chain().model_dump()})
        header = "".join(f"# {note}\n" for note in (f"from {file.name} ({found.format})", *found.notes))
        click.echo(write_text(out, header + scenario.to_yaml()))


@click.command()
@click.argument("source", metavar="NAME|FILE|DIR")
@click.option(
    "--to",
    "form",
    type=click.Choice(["mjcf", "urdf", "fmu", "rosbag", "mat", "glb"]),
    required=True,
    help="Format to write.",
)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), required=True, metavar="PATH", help="File or folder to write."
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    help="Change a field of the scenario first; may be repeated.",
)
@ALLOW_CODE
def export(source: str, form: str, out: Path, settings: tuple[str, ...], allow_code: bool) -> None:
    """Write a robot, a scenario or a run for other tools.

    The robot of a scenario (or of a run, or of a robot file) becomes MJCF, with gravity, ground, pegs and body-drag,
    or URDF. A scenario becomes an FMU (FMI 2.0 for co-simulation), which needs a C compiler here, and a Python with
    limbless where it runs. A saved run becomes a ROS 2 bag (MCAP; extra logs), a MATLAB file, or an animated glTF file,
    which Blender, three.js and PowerPoint open.

    \b
    Examples:
      limbless export eel-planar --to mjcf -o eel.xml
      limbless export my_snake.urdf --to mjcf -o my_snake.xml
      limbless export eel-planar --to fmu -o eel.fmu
      limbless export runs/eel-planar --to rosbag -o eel_bag
      limbless export runs/eel-planar --to mat -o eel.mat
      limbless export runs/eel-planar --to glb -o eel.glb
    """
    if form in ("rosbag", "mat", "glb"):
        from limbless.core import InputError
        from limbless.simulation.result import Result

        if settings:
            raise InputError("--set changes a scenario; a finished run stays as it is")
        with shown(Path(source)):
            click.echo(Result.load(Path(source)).export(out, form))
        return
    saved = Path(source) / "scenario.yaml"  # of a saved run
    scenario = permitted(str(saved) if saved.is_file() else source, changes_in(settings), allow_code)
    if form == "fmu":
        from limbless.interop.logs.fmu import write_fmu

        click.echo(write_fmu(scenario, out))
        return
    from limbless.interop.robots.save_robot import save_robot

    click.echo(save_robot(scenario.robot, out, scenario.environment, scenario.step, form, scenario.initial))
