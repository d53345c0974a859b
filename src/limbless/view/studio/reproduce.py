"""The lines that give a run again, in Python and on the command line."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from limbless.core import functions_in
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario


def python_lines(source: str | Scenario | None, changes: Mapping[str, Any]) -> str:
    """Python that gives a scenario's run: by its name or file, or with the whole scenario in the text."""
    changed = f", {dict(changes)!r}" if changes else ""
    if source is None:
        return "# made of Python objects that no scenario can express\n"
    code = ", allow_code=True" if functions_in(Scenario.load(source)) else ""
    if isinstance(source, str):
        return f"import limbless as ll\n\nresult = ll.run({source!r}{changed}{code})\n"
    loaded = f"ll.Scenario.from_yaml({_quoted(source.to_yaml())}{code})"
    return f"import limbless as ll\n\nscenario = {loaded}\nresult = ll.run(scenario{changed})\n"


def _quoted(text: str) -> str:
    """A text of several lines as Python has it; one that could end its own quotes as `repr`."""
    plain = '"""' not in text and "\\" not in text and text.replace("\n", "").isprintable()
    return f'"""\n{text}"""' if plain else repr(text)


def command_line(name: str | None, changes: Mapping[str, Any]) -> str:
    """The command that gives it, for a scenario of the library."""
    settings = [word for path, value in changes.items() for word in ("--set", f"{path}={_yaml(value)}")]
    return shlex.join(["limbless", "run", name or "scenario.yaml", *settings])


def changes_of(scenario: Scenario) -> dict[str, Any] | None:
    """What differs from the scenario of the same name in the library, path -> value; None if there is none or it
    differs in kind.
    """
    if scenario.name not in loader.names():
        return None
    usual = Scenario.load(scenario.name)
    found: dict[str, Any] = {}
    same = _differences(usual.model_dump(mode="json"), scenario.model_dump(mode="json"), "", found)
    return found if same else None


def _differences(old: Any, new: Any, path: str, found: dict[str, Any]) -> bool:
    """Collect leaves that differ; False where the two have another form, so that no change by path
    leads from one to the other.
    """
    if isinstance(old, dict) and isinstance(new, dict):
        if old.keys() != new.keys() or any(old.get(tag) != new.get(tag) for tag in ("kind", "preset")):
            return False
        return all(_differences(old[key], new[key], f"{path}.{key}" if path else key, found) for key in old)
    if path == "environment" and isinstance(old, list) and isinstance(new, list):
        pairs = enumerate(zip(old, new, strict=False))
        return len(old) == len(new) and all(_differences(a, b, f"{path}.{number}", found) for number, (a, b) in pairs)
    if old != new:
        found[path] = new
    return True


def _yaml(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
