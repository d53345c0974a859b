"""What commands share: exit codes, what they say, and damage of saved runs in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result

BAD_INPUT, FAILED, NOT_PROVEN, INTERRUPTED = 2, 1, 3, 130
ALLOW_CODE = click.option(
    "--allow-code",
    is_flag=True,
    help="Run Python code that the scenario names; its folder is allowed from then on.",
)


FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["png", "pdf", "svg"]),
    default="png",
    show_default=True,
    help="File format of the pictures.",
)


def say(text: object) -> None:
    """A line on standard error."""
    from limbless.core import printable

    click.echo(printable(text), err=True)


@contextmanager
def shown(path: Path) -> Iterator[None]:
    """What a saved run does not hold, or holds in another form, is said in a sentence: its file may
    be damaged or a stranger's.
    """
    from limbless.core import InputError, SimulationError

    try:
        yield
    except (InputError, SimulationError, OSError):
        raise
    except Exception as error:  # data that do not fit together fail anywhere
        raise InputError(
            f"{path} cannot be shown ({type(error).__name__}: {error}): its file is damaged or was not written by "
            "this version of limbless; `limbless --traceback ...` shows where it fails"
        ) from error


def simulated(scenario: Scenario, quiet: bool, **options: Any) -> Result:
    from limbless.mechanics.compiled import is_cache_empty
    from limbless.scenarios import plausibility
    from limbless.simulation.simulate import run_scenario
    from limbless.view import terminal

    if not quiet and is_cache_empty():
        click.echo(
            "Compiling the kernels: this first run takes some seconds more (`limbless warmup` does it ahead).", err=True
        )
    for note in () if quiet else plausibility.notes(scenario):
        say(f"Note: {note}")
    result: Result | None = None
    try:
        with terminal.progress_bar(scenario.name, scenario.duration, quiet) as progress:
            result = run_scenario(scenario, progress=progress, **options)
    except KeyboardInterrupt:  # while the bar is put away: the run is there
        if result is None:
            raise
    return result
