"""What all tests share: figures without a display, and property tests that do the same every time."""
from __future__ import annotations

import os

import pytest
from hypothesis import settings

os.environ["MPLBACKEND"] = "Agg"

# No deadline: the first example may compile a kernel. Derandomised: a failure here is a failure everywhere.
settings.register_profile("limbless", deadline=None, derandomize=True, database=None)
settings.load_profile("limbless")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what is marked `long`, and only that (`make test-long`)")
    parser.addoption("--every-case", action="store_true", help="run all random scenarios (a quarter of an hour)")
    parser.addoption("--every-scenario", action="store_true", help="take every scenario through the studio, with a "
                                                                   "few of its fields")
    parser.addoption("--every-field", action="store_true", help="type every field of every scenario into the studio "
                                                                "(half an hour)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`make test` takes ten minutes at most: what is marked `long` runs in `make test-long`."""
    asked = config.getoption("--long")
    chosen, others = [], []
    for item in items:
        (chosen if (item.get_closest_marker("long") is not None) == asked else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen
