"""What the macro-continuous model refuses, and how it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.body_wave import BodyWave
from limbless.control.gaits.travelling_curvature import TravellingCurvature
from limbless.environments.anchorage import Anchorage
from limbless.environments.drag import Drag
from limbless.environments.point_wrench import PointWrench
from limbless.environments.support import Support
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.models.rod.rod_model import MacroContinuous
from limbless.robots.rod import Rod

ROD, PLANE = Rod(length=1.0), Rod(length=1.0, base="planar")
MOMENTUM = MacroContinuousSettings(form="momentum")
WEIGHTLESS = MacroContinuousSettings(inertia=False)


def start(rod: Rod, environment: Any, settings: MacroContinuousSettings | None = None, **initial: Any) -> None:
    gait = TravellingCurvature() if rod.base == "planar" else BodyWave()
    ll.simulate(rod, gait, environment, model=settings or "macro-continuous", duration=0.01, initial=initial)


def straight(model: MacroContinuous) -> np.ndarray:
    return np.tile([1.0, 0.0, 0.0, 0.0, 0.0, 0.0], (len(model.mesh.X), 1))


def instant(settings: MacroContinuousSettings, rows: int | None = None) -> None:
    model = MacroContinuous(ROD, Drag(), settings=settings)
    strain = straight(model)[:rows]
    model.forward(strain, 0.0 * strain, 0.0 * strain)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: MacroContinuous(ll.KhalilEel()), "moves a rod; got Chain"),
        (
            lambda: MacroContinuous(PLANE, (), settings=MOMENTUM),
            "'momentum' is for a free rod with inertia and without contacts",
        ),
        (lambda: MacroContinuous(ROD, Support(), settings=MOMENTUM), "'momentum' is for a free rod"),
        (lambda: MacroContinuous(ROD, (), settings=MOMENTUM.changed(inertia=False)), "'momentum' is for a free rod"),
        (lambda: MacroContinuous(PLANE, Support(), settings=WEIGHTLESS), "contacts decide the motion by themselves"),
        (lambda: MacroContinuous(Rod(base="fixed"), Anchorage()), "'fixed' holds the head already"),
        (lambda: MacroContinuous(ROD, Drag(points=3)), "'drag': points are for the segments of a chain"),
        (
            lambda: MacroContinuous(ROD, (), settings=MacroContinuousSettings(breaks=(1.5,))),
            r"a break at X = 1\.5 m lies outside the body, .* 1 m long",
        ),
        (
            lambda: MacroContinuous(ROD, PointWrench(abscissa=1.5)),
            r"point-wrench: abscissa 1\.5 m lies outside the body",
        ),
        (
            lambda: MacroContinuous(PLANE, Anchorage(twist=(0, 0, 0.1, 0, 0, 0))),
            r"twist .* entries \(of 0 to 5: 2, 3, 4\) along which",
        ),
        (lambda: MacroContinuous(PLANE, Anchorage(sway=(0, 0, 0, 0.1, 0, 0))), "anchorage: sway"),
        (
            lambda: MacroContinuous(PLANE, Support(couple_length=0.1)),
            "couple_length matters .* on a free base; this one is 'planar'",
        ),
        (lambda: start(PLANE, (Support(velocity=(0.1, 0, 0)), Support())), "guided at different velocities"),
        (lambda: start(PLANE, Support(), twist=(0.1, 0, 0, 0, 0, 0)), "initial.twist: contacts decide"),
        (
            lambda: start(ROD, Drag(), WEIGHTLESS, twist=(0, 0.1, 0, 0, 0, 0)),
            r"balance of forces decides .* \(entry 1 of",
        ),
        (lambda: start(PLANE, Drag(), twist=(0, 0, 0.1, 0, 0, 0)), "'planar' holds entry 2 of it at 0"),
        (lambda: instant(WEIGHTLESS), "the rod has no inertia; use a simulation"),
        (lambda: instant(MacroContinuousSettings(), 3), r"strains must have shape .* got \[\(3, 6\)"),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        make()
