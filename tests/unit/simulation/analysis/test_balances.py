"""The balances: they pass when states and integrals agree, fail by the stated threshold, and say by how much."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from limbless.simulation.analysis.balances import (
    SMALLEST_SCALE,
    THRESHOLDS,
    Balance,
    balances,
    energy_mismatch,
    power_residual,
    work_exchanged,
)

TIME = np.linspace(0.0, 4.0, 401)


def braked(drift: float = 0.0) -> xr.Dataset:
    """2 kg thrown at 3 m/s along y and braked by a constant force of -1 N: v = 3 - t/2, K = v^2, P =
    -v. `drift` (W) is an error.
    """
    v = 3.0 - TIME / 2
    momentum, impulse = np.zeros((len(TIME), 6)), np.zeros((len(TIME), 6))
    momentum[:, 1], impulse[:, 1] = 2.0 * v, -TIME
    momentum[:, 5], impulse[:, 5] = 0.7 * 2.0 * v, -0.7 * TIME  # it moves along x = 0.7 m
    screw = ("time", "screw")
    return xr.Dataset(
        {
            "kinetic_energy": ("time", v**2 + drift * TIME),
            "environment_power": ("time", -v),
            "environment_work": ("time", -3 * TIME + TIME**2 / 4),
            "actuator_power": ("time", 0 * TIME),
            "actuator_work": ("time", 0 * TIME),
            "momentum": (screw, momentum),
            "impulse": (screw, impulse),
            "com_position": (("time", "axis"), np.stack([0 * TIME + 0.7, 3 * TIME - TIME**2 / 4, 0 * TIME], axis=1)),
            "base_orientation": (("time", "quaternion"), np.tile([0.6, 0.0, 0.8, 0.0], (len(TIME), 1))),
        },
        coords={"time": TIME},
    )


def test_a_right_run_passes() -> None:
    proof = balances(braked(), mass=2.0)
    assert [balance.name for balance in proof] == ["power", "linear momentum", "angular momentum", "orientation"]
    assert all(balance.verdict == "pass" and balance.relative < 1e-14 for balance in proof)
    assert all(
        set(balance.as_dict()) == {"value", "scale", "units", "relative", "threshold", "verdict", "compares"}
        for balance in proof
    )


def test_the_scale_of_power_is_the_work_exchanged() -> None:
    data = braked()
    assert work_exchanged(data) == pytest.approx(8.0)  # integral of v: 12 - 4
    assert balances(data)[0].scale == pytest.approx(9.0)  # but the body had 9 J at the start
    data["environment_power"] = data["environment_power"] * 3.0
    assert balances(data)[0].scale == pytest.approx(24.0)


def test_a_drift_of_energy_is_found_and_measured() -> None:
    data = braked(drift=0.01)
    power = balances(data)[0]
    assert energy_mismatch(data) == pytest.approx(0.01 * TIME, abs=1e-13)
    assert power_residual(data)[0] == 0.0
    assert power_residual(data)[1:] == pytest.approx(0.01)
    assert power.value == pytest.approx(0.04)
    assert power.relative == pytest.approx(0.04 / 9.0)
    assert power.verdict == "fail"


@pytest.mark.parametrize(("share", "verdict"), [(0.9, "pass"), (1.1, "fail")])
def test_the_threshold_decides(share: float, verdict: str) -> None:
    drift = share * THRESHOLDS["power"] * 9.0 / TIME[-1]
    assert balances(braked(drift))[0].verdict == verdict


@pytest.mark.parametrize(("component", "name"), [(1, "linear momentum"), (5, "angular momentum")])
def test_an_impulse_that_is_not_counted_is_found(component: int, name: str) -> None:
    data = braked()
    data["impulse"][:, component] *= 0.9
    found = {balance.name: balance for balance in balances(data, mass=2.0)}
    assert found[name].verdict == "fail"
    assert sum(balance.verdict == "fail" for balance in found.values()) == 1


def test_a_mismatch_that_closes_again_is_still_seen() -> None:
    data = braked()
    data["kinetic_energy"] = data["kinetic_energy"] + 0.5 * np.sin(np.pi * data["time"])
    assert balances(data)[0].value == pytest.approx(0.5, rel=1e-3)


def test_works_count_from_the_first_record() -> None:
    # a run that goes on from another: neither works nor impulses start at zero
    data = braked().isel(time=slice(100, None))
    assert all(balance.relative < 1e-14 for balance in balances(data))


def test_inner_motion_gives_a_scale_to_a_momentum_that_stays_zero() -> None:
    data = braked()
    data["momentum"], data["impulse"] = 0 * data["momentum"] + 1e-7 * data["time"], 0 * data["impulse"]
    found = {balance.name: balance for balance in balances(data, mass=2.0)}
    assert found["linear momentum"].scale == pytest.approx(6.0)  # sqrt(2 * 2 kg * 9 J)
    assert found["linear momentum"].verdict == "pass"


def test_a_robot_at_rest_passes() -> None:
    rest = 0 * braked()
    rest["base_orientation"] = braked()["base_orientation"]
    rest["kinetic_energy"] = rest["kinetic_energy"] + 1e-30 * np.arange(len(TIME))
    proof = balances(rest, mass=2.0)
    assert all(balance.verdict == "pass" for balance in proof)
    assert proof[0].relative < 1e-27 / SMALLEST_SCALE


def test_a_body_of_a_millimetre_is_held_to_its_own_scale() -> None:
    """Its work is far below a nanojoule, and once any mismatch of it passed as round-off of nothing."""
    mass, speed = 5e-9, 1e-3  # of a worm, beside 2 kg and 1 m/s
    screws, size = ["momentum", "impulse"], {"section_length": ("section", np.full(4, 2.5e-4))}

    def verdicts(drift: float, speed: float) -> set[str]:
        worm = (0.5 * mass * speed**2 * braked(drift)).assign(size)
        worm = worm.assign({name: 0.5 * mass * speed * braked()[name] for name in screws})
        worm["impulse"] = (1.0 + drift) * worm["impulse"]
        worm = worm.assign({name: braked()[name] for name in ("base_orientation", "com_position")})
        return {balance.verdict for balance in balances(worm, mass=mass)[:3]}

    assert verdicts(0.0, speed) == {"pass"} and verdicts(0.1, speed) == {"fail"}
    assert verdicts(0.1, 1e-10 * speed) == {"pass"}  # it is at rest


def test_a_quaternion_that_is_no_rotation_fails() -> None:
    data = braked()
    data["base_orientation"][17] *= 1.0 + 1e-8
    assert balances(data)[-1].value == pytest.approx(1e-8, rel=1e-6)
    assert balances(data)[-1].verdict == "fail"


@pytest.mark.parametrize("variable", ["kinetic_energy", "momentum", "base_orientation"])
def test_what_is_not_a_number_fails(variable: str) -> None:
    data = braked()
    data[variable][30] = np.nan
    assert any(balance.verdict == "fail" for balance in balances(data))


def test_residuals_that_a_model_records_get_a_verdict() -> None:
    residual = 1e-3 + 0 * TIME
    data = braked().assign(
        contact_residual=("time", residual, {"units": "N", "scale": 1e4}), tail_wrench=("time", residual)
    )
    found = {balance.name: balance for balance in balances(data)}
    assert (found["contact residual"].relative, found["contact residual"].units) == (pytest.approx(1e-7), "N")
    assert (found["contact residual"].verdict, found["tail wrench"].verdict) == ("pass", "fail")


def test_only_what_was_recorded_is_balanced() -> None:
    assert balances(xr.Dataset(coords={"time": TIME})) == []
    assert power_residual(xr.Dataset(coords={"time": TIME})) is None
    assert balances(braked().isel(time=slice(0, 0))) == []
    assert all(balance.verdict == "pass" for balance in balances(braked().isel(time=slice(0, 1))))


@pytest.mark.parametrize("scale", [np.inf, np.nan])
def test_beside_a_scale_that_is_no_number_nothing_passes(scale: float) -> None:
    assert Balance("power", 1.0, scale, "J", "").verdict == "fail"


@pytest.mark.parametrize(
    ("relative", "order", "step"),
    [(1.4e-3, 0.5, 5e-4), (15.9e-3, 4, 5e-4), (16.1e-3, 4, 2e-4), (2.0, 1, None)],
)
def test_a_balance_that_fails_names_a_step_that_likely_passes(relative: float, order: float, step: float) -> None:
    """At a step of 1 ms: a mismatch of order 4 falls sixteen times where the step is halved, among impacts with it."""
    told = Balance("power", relative, 1.0, "J", "").sentence(1e-3, order)
    assert told.endswith(f"; try step: {step:g}") if step else "try" not in told
    assert "try" not in Balance("orientation", relative, 1.0, "1", "").sentence(1e-3, order)
