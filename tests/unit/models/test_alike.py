"""All models are laid out and made in the same way, and each takes its settings once."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import limbless as ll
from limbless.models.base import ModelSettings
from limbless.models.chain.chain_model import ChainModel
from limbless.models.statics.statics_tasks import TendonTask
from limbless.scenarios.scenario import Scenario

FOLDERS = sorted(path.parent for path in Path(ll.models.base.__file__).parent.glob("*/__init__.py"))
FILES = {"settings.py", "model.py", "tables.py", "recording.py", "solution.py"}
MODELS: dict[Any, type[ModelSettings]] = {
    ll.NewtonEuler: ll.NewtonEulerSettings,
    ll.NonSmooth: ll.NonSmoothSettings,
    ll.Geometric: ll.GeometricSettings,
    ll.MacroContinuous: ll.MacroContinuousSettings,
    ll.Soft: ll.SoftSettings,
    ll.TendonStatics: ll.TendonStaticsSettings,
    TendonTask: ll.TendonStaticsSettings,
}
SCENARIOS = {
    "newton-euler": "eel-planar",
    "non-smooth": "snake-pegs",
    "geometric": "wheeled-snake-crawl",
    "macro-continuous": "rod-swim",
    "soft": "neck-swing-air",
    "tendon-statics": "neck-planar",
}


def test_every_folder_has_the_same_files() -> None:
    assert len(FOLDERS) == 6
    for folder in FOLDERS:
        assert {path.name for path in folder.glob("*.py")} >= FILES, folder.name


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_is_made_in_the_same_way(model: Any) -> None:
    found = inspect.signature(model).parameters
    positional = [name for name, one in found.items() if one.kind is not one.KEYWORD_ONLY]
    assert positional == ["robot", "environment", "actuation", "settings"]
    assert [found[name].default for name in positional[1:]] == [(), None, None]


@pytest.mark.parametrize("kind", SCENARIOS)
def test_settings_hand_themselves_to_their_model(kind: str) -> None:
    scenario = Scenario.load(SCENARIOS[kind])
    made: Any = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    assert scenario.model.kind == kind and made.settings is scenario.model
    assert MODELS[type(made)] is type(scenario.model) and type(made)(scenario.robot).settings == type(made.settings)()


def test_settings_and_actuations_of_another_kind_are_refused_in_words() -> None:
    with pytest.raises(ll.InputError, match=r"this model takes GeometricSettings\(\.\.\.\); got 'group'"):
        ll.Geometric(ll.WangSnake(), settings="group")  # type: ignore[arg-type]
    with pytest.raises(ll.InputError, match=r"actuation: Motion\(\), .* got MacroContinuousSettings"):
        ll.MacroContinuous(ll.Rod(), (), ll.MacroContinuousSettings())  # type: ignore[arg-type]


def test_what_models_of_a_chain_share_is_written_once() -> None:
    shared = {
        "with_torque",
        "observe",
        "drive",
        "step_limit",
        "variables",
        "schema",
        "sound_records",
        "fastest",
        "_position_columns",
        "_put_joints",
    }
    assert shared <= vars(ChainModel).keys()
    for model in (ll.NewtonEuler, ll.NonSmooth, ll.Geometric):
        assert issubclass(model, ChainModel)
        assert not vars(model).keys() & (shared - {"drive", "step_limit", "observe"})
