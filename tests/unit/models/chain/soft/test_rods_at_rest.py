"""Rods at rest: under their weight, a payload, a force at the tip, tendons; density and stiffness along the rod."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

import limbless as ll
from limbless.core.errors import InputError
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.soft import SoftSettings
from limbless.robots.rod import Rod

LENGTH, EI, G = 0.4, 0.02, 9.81
UPRIGHT = (0.7071067811865476, 0.7071067811865476, 0.0, 0.0)
"""The plane of bending is upright."""


def rod(**fields: Any) -> Rod:
    """A clamped rod that bends in a plane."""
    given = {"stiffness": EI, "density": 100.0, "half_width": 0.01, "damping_time": 0.01, **fields}
    return Rod(length=LENGTH, base="fixed", strains="planar", passive={}, **given)


def tip(body: Rod, *environment: ll.Environment, cells: int = 8, **command: Any) -> Any:
    """Place of the tail end (m) and its angle (rad) at rest, by the strains alone: integrated here once more."""
    model = Soft(body, environment, None, SoftSettings(cells=cells))
    strain = model.equilibrium(**command, base_orientation=UPRIGHT).reshape(cells, -1)
    end, half = np.zeros(3), 0.5 * LENGTH / cells
    for mean, rise in strain:  # cell by cell: strains jump between them

        def slope(s: float, y: Any, mean: float = mean, rise: float = rise) -> Any:
            return half * np.array([np.cos(y[2]), np.sin(y[2]), mean + rise * s])

        end = solve_ivp(slope, (-1.0, 1.0), end, rtol=1e-11, atol=1e-13).y[:, -1]
    return end


def elastica(force: float, weight: float = 0.0) -> tuple[float, float]:
    """x and y of the tip of a rod of some weight per length (N/m) with a dead force across at its tip:
    EI θ'' = -(P + w (L - X)) cos θ, by shooting."""

    def end(bend: float) -> Any:
        def along(X: float, y: Any) -> Any:
            return [y[1], -(force + weight * (LENGTH - X)) * np.cos(y[0]) / EI, np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(along, (0.0, LENGTH), [0.0, bend, 0.0, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]

    found = end(brentq(lambda bend: end(bend)[1], 0.0, 2.0 * (force + weight * LENGTH) * LENGTH / EI))
    return float(found[2]), float(found[3])


@pytest.mark.parametrize("how", ["force", "payload"])
def test_a_rod_under_a_load_at_its_tip_is_the_elastica(how: str) -> None:
    """P L² / EI = 3: the tip goes far; a payload hangs with its weight. Up is y of the plane of bending here."""
    force = 3.0 * EI / LENGTH**2
    load = ll.PointWrench(abscissa=LENGTH, force=(0.0, 0.0, -force)) if how == "force" else ll.Gravity()
    x, y, _ = tip(rod(tip_mass=force / G) if how == "payload" else rod(), load)
    weight = 100.0 * np.pi * 0.01**2 * G if how == "payload" else 0.0
    assert (x, -y) == pytest.approx(elastica(force, weight), rel=2e-4)


def test_a_heavy_rod_hangs_and_stays_where_it_hangs() -> None:
    """Softer than it could stand: from the equilibrium nothing moves, though the search began at the horizontal."""
    result = ll.run("rod-hangs", {"initial.posture": "equilibrium", "duration": 0.2})
    place = result.dataset["tip_position"].values
    assert np.ptp(place, axis=0).max() < 1e-7 and place[0, 2] < -0.4  # hangs down, nearly all of its half metre


def test_a_tendon_bends_a_rod_into_a_circle_at_rest() -> None:
    """κ = d T / EI all along: workspaces are made of such postures, one after another."""
    body = rod(tendons=({"place": (0.008, 0.0)},))
    for pull in (0.0, 2.0, 5.0):
        kappa = 0.008 * pull / EI
        x, y, angle = tip(body, cells=4, tension=[pull])
        assert angle == pytest.approx(kappa * LENGTH, abs=1e-9)
        if pull:
            assert (x, y) == pytest.approx((np.sin(angle) / kappa, (1 - np.cos(angle)) / kappa), rel=1e-6)


def test_a_workspace_is_where_the_tip_rests() -> None:
    """Two antagonist tendons: the difference of their tensions bends the rod into a circle, to either side."""
    body = rod(tendons=({"place": (0.008, 0.0)}, {"place": (-0.008, 0.0)}))
    pulls = np.array([[3.0, 0.0], [0.0, 3.0], [3.0, 1.0]])
    kappa = 0.008 * (pulls[:, 0] - pulls[:, 1]) / EI
    found = Soft(body, (), None, SoftSettings(cells=4)).workspace(pulls)
    wanted = np.stack([np.sin(kappa * LENGTH) / kappa, (1 - np.cos(kappa * LENGTH)) / kappa, 0.0 * kappa], axis=1)
    np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_stiffness_along_the_rod() -> None:
    """A couple at the tip bends each section by M / EI(X); so does a modulus that falls with X."""
    couple = ll.PointWrench(abscissa=LENGTH, torque=(0.0, 0.01, 0.0))
    rows = ((0.0, EI), (LENGTH, EI / 4.0))
    wanted = quad(lambda X: 0.01 / np.interp(X, *np.transpose(rows)), 0.0, LENGTH)[0]
    _, _, angle = tip(rod(stiffness={"yaw curvature": rows}), couple, cells=16)
    assert abs(angle) == pytest.approx(wanted, rel=1e-4)
    inertia = np.pi * 0.01**4 / 4.0
    modulus = tuple((X, value / inertia) for X, value in rows)
    _, _, same = tip(rod(stiffness=0.0, youngs_modulus=modulus), couple, cells=16)
    assert same == pytest.approx(angle, abs=1e-12)


def test_density_along_the_rod_and_what_the_tail_carries() -> None:
    body = Rod(length=2.0, half_width=0.1, density=((0.0, 500.0), (0.5, 1500.0), (2.0, 1000.0)), tip_mass=3.0)
    area = np.pi * 0.01
    assert body.total_mass == pytest.approx(area * (0.5 * 1000.0 + 1.5 * 1250.0) + 3.0, rel=1e-12)
    assert body.bodies().mass[0] == pytest.approx(body.total_mass, rel=1e-3)
    assert body.bodies().volume[0] == pytest.approx(area * 2.0, rel=1e-9)
    with pytest.raises(InputError, match="density must be positive"):
        Rod(density=((0.0, 1.0), (1.0, -1.0)))
    with pytest.raises(InputError, match=r"robot\.tip_mass: a gait gives all strains"):
        ll.run("rod-swim", {"robot.tip_mass": 0.1})


def test_bodies_that_nothing_holds_have_no_equilibrium() -> None:
    with pytest.raises(InputError, match=r"robot\.base is 'free'; set it to 'fixed'"):
        ll.run("rod-hangs", {"initial.posture": "equilibrium", "robot.base": "free"})
