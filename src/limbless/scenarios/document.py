"""Scenario files as text: YAML 1.2 in, with the line of every entry; plain, complete YAML out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedSeq, TaggedScalar
from ruamel.yaml.constructor import DuplicateKeyError
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.representer import RoundTripRepresenter
from ruamel.yaml.scalarbool import ScalarBoolean
from ruamel.yaml.scalarstring import LiteralScalarString

from limbless.core import InputError, Place, refuse_pipe

DEEPEST = 50
"""Levels of nesting; a scenario has about six, an alias that contains itself has no end."""
_LONGEST = 4_000_000
"""Characters of a text: a table of half a million heights; reading it takes a minute."""
_KEPT = 20_000
"""Characters of a text whose marks are kept for the next time that it is read."""
_MOST = 1_000_000
"""Entries once aliases are written out: a few lines of aliases of aliases could stand for
more than any memory holds.
"""
_STEEPEST = 1000
"""Brackets open at once, wherever they stand: the reader's time grows with their square."""
_LARGEST = 1024
"""Bits of a whole number; beyond them it is no number that can be computed with, and too long to be shown."""
_UNTEXT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that no text of a scenario holds: they would steer a terminal, or cannot be written to a file."""


class Document:
    """A scenario as it was written: plain data, and where each entry stands.

    Attributes
    ----------
    where : the name that messages give it (a path, or the name of a built-in scenario).
    folder : where paths in it start, or None.
    data : dicts, lists and scalars.
    """

    def __init__(self, where: str, data: Mapping[str, Any], folder: Path | None = None, marked: Any = None) -> None:
        self.where, self.folder, self.data, self._marked = where, folder, dict(data), marked

    def line(self, path: Place) -> int | None:
        """The line (from 1) of an entry, or of the nearest entry around it that is written;
        None for the file as a whole.
        """
        here, line = self._marked, None
        for part in path:
            marks = getattr(getattr(here, "lc", None), "data", None) or {}
            if part not in marks:
                break
            line, here = marks[part][0] + 1, here[part]
        return line

    def place(self, path: Place) -> str:
        """`file.yaml:12`, the beginning of a message about an entry."""
        line = self.line(path)
        return self.where if line is None else f"{self.where}:{line}"


def read_file(path: Path, where: str | None = None, folder: Path | None = None) -> Document:
    """A scenario file; everything that keeps it from being read is an `InputError` in one sentence."""
    shown = where or str(path)
    if path.is_dir():
        inside = path / "scenario.yaml"
        raise InputError(
            f"{shown} is a folder, not a scenario file" + (f"; did you mean {inside}?" if inside.is_file() else "")
        )
    refuse_pipe(path)
    try:
        with path.open("rb") as file:
            text = file.read(4 * _LONGEST + 1).decode("utf-8-sig")  # no more: it may be a device that never ends
    except FileNotFoundError:
        raise InputError(f"there is no file {shown}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{shown} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        raise InputError(f"{shown} cannot be read: {getattr(error, 'strerror', error)}") from None
    return read_text(text, shown, folder)


def read_text(text: str, where: str, folder: Path | None = None) -> Document:
    """The text of a scenario file."""
    marked = parse(text, where)
    if marked is None:
        raise InputError(f"{where} is empty; a scenario needs at least a robot and a gait")
    data = _plain(marked, where)
    if not isinstance(data, dict):
        raise InputError(f"{where} holds {_sort_of(data)}; a scenario is a mapping of fields such as  duration: 30.0")
    return Document(where, data, folder, marked)


def parse_value(text: str, where: str) -> Any:
    """A single value written as YAML: `0.08`, `30 deg`, `[0.1, 0, 0]`, `{kind: water}`."""
    return _plain(parse(text, where), where)


def parse(text: str, where: str) -> Any:
    """YAML 1.2 with the marks of its lines; syntax errors and keys written twice are refused with line and column."""
    if len(text) > _LONGEST:
        raise InputError(
            f"{where} has more than {_LONGEST} characters, the most that a scenario may have; put long tables into "
            "files of their own (`file`)"
        )
    if _brackets(text) > _STEEPEST:
        raise InputError(f"{where} is nested too deeply")
    try:
        return _marked(text) if len(text) < _KEPT else _marked.__wrapped__(text)
    except RecursionError:
        raise InputError(f"{where} is nested too deeply") from None
    except DuplicateKeyError as error:
        key = str(error.problem).partition('"')[2].partition('"')[0]
        raise InputError(
            f"{where}:{error.problem_mark.line + 1}: {key!r} is written twice in the same mapping; keep one"
        ) from None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        context = f" ({error.context})" if error.context else ""
        raise InputError(f"{where}{place}: not valid YAML: {error.problem}{context}") from None
    # damaged tags and keys: the reader raises what its parts raise
    except Exception as error:
        told = str(error) if isinstance(error, YAMLError | ValueError) else f"{type(error).__name__}: {error}"
        raise InputError(f"{where}: not valid YAML: {' '.join(told.split())}") from None


@lru_cache(maxsize=128)
def _marked(text: str) -> Any:
    """Nobody changes it: `_plain` copies. A scenario is read again and again, for every value that is tried."""
    return YAML(typ="rt").load(text)


def _brackets(text: str) -> int:
    """How many brackets are open at once, at most."""
    return max(
        itertools.accumulate(1 if found[0] in "[{" else -1 for found in re.finditer(r"[\[\]{}]", text)), default=0
    )


def _written_out(value: Any, where: str, known: dict[int, int], depth: int = 0) -> int:
    """How many entries there are once every alias is written out, each counted from the one
    place where it is written.
    """
    if depth > DEEPEST:
        raise InputError(f"{where} is nested more than {DEEPEST} levels deep, or an alias in it contains itself")
    inside = list(value.values()) if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    if id(value) not in known:
        known[id(value)] = 1 + sum(_written_out(item, where, known, depth + 1) for item in inside)
    return known[id(value)]


def _plain(value: Any, where: str, depth: int = 0) -> Any:
    """Without marks, comments and styles: dict, list, str, int, float, bool, None (dates stay as they are and are
    refused later).
    """
    if depth == 0 and _written_out(value, where, {}) > _MOST:
        raise InputError(
            f"{where} has more than {_MOST} entries once its aliases (*name) are written out; a scenario "
            "needs far fewer"
        )
    if depth > DEEPEST:
        raise InputError(f"{where} is nested more than {DEEPEST} levels deep, or an alias in it contains itself")
    if isinstance(value, Mapping):
        return {str(key): _plain(item, where, depth + 1) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item, where, depth + 1) for item in value]
    if isinstance(value, TaggedScalar):
        return str(value.value)
    if isinstance(value, bool | ScalarBoolean):
        return bool(value)
    if isinstance(value, int) and value.bit_length() > _LARGEST:
        raise InputError(
            f"{where} holds a whole number of {value.bit_length()} bits, more than any number that is computed with has"
        )
    if isinstance(value, str) and (found := _UNTEXT.search(value)):
        raise InputError(f"{where} holds the control character {found[0]!r} in a text; leave it out")
    for sort in (int, float, str):
        if isinstance(value, sort):
            return sort(value)
    return value


def _sort_of(value: Any) -> str:
    """What a file holds that is no mapping; never the text itself, which may be anybody's."""
    return "a list" if isinstance(value, list) else "a text" if isinstance(value, str) else f"only {value!r:.40}"


class _Representer(RoundTripRepresenter):
    """Writes `null` for None (an empty place could be taken for something forgotten)."""


_Representer.add_representer(type(None), lambda self, _: self.represent_scalar("tag:yaml.org,2002:null", "null"))


def written(data: Mapping[str, Any]) -> str:
    """Data as YAML: mappings by lines, lists of numbers in brackets, floats with the digits
    that give them back exactly.
    """
    yaml = YAML(typ="rt")
    yaml.Representer = _Representer
    yaml.default_flow_style = False
    yaml.width = 2**16  # lines are not broken: the writer would leave blanks at their ends
    yaml.indent(mapping=2, sequence=4, offset=2)
    stream = StringIO()
    yaml.dump(_styled(data), stream)
    return stream.getvalue()


def _styled(value: Any) -> Any:
    if isinstance(value, Mapping):
        tags = {tag: value[tag] for tag in ("kind", "preset") if tag in value}  # what it is comes first
        return {key: _styled(item) for key, item in {**tags, **value}.items()}
    if isinstance(value, str) and "\n" in value and not re.search(r"[ \t]\n", value):
        return LiteralScalarString(value)  # the source of a function, line by line
    if isinstance(value, Sequence) and not isinstance(value, str):
        items = CommentedSeq(_styled(item) for item in value)
        if not any(isinstance(item, Mapping | Sequence) for item in value):
            items.fa.set_flow_style()
        return items
    return value
