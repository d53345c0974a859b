"""The ladder names differences right: those of the model, and those of numerics."""

from __future__ import annotations

import pytest

import limbless as ll
from limbless.core import InputError
from limbless.search.studies.error_bars import error_bars
from limbless.search.studies.ladder import Ladder, Rung

SWIM = {
    "robot": {"kind": "rod", "strains": "planar", "half_width": 0.03},
    "gait": {"kind": "body-wave", "amplitude": 0.3, "wavelength": 1.0, "period": 1.0},
    "environment": [{"kind": "water", "model": "morison"}],
    "model": {"kind": "macro-continuous", "cells": 32},
    "duration": 1.0,
    "step": 0.02,
}


@pytest.fixture(scope="module")
def swum() -> Ladder:
    return ll.ladder(SWIM, models=["macro-continuous", "newton-euler", "non-smooth", "tendon-statics"])


def test_models_that_refuse_are_said_and_the_rest_is_compared(swum: Ladder, tmp_path: object) -> None:
    assert [rung.model for rung in swum.ran][:2] == ["macro-continuous", "newton-euler"]
    assert "robot.tendons" in swum.rungs[3].refused
    lines = {line.label: line for line in swum.numbers()}
    assert lines["mass"].values[1] == pytest.approx(lines["mass"].values[0], rel=1e-12)
    text = swum.to_markdown()
    assert "newton-euler, 17 links" in text and "tendon-statics: refused" in text
    folder = swum.write(str(tmp_path))
    assert (folder / "ladder.csv").exists() and (folder / "newton-euler" / "result.nc").exists()


def test_planted_differences_are_named_right(swum: Ladder) -> None:
    """2 % more mass is a difference of the animal, beyond all numerics; a step twice as long is none."""
    first = swum.rungs[0]
    heavy = error_bars(SWIM, {"robot.density": 1020.0}).result
    coarse = error_bars(SWIM, {"step": 0.04}).result
    planted = Ladder([first, Rung("heavy", "heavy", heavy), Rung("coarse", "coarse", coarse)])
    speed = next(line for line in planted.numbers() if line.label == "mean speed")
    assert planted.verdict(speed, 1) == "model form" and planted.verdict(speed, 2) == "numerical error"


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (["soft", "soft"], "named twice"),
        (["newton-eular", "soft"], "unknown model 'newton-eular'.*newton-euler"),
        (["tendon-statics"], "at least two models"),
    ],
)
def test_bad_input_is_one_sentence(models: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ll.ladder(SWIM, models=models)
