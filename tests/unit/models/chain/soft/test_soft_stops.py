"""Stops of a neck in motion, against another program."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.models.soft import SoftSettings
from tests.unit.models.chain.soft.test_soft import DOWN

TIP = np.array(
    [
        [-0.03484092693, -0.1429180029],
        [-0.09322887792, -0.1079025544],
        [-0.1117586824, -0.07069218179],
        [-0.09604779999, -0.1014019831],
        [-0.04442409755, -0.1447308952],
        [-0.02076204151, -0.1515947352],
        [-0.06120015958, -0.1354602409],
        [-0.1017343297, -0.09278246141],
        [-0.1058804404, -0.08379491306],
        [-0.07848565916, -0.122295018],
    ]
)
"""Tip (y, z) at 0.1 to 1 s, m, under 1.2 N: `neck_step_stops`, rk4 of another program, its own error 4e-6 m."""


@pytest.mark.long
def test_a_neck_against_its_stops_moves_as_in_another_program() -> None:
    """There the stops act on curvatures, equally stiff in all vertebrae: 1 N m/rad at the mean length of 20 mm, (20
    mm / length)² as much for a bend here. With 1 N m/rad everywhere the tip is 7e-5 m off, twenty times its error. Its
    work of the pulleys, 25.0185 mJ in 2 s, is a trapezium of powers every 1 ms, 25.0254 by ours.
    """
    neck = ll.SnakeNeck(damping_time=0.01, stop_stiffness=1.0).build()
    shares = (neck.values("length").mean() / neck.values("length")) ** 2
    same = neck.changed(
        vertebrae=tuple(
            one.changed(stop_stiffness=float(share), stop_damping=1e-4 * float(share))
            for one, share in zip(neck.vertebrae, shares, strict=True)
        )
    )
    apart = []
    for robot in (same, neck):
        data = ll.simulate(
            robot,
            ll.TensionStep(after=(1.2, 0.0, 0.0, 0.0), ramp=0.05),
            ll.Gravity(),
            duration=1.0,
            step=2.5e-4,
            record_every=1e-3,
            model=SoftSettings(tolerance=1e-9),
            initial={"orientation": DOWN},
        ).dataset
        apart.append(np.abs(data["tip_position"].values[100::100, 1:] - TIP).max())
        if robot is same:
            assert np.abs(data["bend"].values).max() == pytest.approx(0.2667656911, abs=1e-5)  # between records
            assert -data["tip_position"].values[:, 1].min() == pytest.approx(0.1118250285, abs=2e-6)
    assert apart[0] < 4e-6 < 5e-5 < apart[1] < 9e-5
