"""Equations of the papers lead to code and tests that are there."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
EQUATIONS = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "equations.py")))


@pytest.mark.parametrize("model", EQUATIONS.table())
def test_every_number_of_a_page_has_its_code_and_its_test(model: str) -> None:
    markdown = (ROOT / "docs" / "models" / f"{model}.md").read_text()
    assert EQUATIONS.shown(markdown) <= set(EQUATIONS.rows_of(model))
    page = EQUATIONS.page(model)  # LookupError where a name is gone
    for row in EQUATIONS.table()[model]["rows"]:
        assert row["code"] and row["tests"]
        for word in row["code"]:
            name = word.split(":")[1]
            assert f"[`{name}`](#" in page
            assert f"def {name.split('.')[-1]}(" in page or f"class {name}(" in page


def test_numbers_become_links_and_code_keeps_its_text() -> None:
    text = "Before:\n\n    (34)  H_j = a^T <J> a\n    more\n\n```python\nx = 1\n    (99)\n```\n"
    made = EQUATIONS.linked(text, "newton-euler")
    link = '<a href="../reference/equations/newton-euler.html#eq-34">(34)</a>'
    assert f"<pre><code>{link}  H_j = a^T &lt;J&gt; a\nmore" in made
    assert "    (99)" in made and EQUATIONS.shown(text) == {34, 99}


@pytest.mark.parametrize(
    ("word", "told"),
    [("mechanics/chain/none.py:move", "there is no file"), ("mechanics/chain/joints.py:none", "has no none")],
)
def test_what_is_gone_is_said(word: str, told: str) -> None:
    with pytest.raises(LookupError, match=told):
        EQUATIONS.computed_by(word)
    with pytest.raises(LookupError, match="0 tests are called test_none"):
        EQUATIONS.held_by("test_none")
