"""What all tests share: figures without a display, and property tests that do the same every time."""

from __future__ import annotations

import gc
import itertools
import os
import re
from fnmatch import translate
from pathlib import Path

import pytest
from hypothesis import settings
from ruamel.yaml import YAML

os.environ["MPLBACKEND"] = "Agg"

# No deadline: the first example may compile a kernel. Derandomised: a failure here is a failure everywhere.
settings.register_profile("limbless", deadline=None, derandomize=True, database=None)
settings.load_profile("limbless")


EVERY = ("--every-case", "--every-scenario", "--every-field")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run what is marked `long`, and only that (`make test-long`)")
    parser.addoption("--every-case", action="store_true", help="run all random scenarios (a quarter of an hour)")
    parser.addoption(
        "--every-scenario", action="store_true", help="take every scenario through the studio, with a few of its fields"
    )
    parser.addoption(
        "--every-field", action="store_true", help="type every field of every scenario into the studio (half an hour)"
    )


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Kernels stay for good: what a module of tests leaves is not looked at again by every later collection."""
    if nextitem is None or nextitem.path != item.path:
        gc.freeze()


def _long_patterns() -> dict[str, dict[str, re.Pattern[str]]]:
    """By file, each as it is written, and ready: `fnmatch` itself keeps 256 of them."""
    table = YAML(typ="safe").load(Path(__file__).with_name("long.yaml"))
    found: dict[str, dict[str, re.Pattern[str]]] = {}
    for pattern in itertools.chain(*table.values()):
        found.setdefault(pattern.partition("::")[0], {})[pattern] = re.compile(translate(pattern))
    return found


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`make test` takes ten minutes at most: what is marked `long`, or named in `long.yaml`, runs in `make test-long`.

    A test that is asked for by its name runs, long or not, and so do all where every case, scenario or field is.
    """
    if any("::" in argument for argument in config.args) or any(config.getoption(option) for option in EVERY):
        return
    patterns, found = _long_patterns(), set()
    for item in items:
        of_file = patterns.get(item.nodeid.partition("::")[0], {})
        fitting = {pattern for pattern, ready in of_file.items() if ready.match(item.nodeid)}
        if fitting:
            item.add_marker("long")
            found |= fitting
    whole = config.args == config.getini("testpaths") and not config.getoption("ignore")
    named = set(itertools.chain(*patterns.values()))
    if whole and found != named:
        raise pytest.UsageError(f"tests/long.yaml names no test with {sorted(named - found)}")
    asked = config.getoption("--long")
    chosen, others = [], []
    for item in items:
        (chosen if (item.get_closest_marker("long") is not None) == asked else others).append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = chosen
