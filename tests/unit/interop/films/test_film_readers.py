"""Every format gives the same midline; what is no midline is refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr

import limbless as ll
import tests.unit.interop.films.film_maker as make
from limbless.core.errors import InputError
from limbless.interop.films import wcon
from limbless.interop.films.readers import read_track

NUMBERED = [f"node{i}" for i in (1, 10, 2, 3, 4, 5, 6, 7, 8, 9)]
ORDER = [0, 9, 1, 2, 3, 4, 5, 6, 7, 8]


def gappy() -> np.ndarray:
    points = make.swimmer(40, 10)
    points[5, 3] = points[7:9, 6] = np.nan
    return points


def shape_of(film: ll.Film) -> np.ndarray:
    """Points about their mean, in lengths: free of unit and origin."""
    points = film.midline["points"].values
    return (points - np.nanmean(points, axis=(0, 1))) / film.midline.attrs.get("scale", 1.0)


WRITERS: dict[str, tuple[str, Callable[..., Path], dict[str, Any]]] = {
    "table": ("film.csv", make.write_table, {}),
    "sleap": (
        "film.csv",
        lambda path, points: make.write_sleap(path, points[:, ORDER], NUMBERED, worse=True),
        {"rate": make.RATE, "length": make.LENGTH},
    ),
    "sleap hdf5": (
        "film.h5",
        lambda path, points: make.write_sleap_hdf5(path, points[:, ORDER], NUMBERED),
        {"rate": make.RATE, "length": make.LENGTH},
    ),
    "deeplabcut": (
        "film.csv",
        lambda path, points: make.write_dlc(path, points[:, ORDER], NUMBERED),
        {"rate": make.RATE, "length": make.LENGTH},
    ),
    "deeplabcut hdf5": (
        "film.h5",
        lambda path, points: make.write_dlc_hdf5(path, points[:, ORDER], NUMBERED),
        {"rate": make.RATE, "length": make.LENGTH},
    ),
    "wcon": ("film.wcon", make.write_wcon, {}),
    "wcon zipped": ("film.wcon.zip", make.write_wcon, {}),
    "wcon head right": ("film.wcon", lambda path, points: make.write_wcon(path, points[:, ::-1], head="R"), {}),
    "tierpsy": ("film.hdf5", make.write_tierpsy, {"animal": "0"}),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_midline(name: str, tmp_path: Path) -> None:
    points = gappy()
    file, write, options = WRITERS[name]
    film = ll.Film.load(write(tmp_path / file, points), **options)
    found = film.midline["points"].values
    assert found.shape == points.shape
    assert (np.isnan(found) == np.isnan(points)).all()
    size = np.divide(*(np.linalg.norm(np.diff(each[0], axis=0), axis=1).sum() for each in (points, found)))
    assert size == pytest.approx(1.0, rel=0.02)  # bends cut short by chords where the length is given
    moved = size * (found - found[0, 0])
    np.testing.assert_allclose(moved, points - points[0, 0], atol=1e-9)
    np.testing.assert_allclose(film.midline["time"].values, np.arange(40) / make.RATE, atol=1e-12)


def test_arrays_and_kymograms(tmp_path: Path) -> None:
    points = make.swimmer(40, 25)
    np.save(tmp_path / "film.npy", points)
    np.savez(tmp_path / "film.npz", x=points[..., 0], y=points[..., 1], time=np.arange(40) / make.RATE)
    one = ll.Film.load(tmp_path / "film.npy", rate=make.RATE, length=make.LENGTH)
    two = ll.Film.load(tmp_path / "film.npz", length=make.LENGTH)
    np.testing.assert_allclose(one.midline["points"].values, two.midline["points"].values, atol=1e-12)
    steps = np.diff(points, axis=1)
    angle = np.unwrap(np.arctan2(steps[..., 1], steps[..., 0]), axis=1)
    np.save(tmp_path / "angle.npy", angle)
    np.savez(
        tmp_path / "placed.npz", angle=angle, centre=points.mean(axis=1) / make.LENGTH, t=np.arange(40) / make.RATE
    )
    with pytest.raises(InputError, match="say what it holds with --kind bend"):
        ll.Film.load(tmp_path / "angle.npy", rate=make.RATE)
    loose = ll.Film.load(tmp_path / "angle.npy", rate=make.RATE, length=make.LENGTH, kind="angle")
    placed = ll.Film.load(tmp_path / "placed.npz", length=make.LENGTH, kind="angle", array="angle")
    assert not loose.placed and placed.placed
    np.testing.assert_allclose(placed.midline["points"].values, points, atol=0.01 * make.LENGTH)
    bend = ll.Film.load(_saved(tmp_path / "bend.npy", np.diff(angle, axis=1)), rate=make.RATE, kind="bend")
    assert bend.kinematics.numbers["frequency"] == pytest.approx(make.FREQUENCY, rel=0.01)
    assert "speed" not in bend.kinematics.numbers and "kymogram" in " ".join(bend.notes)


def _saved(path: Path, values: np.ndarray) -> Path:
    np.save(path, values)
    return path


def test_a_dataset_of_movement_is_taken_as_it_is(tmp_path: Path) -> None:
    points = make.swimmer(40, 8)
    data = xr.Dataset(
        {
            "position": (
                ("time", "space", "keypoints", "individuals"),
                np.moveaxis(points, 2, 1)[..., None] * np.array([1.0, -1.0])[:, None, None],
            )
        },
        coords={
            "time": np.arange(40) / make.RATE,
            "space": ["x", "y"],
            "keypoints": [*"abcdefgh"],
            "individuals": ["one"],
        },
        attrs={"fps": make.RATE, "time_unit": "seconds"},
    )
    film = ll.Film.load(data, length=make.LENGTH, points="a,b,c,d,e,f,g,h")
    np.testing.assert_allclose(
        film.midline["points"].values[3] - film.midline["points"].values[3, 0], points[3] - points[3, 0], rtol=0.02
    )
    data.to_netcdf(tmp_path / "film.nc", engine="h5netcdf")
    again = ll.Film.load(tmp_path / "film.nc", length=make.LENGTH, points="a,b,c,d,e,f,g,h")
    np.testing.assert_allclose(again.midline["points"].values, film.midline["points"].values)


@pytest.mark.parametrize(
    ("text", "points", "unit"),
    [
        ({"t": [0], "x": [2.0], "y": [1.7]}, 1, "mm"),
        ({"t": 0, "x": 2.0, "y": 1.7}, 1, "mm/1000"),
        ({"t": [0, 1], "x": [[1, 2, 3], [2, 3]], "y": [[0, 0, 0], [0, 0]]}, 3, "microns"),
        ({"t": [0, 1], "x": [2.0, 2.1], "y": [1.7, None]}, 1, "m*1e-3"),
        ({"t": [0], "x": [2.0], "y": [1.7]}, 1, "megametres/1e9"),
        ({"t": [0], "x": [2.0], "y": [1.7]}, 1, "dm"),
        ({"t": [], "x": [], "y": []}, 0, "inches"),
    ],
)
def test_wcon_as_loosely_as_it_is_written(tmp_path: Path, text: dict[str, Any], points: int, unit: str) -> None:
    document = {"units": {"t": "s/100", "x": unit, "y": unit, "age": "°C"}, "data": {"id": 7, **text}}
    (tmp_path / "a.wcon").write_text(json.dumps(document))
    tracks = wcon.read_all(tmp_path / "a.wcon")
    assert [track.points.shape[1] for track in tracks] == ([points] if points else [])
    if points:
        size = {"mm": 1e-3, "mm/1000": 1e-6, "microns": 1e-6, "m*1e-3": 1e-3, "dm": 0.1}.get(unit, 1e-3)
        first = np.ravel(text["x"][0] if isinstance(text["x"], list) else text["x"])[0]
        assert tracks[0].points[0, 0, 0] == pytest.approx(first * size)


def refused(message: str, path: Path, **options: Any) -> None:
    with pytest.raises(InputError, match=message):
        ll.Film.load(path, **options)


def test_refusals_say_what_is_missing(tmp_path: Path) -> None:
    points, names = make.swimmer(40, 7), ["snout", "eye", "fin", "anus", "mid", "peduncle", "caudal"]
    points[:30, 2] = np.nan
    film = make.write_sleap(tmp_path / "fish.csv", points, names)
    refused(r"its points have names and no order: snout \(0 % missing\).*fin \(75 % missing\)", film, rate=50.0)
    refused(r"fish.csv: missing in more than half of the frames: fin \(75 %\)", film, rate=50.0, points=",".join(names))
    refused("no point 'nose'; known: snout", film, rate=50.0, points="nose,fin")
    refused("3 points along the body .* at least 6", film, rate=50.0, points="snout,anus,caudal")
    refused(
        "a file without times: give the frames per second as --rate", film, points="snout,eye,anus,mid,peduncle,caudal"
    )
    refused("there is no film 'none.csv'", Path("none.csv"))
    refused("no track 'b'", film, rate=50.0, track="b")
    (tmp_path / "odd.csv").write_text("alpha,beta\n1,2\n")
    refused(r"no film that is known by its first line \(alpha, beta", tmp_path / "odd.csv")
    (tmp_path / "bad.wcon").write_text("{")
    refused("bad.wcon: not JSON", tmp_path / "bad.wcon")
    make.write_wcon(tmp_path / "two.wcon", make.swimmer(20, 8))
    text = json.loads((tmp_path / "two.wcon").read_text())
    text["data"].append({**text["data"][0], "id": "other"})
    (tmp_path / "two.wcon").write_text(json.dumps(text))
    refused(r"2 animals, worm \(20 frames\), other \(20 frames\); choose one with --animal", tmp_path / "two.wcon")
    make.write_dlc_hdf5(tmp_path / "odd.h5", make.swimmer(20, 8), [f"p{i}" for i in range(8)], "wide_table")
    refused("pandas object of the layout 'wide_table'", tmp_path / "odd.h5", rate=50.0)


def test_no_code_of_a_strangers_file_is_run(tmp_path: Path) -> None:
    import h5py

    path = make.write_dlc_hdf5(tmp_path / "film.h5", make.swimmer(20, 8), [f"p{i}" for i in range(8)])
    with h5py.File(path, "r+") as file:
        file["df_with_missing/table"].attrs["values_block_0_kind"] = np.void(b"cos\nsystem\n(S'true'\ntR.")
    refused("the names of its columns cannot be read", path, rate=50.0)


def test_missing_frames_are_gaps_and_long_gaps_split(tmp_path: Path) -> None:
    names = [f"node{i}" for i in range(10)]
    few = make.write_sleap(tmp_path / "few.csv", make.swimmer(80, 10), names, drop=(20, 40, 41))
    film = ll.Film.load(few, rate=make.RATE, length=make.LENGTH)
    assert film.midline.sizes["time"] == 77 and film.midline.attrs["missing_frames"] == 3
    assert film.kinematics.numbers["frequency"] == pytest.approx(make.FREQUENCY, rel=0.01)
    torn = make.write_sleap(tmp_path / "torn.csv", make.swimmer(120, 10), names, drop=tuple(range(30, 42)))
    film = ll.Film.load(torn, rate=make.RATE, length=make.LENGTH)
    assert film.midline.sizes["time"] == 78
    assert "the longest, 0.84 to 2.38 s, was taken" in " ".join(film.notes)


def test_the_longest_of_several_tracks_is_taken_and_said(tmp_path: Path) -> None:
    names = [f"node{i}" for i in range(8)]
    points = make.swimmer(40, 8)
    one = make.write_sleap(tmp_path / "a.csv", points, names, track="alpha").read_text().splitlines()
    two = make.write_sleap(tmp_path / "b.csv", points[:20], names, track="beta").read_text().splitlines()
    (tmp_path / "both.csv").write_text("\n".join([*one, *two[1:]]))
    track = read_track(tmp_path / "both.csv")
    assert len(track.points) == 40 and "beta (20 frames); alpha was taken" in track.notes[0]
    assert len(read_track(tmp_path / "both.csv", track="beta").points) == 20
