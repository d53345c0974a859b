"""Scenarios as a command line names them: with fields changed, and Python code only where the user allows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limbless.cli.common import say
from limbless.cli.file_types import refuse_other_files

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario


def permitted(source: str, changes: dict[str, Any], allow_code: bool) -> Scenario:
    """A scenario to be run; Python code that it names is loaded if the user allows it, now or
    before, and refused otherwise.
    """
    from limbless.core.functions.callables import named_in
    from limbless.scenarios.scenario import Scenario

    refuse_other_files(source)
    chosen = Scenario.load(source, changes)
    named = named_in(chosen)
    if not named:
        chosen.refuse_incomplete()
        return chosen
    from limbless.core.functions import code_permission

    folders = code_permission.folders_of(named, source)
    if not code_permission.allowed(folders):
        if not (allow_code or _agreed(source, named, folders)):
            chosen.refuse_incomplete()
        _remember(folders)
    return Scenario.load(source, changes, allow_code=True)


def may_run_again(source: str | Scenario | None, given: str, allow_code: bool) -> bool:
    """Whether the studio may load the code of what it shows when a field is changed: a saved run is
    shown without running any.
    """
    from limbless.core.functions import code_permission
    from limbless.core.functions.callables import named_in
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import FILE_NAME

    named = named_in(Scenario.load(source)) if source is not None else {}
    home = Path(given) / FILE_NAME if Path(given).is_dir() else Path(given)
    return bool(named) and (allow_code or code_permission.allowed(code_permission.folders_of(named, home)))


def at_terminal() -> bool:
    """Whether somebody sits there who can be asked."""
    import sys

    return sys.stdin.isatty() and sys.stderr.isatty()


def _agreed(source: str, named: Mapping[str, Any], folders: list[Path]) -> bool:
    """Ask whoever sits at the terminal; nobody there means no."""
    if not at_terminal():
        return False
    code = "\n".join(f"  {path}: {function.text}" for path, function in named.items())
    say(f"{source} names Python code, and running it executes that code:\n{code}\nLook at it before you say yes.")
    say(f"Yes holds from now on for scenarios in {' and '.join(map(str, folders))}.")
    return click.confirm("Run it?", err=True)


def _remember(folders: list[Path]) -> None:
    from limbless.core.functions import code_permission

    where = " and ".join(map(str, folders))
    try:
        say(
            f"Python code that scenarios in {where} name is allowed from now on (kept in "
            f"{code_permission.remember(folders)})"
        )
    except OSError as error:
        say(f"Python code is allowed for this run only: it could not be remembered ({error})")


def changes_in(settings: Iterable[str]) -> dict[str, Any]:
    """`path=value` words as a mapping; the value is YAML."""
    from limbless.core import InputError
    from limbless.scenarios.document import parse_value

    changes = {}
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not path.strip() or not equals or not text.strip():
            raise InputError(f"--set {setting}: give path=value, such as --set gait.amplitude=0.08 (null for nothing)")
        changes[path.strip()] = parse_value(text, f"--set {setting}")
    return changes
