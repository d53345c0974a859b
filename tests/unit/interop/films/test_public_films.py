"""Public films, where the folder that LIMBLESS_PUBLIC_FILES names is at hand: their numbers, with the water that they
were measured with (Morison's law as printed)."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.interop.films import wcon
from limbless.interop.films.prediction import last_speed, mean_of_result

FOLDER = Path(os.environ.get("LIMBLESS_PUBLIC_FILES", "")) / "films"
pytestmark = pytest.mark.skipif(
    not ("LIMBLESS_PUBLIC_FILES" in os.environ and FOLDER.is_dir()),
    reason="LIMBLESS_PUBLIC_FILES names no folder with films",
)

LAMPREY = {
    "length": (0.1547, 0.002),
    "frequency": (3.864, 0.01),
    "wavelength_L": (0.624, 0.03),
    "speed_L": (1.733, 0.015),
    "slip": (0.722, 0.03),
    "strouhal": (0.45, 0.03),
}
PRICKLEBACK = {
    "frequency": (0.448, 0.02),
    "wavelength_L": (0.895, 0.05),
    "speed_L": (0.212, 0.03),
    "slip": (0.53, 0.06),
}
PRINTED = {"environment.0.model": "morison", "environment.0.added_mass": "paper"}


@cache
def lamprey() -> ll.Film:
    return ll.Film.load(FOLDER / "lamprey.csv", length=0.154, rate=50.0)


def widths() -> list[tuple[float, float]]:
    table = np.loadtxt(FOLDER / "fishwidth.csv", delimiter=",", skiprows=1)
    return [(float(s), float(d)) for s, _, d in table]


def holes(points: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng(2)
    angle, astray = rng.uniform(0.0, 2.0 * np.pi, points.shape[:2]), rng.random(points.shape[:2]) < 0.03
    made = points + 0.01 * astray[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=2)
    made[rng.random(points.shape[:2]) < 0.2] = np.nan
    return made


def without(points: np.ndarray) -> np.ndarray:
    made = points.copy()
    made[[12, 30, 31, 55]] = np.nan
    return made


@pytest.mark.parametrize("spoil", [lambda points: points, holes, without], ids=["whole", "holes", "frames missing"])
def test_lamprey(spoil: object) -> None:
    midline = lamprey().midline
    film = ll.Film(midline.assign(points=(midline["points"].dims, spoil(midline["points"].values))))  # type: ignore
    if spoil is without:
        film = ll.Film(film.midline.isel(time=np.isfinite(film.midline["points"].values).all(axis=2).any(axis=1)))
    numbers = film.kinematics.numbers
    for name, (value, tolerance) in LAMPREY.items():
        # the midline's length varies by 2 % within a beat, and its median with the frames that are there
        allowed = 0.005 if name == "length" and spoil is without else tolerance
        assert numbers[name] == pytest.approx(value, rel=allowed), name
    assert film.noise == pytest.approx(9.5e-5, rel=0.3)


def test_lamprey_predicted() -> None:
    found = lamprey().predict(width=widths(), changes=PRINTED)
    assert found.determined and found.result.proven
    assert found.filmed_speed == pytest.approx(1.606 * found.length, rel=0.015)
    assert found.speed == pytest.approx(1.610 * found.length, rel=0.05)
    assert found.speed_from_rest == pytest.approx(1.604 * found.length, rel=0.05)
    assert found.work_per_beat == pytest.approx(8.2e-5, rel=0.05)
    assert found.cost_of_transport == pytest.approx(0.2, rel=0.05)


def test_prickleback_is_not_determined() -> None:
    film = ll.Film.load(FOLDER / "prickleback_sleap.csv", rate=60.0)
    for name, (value, tolerance) in PRICKLEBACK.items():
        assert film.kinematics.numbers[name] == pytest.approx(value, rel=tolerance), name
    assert not film.predict(changes=PRINTED).determined


def test_zebrafish_needs_names_in_order() -> None:
    with pytest.raises(ll.InputError, match=r"ventral_caudal \(29 % missing\)"):
        ll.Film.load(FOLDER / "zebrafish_sleap.csv", rate=50.0)


def test_every_wcon_file_is_read() -> None:
    files = sorted((FOLDER / "wcon").iterdir())
    assert len(files) == 68
    for path in files:
        assert wcon.read_all(path) or path.name.startswith("minim"), path.name


def test_a_worm_turns_as_its_rods_do() -> None:
    film = ll.Film.load(FOLDER / "worm-delta_track.npz", array="rod_angle", kind="angle")
    way = mean_of_result(ll.run(film.scenario("agar", 0.05)))
    filmed = np.load(FOLDER / "worm-delta_track.npz")["centre"]
    assert np.linalg.norm(way[-1] - filmed[-1]) < 0.11
    assert last_speed(film.smooth.time, way, film.period) > 0.0
    chain = mean_of_result(ll.run(film.scenario("agar", 0.05, links=24)))
    assert np.linalg.norm(chain[-1] - filmed[-1]) < 0.04
