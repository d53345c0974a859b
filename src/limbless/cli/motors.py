"""`limbless motors`."""

from __future__ import annotations

import click

from limbless.cli.common import ALLOW_CODE
from limbless.cli.scenario_arguments import changes_in, permitted
from limbless.cli.search import SET


@click.command()
@click.argument("scenario", metavar="NAME|FILE")
@SET
@click.option("--after", metavar="SECONDS", help="Start-up that is left out.  [default: the gait's ramp and a period]")
@click.option("--no-errors", is_flag=True, help="Do not repeat the run with shorter steps.")
@ALLOW_CODE
def motors(scenario: str, settings: tuple[str, ...], after: str | None, no_errors: bool, allow_code: bool) -> None:
    """Tell whether the motors are strong enough.

    The table gives the torques that last 10 ms, that cover 99 % of the time and on average, the speeds at these
    torques,
    and the time at the limits. The start-up is left out. Shorter steps give error bars.

    \b
    Example:
      limbless motors module-snake-undulate --after '2 s'
    """
    from limbless.search.studies.motor_sizing import motor_sizing
    from limbless.view import terminal

    chosen = permitted(scenario, changes_in(settings), allow_code)
    found = motor_sizing(
        chosen,
        after=after,
        errors=not no_errors,
        watch=lambda label: terminal.progress_bar(label, chosen.duration, False),
        allow_code=allow_code,
    )
    click.echo(f"After a start-up of {found.after:g} s, from every step{'' if found.proven else ' (NOT PROVEN)'}:")
    terminal.console().print(terminal.table(terminal.motor_rows(found.axes, found.errors), ("", *found.axes)))
    for sentence in found.told():
        click.echo(sentence)
