"""The rod against `Rod.to_chain(n)` in the Newton-Euler model, as the documents draw it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[3] / "docs"


def test_chain_tends_to_the_rod_with_the_square_of_its_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Invariant 8: motion of the head and wrench inside over a whole run, four refinements, fitted orders."""
    monkeypatch.syspath_prepend(str(DOCS))
    import rod_and_chain as both

    found = both.differences()
    assert len(found) == 5
    for name, values in found.items():
        assert 1.9 < both.order(both.LINKS, values) < 2.1, name
        assert values[-1] < 1e-3
    picture = both.draw(tmp_path / "picture.png", links=(5, 10), cells=16, duration=0.1)
    assert picture.stat().st_size > 1000
    sys.modules.pop("rod_and_chain")
