"""What every registered kind keeps: it says what it is, and its numbers say their units."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any, get_args, get_origin

import pytest

from limbless.control.gaits.base import DRIVES
from limbless.core import registry
from limbless.core.description import Description
from limbless.core.fields import nested, rows, unit_of
from limbless.environments.base import ROLES
from limbless.scenarios.scenario import Initial, Scenario
from limbless.view.terminal import first_line

REGISTERED = [(family, kind, cls) for family in registry._FOLDERS for kind, cls in registry.kinds(family).items()]
NAMES = [f"{family}:{kind}" for family, kind, _ in REGISTERED]
EVERY = list(
    dict.fromkeys(
        cls for _, _, top in [*REGISTERED, ("", "", Scenario), ("", "", Initial)] for cls in (top, *nested(top))
    )
)


DIRECTIONS = {"axis", "second_axis", "lateral", "direction", "orientation", "state"}
"""Numbers that have no unit: unit vectors, quaternions, and what a law of the user's own keeps."""


def holds_numbers(annotation: Any) -> bool:
    """Whether a type is or contains float (counts, which are int, need no unit)."""
    if annotation is float:
        return True
    return get_origin(annotation) is not type and any(holds_numbers(part) for part in get_args(annotation))


@pytest.mark.parametrize(("family", "kind", "cls"), REGISTERED, ids=NAMES)
def test_kinds_are_words_of_their_class(family: str, kind: str, cls: type[Description]) -> None:
    tag = "preset" if family == "preset" else "kind"
    assert cls.model_fields[tag].default == kind == kind.lower() and " " not in kind
    assert isinstance(cls.model_fields["kind"].default, str)
    assert registry.find(family, kind) is cls
    if family == "model":
        model: Any = cls
        assert model.takes_robots and model.takes_roles and model.takes_actuations and model.takes_drives


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_every_description_says_what_it_is(cls: type[Description]) -> None:
    text = inspect.getdoc(cls) or ""
    inherited = [base.__doc__ for base in cls.__mro__[1:]]
    assert len(text) > 10 and cls.__doc__ not in inherited
    assert first_line(cls).endswith((".", ":")) and len(first_line(cls)) < 200, "`limbless list` shows a whole sentence"


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_numbers_have_units_and_fields_have_meanings(cls: type[Description]) -> None:
    fields = {name: field for name, field in cls.model_fields.items() if name not in ("kind", "preset", "shape")}
    numbers = {
        name: field for name, field in fields.items() if holds_numbers(field.annotation) and name not in DIRECTIONS
    }
    assert not [name for name, field in numbers.items() if not unit_of(field)], "numbers without a unit"
    assert not [name for name, field in fields.items() if not field.description], "fields without a meaning"


@pytest.mark.parametrize("cls", EVERY, ids=lambda cls: cls.__name__)
def test_fields_can_be_put_in_words(cls: type[Description]) -> None:
    for row in rows(cls):
        assert row.type and "typing" not in row.type and "<" not in row.type.replace(" < ", "").replace(" <= ", ""), row


def test_a_run_imports_only_the_model_that_it_names() -> None:
    """Others would cost a fresh interpreter a quarter of a second; all are there as soon as
    somebody asks what there is.
    """
    code = (
        "import sys, limbless as ll; ll.Scenario.load('eel-planar'); assert 'limbless.models.nonsmooth' not in "
        "sys.modules; ll.Scenario.load('snake-pegs'); assert 'limbless.models.nonsmooth' in sys.modules; assert "
        "'limbless.models.geometric' not in sys.modules; from limbless.core import registry; assert "
        "len(registry.kinds('model')) > 4"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_roles_and_drives_are_all_named_where_they_are_defined() -> None:
    models = list(registry.kinds("model").values())
    assert {role for model in models for role in model.takes_roles} == set(ROLES)
    assert {drive for model in models for drive in model.takes_drives} == set(DRIVES)
