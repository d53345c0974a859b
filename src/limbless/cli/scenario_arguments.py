"""Scenarios as a command line names them: with fields changed, and Python code only where the user allows it.

Files that are no scenarios: what they are, and which command takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limbless.cli.common import say

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario


_ROBOT = ("robot", "limbless robot {path}", "describe the robot in a .yaml (limbless describe chain)")
_FILM = ("film", "limbless film {path}", "a gait is taken from a table: gait: {{kind: recorded, file: ...}}")
_VIDEO = (
    "film",
    "track points along the animal first (SLEAP, DeepLabCut, Tierpsy, ..), and give their file to `limbless film`",
    "",
)
_RESULT = ("plot", "limbless plot {path}", "")
_TABLE = (
    "run",
    "gait: {{kind: recorded, file: {path}}} in a scenario plays it joint by joint; `limbless film {path}` "
    "reads a tracked animal",
    "",
)
KINDS: dict[str, tuple[str, tuple[str, str, str]]] = {
    **dict.fromkeys((".urdf", ".xacro"), ("a robot description (URDF)", _ROBOT)),
    **dict.fromkeys((".mjcf", ".xml"), ("a robot or a world of MuJoCo (MJCF), or other XML", _ROBOT)),
    **dict.fromkeys((".sdf",), ("a robot description (SDF)", _ROBOT)),
    **dict.fromkeys((".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v"), ("a film", _VIDEO)),
    **dict.fromkeys((".wcon", ".npy", ".npz", ".h5", ".hdf5"), ("a data file, of a tracked animal perhaps", _FILM)),
    **dict.fromkeys((".csv", ".tsv", ".txt", ".dat"), ("a table", _TABLE)),
    ".nc": ("a data file", _RESULT),
    **dict.fromkeys((".mat", ".mcap", ".bag"), ("a file for other tools", ("", "", ""))),
    ".py": ("a Python program", ("run", "python {path}", "")),
    ".ipynb": ("a notebook", ("run", "jupyter lab {path}", "")),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".gif", ".svg", ".pdf"), ("a picture", ("", "", ""))),
    **dict.fromkeys((".html", ".htm"), ("a page (a report or a replay); open it in a browser", ("", "", ""))),
    **dict.fromkeys((".stl", ".obj", ".dae"), ("a mesh", _ROBOT)),
    **dict.fromkeys((".zip", ".gz", ".tar", ".tgz"), ("an archive; unpack it first", ("", "", ""))),
    ".md": ("a text", ("", "", "")),
    ".json": ("JSON data (summary.json of a run holds its numbers)", ("", "", "")),
}
"""Suffix -> what the file is; the command that takes it, how, and what to do where limbless has no such command."""


def refuse_other_files(name: str) -> None:
    """Refuse a file that is no scenario with what it is; a folder of a run that was made, with what shows it. A robot
    file is one: its robot in water, or on ground."""
    from limbless.core import InputError
    from limbless.interop.robots.robot_file import is_robot_file

    path = Path(name)
    if path.is_dir() and (path / "result.nc").is_file():
        raise InputError(
            f"{name} is the folder of a finished run; `limbless view {name}` shows it, `limbless run "
            f"{path / 'scenario.yaml'}` runs it again"
        )
    if is_robot_file(path) and path.is_file():
        return
    if path.suffix.lower() in KINDS and (path.is_file() or path.suffix.lower() not in (".md", ".txt", ".dat")):
        raise InputError(told_of(path) if path.is_file() else f"there is no file {name}; a scenario ends in .yaml")


def told_of(path: Path) -> str:
    """What a file is, and what takes it, in a sentence."""
    what, (command, form, otherwise) = KINDS[path.suffix.lower()]
    known = getattr(click.get_current_context().find_root().command, "commands", {})
    way = form if command in known else otherwise
    shown = way.format(path=path)
    hint = "" if not shown else f"; `{shown}`" if shown.startswith(("limbless", "python", "jupyter")) else f"; {shown}"
    return f"{path} is {what}, no scenario{hint}"


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
    from limbless.core.functions import callables, code_permission
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import FILE_NAME

    named = callables.named_in(Scenario.load(source)) if source is not None else {}
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
