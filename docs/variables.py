"""Writes the tables of docs/results.md from the catalogue of variables: `python docs/variables.py`."""

from __future__ import annotations

import re
from pathlib import Path

from limbless.models import variables
from limbless.models.base import Variable

PAGE = Path(__file__).with_name("results.md")
HEAD = "| variable | dimensions | unit | frame | meaning |\n|---|---|---|---|---|\n"


def row(name: str, variable: Variable, record: str) -> str:
    """A line of a table."""
    dims = ", ".join(([] if variable.final or not record else [record]) + list(variable.dims))
    meaning = f"{variable.long_name} ({variable.remark})" if variable.remark else variable.long_name
    return f"| `{name}` | {dims} | {variable.units} | {variable.frame} | {meaning} |\n"


def with_tables(page: str) -> str:
    """The page, with each table between its two marks written anew."""

    def table(match: re.Match[str]) -> str:
        group, record = match[1], match[2] or ""
        rows = "".join(row(name, variable, record) for name, variable in getattr(variables, group.upper()).items())
        return f"<!-- variables: {match[1]}{f' by {record}' if record else ''} -->\n{HEAD}{rows}<!-- end -->"

    return re.sub(r"<!-- variables: (\w+)(?: by (\w+))? -->\n.*?<!-- end -->", table, page, flags=re.DOTALL)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
