"""Commands with many runs: `sweep`, `steady`, `optimise`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limbless.cli.common import ALLOW_CODE, INTERRUPTED, say
from limbless.cli.scenario_arguments import changes_in, permitted

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.search.steady_motion.steady import SteadyMotion
    from limbless.search.sweeps.sweep_plan import SweepPlan

SET = click.option(
    "--set", "settings", multiple=True, metavar="PATH=VALUE", help="Change a field in all runs; may be repeated."
)


@click.command()
@click.argument("scenario", metavar="NAME|FILE")
@SET
@click.option(
    "--slope",
    "slopes",
    multiple=True,
    metavar="PATH",
    help="Also give derivatives along this field of gait, robot or environment; may be repeated.",
)
@click.option("--steps", type=click.IntRange(min=8), default=100, show_default=True, help="Steps of a period.")
@ALLOW_CODE
def steady(scenario: str, settings: tuple[str, ...], slopes: tuple[str, ...], steps: int, allow_code: bool) -> None:
    """Find the motion that a gait settles into.

    Solves for the periodic motion with Newton's method instead of a long run, and reports its stability.

    \b
    Examples:
      limbless steady eel-planar --set gait.period=1.5
      limbless steady eel-planar --slope gait.amplitude --slope robot.half_width
    """
    from limbless.search.steady_motion.steady import Families
    from limbless.view import terminal

    chosen = permitted(scenario, changes_in(settings), allow_code)
    motion = Families(steps).steady(chosen, slopes)
    out = terminal.console()
    out.print(terminal.table(_steady_rows(motion)))
    if motion.slopes:
        numbers = [name for name in motion.slopes if name != "torque_ratios"]
        rows = [(path, *(f"{motion.slopes[name][path]:.6g}" for name in numbers)) for path in slopes]
        out.print(terminal.table(rows, ("slope along", *numbers)))


def _steady_rows(motion: SteadyMotion) -> list[tuple[str, str]]:
    import numpy as np

    shown = [
        ("speed", motion.speed, "m/s"),
        ("turn rate", motion.turn_rate if abs(motion.turn_rate) > 1e-9 else None, "rad/s"),
        ("period", motion.period, "s"),
        ("positive work", motion.positive_work, "J per period"),
        ("cost of transport", motion.cost_of_transport, ""),
        ("peak torque", motion.peak_torque, "N m"),
        ("torque over its limit", motion.torque_ratio, "at most"),
        ("spread", motion.spread or None, "of the speeds of three periods"),
    ]
    rows = [(label, f"{value:.6g} {unit}".rstrip()) for label, value, unit in shown if value is not None]
    if motion.multipliers is not None:
        sizes = ", ".join(f"{size:.4f}" for size in np.sort(np.abs(motion.multipliers))[::-1][:6])
        rows.append(("multipliers", f"{sizes}: {'stable' if motion.stable else 'UNSTABLE, no run would find it'}"))
    return [*rows, ("found by", f"{motion.method}; {motion.passes} periods, residual {motion.residual:.1e}")]


@click.command()
@click.argument("source", metavar="NAME|PLAN|DIR")
@SET
@click.option(
    "--over",
    multiple=True,
    metavar="PATH=VALUES",
    help="A field to vary: 0.02:0.10:9 (from, to, count), 1.5,2,2.5 or, with --samples, 0.02..0.1; may be repeated.",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="NAME",
    help="What to keep of each run (`limbless list measures`); may be repeated.  [default: progress]",
)
@click.option("--samples", metavar="KIND:COUNT[:SEED]", help="Points between bounds, such as sobol:256, for a grid.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the sweep.  [default: sweeps/NAME, or sweeps/NAME-2, ...]",
)
@click.option("--workers", type=click.IntRange(min=0), help="Processes.  [default: one per core]")
@click.option(
    "--share", metavar="I/N", help="Only the runs whose number mod N is I, into a separate file; for batch arrays."
)
@click.option("--dask", metavar="ADDRESS", help="Scheduler of a dask cluster to run on (extra cluster).")
@click.option("--retry-failed", is_flag=True, help="Run failed rows again.")
@click.option("--mixed", is_flag=True, help="Resume although the rows were made by another version of limbless.")
@click.option("--status", is_flag=True, help="Only tell how far the sweep in DIR is.")
@click.option(
    "--slurm",
    is_flag=True,
    help="Make the folder with its plan, run nothing, and print a batch script that fills it in shares.",
)
@click.option("--quiet", is_flag=True, help="Print only the folder.")
@ALLOW_CODE
def sweep(
    source: str,
    settings: tuple[str, ...],
    over: tuple[str, ...],
    measures: tuple[str, ...],
    samples: str | None,
    out: Path | None,
    workers: int | None,
    share: str | None,
    dask: str | None,
    retry_failed: bool,
    mixed: bool,
    status: bool,
    slurm: bool,
    quiet: bool,
    allow_code: bool,
) -> None:
    """Run a scenario at many points.

    The source is a scenario (with --over), a plan file, or the folder of a sweep, which is then resumed. You can
    stop a sweep at any time; the same command resumes it. A failed run is kept as a row with its error message.

    \b
    Examples:
      limbless sweep eel-planar --over gait.amplitude=0.02:0.10:9 --measure steady.speed
      limbless sweep plan.yaml --workers 8
      limbless sweep sweeps/eel-planar --status
    """
    from limbless.core import InputError
    from limbless.search.sweeps.sweep import Sweep, keep_plan, sweep as fill
    from limbless.view import terminal

    folder = Path(source) if (Path(source) / "plan.yaml").is_file() else None
    if status and folder is None:
        raise InputError(f"{source} is no folder of a sweep: there is no plan.yaml in it")
    if status:
        click.echo(Sweep.load(str(folder)).told())
        return
    plan = _plan(source, folder, settings, over, measures, samples, out, allow_code)
    if slurm:
        if folder is None and out is None:
            raise InputError("--slurm: name the folder that all tasks share with --out DIR; it gets the plan")
        keep_plan(folder or Path(str(out)), plan)
        click.echo(_slurm_script(str(folder or out)))
        return
    with terminal.sweep_bar(plan.scenario.name, quiet) as progress:
        found = fill(
            plan,
            out=folder or out,
            workers=workers,
            share=_share(share),
            dask=dask,
            retry_failed=retry_failed,
            mixed=mixed,
            progress=progress,
        )
    _tell_sweep(found, quiet, share is None)


def _plan(
    source: str,
    folder: Path | None,
    settings: tuple[str, ...],
    over: tuple[str, ...],
    measures: tuple[str, ...],
    samples: str | None,
    out: Path | None,
    allow_code: bool,
) -> SweepPlan:
    """The plan that is asked for."""
    from limbless.core import InputError
    from limbless.scenarios.document import read_file
    from limbless.search.sweeps import SweepPlan, from_words, read_plan

    if folder is not None:
        if settings or over or measures or samples or out:
            raise InputError(
                f"{folder} holds a sweep, which continues as it was begun: omit --set, --over, --measure, "
                "--samples and --out"
            )
        return read_plan(folder / "plan.yaml", allow_code=allow_code)
    path = Path(source)
    if path.suffix in (".yaml", ".yml") and path.is_file() and {"over", "scenario"} & set(read_file(path).data):
        if over or samples:
            raise InputError(f"{path} is a plan with its own `over` and `samples`: omit --over and --samples")
        return read_plan(path, changes_in(settings), measures or None, allow_code)
    if not over:
        permitted(source, changes_in(settings), allow_code)  # what is no scenario either has its own words
        raise InputError(f"{source}: name at least one field to vary, such as --over gait.amplitude=0.02:0.10:9")
    axes: dict[str, Any] = {}
    for words in over:
        name, values = from_words(words)
        if name in axes:
            raise InputError(f"--over {name}: is given twice")
        axes[name] = values
    chosen = permitted(source, changes_in(settings), allow_code)
    return SweepPlan.make(chosen, axes, measures or ("progress",), samples=_samples(samples), allow_code=allow_code)


def _samples(text: str | None) -> dict[str, Any] | None:
    from limbless.core import InputError

    if text is None:
        return None
    parts = text.split(":")
    if len(parts) not in (2, 3) or not all(part.isdigit() for part in parts[1:]):
        raise InputError(f"--samples {text}: give kind and count, such as sobol:256 or latin:100:7 (with a seed)")
    return {"kind": parts[0], "count": int(parts[1]), "seed": int(parts[2]) if len(parts) > 2 else 0}


def _share(text: str | None) -> tuple[int, int] | None:
    from limbless.core import InputError

    if text is None:
        return None
    first, _, count = text.partition("/")
    if not (first.isdigit() and count.isdigit()):
        raise InputError(f"--share {text}: give i/n, such as 3/40")
    return int(first), int(count)


def _slurm_script(folder: str) -> str:
    return "\n".join(
        [
            "#!/bin/bash",
            "#SBATCH --array=0-39",
            "#SBATCH --cpus-per-task=1",
            "#SBATCH --time=04:00:00",
            "# Each task takes the missing runs of its share; submit again to go on after a stop.",
            "limbless warmup",
            f"limbless sweep {folder} --workers 1 --quiet --share $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT",
        ]
    )


def _tell_sweep(found: Any, quiet: bool, alone: bool) -> None:
    from limbless.view import terminal

    if quiet:
        click.echo(found.folder)
    else:
        _tell_best(found, terminal.console())
        click.echo(f"{found.told()}; in {found.folder}")
    if alone and not found.is_complete:
        say(f"Interrupted: `limbless sweep {found.folder}` continues it")
        click.get_current_context().exit(INTERRUPTED)


def _tell_best(found: Any, out: Any) -> None:
    """The largest of every measure, and where it is."""
    from limbless.core import InputError
    from limbless.view import terminal

    rows = []
    for name in found.measured:
        for largest, label in ((True, "largest"), (False, "smallest")):
            try:
                best = found.best(name, largest)
            except InputError:
                continue
            where = ", ".join(
                f"{path} = {_of_field(found.plan.scenario, path, best[path])}" for path in found.plan.over
            )
            doubt = ", NOT PROVEN" if best.get("proven") == 0.0 else ""
            unit = found.dataset[name].attrs.get("units", "")
            rows.append((f"{label} {name}", _with_unit(best[name], unit), f"at {where}{doubt}"))
    if rows:
        out.print(terminal.table(rows))


def _of_field(scenario: Scenario, path: str, value: Any) -> str:
    """A value of a field, a number with the field's unit."""
    from limbless.search.sweeps.parameter_ranges import unit_of_field

    return _with_unit(value, unit_of_field(scenario, path, value)) if isinstance(value, float) else str(value)


def _with_unit(value: float, unit: str) -> str:
    return f"{value:.6g}" if unit in ("", "1") else f"{value:.6g} {unit}"


@click.command()
@click.argument("scenario", metavar="NAME|FILE")
@SET
@click.option(
    "--over",
    multiple=True,
    required=True,
    metavar="PATH=LOW..HIGH",
    help="A field and its bounds, such as gait.amplitude=0.005..0.3; may be repeated.",
)
@click.option(
    "--maximise",
    metavar="MEASURE",
    help="Measure to make large (`limbless list measures`), such as mean_speed@x.  [default: progress]",
)
@click.option("--minimise", metavar="MEASURE", help="Measure to make small.")
@click.option(
    "--subject-to",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="A limit such as 'steady.torque_ratio<=1', which is one for each joint; may be repeated.",
)
@click.option(
    "--method",
    type=click.Choice(["auto", "slsqp", "cma"]),
    default="auto",
    show_default=True,
    help="SLSQP with exact derivatives, or CMA-ES, which needs none.",
)
@click.option("--starts", type=click.IntRange(min=1), default=4, show_default=True, help="Starts of SLSQP.")
@click.option("--front", type=click.IntRange(min=2), help="Points of a Pareto front of both measures.")
@click.option(
    "--max-evaluations", type=click.IntRange(min=8), default=400, show_default=True, help="Evaluations of CMA-ES."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    help="Random seed for the starting points and for CMA-ES.",
)
@click.option("--workers", type=click.IntRange(min=0), help="Processes for CMA-ES.  [default: one per core]")
@click.option("--proven", is_flag=True, help="Only runs that are proven may win.")
@click.option("--no-check", is_flag=True, help="Do not ask CMA-ES whether it finds better than SLSQP.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the search; the same command resumes it.  [default: none is written]",
)
@ALLOW_CODE
def optimise(
    scenario: str,
    settings: tuple[str, ...],
    over: tuple[str, ...],
    maximise: str | None,
    minimise: str | None,
    limits: tuple[str, ...],
    method: str,
    starts: int,
    front: int | None,
    max_evaluations: int,
    seed: int,
    workers: int | None,
    proven: bool,
    no_check: bool,
    out: Path | None,
    allow_code: bool,
) -> None:
    """Find the best gait or body.

    Says how sure the answer is, and confirms it by an ordinary run.

    \b
    Examples:
      limbless optimise eel-planar --over gait.amplitude=0.005..0.3 --over gait.period=0.6..4 --maximise steady.speed \\
        --subject-to 'steady.torque_ratio<=1' --out searches/eel
      limbless optimise eel-planar --over gait.amplitude=0.005..0.3 --over gait.period=0.6..4 \\
        --maximise steady.speed --minimise steady.cost_of_transport --front 8
    """
    from limbless.search import measures
    from limbless.search.optimisation.best import Best
    from limbless.search.optimisation.optimise import optimise as find
    from limbless.search.sweeps.parameter_ranges import from_words
    from limbless.view import terminal

    chosen = permitted(scenario, changes_in(settings), allow_code)
    axes = dict(from_words(words) for words in over)
    found = find(
        chosen,
        axes,
        maximise=maximise,
        minimise=minimise,
        subject_to=limits,
        method=method,
        starts=starts,
        front=front,
        max_evaluations=max_evaluations,
        seed=seed,
        workers=workers,
        out=out,
        certify=not no_check,
        proven=proven,
        allow_code=allow_code,
    )
    if isinstance(found, Best):
        rows = [(path, _of_field(chosen, path, value)) for path, value in found.values.items()]
        rows += [(name, _with_unit(value, measures.find(name).unit)) for name, value in found.measures.items()]
        terminal.console().print(terminal.table(rows))
        click.echo(found.told())
    else:
        heads = (found.large, found.small, *axes)
        lines = [
            [
                *(f"{point.measures[name]:.6g}" for name in heads[:2]),
                *(f"{value:.6g}" for value in point.values.values()),
            ]
            for point in found.points
        ]
        terminal.console().print(terminal.table(lines, heads))
    if out is not None and front is None:
        click.echo(
            f"Written to {out}: best.yaml (run it with `limbless run {out / 'best.yaml'}`), best.json, all evaluations"
        )
