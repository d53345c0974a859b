"""The documentation site: it builds without a network, warnings are errors, and no page is lost."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import limbless
from limbless.core import registry

ROOT = Path(__file__).parents[2]


def test_the_site_builds_and_shows_what_the_code_has(tmp_path: Path) -> None:
    """`make docs`, as it stands; broken links, lost headings and names that are gone are warnings."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")}
    answer = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", tmp_path],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, (answer.stdout + answer.stderr)[-3000:]
    api = (tmp_path / "api.html").read_text()
    assert [name for name in limbless.__all__ if f">{name}" not in api and name != "__version__"] == []
    assert "api.html#chain" in (tmp_path / "start" / "own-robot.html").read_text()  # `ll.Chain...` leads to its entry
    notes = sorted((ROOT / "docs/notebooks").glob("*.md"))
    assert len(notes) >= 5 and all("<!-- output -->" in page.read_text() for page in notes)  # they were executed
    made = [json.loads((tmp_path / f"notebooks/{page.stem}.ipynb").read_text()) for page in notes]
    assert all({cell["cell_type"] for cell in one["cells"]} == {"code", "markdown"} for one in made)
    matrix = (tmp_path / "choose.html").read_text()
    assert all(kind in matrix for kind in registry.kinds("model"))
    start = (tmp_path / "index.html").read_text()
    assert all(page.with_suffix(".html").name in start for page in (ROOT / "docs").glob("*.md"))  # in the navigation
    fetched = [word for word in ("fonts.googleapis", "unpkg.com", "cdn.") if word in start]
    assert fetched == []
    # the search of pages that are opened from a file: its index as a script, and what stands in for a worker
    assert (tmp_path / "search/search_index.js").is_file() and (tmp_path / "iframe-worker.js").is_file()
    assert 'src="../iframe-worker.js"' in (tmp_path / "start/own-robot.html").read_text()


def test_pages_that_repeat_the_code_are_complete_in_the_repository() -> None:
    """Whoever reads them in a clone sees what the code has; `python docs/site_pages.py` writes them again."""
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / "docs/site_pages.py")
    assert spec is not None and spec.loader is not None
    pages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(pages)
    made = pages.complete()
    assert {name for name, text in made.items() if (ROOT / "docs" / name).read_text() != text} == set()
    assert "| `regularised-friction` |" in made["choose.md"]
    assert all(f"\n### {kind}\n" in made["kinds.md"] for kind in registry.kinds("preset"))
    assert all(f"| `{field}` |" in made["kinds.md"] for field in ("pitch_lead", "slip_speed", "through", "immersed"))
