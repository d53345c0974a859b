"""Commands about limbless itself: `validate`, `bench`, `warmup`."""

from __future__ import annotations

import click

from limbless.cli.common import FAILED


@click.command()
@click.argument("names", metavar="[CASE]...", nargs=-1)
@click.option("--quick", is_flag=True, help="Only the fast cases, in less than two minutes.")
@click.option("--write", is_flag=True, help="Write the parts of docs/validation.md, and the figures, of these cases.")
@click.option(
    "--mutants", is_flag=True, help="Put each misprint of the papers back and count those that a test notices."
)
def validate(names: tuple[str, ...], quick: bool, write: bool, mutants: bool) -> None:
    """Compare limbless with papers, formulas and other engines.

    Runs the cases of the folder validation/ of the repository and prints what was measured, what was wanted and the
    verdict. With --write, these cases and their figures are written into docs/validation.md. All cases together also
    run the tests of the scorecard. The command ends with an error if a statement fails that is not a declared
    shortfall.

    \b
    Examples:
      limbless validate --quick
      limbless validate eel-planar
    """
    from limbless.core import checkout
    from limbless.view import terminal

    command = checkout.load("validation", "runner.validate")
    out = terminal.console()
    good = command.mutants(out) if mutants else command.validate(names, quick, out, write)
    click.get_current_context().exit(0 if good else FAILED)


@click.command()
@click.option("--only", multiple=True, metavar="PART", help="Measure this part and write nothing; may be repeated.")
@click.option("--quick", is_flag=True, help="Measure roughly, in about a minute, and write nothing.")
def bench(only: tuple[str, ...], quick: bool) -> None:
    """Compare the speed with other engines.

    Runs every speed target side by side with its peer (Pinocchio, MuJoCo, PyElastica) in one process, prints a table
    per part, and writes docs/benchmark.md. Needs a clone of the repository and the extra dev. Takes some minutes; leave
    the machine alone meanwhile.

    \b
    Examples:
      limbless bench
      limbless bench --only dynamics --quick
    """
    from limbless.core import checkout

    checkout.load("benchmarks", "command").bench(only, quick, click.echo)


@click.command()
def warmup() -> None:
    """Compile all kernels ahead of the first run.

    Compiled code of other versions that nobody has used for a month is removed.

    \b
    Example:
      limbless warmup
    """
    from limbless.mechanics.compiled import is_cache_empty, prune_cache

    old = prune_cache()
    if old:
        click.echo(
            f"Removed compiled code of {len(old)} other version{'s' if len(old) > 1 else ''} that nobody has "
            "used for a month."
        )
    click.echo(
        "Compiling the kernels; this takes a minute."
        if is_cache_empty()
        else "Kernels have been compiled before; checking all of them."
    )
    from limbless.cli.warmup import warm_all

    warm_all(click.echo)
    click.echo("Done.")
