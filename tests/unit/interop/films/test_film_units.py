"""Sizes, columns and clocks of films: points that are nowhere alike come back where they were, in SI units."""

from __future__ import annotations

import json
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray as xr

from limbless.interop.films.readers import read_track
from limbless.interop.films.tracks import Track
from tests.unit.interop.films.film_maker import write_dlc, write_sleap_hdf5

POINTS = np.random.default_rng(5).uniform(1.0, 9.0, (6, 4, 2))  # frames, points, x and y: no two numbers alike
PIXELS = 4000.0  # per unit, in what `film_maker` writes
NAMES = ["p1", "p2", "p3", "p4"]


def metres(track: Track) -> np.ndarray:
    return track.points * (track.unit or 1.0)


@pytest.mark.parametrize(("place", "scale"), [("coordinates/skeletons", 1.0), ("skeleton", 12.5)])
def test_animals_of_tierpsy_are_as_large_as_their_micrometres(place: str, scale: float, tmp_path: Path) -> None:
    """Rows out of order, with their widths; one file is in micrometres, the other in pixels of 12.5."""
    order = [3, 0, 5, 1, 4, 2]
    with h5py.File(tmp_path / "worm.hdf5", "w") as file:
        file[place] = POINTS[order]
        file[place.replace("skeletons", "widths") if "/" in place else "contour_width"] = POINTS[order][..., 0]
        rows = [(7, frame) for frame in order]
        file["trajectories_data"] = np.array(rows, dtype=[("worm_index", "i4"), ("frame_number", "i4")])
        file[place].attrs["microns_per_pixel"] = 12.5
    found = read_track(tmp_path / "worm.hdf5")
    assert metres(found) == pytest.approx(POINTS * scale * 1e-6) and list(found.frames) == list(range(6))
    assert found.width == pytest.approx(POINTS[..., 0])


@pytest.mark.parametrize(
    ("clock", "second"), [("t", 1.0), ("time_ms", 1e3), ("time milliseconds", 1e3), ("t [min]", 1 / 60)]
)
def test_a_row_per_frame_has_x_in_x_and_its_own_clock(clock: str, second: float, tmp_path: Path) -> None:
    header = [clock, *(f"{axis}{p}" for p in range(4) for axis in "yx")]
    rows = [[0.2 * f * second, *(frame[:, ::-1].ravel())] for f, frame in enumerate(POINTS)]
    path = tmp_path / "film.csv"
    lines = [",".join(repr(float(value)) for value in row) for row in rows]
    path.write_text("\n".join([",".join(header), *lines]))
    found = read_track(path)
    assert found.points == pytest.approx(POINTS) and found.time == pytest.approx(0.2 * np.arange(6))


def test_sleap_and_deeplabcut_keep_x_y_and_frames_apart(tmp_path: Path) -> None:
    for path in (write_sleap_hdf5(tmp_path / "s.h5", POINTS, NAMES), write_dlc(tmp_path / "d.csv", POINTS, NAMES)):
        found = read_track(path)
        pixels = POINTS * [PIXELS, -PIXELS]  # y points down in pictures
        assert found.points == pytest.approx(pixels) and list(found.frames) == list(range(6))


def test_of_two_instances_in_a_frame_the_surer_one_is_taken(tmp_path: Path) -> None:
    header = "track,frame_idx,instance.score," + ",".join(f"{name}.{axis}" for name in NAMES for axis in "xy")
    cells = {score: ",".join(repr(score + p) for p in range(8)) for score in (0.2, 0.9, 0.5)}
    rows = [f",{f},{score},{numbers}" for f in range(3) for score, numbers in cells.items()]
    (tmp_path / "s.csv").write_text("\n".join([header, *rows]))
    assert read_track(tmp_path / "s.csv").points[:, 0, 0] == pytest.approx(0.9)


def test_unlikely_points_are_gaps_and_frames_have_their_numbers(tmp_path: Path) -> None:
    lines = ["scorer,m,m,m,m,m,m", "bodyparts,p1,p1,p1,p2,p2,p2", "coords,x,y,likelihood,x,y,likelihood"]
    lines += [f"img{10 * f:04d}.png,{f},2,0.95,3,4,{[0.1, 0.5, 0.7][f]}" for f in range(3)]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    found = read_track(tmp_path / "d.csv")
    assert list(found.frames) == [0, 10, 20]
    assert np.isnan(found.points[:, 1, 0]).tolist() == [True, True, False] and not np.isnan(found.points[:, 0]).any()


def test_a_point_of_sleap_without_one_coordinate_is_a_gap(tmp_path: Path) -> None:
    nodes = [f"n{i}" for i in range(6)]
    header = ",".join(["track", "frame_idx", "instance.score", *(f"{name}.{axis}" for name in nodes for axis in "xy")])
    row = ",".join(["a", "0", "1.0", *(str(i) for i in range(12))]).replace(",3,", ",,")
    (tmp_path / "s.csv").write_text(f"{header}\n{row}\n")
    points = read_track(tmp_path / "s.csv").points
    assert np.isnan(points[0, 1]).all() and np.isfinite(np.delete(points[0], 1, axis=0)).all()


def test_wcon_adds_its_offsets_and_knows_where_the_head_is(tmp_path: Path) -> None:
    record = {"id": "1", "t": [0, 1], "x": POINTS[:2, :, 0].tolist(), "y": POINTS[:2, :, 1].tolist()}
    record |= {"ox": [100, 200], "oy": [10, 20], "head": "R"}
    units = {"t": "s", "x": "mm", "y": "mm"}
    (tmp_path / "w.wcon").write_text(json.dumps({"units": units, "data": [record]}))
    found = read_track(tmp_path / "w.wcon")
    shifted = 1e-3 * (POINTS[:2] + np.array([[[100.0, 10.0]], [[200.0, 20.0]]]))
    assert metres(found)[:, ::-1] == pytest.approx(shifted)


@pytest.mark.parametrize("name", ["centre", "center"])
def test_a_kymogram_takes_its_centre_in_both_spellings(name: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "k.npz", bends=POINTS[..., 0], **{name: POINTS[:, 0]})
    assert read_track(tmp_path / "k.npz", kind="bend", array="bends").centre == pytest.approx(POINTS[:, 0])


def test_what_movement_is_not_sure_of_is_a_gap(tmp_path: Path) -> None:
    sure = np.array([[0.9, 0.1, 0.7, 0.5]] * 6)[..., None]
    data = xr.Dataset(
        {
            "position": (("time", "keypoints", "space", "individuals"), POINTS[..., None]),
            "confidence": (("time", "keypoints", "individuals"), sure),
        },
        coords={"time": np.arange(6) / 50.0, "keypoints": NAMES, "space": ["x", "y"], "individuals": ["worm"]},
        attrs={"fps": 50.0, "time_unit": "seconds"},
    )
    data.to_netcdf(tmp_path / "m.nc", engine="h5netcdf")
    found = read_track(tmp_path / "m.nc")
    assert np.isnan(found.points[..., 0]).tolist() == [[False, True, False, True]] * 6
