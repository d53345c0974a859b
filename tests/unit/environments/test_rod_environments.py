"""What a user may bring to a rod: own motions of anchorages, places and times of supports, wrenches that change in
time, own contacts."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
import pytest

import limbless as ll
from limbless.core import registry
from limbless.core.description import quantity
from limbless.environments.constraint import Constraint, Places
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix

ARM = ll.Rod(length=0.5, half_width=0.02, strains="universal")
SNAKE = ll.Rod(base="planar", strains="planar")
COARSE = ll.MacroContinuousSettings(cells=16)
FINE = ll.MacroContinuousSettings(cells=128)
STILL = ll.BodyWave(amplitude=0.0)


# Anchorages with a motion of their own


def swing(t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g_c(t): a circle, and a turn about an axis that is not parallel to any other."""
    place = np.stack([0.3 * np.sin(2.0 * t), 0.2 * (1.0 - np.cos(2.0 * t)), 0.1 * np.sin(t) ** 2], axis=-1)
    angle, axis = 0.5 * np.sin(1.5 * t), np.array([0.36, 0.48, 0.8])
    turn = np.concatenate([np.cos(angle)[:, None], np.sin(angle)[:, None] * axis], axis=1)
    return place, -3.0 * turn  # any length and either of the two signs will do


@pytest.mark.parametrize("abscissa", [0.0, 0.37])
def test_held_section_follows_its_own_law(abscissa: float) -> None:
    """g_c(0)⁻¹ g_c(t) from where the section is: here at its place, turned about z. Momentum and energy balance: the
    vehicle does work."""
    start = {"position": (1.0, 2.0, 3.0), "orientation": (0.8, 0.0, 0.0, 0.6)}
    held = ll.Anchorage(abscissa=abscissa, motion=swing)
    result = ll.simulate(
        ARM,
        ll.BodyWave(amplitude=0.3, ramp=0.4),
        [ll.Gravity(), held],
        model=COARSE,
        duration=1.0,
        step=0.01,
        record_every=0.25,
        initial=start,
    )
    data = result.dataset
    place, turn = swing(data["time"].values)
    place, R0 = place - place[0], quaternion_to_matrix(np.array(start["orientation"]))
    if not abscissa:
        assert data["base_position"].values == pytest.approx(np.array(start["position"]) + place @ R0.T, abs=1e-6)
        R = R0 @ quaternion_to_matrix(turn / 3.0)
        assert quaternion_to_matrix(data["base_orientation"].values) == pytest.approx(R, abs=1e-6)
    moved = data["contact_position"].values[:, 0] - data["contact_position"].values[0, 0]
    assert np.linalg.norm(moved, axis=1) == pytest.approx(np.linalg.norm(place, axis=1), abs=1e-6)
    assert all(balance.verdict == "pass" for balance in result.balances())


def test_positions_alone_do_not_turn_it_and_equal_the_sway() -> None:
    law = ll.Anchorage(motion=lambda t: np.stack([0.0 * t, 0.1 * np.sin(4.0 * t), 0.0 * t], axis=-1))
    sway = ll.Anchorage(sway=(0.0, 0.1, 0.0, 0.0, 0.0, 0.0), period=0.5 * np.pi)
    runs = [ll.simulate(ARM, STILL, held, model=COARSE, duration=0.4, step=0.02) for held in (law, sway)]
    ends = [run.dataset.isel(time=-1) for run in runs]
    for name in ("base_position", "base_twist", "base_acceleration", "contact_wrench"):
        assert ends[0][name].values == pytest.approx(ends[1][name].values, abs=1e-8), name


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (lambda t: np.zeros(3), r"must return finite positions of shape \(\d+, 3\)"),
        (lambda t: (np.zeros((len(t), 3)), np.zeros((len(t), 4))), "must return finite positions"),
        (lambda t: np.full((len(t), 3), np.nan), "must return finite positions"),
    ],
)
def test_bad_laws_are_refused(law: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.simulate(ARM, STILL, ll.Anchorage(motion=law), model=COARSE, duration=0.1)


def test_motions_that_the_base_cannot_have_and_two_laws_are_refused() -> None:
    up = ll.Anchorage(motion=lambda t: np.stack([0.0 * t, 0.0 * t, 0.1 * t**2], axis=-1))
    with pytest.raises(ll.InputError, match=r"moves its section at t = .* in a way that a base 'planar' cannot"):
        ll.simulate(SNAKE, STILL, up, model=COARSE, duration=0.1)
    with pytest.raises(ll.InputError, match="takes the place of `twist` and `sway`"):
        ll.Anchorage(motion=swing, twist=(1.0, 0, 0, 0, 0, 0))


# Supports with places and times of their own


def test_supports_come_and_go_by_their_schedule() -> None:
    """Four from the start, a fifth from 0.1 s to 0.3 s where the body is then: forces are shared by those that are
    there."""
    support = ll.Support(abscissae=(0.1, 0.35, 0.6, 0.8), schedule=((0.1, 0.3, 0.5),))
    data = ll.simulate(
        SNAKE, ll.TravellingCurvature(), support, model=FINE, duration=0.38, step=0.02, record_every=0.02
    ).dataset
    there, time = data["contact_state"].values[:, 4] > 0, data["time"].values
    np.testing.assert_array_equal(there, (time > 0.1 - 1e-9) & (time < 0.3 - 1e-9))
    assert data["support_abscissa"].values[there, 4] == pytest.approx(0.5 + 0.5 * (time[there] - 0.1), abs=1e-5)
    place = data["contact_position"].values[there, 4]
    assert np.abs(place - place[0]).max() < 1e-5, "it stands still in space"
    wheels = support.changed(travel=False)
    data = ll.simulate(
        SNAKE, ll.TravellingCurvature(), wheels, model=FINE, duration=0.38, step=0.02, record_every=0.02
    ).dataset
    np.testing.assert_array_equal(data["contact_state"].values[:, 4] > 0, there)
    assert (data["support_abscissa"].values[there, 4] == 0.5).all()


def test_a_whole_run_by_schedule_is_that_of_spacing() -> None:
    """Supports that enter every 0.4 s at the head, by the clock or by the distance: the same forces."""
    rows = tuple((0.2 + 0.4 * n, 1e3, 0.0) for n in range(3))
    kinds = (ll.Support(spacing=0.2), ll.Support(schedule=rows))
    forces = [
        ll.simulate(
            SNAKE, ll.TravellingCurvature(), kind, model=FINE, duration=1.1, step=0.02, record_every=0.1
        ).dataset
        for kind in kinds
    ]
    for a, b in zip(
        forces[0]["support_wrench"].values[..., 1], forces[1]["support_wrench"].values[..., 1], strict=True
    ):
        assert sorted(a[a != 0.0]) == pytest.approx(sorted(b[b != 0.0]), abs=1e-4)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"schedule": ((0.5, 0.2, 0.1),)}, "goes later"),
        ({"schedule": ((0.0, 1.0, 0.1),), "spacing": 0.2}, "come by themselves"),
        ({"abscissae": ()}, "at least one support"),
    ],
)
def test_bad_schedules_are_refused(fields: dict, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.Support(**fields)


def test_a_scheduled_support_beyond_the_body_is_refused() -> None:
    with pytest.raises(ll.InputError, match=r"schedule\[0\] = 1.5 m lies outside the body"):
        ll.simulate(
            SNAKE, ll.TravellingCurvature(), ll.Support(schedule=((0.1, 0.2, 1.5),)), model=COARSE, duration=0.1
        )


# Wrenches that change in time


def pulse(t: float) -> tuple[list[float], list[float]]:
    return [2.0 * np.sin(np.pi * t / 0.4) ** 2, 0.0, 0.3], [0.0, 0.05 * t, 0.0]


@pytest.mark.parametrize("frame", ["world", "body"])
def test_end_wrench_of_a_rod_is_its_law(frame: str) -> None:
    """Λ(l) = F_plus(t) of a clamped straight rod, and the anchor carries all of it."""
    load = ll.PointWrench(abscissa=0.5, law=pulse, frame=frame)
    data = ll.simulate(
        ARM, STILL, [ll.Anchorage(), load], model=COARSE, duration=0.4, step=0.02, record_every=0.1
    ).dataset
    for t, wrench in zip(data["time"].values, data["contact_wrench"].values, strict=True):
        force, torque = (np.array(part) for part in pulse(float(t)))
        moment = torque + np.cross([0.5, 0.0, 0.0], force)
        assert wrench == pytest.approx(-np.concatenate([force, moment]), abs=1e-9)


def test_a_force_in_time_moves_a_free_rod_and_a_chain_by_its_impulse() -> None:
    """∫ 2 sin²(π t / 0.4) dt over 0.4 s is 0.4 N s; balances pass on both models."""
    rod, chain = ll.Rod(length=0.5, half_width=0.02), ll.Chain.uniform(links=3, length=0.1, density=1000.0)
    runs = [(rod, "macro-continuous", {"abscissa": 0.0}, STILL), (chain, "newton-euler", {"body": 0}, ll.BodyWave())]
    for robot, model, where, gait in runs:
        push = ll.PointWrench(law=lambda t: [2.0 * np.sin(np.pi * t / 0.4) ** 2, 0.0, 0.0], **where)
        result = ll.simulate(robot, gait, push, model=model, duration=0.4, step=0.01)
        assert result.dataset["impulse"].values[-1, :3] == pytest.approx([0.4, 0.0, 0.0], abs=1e-6)
        assert all(balance.verdict == "pass" for balance in result.balances())


@pytest.mark.parametrize("held", [(), (ll.Anchorage(),)], ids=["free", "held"])
def test_laws_that_fail_keep_the_run(held: tuple) -> None:
    def short(t: float) -> list[float]:
        return [1.0, 0.0, 0.0] if t < 0.055 else [1.0]

    with pytest.raises(ll.SimulationError, match="law short must return a force of 3 numbers") as caught:
        ll.simulate(ARM, STILL, [ll.PointWrench(abscissa=0.5, law=short), *held], model=COARSE, duration=0.2, step=0.01)
    assert caught.value.result.dataset["time"].values[-1] == pytest.approx(0.05)
    assert np.isfinite(caught.value.result.dataset["base_acceleration"].values).all()


def test_two_laws_and_statics_are_refused() -> None:
    with pytest.raises(ll.InputError, match="takes the place of `force` and `torque`"):
        ll.PointWrench(law=pulse, force=(1.0, 0.0, 0.0))
    with pytest.raises(ll.InputError, match="`law` is a function of time, which statics does not have"):
        ll.TendonStatics(ll.SnakeNeck(), ll.PointWrench(law=pulse))


# Own contacts


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry that forgets what a test adds to it."""
    monkeypatch.setattr(registry, "_known", {family: dict(registry.kinds(family)) for family in registry._FOLDERS})


def driven_wheel(**fields: float) -> Constraint:
    class DrivenWheel(Constraint):
        """A wheel under one section that turns at a given rate and does not slip: V_X is given, V_Y is 0."""

        kind: Literal["driven-wheel"] = "driven-wheel"
        guided: ClassVar[tuple[int, ...]] = (0, 1)
        abscissa: float = quantity(0.0, "m", "where it is", ge=0)
        gain: float = quantity(0.0, "m/s2", "how fast it speeds up")

        def places(self, gait: Any, times: np.ndarray, length: float) -> Places:
            still = np.zeros((len(times), 1))
            return Places(still + self.abscissa, still, still)

        def demands(
            self, times: np.ndarray, places: Places, strain: np.ndarray, slope: np.ndarray, rate: np.ndarray
        ) -> tuple[np.ndarray, np.ndarray]:
            twist, change = np.zeros_like(strain), np.zeros_like(strain)
            twist[..., 0], change[..., 0] = self.gain * times[:, None], self.gain
            return twist, change

    return DrivenWheel(**fields)


def test_own_contact_drives_a_circular_body(forgetful: None) -> None:
    """What a circular snake cannot do by itself: a wheel at its head drives it, K_o steers, and the head runs along a
    circle of radius 1/K_o. The wheel alone pushes along: m V̇ at every section."""
    gait = ll.SteeredCurvature(amplitude=0.0, steer=2.0, distance=lambda t: 0.25 * t**2)
    parts = [driven_wheel(gain=-0.5), ll.Support(abscissae=(0.3, 0.7), travel=False)]
    result = ll.simulate(
        SNAKE, gait, parts, model=ll.MacroContinuousSettings(cells=32), duration=1.0, step=0.02, record_every=0.1
    )
    data = result.dataset
    angle = 2.0 * 0.25 * data["time"].values ** 2
    assert data["head_position"].values[:, 0] == pytest.approx(-0.5 * np.sin(angle), abs=1e-9)
    assert data["head_position"].values[:, 1] == pytest.approx(0.5 * (1.0 - np.cos(angle)), abs=1e-9)
    inertia = 1000.0 * np.pi * 0.03**2
    assert float(np.abs(data["support_wrench"].values[:, 0, 0]).max()) > 0.1 * inertia * 0.5, "the wheel pushes"
    assert all(balance.verdict == "pass" for balance in result.balances())


def test_a_contact_that_says_nothing_is_refused(forgetful: None) -> None:
    class Silent(Constraint):
        kind: Literal["silent"] = "silent"

    with pytest.raises(ll.InputError, match="'silent' does not say where it holds the body"):
        ll.simulate(ARM, STILL, Silent(), model=COARSE, duration=0.1)
