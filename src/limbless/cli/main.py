"""The command line. Only click is imported here: whatever is slow to import waits until a command needs it."""

from __future__ import annotations

import errno
from typing import Any

import click

from limbless.cli import compare, completion, exchange, film, listing, map, measured, motors, project, run, search, show
from limbless.cli.common import BAD_INPUT, FAILED, INTERRUPTED, say
from limbless.core import __version__


class LazyGroup(click.Group):
    """A group whose commands end with one clean message instead of a traceback."""

    def make_context(self, *given: Any, **named: Any) -> click.Context:
        try:
            return super().make_context(*given, **named)
        except KeyboardInterrupt:  # click would call it "Aborted!", and end with 1
            raise SystemExit(INTERRUPTED) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except (KeyboardInterrupt, click.Abort):  # Ctrl-C, also at a question
            say("Interrupted")
            ctx.exit(INTERRUPTED)
        except Exception as error:
            if ctx.params.get("traceback") or (isinstance(error, OSError) and error.errno == errno.EPIPE):
                raise
            ctx.exit(_explained(error))


def _explained(error: Exception) -> int:
    """Say an error on standard error; the exit code."""
    from limbless.core import InputError, SimulationError

    if isinstance(error, InputError):
        say(f"Error: {error}")
        return BAD_INPUT
    if isinstance(error, SimulationError):
        say(f"The run failed: {error}")
        return FAILED
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename is not None else ""
        say(f"Error: {error.strerror or error}{where}")
        return FAILED
    say(f"Unexpected error: {type(error).__name__}: {error}\n`limbless --traceback ...` shows where it comes from.")
    return FAILED


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="limbless")
@click.option("--traceback", is_flag=True, help="Show where an error comes from, for reports of bugs.")
def main(traceback: bool) -> None:
    """Simulate robots without limbs: snakes, eels, worms, tendon-driven spines.

    \b
    Begin with:
      limbless list
      limbless run eel-planar
    """


for command in (
    listing.list_,
    listing.describe,
    listing.cite,
    run.run,
    run.demo,
    film.film,
    measured.log,
    measured.identify,
    show.plot,
    show.view,
    show.report,
    show.movie,
    compare.compare,
    compare.ladder,
    search.steady,
    search.sweep,
    search.optimise,
    map.map_,
    motors.motors,
    exchange.robot,
    exchange.export,
    project.validate,
    project.bench,
    project.warmup,
    completion.completion,
):
    main.add_command(command)
