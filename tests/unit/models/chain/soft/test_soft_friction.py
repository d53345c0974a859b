"""Friction of tendons that wrap: at the points of rigid links, and in the channels of rods."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.tendon_paths import TendonPath
from limbless.core.errors import InputError
from limbless.mechanics.chain.tables import BodyRecord, TendonState
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.soft import SoftSettings
from limbless.robots.rod import Rod
from limbless.robots.tendon import ChannelTendon
from tests.unit.models.chain.soft.test_soft_tendons import WAYS, energy_gap, links, soft_rod

MU, SLIP = 0.4, 0.02
BACK = [(0, (0.05, -0.02, 0.01)), (2, (0.03, -0.02, 0.0)), (1, (0.06, 0.02, -0.02)), (3, (0.05, 0.01, 0.02))]
"""A tendon that goes out, back towards the base, and out again."""
TURN = (0.5, 0.5, -0.5, 0.5)


# ------------------------------------------------------------------------------------------------- rigid links


@pytest.mark.long
def test_tendons_on_links_rub_as_ropes_on_capstans_do() -> None:
    """Newton-Euler with a force at either end of every chord; their tensions fall by exp(-μ s φ) at every point, φ by
    the arc cosine of the chords, s by differences of their lengths in time: all of it apart from our kernels.
    """
    ways = [*WAYS, BACK]
    pulled = np.array([2.0, 3.0, 1.5])
    model = Soft(links(tendons=[{"through": way, "friction": MU, "slip_speed": SLIP} for way in ways]), ll.Gravity())
    rng = np.random.default_rng(11)
    q, v, twist = 0.4 * rng.normal(size=4), rng.normal(size=4), rng.normal(size=6)
    q[3] *= 0.05
    row = {0: 0, 1: 1, 2: 3, 3: 4}  # a universal joint has two rows

    def places(bends: Any) -> list[Any]:
        kept = BodyRecord.of(model.instant(model.flat(bends, v, twist, base_orientation=TURN), pulled).records.bodies)
        R = kept.rotation[0].reshape(-1, 3, 3)
        return [
            np.array([kept.origin[0, row[link]] + R[row[link]] @ np.array(point) for link, point in way])
            for way in ways
        ]

    h, forces, distal = 1e-6, [], []
    here, later, before = (places(bends) for bends in (q, q + h * v, q - h * v))
    for way, tension, at, after, past in zip(ways, pulled, here, later, before, strict=True):
        chords = np.diff(at, axis=0)
        longer, shorter = (np.linalg.norm(np.diff(ends, axis=0), axis=1) for ends in (after, past))
        rates = (longer - shorter) / (2.0 * h)
        along, T = chords / np.linalg.norm(chords, axis=1)[:, None], tension
        for k, unit in enumerate(along):
            if k:
                slides = rates[k:].sum()
                T *= np.exp(MU * slides / np.hypot(slides, SLIP) * np.arccos(along[k - 1] @ unit))
            forces += [
                ll.PointWrench(body=way[k + end][0], point=way[k + end][1], force=tuple(sign * T * unit), frame="world")
                for end, sign in ((0, 1.0), (1, -1.0))
            ]
        distal.append(T)
    wanted = ll.NewtonEuler(links(), [ll.Gravity(), *forces]).forward(q, v, np.zeros(4), twist, base_orientation=TURN)
    x = model.flat(q, v, twist, base_orientation=TURN)
    found = model.forward(x, pulled)
    np.testing.assert_allclose(TendonState.of(model.instant(x, pulled).memory.cells.pulls).distal, distal, rtol=1e-7)
    np.testing.assert_allclose(found.strain_acceleration, wanted.joint_acceleration, rtol=1e-6, atol=1e-6)
    smooth = Soft(links(tendons=[{"through": way} for way in ways]), ll.Gravity()).forward(x, pulled)
    assert np.abs(smooth.strain_acceleration - found.strain_acceleration).max() > 1.0


@pytest.mark.long
def test_a_finger_that_rubs_closes_less_and_its_losses_are_accounted_for() -> None:
    smooth = ll.run("chain-tendons", {"duration": 0.4, "step": 0.0025}).dataset
    rubs = {f"robot.tendons.{number}.friction": 0.3 for number in range(2)}
    result = ll.run("chain-tendons", {"duration": 0.4, "step": 0.0025, **rubs})
    data = result.dataset
    assert not result.doubts and energy_gap(data) < 1e-4
    power = data["friction_power"].values
    assert power.max() <= 0.0 and power.min() < -1e-3
    assert data["joint_position"].values[-1].sum() < smooth["joint_position"].values[-1].sum()


# ------------------------------------------------------------------------------------------------- channels of rods

PULL, PLACE, EI = 3.0, 0.008, 0.02


def rubbing_rod(friction: float = MU, slip: float | None = 1e-9, **fields: Any) -> Rod:
    return soft_rod(tendons=(ChannelTendon(place=(PLACE, 0.0), friction=friction, slip_speed=slip),), **fields)


def test_the_tension_in_a_bent_channel_falls_as_on_a_capstan() -> None:
    """On a circle by exp(-μ κ L) while it is drawn in, and rises by as much while it is let out."""
    model = Soft(rubbing_rod(), (), None, SoftSettings(cells=4))
    for rate, sign in ((1e-3, -1.0), (-1e-3, 1.0)):  # bending farther draws the tendon in
        x = model.flat(np.tile([2.0, 0.0], 4), np.tile([rate, 0.0], 4))
        found = TendonState.of(model.instant(x, PULL).memory.cells.pulls).distal[0]
        assert found == pytest.approx(PULL * np.exp(sign * MU * 2.0 * 0.4), rel=1e-6)


@pytest.mark.parametrize("sign", [1.0, -1.0], ids=["drawn in", "let out"])
def test_a_rod_rests_where_tendon_and_channel_rub(sign: float) -> None:
    """EI κ = d T and T' = -+ μ κ T: T = T0 / (1 +- μ d T0 X / EI). What springs and tendon leave there, over what the
    tendon gives, falls with the cube of the length of a cell.
    """
    left = []
    for cells in (2, 4, 8):
        model = Soft(rubbing_rod(), (), None, SoftSettings(cells=cells))
        at = np.array([-1.0, 1.0]) / np.sqrt(3.0)
        X = 0.4 / cells * (np.arange(cells)[:, None] + 0.5 * (1.0 + at))
        kappa = PLACE * PULL / EI / (1.0 + sign * MU * PLACE * PULL * X / EI)
        strain = np.stack([kappa.mean(axis=1), 3.0 * (kappa * at).mean(axis=1)], axis=1)  # Legendre's, degree 1
        memory = model.instant(model.flat(strain.ravel(), np.tile([sign, 0.0], cells)), PULL).memory
        left.append(np.abs((memory.passive + memory.torque) / memory.torque[0]).max())
    assert left[-1] < 1e-6 and np.log2(np.array(left[:-1]) / left[1:]).min() > 2.5


@pytest.mark.long
def test_a_rod_pulled_and_released_leaves_the_loop_of_its_closed_forms() -> None:
    """Drawn in to 3 N, let out to 1 N and drawn in again, 0.1 N/s: at 1.5 N all of the tendon slides on each leg, and
    the whole bend is ∫ d T / EI = ln(1 +- μ d T0 L / EI) / (+-μ). It lags 0.01 s behind, 0.7e-3 of it; friction takes
    what the loop of tension and length has inside.
    """
    times = (0.0, 30.0, 50.0, 70.0)
    path = TendonPath(table=[[t, pull] for t, pull in zip(times, (0.0, 3.0, 1.0, 3.0), strict=True)])
    rod = rubbing_rod(slip=1e-6, damping_time=0.01, density=20.0)
    result = ll.simulate(rod, path, model=SoftSettings(cells=4), duration=70.0, step=0.05)
    data = result.dataset
    t, bent = data["time"].values, data["strain"].values[:, :, 5] @ data["section_length"].values
    tension = data["tension"].values[:, 0]
    for first, last, sign in zip(times[:-1], times[1:], (1.0, -1.0, 1.0), strict=True):
        leg = (t >= first) & (t <= last)
        order = np.argsort(tension[leg])
        found = np.interp(1.5, tension[leg][order], bent[leg][order])
        assert found == pytest.approx(np.log(1.0 + sign * MU * PLACE * 1.5 * 0.4 / EI) / (sign * MU), rel=1e-3)
    loop = t >= 30.0
    inside = np.trapezoid(-tension[loop], data["tendon_length"].values[loop, 0])
    lost = np.trapezoid(data["friction_power"].values[loop], t[loop])
    assert inside > 4e-4 and lost == pytest.approx(-inside, rel=0.01)
    assert energy_gap(data) < 1e-6 and data["friction_power"].values.max() <= 1e-15 and not result.doubts


def test_friction_that_nobody_tuned_holds_in_slow_motion() -> None:
    """The first leg of that loop, with the slip speed that the gait's own speed gives: the closed form to half a per
    cent. A slip speed of 1 mm/s takes most of friction away, and the run says so."""
    path = TendonPath(table=[[0.0, 0.0], [30.0, 3.0]])
    rod = {"damping_time": 0.01, "density": 20.0}
    wanted = np.log(1.0 + MU * PLACE * 3.0 * 0.4 / EI) / MU
    told, bends = [], []
    for slip in (None, 1e-3):
        own = rubbing_rod(slip=slip, **rod)
        result = ll.simulate(own, path, model=SoftSettings(cells=4), duration=30.0, step=0.1)
        data = result.dataset
        bends.append(float(data["strain"].values[-1, :, 5] @ data["section_length"].values))
        told.append([note for note in result.notes if "fades" in note])
    assert bends[0] == pytest.approx(wanted, rel=5e-3) and not told[0]
    assert bends[1] > 1.05 * wanted and "slip_speed is 0.001 m/s; give a smaller one" in told[1][0]


@pytest.mark.parametrize("ramp", [0.02, 5.0])
def test_winches_that_wind_slowly_let_friction_fade_at_slower_speeds(ramp: float) -> None:
    """1 % of the fastest rate of a smooth step, 1.875 times its mean; never above 1 mm/s."""
    tendon = ChannelTendon(place=(PLACE, 0.0), friction=MU, stiffness=1e4)
    model = Soft(soft_rod(tendons=(tendon,)), (), None, SoftSettings(cells=2))
    model.drive(ll.LengthStep(after=(0.004,), ramp=ramp), np.linspace(0.0, 0.01, 3))
    assert model.strung.slip[0] == pytest.approx(min(0.01 * 1.875 * 0.004 / ramp, 1e-3), rel=1e-3)


# ------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"friction": 1.0}, "friction"),
        ({"friction": -0.1}, "friction"),
        ({"slip_speed": 0.01}, "slip_speed goes with a `friction`"),
        ({"friction": 0.1, "slip_speed": 0.0}, "slip_speed"),
    ],
)
def test_what_rubbing_tendons_refuse(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        soft_rod(tendons=({"place": (0.008, 0.0), **fields},))
    with pytest.raises(InputError, match=said):
        links(tendons=({"through": WAYS[0], **fields},))
