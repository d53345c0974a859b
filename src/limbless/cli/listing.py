"""Commands that tell what there is: `list`, `describe`, `cite`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from limbless.cli.completion import complete_names, complete_scenarios


@click.command("list")
@click.argument("what", required=False)
def list_(what: str | None) -> None:
    """Show every scenario and kind there is.

    WHAT shows one list only: scenarios, robots, presets, gaits, environments, actuations, controllers or models.

    \b
    Example:
      limbless list gaits
    """
    from limbless.view import terminal

    out = terminal.console()
    for heading, rows in terminal.listing(what):
        out.print(heading, style="bold")
        out.print(terminal.table((f"  {name}", line) for name, line in rows) if rows else "  (none)")


@click.command()
@click.argument("name", shell_complete=complete_names)
def describe(name: str) -> None:
    """Show a scenario, or the fields of a kind.

    Fields are shown with type, unit, default and meaning. NAME is a scenario, the path of a .yaml, a kind that
    `limbless list` shows, or the word scenario.

    \b
    Examples:
      limbless describe eel-planar
      limbless describe body-wave
    """
    from limbless.view import terminal

    terminal.describe(name, terminal.console())


@click.command()
@click.argument("name", required=False, shell_complete=complete_scenarios)
def cite(name: str | None) -> None:
    """Show how to cite the paper of a scenario.

    In plain text and BibTeX. NAME is a scenario, the path of a .yaml or a paper's key; without it all papers are shown.

    \b
    Example:
      limbless cite eel-planar
    """
    from limbless.core import PAPERS

    papers = list(PAPERS.values()) if name is None else [_paper(name)]
    click.echo("\n\n".join(f"{paper.text()}\n\n{paper.bibtex()}" for paper in papers))


def _paper(name: str) -> Any:
    from limbless.core import PAPERS, InputError, citations, nearest

    if name in PAPERS:
        return PAPERS[name]
    from limbless.scenarios import document, loader

    if name not in loader.names() and Path(name).suffix not in (".yaml", ".yml"):
        told = nearest(name, loader.names(), "list scenarios")
        raise InputError(f"no scenario and no paper is called {name!r}; {told}, `limbless cite` all papers")
    key = document.read_file(loader.path_of(name) if name in loader.names() else Path(name)).data.get("paper")
    if key is None:
        raise InputError(f"the scenario {name} names no paper")
    return citations.find(key)
