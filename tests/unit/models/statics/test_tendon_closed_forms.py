"""A tendon-driven spine of many vertebrae against rods in closed form: elastica, 45 degree bend, circular arc."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from validation.spines import BEND_BENDING, BEND_LENGTH, BEND_TIPS, BEND_TWISTING, bend_of_a_rod, rod

ELASTICA = {1.0: (0.461352, 0.301721, 0.056433), 5.0: (1.215368, 0.713792, 0.387628)}
"""P L²/EI -> tip angle, deflection/L, shortening/L (Bisshopp and Drucker 1945)."""


def order(errors: list[float]) -> float:
    """Of convergence, from errors at counts that double."""
    return float(np.log2(errors[-2] / errors[-1]))


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load: float) -> None:
    angle, deflection, shortening = ELASTICA[load]
    errors: dict[str, list[float]] = {"energy": [], "moment": []}
    for form, found in errors.items():
        for count in (8, 16, 32):
            tip = ll.TendonStatics(rod(count), settings=ll.TendonStaticsSettings(form=form)).solve(
                [0.0], tip_force=(0.0, load, 0.0)
            )
            found.append(float(np.hypot(*(tip.tip_in_base[:2] - [1.0 - shortening, deflection]))))
    assert order(errors["energy"]) == pytest.approx(2.0, abs=0.1) and errors["energy"][-1] < 5e-4
    assert order(errors["moment"]) == pytest.approx(1.0, abs=0.15)
    tip = ll.TendonStatics(rod(32)).solve([0.0], tip_force=(0.0, load, 0.0))
    assert tip.bend[:, 0].sum() == pytest.approx(angle, abs=1e-3)


@pytest.mark.parametrize("force", BEND_TIPS)
def test_bend_out_of_its_plane(force: float) -> None:
    """With twist: second order in the energy form, whose twist is halved about each bend, first order where it sits
    at the outer disk.
    """
    exact = bend_of_a_rod(force, 0.0, 0.0)
    counts, errors = (8, 16, 32, 64), dict[str, list[float]]()
    for form in ("energy", "moment"):
        tips = []
        for count in counts:
            robot = rod(count, BEND_LENGTH, BEND_BENDING, BEND_TWISTING, rest=np.pi / 4)
            tips.append(
                ll.TendonStatics(robot, settings=ll.TendonStaticsSettings(form=form))
                .solve([0.0], tip_force=(0.0, 0.0, force))
                .tip_in_base
            )
        errors[form] = [float(np.linalg.norm(tip - exact)) for tip in tips]
        if form == "energy":
            assert tips[-1] + (tips[-1] - tips[-2]) / 3.0 == pytest.approx(exact, abs=2e-6)  # Richardson
    fitted = {form: -np.polyfit(np.log(counts), np.log(found), 1)[0] for form, found in errors.items()}
    assert fitted["energy"] == pytest.approx(2.0, abs=0.01) and errors["energy"][-1] < 3e-3
    assert fitted["moment"] == pytest.approx(1.0, abs=0.1)
    assert ll.TendonStatics(rod(8, BEND_LENGTH, 1.0, 1.0, rest=np.pi / 4)).solve([0.0]).tip_in_base == pytest.approx(
        [70.7107, 29.2893, 0.0], abs=1e-4
    )


@pytest.mark.parametrize("force", BEND_TIPS)
def test_the_published_bend_also_shears_and_stretches(force: float) -> None:
    """What is left between spine and published numbers: shear P L/GA (factor 1) and stretch 1/EA of the unit square,
    in size and sign.
    """
    inward, along, out = BEND_TIPS[force]
    published, spine = np.array([along, inward, out]), bend_of_a_rod(force, 0.0, 0.0)
    # its last digit
    assert bend_of_a_rod(force, 1.0 / 5e6, 1.0 / 1e7) == pytest.approx(published, abs=5e-5)
    missing = published - spine
    assert (np.sign(missing) == [-1.0, -1.0, 1.0]).all() and np.linalg.norm(missing) < force * BEND_LENGTH / 5e6
    # one alone, or a factor of 5/6
    for shear, stretch in ((1.0 / 5e6, 0.0), (0.0, 1.0 / 1e7), (1.2 / 5e6, 1.0 / 1e7)):
        assert np.abs(bend_of_a_rod(force, shear, stretch) - published).max() > 4e-4


def test_one_tendon_bends_a_rod_into_an_arc() -> None:
    """Curvature T d/EI, where the tendon lies close to the rod; all vertebrae alike in any case."""
    tension, offset, errors = 8.0, 0.05, []
    for count in (8, 16, 32):
        found = ll.TendonStatics(rod(count, hole=offset)).solve([tension])
        assert np.ptp(found.bend[:, 0]) < 1e-12
        errors.append(abs(found.bend[:, 0].sum() - tension * offset))
    assert order(errors) == pytest.approx(2.0, abs=0.1) and errors[-1] < 1e-3


def test_cosserat_limit_under_tip_force_and_tendons() -> None:
    """The energy form converges as v⁻², the moment form as v⁻¹, to one and the same limit."""
    tips: dict[str, list[np.ndarray]] = {"energy": [], "moment": []}
    for form, found in tips.items():
        for count in (8, 16, 32, 64):
            found.append(
                ll.TendonStatics(rod(count, hole=0.05), settings=ll.TendonStaticsSettings(form=form))
                .solve([6.0], tip_force=(0.2, -0.3, 0.4))
                .tip_in_base
            )
    for form, expected in (("energy", 2.0), ("moment", 1.0)):
        steps = [float(np.linalg.norm(b - a)) for a, b in zip(tips[form], tips[form][1:], strict=False)]
        assert order(steps) == pytest.approx(expected, abs=0.12)
    energy, moment = (
        (4.0 * tips["energy"][-1] - tips["energy"][-2]) / 3.0,
        2.0 * tips["moment"][-1] - tips["moment"][-2],
    )
    assert energy == pytest.approx(moment, abs=2e-3)
