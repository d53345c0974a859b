"""Replay, report and movie as files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from limbless.cli.main import main
from limbless.core.errors import InputError
from limbless.simulation.result import Result
from limbless.view.movie import SIZE, Painter, write_movie
from limbless.view.plot_lines import SPEED, Plot, choices, lines_beside, plot_of
from limbless.view.scene.frames import frames_of
from tests.unit.view import made_up

viser = pytest.importorskip("viser", reason="the extra view is not installed")

ADDRESS = re.compile(r"""(?:src|href)\s*=\s*["']?https?://""")


@pytest.fixture(scope="module")
def folder(swim: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("run")
    swim.write(where)
    return where


def test_a_run_writes_a_replay_of_about_a_megabyte(folder: Path) -> None:
    page = (folder / "replay.html").read_text()
    assert 0.5e6 < len(page) < 2.0e6
    assert "<title>eel-planar</title>" in page
    assert not ADDRESS.search(page)


def test_figures_switched_off_leave_the_replay_out(swim: Result, tmp_path: Path) -> None:
    swim.write(tmp_path, figures=False)
    assert not (tmp_path / "replay.html").exists()


def test_without_the_extra_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("limbless.simulation.result.show.can_replay", lambda: False)
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(main, ["run", "eel-planar", "--set", "duration=0.1"])
    assert told.exit_code == 0
    assert "To get replay.html, which plays in any browser: pip install 'limbless[view]'" in told.stdout
    assert not (tmp_path / "runs/eel-planar/replay.html").exists()


def test_view_without_the_extra_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    told = CliRunner().invoke(main, ["view", "eel-planar"])
    assert told.exit_code == 2
    assert "the package viser, which is not installed: pip install 'limbless[view]'" in told.stderr


def test_report_holds_everything_and_needs_no_network(folder: Path) -> None:
    told = CliRunner().invoke(main, ["report", str(folder)])
    assert told.exit_code == 0, told.output
    page = (folder / "report.html").read_text()
    outside = re.sub(
        r"<script>.*?</script>", "", page.split("<iframe")[0] + page.split("</iframe>")[1], flags=re.DOTALL
    )
    assert not ADDRESS.search(outside)
    for text in (
        "<h1>eel-planar</h1>",
        "class='verdict pass'",
        "All 4 balances hold",
        "mean speed",
        "Dynamic modeling and simulation",
        "limbless run eel-planar --set duration=2.0",
        "ll.run(&#x27;eel-planar&#x27;, {&#x27;duration&#x27;: 2.0})",
        "khalil-eel",
    ):
        assert text in outside, text


def test_a_damaged_result_turns_the_verdict_red(swim: Result) -> None:
    broken = swim.dataset.copy(deep=True)
    broken["look_actuator_work"].values[30:] += 1.0  # what the balances are found from
    page = str(Result(broken, swim.scenario).report())
    assert "class='verdict fail'" in page and "Do not trust these numbers: the power balance" in page
    assert "class='verdict fail'" in str(Result(swim.dataset, swim.scenario, status="interrupted").report())


def test_markup_in_names_is_only_text() -> None:
    data = made_up.straight()
    data.attrs["scenario_name"] = "<script>alert(1)</script>"
    page = str(Result(data).report())
    assert "<script>alert" not in page


@pytest.mark.parametrize("made", [made_up.on_ground, made_up.anchored, made_up.swelling, made_up.statics])
def test_results_of_every_kind_have_a_replay(made) -> None:
    from limbless.view.replay import replay

    assert len(replay(made())) > 0.5e6


def test_movies_show_the_robot_and_it_moves(swim: Result, tmp_path: Path) -> None:
    short = Result(swim.dataset.isel(time=slice(0, 26)), swim.scenario)
    gif = write_movie(short, tmp_path / "eel.gif", show=("fluid",))
    from PIL import Image

    with Image.open(gif) as movie:
        assert movie.n_frames == 7
        assert movie.info["duration"] == 80
    pytest.importorskip("imageio_ffmpeg")
    import imageio_ffmpeg

    mp4 = write_movie(short, tmp_path / "eel.mp4", speed=0.5)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(mp4))
    assert (frames, round(seconds, 2)) == (26, 1.04)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rod-swim", {"duration": 1.0}),
        ("snake-pegs", {"duration": 0.5}),
        ("wheeled-snake-crawl", {"duration": 1.0}),
        ("neck-horizontal-water", {}),
    ],
)
def test_every_model_has_a_movie(
    name: str, changes: dict[str, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from PIL import Image

    import limbless as ll

    monkeypatch.setitem(SIZE, ".gif", (320, 180))
    result = ll.run(name, changes)
    lasts = np.ptp(frames_of(result).times)
    with Image.open(write_movie(result, tmp_path / "short.gif", speed=lasts / 0.4)) as movie:
        assert movie.n_frames == 6
        pictures = []
        for frame in (0, 2):  # the neck's path is closed: it ends as it began
            movie.seek(frame)
            pictures.append(np.asarray(movie.convert("RGB")))
    bodies = [_body(picture) for picture in pictures]
    assert all(100 < one.sum() < 0.2 * one.size for one in bodies)
    assert (bodies[0] != bodies[1]).sum() > 20


def test_a_gif_keeps_its_colours_from_frame_to_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thin line of a rare colour beside shades that change: with a palette for each frame it fades into them."""
    from PIL import Image

    pictures = (
        np.repeat(np.linspace(60, 250, 128).astype(np.uint8)[None, None, :, None], 3, axis=3)
        .repeat(72, axis=1)
        .repeat(4, axis=0)
    )
    pictures[:, 40, 20:40] = [213, 94, 0]
    for number, picture in enumerate(pictures):
        picture[:30] = [10 * number, 100, 200]
    monkeypatch.setattr("limbless.view.movie._pictures", lambda *_: iter(pictures))
    with Image.open(write_movie(made_up.on_ground(), tmp_path / "line.gif")) as movie:
        for frame in range(4):
            movie.seek(frame)
            shown = np.asarray(movie.convert("RGB")).astype(int)[40, 20:40]
            assert np.abs(shown - [213, 94, 0]).max() < 12


def test_pictures_differ_where_the_body_moved(swim: Result) -> None:
    frames = frames_of(swim)
    painter = Painter(frames, (320, 180))
    bodies = [_body(painter.picture(frame)) for frame in (0, 60)]
    assert all(one.sum() > 100 for one in bodies)
    assert (bodies[0] != bodies[1]).sum() > 50


def _body(picture: np.ndarray) -> np.ndarray:
    """Where the back of a robot is: orange under water, else of a blue that neither sky nor ground has."""
    red, green, blue = picture.astype(int).transpose(2, 0, 1)
    orange = (red - blue > 70) & (red > 150)
    return orange if orange.sum() > 100 else (blue - red > 55) & (green < 130)


def test_a_run_to_compare_with_is_not_plotted_beyond_its_end() -> None:
    longer, shorter = frames_of(Result(made_up.straight(8))), frames_of(Result(made_up.straight(4)))
    lines = lines_beside(shorter, "head_position", longer.abscissa)
    own = plot_of(longer, "head_position").lines["x"]
    np.testing.assert_allclose(lines["x, other"], np.where(np.arange(8) < 4, own, np.nan))
    assert (
        lines_beside(shorter, "tension", longer.abscissa) == lines_beside(None, "head_position", longer.abscissa) == {}
    )
    assert Plot("", "", lines).limits() == pytest.approx(
        (own[0] - 0.05 * (own[3] - own[0]), own[3] + 0.05 * (own[3] - own[0]))
    )


def test_a_movie_has_the_size_and_the_camera_that_are_asked_for(tmp_path: Path) -> None:
    """From above a straight body along x lies level; from the front it is seen end on."""
    from PIL import Image

    result = Result(made_up.straight(frames=3))
    shapes = {}
    for view in ("top", "front", "0,15,2"):
        with Image.open(write_movie(result, tmp_path / "short.gif", speed=4.0, size="320x200", camera=view)) as movie:
            assert movie.size == (320, 200)
            rows, columns = np.nonzero(_body(np.asarray(movie.convert("RGB"))))
        shapes[view] = np.ptp(columns), np.ptp(rows)
    assert shapes["top"][0] > 4 * shapes["top"][1]
    assert shapes["front"][0] < 0.5 * shapes["top"][0]
    assert shapes["0,15,2"][0] < 0.7 * shapes["front"][0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--to", "eel.avi"], "a movie ends in .mp4 or .gif; got 'eel.avi'"),
        (["--to", "eel.gif", "--speed", "0"], "must be greater than 0"),
        (["--to", "eel.gif", "--show", "wind"], "no forces 'wind' to show; it has: fluid"),
        (["--to", "eel.gif", "--size", "wide"], "two even numbers from 64 to 3840 such as 1280x720; got 'wide'"),
        (["--to", "eel.gif", "--size", "641x360"], "got '641x360'"),
        (["--to", "eel.gif", "--fine", "5"], "1 (a draft) to 4 samples along a side of a pixel; got 5"),
        (["--to", "eel.gif", "--camera", "below"], "side, front, back, top, or azimuth,elevation in degrees"),
        (["--to", "eel.gif", "--camera", "0,95"], "an elevation from -90 to 90 degrees"),
    ],
)
def test_movies_refuse_in_words(
    folder: Path, arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(main, ["movie", str(folder), *arguments])
    assert told.exit_code == 2
    assert said in told.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["eel-planer"], "unknown scenario 'eel-planer'; did you mean 'eel-planar'?"),
        (["."], "holds no result.nc"),
    ],
)
def test_view_refuses_in_words(
    arguments: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    told = CliRunner().invoke(main, ["view", *arguments])
    assert told.exit_code == 2
    assert said in told.stderr


def test_plots_offer_every_variable_and_the_busiest_lines(swim: Result) -> None:
    frames = frames_of(swim)
    names = choices(frames)
    assert names[:3] == [SPEED, "joint_torque", "actuator_power"]
    assert {"base_twist", "momentum"} <= set(names) and "radius" not in names
    torque = plot_of(frames, "joint_torque")
    assert torque.shown == 6 and torque.left_out == 30
    assert set(torque.lines) - {"limit +4", "limit -4"} == {label for label in torque.lines if "limit" not in label}
    busiest = np.ptp(swim.dataset["joint_torque"].values, axis=0).argmax()
    assert any(
        np.array_equal(values, swim.dataset["joint_torque"].values[:, busiest]) for values in torque.lines.values()
    )
    np.testing.assert_allclose(
        plot_of(frames, SPEED).lines["speed"], np.linalg.norm(swim.dataset["com_velocity"].values, axis=1)
    )


@pytest.mark.parametrize(
    "largest, unit, label, shown",
    [
        (2.0e-7, "W", "power (10⁻⁹ W)", 200.0),
        (0.0012, "m/s", "power (10⁻³ m/s)", 1.2),
        (0.4, "W", "power (W)", 0.4),
        (3.2e6, "1", "power (10⁶)", 3.2),
        (0.0, "W", "power (W)", 0.0),
    ],
)
def test_an_axis_has_numbers_that_can_be_read(largest: float, unit: str, label: str, shown: float) -> None:
    plot = Plot("power", unit, {"a": np.array([0.0, -largest, np.nan])}).readable()
    assert plot.label == label
    assert plot.lines["a"][1] == pytest.approx(-shown)


def test_statics_is_plotted_over_its_points() -> None:
    frames = frames_of(made_up.statics())
    assert "tension" in choices(frames)
    assert list(plot_of(frames, "tension").lines) == ["1", "2", "3"] or len(plot_of(frames, "tension").lines) == 4


def test_in_a_notebook_the_replay_appears(swim: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limbless.view.replay.in_notebook", lambda: True)
    shown = swim.view()
    assert shown is not None and "<iframe srcdoc=" in shown._repr_html_()
    with pytest.raises(InputError):
        Result(made_up.straight().isel(time=slice(0, 0))).view()
