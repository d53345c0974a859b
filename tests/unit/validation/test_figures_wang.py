"""The figures of paper 003: they are drawn from short runs, and the Newton-Euler results on them are
those of the other model.
"""

from __future__ import annotations

import numpy as np
import pytest
from limbless.view.figures.wang import newton_euler_head, newton_euler_torques, newton_euler_track

import limbless as ll
from limbless.view import figures

SMOOTH = {"environment.wheels.law": "regularised", "step": 2.5e-4, "record_every": 0.02, "duration": 0.4}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("wheeled-snake-crawl", {"duration": 0.3}),
        ("wheeled-snake-manipulate", {"duration": 0.3}),
        ("wheeled-snake-3d", {"duration": 0.3}),
        ("wheeled-snake-float", {"duration": 0.3}),
        ("wheeled-snake-switch", {"duration": 4.2}),
        (
            "wheeled-snake-crawl-then-reach",
            {
                "duration": 0.6,
                "gait.stop": 0.2,
                "gait.settle": 0.2,
                "environment.clamp.active": [[0.2, 9.0]],
                "environment.point-wrench.active": [[0.4, 9.0]],
                "step": 2.5e-4,  # power closes with the first power of the step
            },
        ),
    ],
)
def test_drawn(name: str, changes: dict[str, object]) -> None:
    result = ll.run(name, changes)
    assert all(balance["verdict"] == "pass" for balance in result.summary()["balances"].values())
    drawn = figures.names_for(result)
    assert any(figure.startswith("wang-") for figure in drawn)
    for figure in drawn:
        drawing, table = figures.draw(result, figure)
        drawing.draw_without_rendering()
        assert all(np.isfinite(values).all() or "limit" in column for column, values in table.items())


def test_newton_euler_beside_smooth_crawling_is_the_same_to_rounding() -> None:
    """What the paper calls an average error of 6.09 % is 1e-12 with all terms of (22)."""
    result = ll.run("wheeled-snake-crawl", SMOOTH)
    torque, peer = result.dataset["joint_torque"].values, newton_euler_torques(result)
    assert np.abs(torque - peer).max() < 1e-12
    assert np.abs(newton_euler_track(result) - result.dataset["base_position"].values[:, :2]).max() < 1e-10


def test_newton_euler_beside_set_valued_friction_differs_by_the_step() -> None:
    result = ll.run("wheeled-snake-crawl", {"duration": 2.0, "step": 5e-4})
    torque, peer = result.dataset["joint_torque"].values, newton_euler_torques(result)
    assert np.abs(torque - peer)[5:].mean() < 1e-4 * np.abs(torque).mean()
    assert np.abs(newton_euler_track(result) - result.dataset["base_position"].values[:, :2]).max() < 1e-6


def test_newton_euler_beside_manipulation() -> None:
    result = ll.run("wheeled-snake-manipulate", SMOOTH)
    assert np.abs(result.dataset["joint_torque"].values - newton_euler_torques(result)).max() < 1e-12
    times, head = newton_euler_head(result)  # driven by the torques alone, linear between steps
    own, when = result.dataset["head_position"].values, result.dataset["time"].values
    apart = [np.abs(np.interp(when, times, head[:, k]) - own[:, k]).max() for k in range(2)]
    assert 0.0 < max(apart) < 1e-5


def test_a_wrong_torque_takes_the_head_of_figure_4b_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: with torques half a per cent too large it does."""
    from limbless.simulation import simulate

    result = ll.run("wheeled-snake-manipulate", SMOOTH)
    plain = simulate.run_scenario

    def stronger(scenario: ll.Scenario, **options: object) -> ll.Result:
        run = plain(scenario, **options)
        run.dataset["joint_torque"] = 1.005 * run.dataset["joint_torque"]
        return run

    own = result.dataset["head_position"].values[-1, :2]
    right = newton_euler_head(result)[1][-1]
    monkeypatch.setattr(simulate, "run_scenario", stronger)
    assert np.abs(newton_euler_head(result)[1][-1] - own).max() > 20.0 * np.abs(right - own).max()


def test_tracks_that_the_newton_euler_model_cannot_run_are_refused() -> None:
    with pytest.raises(ll.InputError, match="no clamp"):
        newton_euler_track(ll.run("wheeled-snake-manipulate", {"duration": 0.05}))
    with pytest.raises(ll.InputError, match="tail clamped all the time"):
        newton_euler_head(ll.run("wheeled-snake-manipulate", {"duration": 0.05, "environment.clamp.module": -1}))
