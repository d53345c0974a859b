"""A room knows only the rooms above it: the order is that of CONTRIBUTING, and every
import in the library keeps it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "src" / "limbless"
ORDER = re.search(r"```text\n(core\n.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
DOORS = {
    ("simulation/result/show.py", "view"),
    ("simulation/result/result.py", "view"),
    ("search/studies/__init__.py", "view"),
    ("simulation/result/result.py", "interop/logs"),
}
"""A result shows and exports itself: what draws or writes is imported when it is asked to, and for its types."""


def places() -> dict[str, int]:
    """Every room -> its place from above; rooms that stand in one line have the same one."""
    assert ORDER is not None
    return {name: place for place, line in enumerate(ORDER[1].splitlines()) for name in line.split()}


def room(parts: tuple[str, ...]) -> str:
    """The innermost folder, or module, that has a place of its own."""
    known = places()
    return next(("/".join(parts[:n]) for n in (2, 1) if "/".join(parts[:n]) in known), parts[0])


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
    assert rooms - {"__init__", "mechanics", "interop"} == set(known)


def test_a_room_knows_only_the_rooms_above_it() -> None:
    known = places()
    wrong = []
    for path in sorted(LIBRARY.rglob("*.py")):
        name = path.relative_to(LIBRARY)
        own = room(name.with_suffix("").parts)
        for other in imports(path):
            if other in known and own in known and known[other] > known[own] and (str(name), other) not in DOORS:
                wrong.append(f"{name} knows {other}")
    assert not wrong
