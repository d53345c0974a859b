"""Executes the notebooks of docs/notebooks and writes what they show: `python docs/notebooks.py [NAME ..]`.

A notebook is a page of Markdown. Its Python blocks share their names, in the order of reading. Below a block, between
`<!-- output -->` and `<!-- end -->`, stands what the block printed and the figures that it left open; figures are
small files in docs/images/notebooks. The site also offers each page as an .ipynb file.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "notebooks"
IMAGES = Path(__file__).parent / "images/notebooks"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n<!-- output -->\n.*?<!-- end -->\n)?", re.MULTILINE | re.DOTALL)


def folded(line: str) -> list[str]:
    """A printed line in parts of at most 116 characters."""
    return textwrap.wrap(line, 116, subsequent_indent="    ") if len(line) > 116 else [line]


def executed(page: Path) -> str:
    """The page with the outputs of its blocks."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    names: dict[str, Any] = {"__name__": "__main__"}
    count = 0

    def shown(block: re.Match[str]) -> str:
        nonlocal count
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block[1], page.name, "exec", dont_inherit=True), names)
        text = [part for line in printed.getvalue().rstrip().splitlines() for part in folded(line)]
        lines = ["```text", *text, "```", ""] if text else []
        for number in plt.get_fignums():
            count += 1
            image = IMAGES / f"{page.stem}-{count}.png"
            plt.figure(number).savefig(image, dpi=72, metadata={"Software": None})
            lines += [f"![What the code above draws](../images/notebooks/{image.name})", ""]
        plt.close("all")
        output = "\n".join(["", "<!-- output -->", *lines, "<!-- end -->", ""]) if lines else ""
        return f"```python\n{block[1]}```\n{output}"

    return BLOCK.sub(shown, page.read_text(encoding="utf-8"))


def notebook(page: Path) -> str:
    """The page as an .ipynb file, to be executed by its reader."""
    text = re.sub(r"\n<!-- output -->\n.*?<!-- end -->\n", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    cells = []
    for number, part in enumerate(re.split(r"^```python\n(.*?)^```\n", text, flags=re.MULTILINE | re.DOTALL)):
        if not part.strip():
            continue
        cell: dict[str, Any] = {"cell_type": "code" if number % 2 else "markdown", "id": f"cell-{number}"}
        cell |= {"metadata": {}, "source": part.strip().splitlines(keepends=True)}
        cells.append(cell | ({"execution_count": None, "outputs": []} if number % 2 else {}))
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


if __name__ == "__main__":
    pages = [FOLDER / f"{name}.md" for name in sys.argv[1:]] or sorted(FOLDER.glob("*.md"))
    for path in pages:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            path.write_text(executed(path), encoding="utf-8")
