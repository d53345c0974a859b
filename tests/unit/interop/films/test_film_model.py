"""The model beside the film: a film of the model itself is swum again, and its coefficients are found."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
import tests.unit.interop.films.film_maker as make
from limbless.cli.main import main
from limbless.core.errors import InputError
from limbless.interop.films.experiment import widths_of
from limbless.interop.films.prediction import UNDETERMINED

LENGTH, PERIOD, DRAG = 0.155, 0.26, (0.02, 1.5, 1.0, 1.0)
WIDTH = ((0.0, 0.016), (0.3, 0.022), (1.0, 0.005))
MEDIUM = {"environment.0.added_mass": "consistent"}


@cache
def planted() -> np.ndarray:
    """(201, 20, 2) m: points of a rod that swims with known coefficients, 50 a second, from 1 s to 5 s."""
    from scipy.interpolate import make_interp_spline

    rows, _ = widths_of(WIDTH, LENGTH)
    rod = ll.Rod(strains="planar", base="planar", length=LENGTH, half_width=rows)
    gait = ll.BodyWave(amplitude=0.55, growth=3.0, wavelength=0.65 * LENGTH, period=PERIOD, ramp=PERIOD)
    data = ll.simulate(
        rod,
        gait,
        ll.Water(model="morison", drag=DRAG, added_mass="consistent"),
        model=ll.MacroContinuousSettings(cells=128),
        duration=5.0,
        step=0.0025,
        record_every=0.005,
    ).dataset
    along = np.concatenate([[0.0], data["abscissa"].values])
    places = np.concatenate([data["head_position"].values[:, None, :2], data["position"].values[..., :2]], axis=1)
    points = make_interp_spline(along, places, k=5, axis=1)(np.linspace(0.0, LENGTH, 20))
    return np.asarray(points[200::4])


def film_of(noise: float, seed: int = 0, frames: int = 201) -> ll.Film:
    points = planted()[:frames]
    spoilt = points + noise * np.random.default_rng(seed).normal(size=points.shape)
    return ll.Film.from_points(spoilt, make.RATE, LENGTH)


def water() -> dict[str, object]:
    return {**MEDIUM, "environment.0.model": "morison", "environment.0.drag": list(DRAG)}


def test_the_model_swims_its_own_film_again() -> None:
    film = film_of(1e-4, frames=80)
    found = film.predict(width=WIDTH, changes=water())
    assert found.speed == pytest.approx(found.filmed_speed, rel=0.01)
    assert found.determined and found.spread < 0.05
    assert found.path_error is not None and found.path_error < 0.01
    assert found.result.proven and found.numbers()["verdict"] == "determined"
    assert found.numbers()["cost_of_transport"] == pytest.approx(found.result.summary()["cost_of_transport"])
    slow = film.predict(width=WIDTH, changes={**water(), "environment.0.drag": [0.2, 1.5, 1.0, 1.0]}, sensitivity=False)
    assert slow.speed < 0.8 * found.speed  # ten times the drag along the body


def test_coefficients_are_found_within_their_intervals() -> None:
    changes = {**MEDIUM, "environment.0.model": "morison"}
    found = film_of(1e-4, frames=130).identify(["drag.0", "drag.1"], width=WIDTH, changes=changes)
    low, high = found.interval((1.0, -1.0)) or (0.0, 0.0)
    assert low < DRAG[0] / DRAG[1] < high and high / low < 1.1
    assert found.combination((1.0, -1.0)) == pytest.approx(DRAG[0] / DRAG[1], rel=0.02)
    scale = found.interval((0.0, 1.0))
    assert scale is None or scale[0] < DRAG[1] < scale[1]
    best, worst = found.directions[0], found.directions[-1]
    assert best[1] < worst[1] and best[0][0] * best[0][1] < 0.0  # a ratio is what steady swimming fixes best
    assert "drag.0 = " in found.lines()[0] and "windows of two beats" in found.lines()[-1]


def test_a_film_without_noise_gives_the_planted_coefficients() -> None:
    """What shooting itself adds, without noise to hide it: too few cells of the rod made 1 % (32 in place of 80)."""
    found = film_of(0.0, frames=80).identify(
        ["drag.0", "drag.1"], width=WIDTH, changes={**MEDIUM, "environment.0.model": "morison"}
    )
    assert found.values[1] == pytest.approx(DRAG[1], rel=0.005)
    assert found.combination((1.0, -1.0)) == pytest.approx(DRAG[0] / DRAG[1], rel=0.005)


def test_what_a_film_does_not_determine_gets_no_interval() -> None:
    film = film_of(1e-4, frames=80)
    found = film.identify(["drag.1", "drag.3"], width=WIDTH, changes=water())  # in the plane nothing rolls
    assert found.determined("drag.1") and not found.determined("drag.3")
    assert "drag.3 not determined by this film" in " ".join(found.lines())
    assert found.numbers()["coefficients"]["drag.3"] == {"value": None, "interval": None, "determined": False}


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        (["drug.0"], "drug: unknown field; did you mean 'drag'"),
        (["drag"], "drag: must be a list of 4 numbers"),
        (["drag.0", "drag.0"], "each once"),
        (["added_mass"], "added_mass: must be 'paper', 'consistent' or 'none'"),
    ],
)
def test_coefficients_that_are_none(paths: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        film_of(1e-4, frames=80).identify(paths)


@pytest.mark.parametrize(
    ("width", "message"),
    [
        (0.9, "no slender body"),
        (-0.1, "needs a positive number"),
        ("none.csv", "there is no file"),
        ([(0.0, 0.1)], "needs a positive"),
    ],
)
def test_widths_that_are_none(width: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        widths_of(width, 1.0)  # type: ignore[arg-type]


def test_a_table_of_widths_needs_a_width(tmp_path: Path) -> None:
    (tmp_path / "w.csv").write_text("s\n0\n1\n")
    with pytest.raises(InputError, match="must hold rows of two numbers"):
        widths_of(tmp_path / "w.csv", 1.0)


def test_the_command_writes_a_folder_that_runs_again(tmp_path: Path) -> None:
    points = planted()[:70] + 5e-5 * np.random.default_rng(1).normal(size=(70, 20, 2))
    film = make.write_table(tmp_path / "eel.csv", points)
    (tmp_path / "width.csv").write_text("s,width\n" + "\n".join(f"{s},{d}" for s, d in WIDTH) + "\n")
    out = tmp_path / "out"
    widths = str(tmp_path / "width.csv")
    said = CliRunner().invoke(
        main, ["film", str(film), "--length", "0.155", "--width", widths, "--out", str(out), "--format", "pdf"]
    )
    assert said.exit_code == 0, said.output
    for word in (
        "film       70 frames, 20 points, 50 /s; no gaps",
        "body       length 155 mm",
        "Hz",
        "predicted",
        "cost",
    ):
        assert word in said.output
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {
        "midline.nc",
        "curvature.csv",
        "scenario.yaml",
        "result.nc",
        "filmed.nc",
        "summary.json",
        "report.html",
        "notebook.ipynb",
        "figures/kymograph.png",
        "figures/kymograph.pdf",
        "figures/path.png",
        "figures/forces.png",
    } <= names
    summary = json.loads((out / "summary.json").read_text())
    assert summary["kinematics"]["frequency"]["value"] == pytest.approx(1.0 / PERIOD, rel=0.01)
    assert summary["kinematics"]["frequency"]["error"] > 0.0
    drawn = np.genfromtxt(out / "figures" / "path.csv", delimiter=",", names=True)
    assert len(drawn) == 70 and drawn["film_x__length"][-1] * 0.155 == pytest.approx(points[-1, :, 0].mean(), abs=1e-3)
    kept, again = ll.Result.load(out), ll.run(out / "scenario.yaml")
    np.testing.assert_array_equal(kept.dataset["position"].values, again.dataset["position"].values)
    filmed = ll.Result.load(out / "filmed.nc")
    assert filmed.dataset["position"].shape == kept.dataset["position"].shape
    from limbless.view.scene.frames import frames_of

    apart = np.linalg.norm(frames_of(filmed).position - frames_of(kept).position, axis=2).max()
    assert apart < 0.3 * LENGTH  # the default water is not the planted one
    notebook = json.loads((out / "notebook.ipynb").read_text())
    assert notebook["nbformat"] == 4 and len(notebook["cells"]) == 5
    refused = CliRunner().invoke(main, ["film", str(film), "--no-model", "--width", "0.1"])
    assert refused.exit_code == 2 and "--no-model makes no model" in refused.output


def test_a_motion_of_the_smoothing_is_not_claimed() -> None:
    """Ten per cent of noise: what the model swims is decided by how it is smoothed."""
    film = film_of(4e-3, frames=80)
    found = film.predict(width=WIDTH, changes=water())
    assert not found.determined
    assert found.numbers()["predicted_speed_L"] is None and found.numbers()["verdict"] == UNDETERMINED
    assert UNDETERMINED in " ".join(film.lines(found))


def test_a_worm_on_agar_needs_no_start_velocity() -> None:
    film = ll.Film.from_points(make.swimmer(60, 16), make.RATE, 1e-3, "worm")
    found = film.predict("agar", sensitivity=False)
    assert "40 times as large across" in found.law and found.speed > 0.0
    along = (found.mean[-1] - found.mean[0]) @ (found.filmed[-1] - found.filmed[0])
    assert along > 0.0  # the wave pushes where the film goes
    doubled = film.predict(
        "agar", changes={"environment.0.along": 6.4, "environment.0.lateral": 256.0}, sensitivity=False
    )
    np.testing.assert_allclose(doubled.mean, found.mean, atol=1e-12)  # without inertia only the ratio counts


def test_a_chain_lies_on_the_film() -> None:
    """Links laid end to end from where the scenario starts: the filmed midline, as nearly as chords follow arcs."""
    film = ll.Film.from_points(make.swimmer(40, 16), make.RATE, make.LENGTH)
    scenario, links = film.scenario("agar", links=20), 20
    assert scenario.robot.freedoms == links - 1 and not scenario.model.inertia
    w, _, _, z = scenario.initial.orientation
    turns = np.concatenate([[2.0 * np.arctan2(z, w)], scenario.gait.sample(np.zeros(1), np.arange(19.0)).value[0]])
    angle, size = np.cumsum(turns), film.length / links
    ends = np.array(scenario.initial.position[:2]) + size * np.cumsum(np.stack([np.cos(angle), np.sin(angle)], 1), 0)
    filmed = film.smooth.position[0]
    nearest = np.linalg.norm(ends[:, None] - filmed, axis=2).min(axis=1)
    assert nearest.max() < 0.03 * film.length and np.linalg.norm(ends[-1] - filmed[-1]) < 0.02 * film.length
    with pytest.raises(InputError, match="links: a body that bends has at least 2"):
        film.scenario(links=1)


@cache
def planted_worm(ratio: float) -> np.ndarray:
    """(151, 20, 2) m: a worm of a millimetre in a medium without inertia, drag across so many times that along."""
    from scipy.interpolate import make_interp_spline

    size = 1e-3
    rod = ll.Rod(strains="planar", base="planar", length=size, half_width=0.03 * size)
    gait = ll.BodyWave(amplitude=1.4, growth=1.0, wavelength=0.65 * size, period=0.5, ramp=0.5)
    data = ll.simulate(
        rod,
        gait,
        ll.Drag(along=2.0, lateral=2.0 * ratio),
        model=ll.MacroContinuousSettings(cells=128, inertia=False),
        duration=4.0,
        step=0.005,
        record_every=0.02,
    ).dataset
    along = np.concatenate([[0.0], data["abscissa"].values])
    places = np.concatenate([data["head_position"].values[:, None, :2], data["position"].values[..., :2]], axis=1)
    points = make_interp_spline(along, places, k=5, axis=1)(np.linspace(0.0, size, 20))
    return np.asarray(points[50:])


def worm_found(ratio: float, seed: int, scale: float = 1.0) -> ll.Identified:
    """From a film with noise of 0.2 % of the length, with agar's 40 to 1 to begin with."""
    points = planted_worm(ratio)
    film = ll.Film.from_points(
        points + 2e-6 * np.random.default_rng(seed).normal(size=points.shape), make.RATE, 1e-3, "worm"
    )
    changes = {"environment.0.along": 3.2 * scale, "environment.0.lateral": 128.0 * scale}
    return film.identify(["along", "lateral"], "agar", 0.06, changes)


@pytest.mark.parametrize("ratio", [1.6, 10.0])
def test_without_inertia_the_ratio_is_found_and_no_scale(ratio: float) -> None:
    """Once an interval of the scale followed the start, and a planted 1.6 came out as 23 to 38."""
    found, other = worm_found(ratio, 1), worm_found(ratio, 1, scale=1e-3)
    for each in (found, other):
        assert not each.determined("along") and not each.determined("lateral")
        low, high = each.interval((1.0, -1.0)) or (0.0, 0.0)
        assert low < 1.0 / ratio < high and high / low < 1.1
        assert "not determined by this film: along x lateral (it changes nothing" in each.lines()[0]
    ratio_line = next(line for line in found.lines() if line.startswith("along / lateral = "))
    assert float(ratio_line.split()[4].rstrip(",")) == pytest.approx(found.values[0] / found.values[1], rel=1e-3)
    assert other.combination((1.0, -1.0)) == pytest.approx(found.combination((1.0, -1.0)), rel=1e-3)
    assert found.values.prod() == pytest.approx(3.2 * 128.0, rel=1e-3)  # the scale stays where it was
    assert found.numbers()["ratios"]["along / lateral"]["determined"]


def test_water_is_slow_and_viscous_for_a_worm() -> None:
    """Once a worm at Reynolds' number 0.2 was predicted several times too fast, without a note."""
    k = np.log(0.18 * 0.65 / 0.03)  # Lighthill 1976: 2 pi mu / k along, 4 pi mu / (k + 1/2) across
    film = ll.Film.from_points(planted_worm(2.0 * k / (k + 0.5)), make.RATE, 1e-3, "worm")
    found = film.predict("water", 0.06, sensitivity=False)
    assert found.medium == "slow-water" and "Lighthill 1976" in found.law and "Gray and Hancock 1955" in found.others
    assert found.speed == pytest.approx(found.filmed_speed, rel=0.02)
    assert "Reynolds' number is 0.1" in str(found.note) and str(found.note) in " ".join(film.lines(found))
    fast = film.predict("fast-water", 0.06, sensitivity=False)
    assert fast.speed > 3.0 * found.speed
    assert any("environment.water: Reynolds' number is" in note for note in fast.result.notes)
    changed = film.medium("water", 0.06, {"environment.0.drag_law": "laminar"})
    assert changed.environment == ll.Water() and changed.inertia  # a field that only the square law has
    slow = ll.Drag.slow_water(0.03e-3, film.kinematics.wave.wavelength)
    assert film.medium("water", 0.06).environment.lateral == pytest.approx(slow.lateral)
    assert film_of(0.0, frames=80).medium("water", WIDTH).environment == ll.Water()


def test_a_medium_for_slow_bodies_in_closed_form() -> None:
    drag = ll.Drag.slow_water(1e-5, 1e-3, viscosity=2e-3)
    assert drag.along == pytest.approx(4e-3 * np.pi / np.log(18.0))
    assert drag.lateral == drag.vertical == pytest.approx(8e-3 * np.pi / (np.log(18.0) + 0.5))
    other = ll.Drag.slow_water(1e-5, 1e-3, viscosity=2e-3, law="gray-hancock")
    assert other.along == pytest.approx(4e-3 * np.pi / (np.log(200.0) - 0.5))
    with pytest.raises(InputError, match="not slender beside waves"):
        ll.Drag.slow_water(1e-3, 1e-3)
    with pytest.raises(InputError, match="'stokes' is none of lighthill, gray-hancock"):
        ll.Drag.slow_water(1e-5, 1e-3, law="stokes")


def test_forces_and_moments_have_errors() -> None:
    """Noise makes the moment come out too low (9 % at 0.3 % of the length), and it was printed without a doubt."""
    clean = film_of(0.0, frames=80).predict(width=WIDTH, changes=water(), sensitivity=False)
    film = film_of(1e-3 * LENGTH, frames=80)
    found = film.predict(width=WIDTH, changes=water())
    off, at = found.load_errors, int(np.argmax(found.loads.moment))
    assert off is not None and clean.load_errors is None
    wrong = abs(found.loads.moment[at] - clean.loads.moment[at])
    assert off.moment[at] > 0.0 and wrong < 3.0 * off.moment[at]
    assert abs(found.work_per_beat - clean.work_per_beat) < 3.0 * float(off.work)
    moment = found.numbers()["bending_moment"]
    assert moment["value"] == found.loads.moment[at] and moment["error"] == off.moment[at]
    line = next(line for line in film.lines(found) if line.startswith("moment"))
    assert "+-" in line and "N m" in line


def test_coefficients_are_checked_before_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = make.write_table(tmp_path / "eel.csv", planted()[:70])
    monkeypatch.setattr(ll.Film, "predict", lambda *_: pytest.fail("a run before the paths were checked"))
    said = CliRunner().invoke(main, ["film", str(film), "--identify", "drug.0"])
    assert said.exit_code == 2 and "drug: unknown field; did you mean 'drag'" in said.output


@pytest.mark.long
def test_a_hundred_planted_worms() -> None:
    inside = 0
    for seed in range(100):
        low, high = worm_found(10.0, seed).interval((1.0, -1.0)) or (0.0, 0.0)
        inside += low < 0.1 < high
    assert 88 <= inside <= 100


@pytest.mark.long
def test_a_hundred_planted_films() -> None:
    inside, scale, near, steady = 0, 0, 0, 0
    for seed in range(100):
        film = film_of(1e-4, 100 + seed)
        numbers = film.kinematics.numbers
        steady += all(
            abs(numbers[name] / value - 1.0) < 0.01 for name, value in (("frequency", 1.0 / PERIOD), ("length", LENGTH))
        )
        found = film.identify(["drag.0", "drag.1"], width=WIDTH, changes={**MEDIUM, "environment.0.model": "morison"})
        ratio, bounds, across = found.combination((1.0, -1.0)), found.interval((1.0, -1.0)), found.interval((0.0, 1.0))
        near += abs(ratio / (DRAG[0] / DRAG[1]) - 1.0) < 0.1
        inside += bounds is not None and bounds[0] < DRAG[0] / DRAG[1] < bounds[1]
        scale += across is None or across[0] < DRAG[1] < across[1]
    assert steady == 100 and near == 100 and inside >= 90 and scale >= 85
