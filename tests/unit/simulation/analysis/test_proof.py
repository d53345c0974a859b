"""A run that failed its own proof says so first, wherever it is shown; what cannot be solved is
refused or ends in words.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import Torque
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.contact.scene import Feature, Scene
from limbless.mechanics.contact.shapes.height_field import HeightField, touch_field
from limbless.scenarios.scenario import Scenario

QUIET = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
RADIUS = 0.0525


def shaken(swimmer: ll.Result) -> ll.Result:
    """A sound run with one joule too much in its books, and a note."""
    data = swimmer.dataset.copy(deep=True)
    data["actuator_work"].values[5:] += 1.0
    data["look_actuator_work"].values[5:] += 1.0  # what the balances are found from
    made = ll.Result(data, swimmer.scenario, state=swimmer.state)
    made.notes = ("gait.<turn> has no effect",)
    return made


@pytest.fixture(scope="module")
def doubtful() -> ll.Result:
    return shaken(ll.run("eel-planar", {"duration": 0.2}))


# Where it is shown


def test_every_text_of_a_result_says_it_first(doubtful: ll.Result) -> None:
    assert doubtful.status == "completed" and not doubtful.proven and doubtful.outcome == "completed, not proven"
    assert doubtful.warning.startswith("completed, not proven: the power balance is off by")
    assert repr(doubtful).splitlines()[1].split(maxsplit=2)[:2] == ["NOT", "PROVEN"] and "completed, not proven" in str(
        doubtful
    )
    assert repr(doubtful).splitlines()[-1].endswith("gait.<turn> has no effect")
    page = doubtful._repr_html_()
    assert page.startswith("<div class='not-proven'") and "color:#a32100" in page and "gait.&lt;turn&gt;" in page
    summary = doubtful.summary()
    assert summary["status"] == "completed, not proven" and summary["proven"] is False and len(summary["doubts"]) == 1


def test_a_sound_run_says_nothing_of_it() -> None:
    sound = ll.run("eel-planar", {"duration": 0.1})
    assert (
        sound.proven and sound.warning == "" and "PROVEN" not in repr(sound) and "not-proven" not in sound._repr_html_()
    )


def test_files_of_a_run_say_it(doubtful: ll.Result, tmp_path: Path) -> None:
    pytest.importorskip("viser", reason="the extra view is not installed")
    doubtful.write(tmp_path, figures=False, replay=True)
    assert json.loads((tmp_path / "summary.json").read_text())["status"] == "completed, not proven"
    loaded = ll.Result.load(tmp_path)
    assert loaded.doubts == doubtful.doubts and loaded.notes == doubtful.notes
    replay, report = (tmp_path / "replay.html").read_text(), str(loaded.report())
    read = re.sub(r"(?s)<(style|script).*?</\1>|<[^>]*>", "", replay[replay.index("<body") :])
    assert read.index("completed, not proven: the power balance") < 1000 and "Note: gait.&lt;turn&gt;" in replay
    assert report.index("completed, not proven: the power balance") < report.index("<h1>")
    assert "Do not trust these numbers: the power balance" in report and "Note: gait.&lt;turn&gt;" in report


def test_the_studio_begins_with_it(doubtful: ll.Result) -> None:
    pytest.importorskip("viser", reason="the extra view is not installed")
    from types import SimpleNamespace

    from limbless.view.studio.controls import Controls
    from limbless.view.studio.server import quiet_server, stop

    server = quiet_server()
    try:
        page = SimpleNamespace(
            source=None,
            result=SimpleNamespace(name="run"),
            python=lambda: "",
            rungs=SimpleNamespace(switches=[], rows=list),
            save=None,
            show_angles=None,
            **dict.fromkeys(("relight", "send_picture", "cast_shadows", "look_from")),
            screen=SimpleNamespace(controls=320, style=""),
            other=None,
        )
        controls: Any = Controls(server.gui, page)
        controls.show_legend = lambda _: None  # there is no scene
        stage = SimpleNamespace(
            frames=SimpleNamespace(times=np.array([0.0, 1.0])),
            switches=list,
            switch=lambda *_: None,
            arrows=[],
            torque=None,
            tendons=None,
        )
        controls.show_result(doubtful, stage, another=False)
        assert "completed, not proven" in controls.doubt.content and controls.doubt.order < controls.scenario.order
        assert "gait.&lt;turn&gt;" in controls.numbers.content
        controls.show_result(
            ll.Result(doubtful.dataset.isel(time=slice(0, 3), look=slice(0, 3)), doubtful.scenario),
            stage,
            another=False,
        )
        assert controls.doubt.content == ""
    finally:
        stop(server)


# Contacts that fail


def drop(
    environment: list[Any], position: tuple[float, float, float], duration: float = 0.4, **initial: Any
) -> ll.Result:
    return ll.simulate(
        ll.Aiko(links=1),
        QUIET,
        [*environment, ll.Gravity()],
        model="non-smooth",
        actuation=Torque(),
        duration=duration,
        step=1e-3,
        record_every=0.05,
        initial={"position": position, **initial},
    )


def test_a_body_that_gets_deep_into_something_ends_the_run() -> None:
    """A wall that appears where the body is: which body, in what, how deep and when."""
    wall = ll.Boxes(centres=((0.0, 0.0, 0.3),), sizes=((1.0, 1.0, 0.5),), active=((0.1, 1.0),))
    said = r"'.+' is 0\.\d+ m deep in boxes at t = 0.1 s, more than the radius of 0.0525 m"
    with pytest.raises(ll.SimulationError, match=said) as caught:
        drop([ll.Ground(), wall], (0.0, 0.0, RADIUS))
    assert (
        caught.value.time == pytest.approx(0.1)
        and caught.value.place
        and caught.value.result.dataset.sizes["time"] >= 2
    )


def test_a_body_that_sinks_in_visibly_is_a_doubt() -> None:
    """With the paper's activation nothing takes a penetration back: a fast body stays in the ground
    where a step has carried it.
    """
    model = ll.Scenario.load("snake-lift").model.changed(activation="paper")
    thrown = ll.simulate(
        ll.Aiko(links=1),
        QUIET,
        [ll.Ground(), ll.Gravity()],
        model=model,
        actuation=Torque(),
        duration=0.05,
        step=2e-3,
        record_every=0.05,
        initial={"position": (0.0, 0.0, RADIUS + 0.0985), "twist": (0.0, 0.0, -5.0, 0.0, 0.0, 0.0)},
    )
    depth = thrown.dataset["contact_depth"].values
    assert 0.05 < depth.max() < 1.0 and thrown.status == "completed" and not thrown.proven
    assert any("sank into the ground" in doubt for doubt in thrown.doubts)
    assert depth[0] == 0.0 and depth.max() == pytest.approx(
        -thrown.dataset["contact_gap"].values.min() / RADIUS, rel=0.05
    )


# Terrain


def solid_distance(terrain: ll.Terrain, p: np.ndarray, fine: int = 120) -> float:
    """Signed distance to the solid below a terrain, by looking at many points of its surface."""
    grid, (x0, y0), (dx, dy) = np.array(terrain.table), terrain.corner, terrain.spacing
    ends = x0 + dx * (grid.shape[0] - 1), y0 + dy * (grid.shape[1] - 1)

    def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        u, v = (
            np.clip((place - low) / size, 0.0, count - 1 - 1e-9)
            for place, low, size, count in ((x, x0, dx, grid.shape[0]), (y, y0, dy, grid.shape[1]))
        )
        i, j = u.astype(int), v.astype(int)
        a, b, c, d = grid[i, j], grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]
        u, v = u - i, v - j
        return np.where(u >= v, a + (b - a) * u + (c - b) * v, a + (c - d) * u + (d - a) * v)

    xs, ys = np.linspace(x0, ends[0], fine), np.linspace(y0, ends[1], fine)
    X, Y = np.meshgrid(xs, ys, indexing="ij")
    points = [np.stack([X, Y, height(X, Y)], -1).reshape(-1, 3)]
    down = np.linspace(0.0, 1.2, fine)[:, None]
    for x in (x0, ends[0]):
        points.append(np.stack(np.broadcast_arrays(x, ys, height(np.full(fine, x), ys) - down), -1).reshape(-1, 3))
    for y in (y0, ends[1]):
        points.append(np.stack(np.broadcast_arrays(xs, y, height(xs, np.full(fine, y)) - down), -1).reshape(-1, 3))
    nearest = np.linalg.norm(np.concatenate(points) - p, axis=1).min()
    within = x0 < p[0] < ends[0] and y0 < p[1] < ends[1] and p[2] < height(p[:1], p[1:2])[0]
    return -nearest if within else nearest


@pytest.mark.parametrize("seed", range(4))
def test_terrain_is_a_solid_with_upright_sides(seed: int) -> None:
    """Outside, the gap is the distance to it, from every side; inside it is negative, however deep."""
    rng = np.random.default_rng(seed)
    terrain = ll.Terrain(
        corner=(-0.2, 0.1), spacing=(0.15, 0.2), table=tuple(map(tuple, rng.uniform(-0.2, 0.3, (4, 3))))
    )
    surfaces = terrain.surfaces("base")
    nobody, feature = np.zeros(0, dtype=np.int64), Feature.zeros(1)  # a sphere without extent
    scene = Scene(
        (HeightField(),),
        nobody,
        nobody,
        feature,
        surfaces.rows,
        surfaces.patches,
        np.append(surfaces.heights, 0.0),
        np.zeros(0),
    )

    def gap_at(place: np.ndarray) -> tuple:
        p = Vector(*map(float, place))
        return touch_field(scene, 0, 0, p, p, 2.0)[:2]

    for p in rng.uniform([-0.5, -0.2, -0.5], [0.55, 0.8, 0.6], (25, 3)):
        gap, n = gap_at(p)
        true = solid_distance(terrain, p)
        assert np.linalg.norm(n) == pytest.approx(1.0)
        if true > 0.0:
            assert gap == pytest.approx(true, abs=4e-3)
            ahead, _ = gap_at(p + 1e-5 * np.array(n))
            assert ahead - gap == pytest.approx(1e-5, rel=1e-2)  # straight away from it
        else:
            assert true - 0.15 < gap < 0.0


@pytest.mark.parametrize("turned", [False, True], ids=["its end", "its side"])
def test_a_body_that_slides_against_the_open_side_of_a_terrain_is_stopped(turned: bool) -> None:
    """Once it went below the triangles, 0.3 m deep, and gained 700 J."""
    block = ll.Terrain(
        corner=(0.4, -1.0), spacing=(1.0, 1.0), table=((0.3, 0.3, 0.3), (0.3, 0.3, 0.3)), forward=0.0, lateral=0.0
    )
    turn = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)) if turned else (1.0, 0.0, 0.0, 0.0)
    twist = (0.0, -1.0, 0.0, 0.0, 0.0, 0.0) if turned else (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    slid = drop(
        [ll.Ground(forward=0.0, lateral=0.0), block], (0.0, 0.0, RADIUS), orientation=turn, twist=twist, duration=0.6
    )
    front = slid.dataset["contact_gap"].values.min()
    assert slid.proven and front > -1e-4
    energy = slid.dataset["kinetic_energy"].values
    assert energy.max() <= energy[0] * (1.0 + 1e-9) and energy[-1] < 0.5 * energy[0]


# Steps that regularised friction needs


def crawl(step: float, kind: str = "geometric", **more: Any) -> ll.Result:
    return ll.run(
        "wheeled-snake-crawl",
        {
            "environment.wheels.law": "regularised",
            "model": {"kind": kind},
            "step": step,
            "record_every": 20 * step,
            "duration": 600 * step,
            **more,
        },
    )


def wheels_limit(changes: dict[str, Any]) -> float:
    scenario = Scenario.load("wheeled-snake-crawl", {"environment.wheels.law": "regularised", **changes})
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    return model.step_limit(model.initial_state(scenario.initial, scenario.gait)).longest


@pytest.mark.parametrize("kind", ["geometric", "newton-euler"])
def test_steps_too_long_for_regularised_wheels_are_refused_with_one_that_works(kind: str) -> None:
    """Friction mu m g u / eps on a mass m decays with mu g / eps: 2.785 eps / (mu g) is the end
    of Runge-Kutta's stability.
    """
    longest = wheels_limit({"model": {"kind": kind}})
    assert longest == pytest.approx(2.7 * 1e-3 / (0.5 * 9.81), rel=0.05)
    said = r"step: 0.005 s is too long for regularised friction that fades below 0.001 m/s.*set step to 0.000"
    with pytest.raises(ll.InputError, match=said):
        crawl(5e-3, kind)
    assert wheels_limit({"environment.wheels.slip_speed": 0.1}) == pytest.approx(100.0 * longest, rel=1e-6)


def test_the_longest_step_gives_the_motion_of_a_short_one_and_a_longer_one_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    longest = wheels_limit({})
    ends = {}
    monkeypatch.setattr("limbless.models.chain.newton_euler_model.NewtonEuler.step_limit", lambda self, state: None)
    for share in (0.25, 1.0, 2.0):
        made = ll.run(
            "wheeled-snake-crawl",
            {
                "environment.wheels.law": "regularised",
                "step": share * longest,
                "record_every": 16 * longest,
                "duration": 3200 * longest,
            },
        )
        ends[share] = made.dataset["com_position"].values[-1], made.proven
    moved = np.linalg.norm(ends[0.25][0])
    assert np.linalg.norm(ends[1.0][0] - ends[0.25][0]) < 1e-5 * moved and ends[1.0][1]
    assert np.linalg.norm(ends[2.0][0] - ends[0.25][0]) > 1e-3 * moved and not ends[2.0][1]


@pytest.mark.parametrize("joints", ["motion", "torque"])
def test_limits_of_a_chain_and_of_a_rod_are_that_of_their_mass_elements(joints: str) -> None:
    """Uniform links under their own weight: mu g / v, whether the body moves as one or each link for itself."""
    ground = ll.RegularisedFriction(lateral=0.4, backward=0.2, speed=0.02)
    chain = ll.UniformChain(links=6, half_width=1e-4, half_height=1e-4, base="planar")
    model = ll.NewtonEuler(chain, ground, Torque() if joints == "torque" else None)
    state = model.initial_state(Scenario.load("eel-planar").initial, QUIET)
    assert model.step_limit(state).longest == pytest.approx(2.7 * 0.02 / (0.4 * 9.81), rel=1e-4)
    rod = ll.MacroContinuous(ll.Rod(length=0.6), ground)
    assert rod.step_limit(state).longest == pytest.approx(2.7 * 0.02 / (0.4 * 9.81), rel=1e-9)


def test_no_friction_no_limit() -> None:
    scenario = Scenario.load("eel-planar")
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    assert model.step_limit(model.initial_state(scenario.initial, scenario.gait)) is None
