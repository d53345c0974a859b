"""Tables and options of films as people have them: other units, separators and orders, several animals, widths.

What has no meaning is refused.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.interop.films.experiment import widths_of
from limbless.interop.films.midline import midline_of
from limbless.interop.films.readers import read_track
from tests.unit.interop.films.film_maker import (
    LENGTH,
    swimmer,
    write_dlc,
    write_sleap,
    write_table,
    write_tierpsy,
    write_wcon,
)

POINTS = swimmer(30, 8)


def table(path: Path, header: str, row: Callable[[int, int, float, float], str]) -> Path:
    lines = [row(f, p, *map(float, place)) for f, frame in enumerate(POINTS) for p, place in enumerate(frame)]
    path.write_text("\n".join([header, *lines]))
    return path


TABLES: dict[str, tuple[str, Callable[[int, int, float, float], str]]] = {
    "two units": ("y_cm,x_mm,point,time_s", lambda f, p, x, y: f"{100 * y!r},{1000 * x!r},{p},{f / 50}"),
    "milliseconds": ("t [ms],point,x [m],y [m]", lambda f, p, x, y: f"{20 * f},{p},{x!r},{y!r}"),
    "numbers of points as pandas has them": ("t,point,x_m,y_m", lambda f, p, x, y: f"{f / 50},{p}.0,{x!r},{y!r}"),
    "points with a word": ("t,point,x_m,y_m", lambda f, p, x, y: f"{f / 50},p{p},{x!r},{y!r}"),
    "tabs": ("t\tpoint\tx_m\ty_m", lambda f, p, x, y: f"{f / 50}\t{p}\t{x!r}\t{y!r}"),
    "decimal commas": ("t;point;x_m;y_m", lambda f, p, x, y: f"{f / 50};{p};{x!r};{y!r}".replace(".", ",")),
    "two animals": ("t,animal,point,x_m,y_m", lambda f, p, x, y: f"{f / 50},b,{p},{x!r},{y!r}\n{f / 50},a,{p},1,{p}"),
}


@pytest.mark.parametrize("form", ["x{}_um,y{}_um", "p{}_x_um,p{}_y_um", "x{} [um],y{} [um]"])
def test_wide_tables_with_units_in_their_names(tmp_path: Path, form: str) -> None:
    """Once `x0_um` was a point called `0_um`, and its numbers were taken for metres."""
    path = tmp_path / "film.csv"
    head = "t," + ",".join(form.format(p, p) for p in range(8))
    rows = [f"{f / 50}," + ",".join(repr(1e6 * float(v)) for v in frame.ravel()) for f, frame in enumerate(POINTS)]
    path.write_text("\n".join([head, *rows]))
    found = midline_of(read_track(path), path)
    assert found["points"].values == pytest.approx(POINTS, abs=1e-12)
    assert found.attrs["unit"] == "m"
    path.write_text("\n".join([head.replace("um", "mm", 1), *rows]))
    with pytest.raises(InputError, match="columns of x in mm, um; give all points in one unit"):
        read_track(path)


@pytest.mark.parametrize("ending", ["xlsx", "mat"])
def test_files_of_robots_are_named(tmp_path: Path, ending: str) -> None:
    """Once one was answered with WCON, the other with "not a text file"."""
    path = tmp_path / f"video.{ending}"
    path.write_bytes(b"PK\3\4" if ending == "xlsx" else b"MATLAB 5.0 MAT-file")
    with pytest.raises(InputError, match=rf"a .{ending} with markers or joints of a robot is read by `limbless log`"):
        read_track(path)


@pytest.mark.parametrize("name", TABLES)
def test_the_same_film_in_other_tables(tmp_path: Path, name: str) -> None:
    path = table(tmp_path / "film.csv", *TABLES[name])
    if name == "two animals":
        with pytest.raises(InputError, match=r"2 animals, b \(240 rows\), a \(240 rows\); choose one with --animal"):
            read_track(path)
    found = midline_of(read_track(path, animal="b" if name == "two animals" else None), path)
    assert found["points"].values == pytest.approx(POINTS, abs=1e-12)
    assert found["time"].values == pytest.approx(np.arange(30) / 50)


@pytest.mark.parametrize(
    ("clock", "spelled"), [("t,", "{a}{p}"), ("time_ms;", "{a}_{p}"), ("frame,", "p{p}.{a}"), ("", "{a} {p}")]
)
def test_a_row_per_frame(tmp_path: Path, clock: str, spelled: str) -> None:
    """Points in columns, the last one first; with times, numbers of frames or none of them."""
    mark = ";" if ";" in clock else ","
    order = range(POINTS.shape[1] - 1, -1, -1)
    when = {"t,": lambda f: [f / 50], "time_ms;": lambda f: [20 * f], "frame,": lambda f: [f], "": lambda f: []}[clock]
    rows = [
        mark.join(map(str, [*when(f), *(frame[p, a] for p in order for a in (1, 0))])) for f, frame in enumerate(POINTS)
    ]
    header = clock + mark.join(spelled.format(a=a, p=p) for p in order for a in "yx")
    (tmp_path / "film.csv").write_text("\n".join([header, *rows]))
    film = ll.Film.load(tmp_path / "film.csv", length=LENGTH, rate=None if clock in ("t,", "time_ms;") else 50.0)
    assert film.midline["time"].values == pytest.approx(np.arange(30) / 50)
    size = np.linalg.norm(np.diff(film.midline["points"].values[0], axis=0), axis=1)
    truth = np.linalg.norm(np.diff(POINTS[0], axis=0), axis=1)
    assert size / size.sum() == pytest.approx(truth / truth.sum(), abs=1e-12)


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    path = table(tmp_path / "film.csv", "frame,point,x,y", lambda f, p, x, y: f"{f},{p % 4},{x},{y}")
    with pytest.raises(InputError, match=r"lines 2 and 6 both have point '0' at frame 0"):
        read_track(path)
    path = table(tmp_path / "film.csv", "frame,point,x_mm,y_px", lambda f, p, x, y: f"{f},{p},{x},{y}")
    with pytest.raises(InputError, match="x is in mm and y in px"):
        read_track(path)
    path = write_dlc(tmp_path / "d.csv", POINTS, [f"n{k}" for k in range(8)])
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:3], *lines[:2:-1]]))  # the last frame first
    assert midline_of(read_track(path), path, LENGTH, 50.0)["points"].values == pytest.approx(
        midline_of(read_track(write_dlc(tmp_path / "e.csv", POINTS, [f"n{k}" for k in range(8)])), path, LENGTH, 50.0)[
            "points"
        ].values
    )
    path.write_text("\n".join([*lines, lines[-1]]))
    with pytest.raises(InputError, match="frame 29 stands there twice"):
        read_track(path)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"kind": "bend"}, "kind: a.csv has points with x and y"),
        ({"array": "x"}, "array: 'x' names one of a .npz"),
        ({"likelihood": 0.9}, "likelihood: a file of table has none"),
        ({"animal": "b"}, "animal: a.csv has one without"),
    ],
)
def test_options_without_effect_are_refused(tmp_path: Path, options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        ll.Film.load(write_table(tmp_path / "a.csv", POINTS), **options)  # type: ignore[arg-type]


def test_numbers_of_a_film_may_have_units(tmp_path: Path) -> None:
    path = table(tmp_path / "film.csv", "frame,point,x,y", lambda f, p, x, y: f"{f},{p},{x},{y}")
    found = midline_of(read_track(path), path, "16 cm", "0.05 kHz", start="200 ms")
    assert (found.attrs["length"], found.attrs["rate"], found.sizes["time"]) == (pytest.approx(0.16), 50.0, 20)
    with pytest.raises(InputError, match=r"length: '3 kg' is a mass \(kg\), and a length \(m\) is wanted"):
        midline_of(read_track(path), path, "3 kg")
    with pytest.raises(InputError, match="rate: 'fast' is no number"):
        midline_of(read_track(path), path, 0.16, "fast")


def test_a_part_of_a_kymogram(tmp_path: Path) -> None:
    """--from and --until had no effect on it."""
    np.save(tmp_path / "k.npy", np.sin(np.arange(40)[:, None] + np.arange(9)))
    track = read_track(tmp_path / "k.npy", kind="bend")
    assert midline_of(track, tmp_path, 0.1, 10.0, start=1.0, until=2.5).sizes["time"] == 16


def test_a_films_own_widths_are_the_models(tmp_path: Path) -> None:
    """Tierpsy's widths were read and not used: every worm was 0.05 L thick."""
    h5py = pytest.importorskip("h5py")
    path = write_tierpsy(tmp_path / "worm.hdf5", POINTS)
    with h5py.File(path, "a") as file:
        file["coordinates/widths"] = np.full(file["coordinates/skeletons"].shape[:2], 1e6 * 0.06 * LENGTH)
    film = ll.Film(midline_of(read_track(path, animal="0"), path))
    assert film.width is not None and dict(film.width)[1.0] == pytest.approx(0.06, rel=0.02)
    rows, told = widths_of(film.width, LENGTH)
    assert told == "the film's own" and rows[-1] == pytest.approx((LENGTH, 0.03 * LENGTH), rel=0.02)
    with pytest.raises(InputError, match=r"width: its s runs from 0 to 0.16; it is a share of the length"):
        widths_of([(0.0, 0.05), (0.16, 0.05)], LENGTH)


def test_damaged_films_are_films_or_sentences(tmp_path: Path) -> None:
    """Words put in, pieces and lines taken out or doubled, in every text format: never another exception."""
    names = [f"n{k}" for k in range(8)]
    texts = [
        path.read_text()
        for path in (
            write_table(tmp_path / "a.csv", POINTS),
            write_sleap(tmp_path / "b.csv", POINTS, names, track="one"),
            write_dlc(tmp_path / "c.csv", POINTS, names),
            write_wcon(tmp_path / "d.wcon", POINTS),
        )
    ]
    dice, refused = random.Random(18), 0
    for number in range(160):
        text = texts[number % 4]
        for _ in range(dice.choice([1, 1, 3])):
            lines = text.splitlines()
            if dice.random() < 0.6:
                found = dice.choice(list(re.finditer(r"[-\d.]+|[A-Za-z]+", text))[: dice.choice([40, 4000])])
                word = dice.choice(["nan", "inf", "1e300", "", "null", "[]", "{}", "x", "9" * 20, "-1"])
                text = text[: found.start()] + word + text[found.end() :]
            elif dice.random() < 0.5:
                at = dice.randrange(len(text))
                text = text[:at] + text[at + dice.randrange(200) :]
            else:
                lines.insert(dice.randrange(len(lines)), lines.pop(dice.randrange(len(lines))))
                text = "\n".join(lines * dice.choice([1, 1, 2]))
        path = tmp_path / ("film.wcon" if number % 4 == 3 else "film.csv")
        path.write_text(text)
        try:
            midline_of(read_track(path), path, LENGTH, 50.0)
        except InputError:
            refused += 1
    assert 20 < refused < 140
