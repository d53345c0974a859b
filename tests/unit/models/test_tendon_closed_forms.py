"""A tendon-driven spine of many vertebrae against rods in closed form: elastica, 45 degree bend, circular arc."""
from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.robots.tendon_spine import Tendon, Vertebra

ELASTICA = {1.0: (0.461352, 0.301721, 0.056433), 5.0: (1.215368, 0.713792, 0.387628)}
"""P L²/EI -> tip angle, deflection/L, shortening/L (Bisshopp and Drucker 1945)."""
BEND = {300.0: (22.2448, 58.7791, 40.1919), 600.0: (15.6848, 47.1504, 53.4749)}
"""Tip of the 45 degree bend (Bathe and Bolourchi 1979) under an out-of-plane force: towards the centre, along the base, out of plane."""


def rod(count: int, length: float = 1.0, bending: float = 1.0, twisting: float | None = None, rest: float = 0.0,
        hole: float = 0.0) -> ll.TendonSpine:
    """Equal vertebrae with the stiffness of a rod."""
    l = length / count
    one = Vertebra(length=l, lateral_stiffness=bending / l, vertical_stiffness=bending / l,
                   twist_stiffness=None if twisting is None else twisting / l, rest_lateral=rest / count, joint_mass=0.0,
                   disk_mass=0.0, volume=0.0)
    return ll.TendonSpine(vertebrae=(one,) * count, tendons=(Tendon(holes=((hole, 0.0),)),), disk_radius=1.0)


def order(errors: list[float]) -> float:
    """Of convergence, from errors at counts that double."""
    return float(np.log2(errors[-2] / errors[-1]))


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load: float) -> None:
    angle, deflection, shortening = ELASTICA[load]
    errors: dict[str, list[float]] = {"energy": [], "moment": []}
    for form, found in errors.items():
        for count in (8, 16, 32):
            tip = ll.TendonStatics(rod(count), form=form).solve([0.0], tip_force=(0.0, load, 0.0))
            found.append(float(np.hypot(*(tip.tip_in_base[:2] - [1.0 - shortening, deflection]))))
    assert order(errors["energy"]) == pytest.approx(2.0, abs=0.1) and errors["energy"][-1] < 5e-4
    assert order(errors["moment"]) == pytest.approx(1.0, abs=0.15)
    tip = ll.TendonStatics(rod(32)).solve([0.0], tip_force=(0.0, load, 0.0))
    assert tip.bend[:, 0].sum() == pytest.approx(angle, abs=1e-3)


@pytest.mark.parametrize("force", BEND)
def test_bend_out_of_its_plane(force: float) -> None:
    """With twist: the twist sits at the outer end of each vertebra, so the order is one; the limit is the rod's."""
    inward, along, out = BEND[force]
    tips = []
    for count in (16, 32, 64):
        robot = rod(count, 100.0 * np.pi / 4, 1e7 / 12, 5e6 / 6, rest=np.pi / 4)
        tips.append(ll.TendonStatics(robot).solve([0.0], tip_force=(0.0, 0.0, force)).tip_in_base)
    errors = [float(np.linalg.norm(tip - [along, inward, out])) for tip in tips]
    assert errors[-1] < 0.6 and order(errors) == pytest.approx(1.0, abs=0.1)
    limit = (tips[0] - 6.0 * tips[1] + 8.0 * tips[2]) / 3.0                         # Richardson, of two orders
    shear = force * 100.0 * np.pi / 4 / 5e6        # P L/GA: the reference rod also shears, a spine does not
    assert limit == pytest.approx([along, inward, out], abs=shear) and limit[2] < out
    assert ll.TendonStatics(rod(8, 100.0 * np.pi / 4, 1.0, 1.0, rest=np.pi / 4)).solve([0.0]).tip_in_base == pytest.approx(
        [70.7107, 29.2893, 0.0], abs=1e-4)


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
            found.append(ll.TendonStatics(rod(count, hole=0.05), form=form).solve([6.0], tip_force=(0.2, -0.3, 0.4)).tip_in_base)
    for form, expected in (("energy", 2.0), ("moment", 1.0)):
        steps = [float(np.linalg.norm(b - a)) for a, b in zip(tips[form], tips[form][1:], strict=False)]
        assert order(steps) == pytest.approx(expected, abs=0.12)
    energy, moment = (4.0 * tips["energy"][-1] - tips["energy"][-2]) / 3.0, 2.0 * tips["moment"][-1] - tips["moment"][-2]
    assert energy == pytest.approx(moment, abs=2e-3)
