"""A room knows only the rooms on its left: the order is that of CONTRIBUTING, and every import in the library keeps it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src" / "limbless"
ORDER = re.search(r"```text\n(ground .*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
DOORS = {
    ("simulation/result/show.py", "view"),
    ("simulation/result/result.py", "view"),
    ("search/figure_door.py", "view"),
    ("simulation/result/result.py", "interop/logs"),
}
"""A result shows and exports itself: what draws or writes is imported when it is asked to, and for its types."""


def places() -> dict[str, int]:
    """Every room and module -> its place from the left; rooms of mechanics that stand together have the same one."""
    assert ORDER is not None
    lines = [line.split() for line in re.sub(r"\n +", " ", ORDER[1]).splitlines()]  # a long line goes on indented
    return {name: place for place, words in enumerate(lines) for name in words if name != "mechanics"}


def room(parts: tuple[str, ...]) -> str:
    """A folder of `interop` is a room of its own, like those of `mechanics`."""
    apart = parts[0] == "mechanics" or (parts[0] == "interop" and (LIBRARY / "/".join(parts[:2])).is_dir())
    return "/".join(parts[:2]) if apart and len(parts) > 1 else parts[0]


def imports(path: Path) -> list[str]:
    """The rooms that a module imports anything of, wherever in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module.count(".") else [f"{node.module}.{alias.name}" for alias in node.names]
        found += [tuple(name.split(".")[1:]) for name in names if name.startswith("limbless.")]
    return [room(parts) for parts in found]


def test_every_module_has_its_place() -> None:
    known = places()
    rooms = {room(path.relative_to(LIBRARY).with_suffix("").parts) for path in LIBRARY.rglob("*.py")}
    assert rooms - {"__init__", "mechanics/__init__"} == set(known) - {"ground"}


def test_a_room_knows_only_the_rooms_on_its_left() -> None:
    known = places()
    wrong = []
    for path in sorted(LIBRARY.rglob("*.py")):
        name = path.relative_to(LIBRARY)
        own = room(name.with_suffix("").parts)
        for other in imports(path):
            if other in known and own in known and known[other] > known[own] and (str(name), other) not in DOORS:
                wrong.append(f"{name} knows {other}")
    assert not wrong
