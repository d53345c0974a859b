"""What limbless refuses, in the words of the page: a field by the name that it has there, not as a
command line or a file has it.
"""

from __future__ import annotations

import re

from limbless.scenarios.scenario import Scenario
from limbless.view.studio.tuning import knobs

_CHANGED = re.compile(r"^(\s*)--set ([\w.-]+)=.*?: ", re.DOTALL)
_WRITTEN = re.compile(r"^(\s*)[^\s:]+\.ya?ml(?::\d+)?: (?:([\w.-]+): )?")


def in_page_words(message: str, scenario: Scenario | None) -> str:
    """The sentence with the page's own names of fields; `scenario` is the one whose fields are shown."""
    names = {} if scenario is None else {knob.path: knob.name for knob in knobs(scenario)}
    return "\n".join(_in_page_words(line, names) for line in message.split("\n"))


def by_field(message: str, told: str, changed: str | None) -> dict[str, str]:
    """Path of a field -> what a message says of it, in the words `told` of the page. What names no field is about the
    one that was changed.
    """
    pairs = zip(message.split("\n"), told.split("\n"), strict=True)
    found = {
        match[2]: words.strip() for line, words in pairs if (match := _CHANGED.match(line) or _WRITTEN.match(line))
    }
    return {path: words for path, words in found.items() if path} or {changed or "": told}


def heading(group: str) -> str:
    """What the folder of a group of fields is called."""
    return group[:1].upper() + group[1:]


def _in_page_words(line: str, names: dict[str, str]) -> str:
    found = _CHANGED.match(line) or _WRITTEN.match(line)
    if found is None:
        return line
    space, path = found.groups()
    shown = _name(path, names) + ": " if path else ""
    return f"{space}{shown}{line[found.end() :]}"


def _name(path: str, names: dict[str, str]) -> str:
    """The field's own name; of a list that is shown number by number that of the first, without its number; of a whole
    description the folder's.
    """
    if path in names:
        return names[path]
    within = [name for other, name in names.items() if other.startswith(f"{path}.")]
    if not within:
        return path
    group, _, label = within[0].partition(", ")
    return f"{group}, {label.rpartition(' (')[0].rpartition(' ')[0] or label}" if "." in path else group
