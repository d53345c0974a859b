"""Files that are no scenarios: what they are, and which command takes them."""

from __future__ import annotations

from pathlib import Path

import click

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
