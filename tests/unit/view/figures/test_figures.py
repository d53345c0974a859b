"""Figures: each draws what its table says, at true scale where it should, without pyplot."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest

from limbless.core.errors import InputError
from limbless.view import figures
from limbless.view.figures import body_outline, style

GENERAL = ["energy-balance", "overview", "torques"]
KHALIL = [
    "khalil-fig05-head-trajectory",
    "khalil-fig06-forward-speed",
    "khalil-fig07-joint-trajectories",
    "khalil-fig08-yaw-torques",
    "khalil-fig09-pitch-torques",
    "khalil-fig10-roll-torques",
    "khalil-fig11-loop",
]


def test_all_are_known() -> None:
    assert set(figures.known()) >= {*GENERAL, *KHALIL}
    assert all(entry.shows for entry in figures.known().values())


@pytest.mark.parametrize("name", [*GENERAL, *KHALIL])
def test_every_figure_is_drawn_with_its_table(swimmer, name: str, tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    drawing, table = figures.draw(swimmer, name)
    assert dict(matplotlib.rcParams) == before
    assert drawing.get_size_inches()[0] * 25.4 == pytest.approx(style.COLUMN_WIDTH)
    for axes in drawing.axes:
        for label in (axes.get_xlabel(), axes.get_ylabel()):
            assert not label or label.endswith(")") or "joint" in label  # a unit, or a number of joints
    assert all("(" in column or "counted" in column for column in table)
    assert all(np.isfinite(values).all() for values in table.values())
    drawn = np.concatenate([np.asarray(line.get_ydata(), dtype=float) for axes in drawing.axes for line in axes.lines])
    values = np.concatenate([np.ravel(column) for column in table.values()])
    assert np.isin(
        drawn, np.concatenate([values, np.abs(values), -values, np.ravel(np.unique(swimmer.dataset["joint_limit"]))])
    ).all()


def test_pictures_and_arrays_are_written_side_by_side(swimmer, tmp_path: Path) -> None:
    picture, table = figures.save(swimmer, "khalil-fig08-yaw-torques", tmp_path)
    assert (picture.name, table.name) == ("khalil-fig08-yaw-torques.png", "khalil-fig08-yaw-torques.csv")
    assert picture.read_bytes()[:4] == b"\x89PNG"
    header, first = table.read_text().splitlines()[:2]
    assert header.split(",") == [
        "time (s)",
        *(f"torque of joint {joint} (N m)" for joint in (1, 25, 34)),
        *(f"limit of joint {joint} (N m)" for joint in (1, 25, 34)),
    ]
    assert float(first.split(",")[2]) == swimmer.dataset["joint_torque"].values[0, 24]
    assert sorted(path.name for path in tmp_path.iterdir()) == [table.name, picture.name]


def test_which_figures_a_run_has(swimmer) -> None:
    assert figures.names_for(swimmer) == GENERAL
    swimmer.scenario = SimpleNamespace(figures=("khalil-fig11-loop", "overview"), environment=())
    assert figures.names_for(swimmer) == [*GENERAL, "khalil-fig11-loop"]
    swimmer.dataset = swimmer.dataset.drop_vars("kinetic_energy")
    assert "energy-balance" not in figures.names_for(swimmer)
    assert set(swimmer.plot()) == {"overview", "torques", "khalil-fig11-loop"}
    assert swimmer.plot("torques").axes


def test_refusals_name_the_cause(swimmer) -> None:
    with pytest.raises(InputError, match=r"unknown figure 'overveiw'; did you mean 'overview'\?"):
        swimmer.plot("overveiw")
    with pytest.raises(InputError, match="needs kinetic_energy, which this run did not record"):
        figures.draw(SimpleNamespace(dataset=swimmer.dataset.drop_vars("kinetic_energy")), "energy-balance")
    swimmer.dataset = swimmer.dataset.isel(joint=slice(0, 12))
    with pytest.raises(InputError, match=r"shows joint 34 \(counted from 1\); the robot has 12 joints"):
        swimmer.plot("khalil-fig08-yaw-torques")
    swimmer.dataset = swimmer.dataset.isel(time=slice(0, 1))
    with pytest.raises(InputError, match="needs at least two records; this run has 1"):
        swimmer.plot("overview")


def test_writing_a_run_leaves_out_what_cannot_be_drawn(
    swimmer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    swimmer.dataset = swimmer.dataset.isel(joint=slice(0, 12))
    listed = ("khalil-fig10-roll-torques", "khalil-fig05-head-trajectory")
    swimmer.scenario = SimpleNamespace(
        environment=(),
        figures=listed,
        to_yaml=lambda: "name: stub\n",
        gait=SimpleNamespace(phases=tuple),
        task=None,
        step=0.01,
        model=SimpleNamespace(time_order=lambda environment: 4.0, momentum_cure=lambda environment: ""),
    )
    with caplog.at_level(logging.WARNING, logger="limbless"):
        names = {path.name for path in swimmer.write(tmp_path)}
    assert "khalil-fig05-head-trajectory.png" in names
    assert "khalil-fig10-roll-torques.png" not in names
    assert "khalil-fig10-roll-torques is not drawn" in caplog.text


def test_torque_limits_of_the_run_are_drawn(swimmer) -> None:
    lines = swimmer.plot("khalil-fig10-roll-torques").axes[0].lines
    levels = {round(float(line.get_ydata()[0]), 6) for line in lines if line.get_linestyle() == "--"}
    assert levels == {0.7, -0.7}


@pytest.mark.parametrize(
    ("name", "panel"), [("overview", 0), ("khalil-fig05-head-trajectory", 0), ("khalil-fig11-loop", 0)]
)
def test_tracks_have_the_same_scale_both_ways(swimmer, name: str, panel: int) -> None:
    axes = swimmer.plot(name).axes[panel]
    (left, right), (bottom, top), box = axes.get_xlim(), axes.get_ylim(), axes.get_window_extent()
    assert (right - left) / box.width == pytest.approx((top - bottom) / box.height, rel=1e-9)


def test_the_outline_is_as_long_and_as_wide_as_the_body(swimmer) -> None:
    straight = swimmer.dataset.copy(deep=True)
    straight["orientation"][:] = [1.0, 0.0, 0.0, 0.0]
    straight["position"][0, :, 0] = np.cumsum([0.4] + [0.14] * 12) - 0.5 * np.array([0.4] + [0.14] * 12)
    straight["position"][0, :, 1:] = 0.0
    for plane, half in (((0, 1), 0.065), ((0, 2), 0.09)):
        shape = body_outline.outline(straight, 0, plane)
        assert (shape[:, 0].min(), shape[:, 0].max()) == (pytest.approx(0.0, abs=1e-12), pytest.approx(2.08))
        assert (shape[:, 1].min(), shape[:, 1].max()) == (pytest.approx(-half), pytest.approx(half))
        x, y = shape.T
        area = 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
        assert area == pytest.approx((2.08 - 2 * half) * 2 * half + np.pi * half**2, rel=0.01)  # round ends


def test_the_outline_of_a_rolled_body_shows_its_other_side(swimmer) -> None:
    rolled = swimmer.dataset.copy(deep=True)
    rolled["orientation"][:] = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]
    rolled["position"][0, :, 1:] = 0.0
    assert body_outline.outline(rolled, 0, (0, 1))[:, 1].max() == pytest.approx(0.09)


def test_the_plane_with_most_to_see(swimmer) -> None:
    data = swimmer.dataset
    assert body_outline.widest_plane(data) == (0, 1)
    turned = data.assign(position=data["position"].copy(data=data["position"].values[:, :, [2, 0, 1]]))
    assert body_outline.widest_plane(turned) == (1, 2)
    data["position"][:, :, 1] = 0.0
    assert body_outline.widest_plane(data) == (0, 1)


def test_a_gait_without_a_period_is_drawn_whole(swimmer) -> None:
    del swimmer.dataset.attrs["gait_period"]
    for name in (*GENERAL, *KHALIL):
        figures.draw(swimmer, name)


@pytest.mark.parametrize(
    "part", [{"joint": slice(0, 1)}, {"joint": slice(0, 0)}, {"section": slice(0, 1)}, {"section": slice(0, 0)}]
)
def test_small_robots_are_drawn_too(swimmer, part: dict[str, slice]) -> None:
    swimmer.dataset = swimmer.dataset.isel(part)
    for name in GENERAL:
        figures.draw(swimmer, name)[0].draw_without_rendering()


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_a_run_that_diverged_is_drawn_up_to_there(swimmer, value: float) -> None:
    swimmer.dataset["position"][300:, 2, 1] = value
    for name in ("overview", "torques"):
        drawing, table = figures.draw(swimmer, name)
        assert len(table["time (s)"]) == 300
        assert drawing.axes
    swimmer.dataset["joint_torque"][1:] = value
    with pytest.raises(InputError, match="at least two records; this run has 1"):
        swimmer.plot("torques")


def test_torque_peaks_are_those_of_the_period_before(swimmer) -> None:
    table = figures.draw(swimmer, "torques")[1]
    torque = np.abs(swimmer.dataset["joint_torque"].values[:, ::3])
    assert table["yaw, peak over the period before (N m)"][350] == torque[251:351].max()
    assert table["yaw, peak over the period before (N m)"][0] == torque[0].max()


def test_notebooks_show_figures(swimmer) -> None:
    assert swimmer.plot("torques")._repr_png_()[:4] == b"\x89PNG"


def test_names_cost_no_matplotlib_and_drawing_no_pyplot() -> None:
    code = (
        "import sys; from limbless.view import figures; figures.known(); assert 'matplotlib' not in sys.modules;"
        "from limbless.view.figures import style; style.styled().__enter__(); style.panels([10.0]);"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
