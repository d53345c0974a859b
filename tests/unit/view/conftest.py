"""A short swim, run once for all tests of the view."""

from __future__ import annotations

import pytest

import limbless as ll
from limbless.simulation.result import Result


@pytest.fixture(scope="session")
def swim() -> Result:
    return ll.run("eel-planar", {"duration": 2.0})
