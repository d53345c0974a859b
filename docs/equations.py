"""Pages that lead from the equations of the papers to the code that computes them and the tests that hold it to them.

`equations.yaml` says which; this finds each function and each test by its name, so that nothing rots unseen: what was
renamed or taken away is a `LookupError`, which stops the building of the site.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import yaml

from limbless.core import citations

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "equations.yaml"
LONGEST = 60  # lines of code that a page shows of one function
BLOCK = re.compile(r"(?:^    \S.*\n(?:^ {4,}\S.*\n)*)", re.MULTILINE)
NUMBER = re.compile(r"^    \((\d+)\)|\((\d+)\)$", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    """A function, a method or a class where it is now."""

    name: str
    file: Path  # from the root of the repository
    line: int
    text: str

    @property
    def anchor(self) -> str:
        """Of its section on a page."""
        return re.sub(r"\W+", "-", f"{self.file.with_suffix('')} {self.name}").lower()

    def section(self) -> str:
        """Its source, with where it stands."""
        lines = self.text.splitlines()
        shown = lines if len(lines) <= LONGEST else [*lines[:LONGEST], f"    ... {len(lines) - LONGEST} lines more"]
        head = [f"### {self.name} {{#{self.anchor}}}", "", f"`{self.file}`, line {self.line}", ""]
        return "\n".join([*head, "```python", *shown, "```", ""])


@cache
def _parsed(file: Path) -> tuple[str, ast.Module]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return text, ast.parse(text)


def found(file: Path, name: str) -> Found:
    """By its name: `function`, `Class` or `Class.method`."""
    if not (ROOT / file).is_file():
        raise LookupError(f"docs/equations.yaml: there is no file {file}")
    text, node = _parsed(file)
    inside: Any = node
    for word in name.split("."):
        inside = next((part for part in inside.body if getattr(part, "name", None) == word), None)
        if inside is None:
            raise LookupError(f"docs/equations.yaml: {file} has no {name}")
    first = min([inside.lineno, *(each.lineno for each in inside.decorator_list)])
    source = "\n".join(text.splitlines()[first - 1 : inside.end_lineno])
    return Found(name, file, inside.lineno, source)


def computed_by(word: str) -> Found:
    """A function of the library, `file:name`."""
    file, name = word.split(":")
    return found(Path("src/limbless") / file, name)


@cache
def _tests() -> dict[str, list[Path]]:
    """Files of every test, by its name."""
    where: dict[str, list[Path]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            where.setdefault(name, []).append(path.relative_to(ROOT))
    return where


def held_by(word: str) -> Found:
    """A test, by its name; `file:name` where two have the same."""
    file, _, name = word.rpartition(":")
    files = [Path("tests") / file] if file else _tests().get(name, [])
    if len(files) != 1:
        raise LookupError(
            f"docs/equations.yaml: {len(files)} tests are called {name}; state its file where it is one of several"
        )
    return found(files[0], name)


@cache
def table() -> dict[str, Any]:
    """The equations of every model."""
    return dict(yaml.safe_load(TABLE.read_text(encoding="utf-8")))


def rows_of(model: str) -> dict[int, dict[str, Any]]:
    """Number -> its row."""
    return {number: row for row in table()[model]["rows"] for number in row["numbers"]}


def shown(markdown: str) -> set[int]:
    """Numbers that the equations of a page have, at the beginning or at the end of a line of an indented block."""
    return {int(one or two) for block in BLOCK.findall(markdown) for one, two in NUMBER.findall(block)}


def page(model: str) -> str:
    """Equations of one model with the code and the tests, whole."""
    paper = next(each for key, each in citations.PAPERS.items() if key.startswith(table()[model]["paper"]))
    lines = [
        f"# {model}: equations, code, tests",
        "",
        paper.text(),
        "",
        f"How they hang together: [{model}](../../models/{model}.md). Names lead to the source below.",
        "",
        "| equation | what it gives | computed by | held by |",
        "|---|---|---|---|",
    ]
    code: dict[str, Found] = {}
    tests: dict[str, Found] = {}
    for row in table()[model]["rows"]:
        numbers = ", ".join(f'<span id="eq-{number}">({number})</span>' for number in row["numbers"])
        cells = []
        for words, find, kept in ((row["code"], computed_by, code), (row["tests"], held_by, tests)):
            each = [find(word) for word in words]
            kept.update({one.anchor: one for one in each})
            cells.append("<br>".join(f"[`{one.name}`](#{one.anchor})" for one in each))
        lines.append(f"| {numbers} | {row['what']} | {cells[0]} | {cells[1]} |")
    for heading, kept in (("Code", code), ("Tests", tests)):
        lines += ["", f"## {heading}", "", *(one.section() for one in kept.values())]
    return "\n".join(lines)


def linked(markdown: str, model: str) -> str:
    """A page of a model whose equations lead to their code: numbers in its indented blocks are links."""
    known = rows_of(model)

    def block(match: re.Match[str]) -> str:
        text = match.group(0)
        if not any(int(one or two) in known for one, two in NUMBER.findall(text)):
            return text
        plain = "\n".join(line.removeprefix("    ") for line in text.splitlines())

        def link(number: re.Match[str]) -> str:
            inside, there = number.group(0), f"../reference/equations/{model}.html"
            value = int(inside.strip("()"))
            return f'<a href="{there}#eq-{value}">{inside}</a>' if value in known else inside

        body = re.sub(r"^\(\d+\)|\(\d+\)$", link, escape(plain, quote=False), flags=re.MULTILINE)
        return f"<pre><code>{body}</code></pre>\n"

    return BLOCK.sub(block, markdown)
