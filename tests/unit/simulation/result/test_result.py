"""`Result`: built from blocks, summed up, saved and loaded without loss, written as a folder."""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace

import h5netcdf
import numpy as np
import pytest
import xarray as xr

import limbless as ll
from limbless.core.errors import InputError
from limbless.core.files import replacing, write_table, write_text
from limbless.models.base import Model, Records, State, Variable
from limbless.scenarios.scenario import Scenario
from limbless.simulation.result import Result, components
from limbless.simulation.result.dataset import rows_of
from limbless.simulation.result.storage import plain, read_netcdf, write_netcdf

SUMMARY = [
    "scenario",
    "model",
    "status",
    "proven",
    "doubts",
    "notes",
    "duration",
    "step",
    "wall_time",
    "realtime_factor",
    "mass",
    "com_displacement",
    "path_length",
    "mean_speed",
    "progress",
    "period_speed",
    "steady",
    "peak_torque",
    "limits_exceeded",
    "positive_work",
    "cost_of_transport",
    "balances",
]


class Falling(Model):
    """The least that a model can record."""

    def schema(self) -> dict[str, Variable]:
        return {
            "height": Variable((), "m", "height", "world"),
            "com_position": Variable(("axis",), "m", "centre of mass", "world"),
        }

    def coordinates(self) -> dict:
        return {}


def falling(*blocks: dict) -> Result:
    return Result.from_records(blocks, Falling(), None, "completed", None, None)


def scenario(**more) -> SimpleNamespace:
    """What a result asks of a scenario."""
    return SimpleNamespace(
        name="stub",
        step=0.01,
        task=None,
        gait=SimpleNamespace(cycle=2.0, phases=tuple),
        model=SimpleNamespace(
            kind="newton-euler", time_order=lambda environment: 4.0, momentum_cure=lambda environment: ""
        ),
        figures=(),
        robot=SimpleNamespace(build=lambda: SimpleNamespace(total_mass=1.5, base="free")),
        notes=tuple,
        environment=(ll.Gravity(),),
        to_yaml=lambda: "name: stub\n",
        **more,
    )


def test_blocks_are_joined_under_names_units_and_labels(swimmer) -> None:
    data = swimmer.dataset
    assert data.sizes == {
        "time": 501,
        "section": 13,
        "transverse": 2,
        "joint": 36,
        "axis": 3,
        "quaternion": 4,
        "screw": 6,
    }
    assert data["base_twist"].attrs == {"units": "m/s; rad/s", "long_name": "twist of the base", "frame": "body"}
    assert list(data["screw"].values) == ["x", "y", "z", "rx", "ry", "rz"]
    assert float(data["radius"].sel(section="link 3", transverse="vertical")) == 0.09
    assert data["joint_torque"].sel(joint="joint 2").joint_axis == "pitch"
    assert np.diff(data["time"]) == pytest.approx(0.02)
    assert data["power_residual"].attrs["units"] == "W"
    assert {"joint", "joint_axis", "section"} <= set(data.coords)
    assert {"radius", "section_length", "joint_limit"} <= set(data.data_vars)


def test_a_variable_with_other_dimensions_than_declared_is_refused() -> None:
    with pytest.raises(ValueError, match="'height' has 2 dimensions, its schema says 1"):
        falling({"time": np.zeros(1), "height": np.zeros((1, 3)), "com_position": np.zeros((1, 3))})


def test_facts_come_from_the_scenario() -> None:
    block = {"time": np.zeros(1), "height": np.zeros(1), "com_position": np.zeros((1, 3))}
    result = Result.from_records([block], Falling(), scenario(), "completed", None, None)
    assert result.dataset.attrs == {
        "scenario_name": "stub",
        "model": "newton-euler",
        "step": 0.01,
        "gait_period": 2.0,
        "total_mass": 1.5,
        "held": "nothing is there to push against",
        "gravity": [0.0, 0.0, -9.81],
    }


def test_summary(swimmer) -> None:
    summary = swimmer.summary()
    assert list(summary) == SUMMARY
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert summary["scenario"] == "made-up"
    assert summary["duration"] == pytest.approx(10.0)
    assert summary["realtime_factor"] == pytest.approx(5.0)
    assert summary["com_displacement"] == pytest.approx([-4.0, 0.0, 0.0])
    assert summary["mean_speed"] == summary["path_length"] / 10.0 == pytest.approx(0.4)
    assert summary["steady"] == pytest.approx(1.0)
    assert list(summary["peak_torque"]) == ["yaw", "pitch", "roll"]
    assert [excess["joint"] for excess in summary["limits_exceeded"]] == ["joint 16"]
    assert summary["cost_of_transport"] == pytest.approx(summary["positive_work"] / (37.0 * 9.81 * 4.0))
    assert {balance["verdict"] for balance in summary["balances"].values()} == {"pass"}


@pytest.mark.parametrize("records", [0, 1])
def test_a_run_that_ended_at_once_still_has_a_summary(records: int) -> None:
    block = {"time": np.zeros(records), "height": np.zeros(records), "com_position": np.zeros((records, 3))}
    for result in (falling(block), falling()):
        summary = result.summary()
        assert summary["mean_speed"] is None
        assert summary["duration"] == 0.0
        assert "duration" in repr(result)


def test_numbers_that_json_does_not_know_become_null(swimmer) -> None:
    swimmer.dataset["kinetic_energy"][3] = np.inf
    power = swimmer.summary()["balances"]["power"]
    assert power["value"] is None
    assert power["verdict"] == "fail"


def test_saved_and_loaded_bit_for_bit(swimmer, tmp_path: Path) -> None:
    swimmer.status = "interrupted"
    loaded = Result.load(swimmer.save(tmp_path / "run" / "result.nc"))
    xr.testing.assert_identical(loaded.dataset, swimmer.dataset)
    assert loaded.written_by == f"limbless {ll.__version__}"
    assert loaded.status == "interrupted"
    assert loaded.scenario is None
    assert loaded.wall_time is None
    assert loaded.state.time == swimmer.state.time
    assert loaded.state.x.tobytes() == swimmer.state.x.tobytes()
    assert set(loaded.state.memory) == set(swimmer.state.memory)
    for name, array in swimmer.state.memory.items():
        assert loaded.state.memory[name].dtype == array.dtype
        assert loaded.state.memory[name].shape == array.shape
        assert loaded.state.memory[name].tobytes() == array.tobytes()
    again = loaded.save(tmp_path / "again.nc")
    assert again.read_bytes() == (tmp_path / "run" / "result.nc").read_bytes()
    loaded.written_by = "limbless 0.0.1"  # numbers keep the version that they are of
    assert Result.load(loaded.save(tmp_path / "again.nc")).written_by == "limbless 0.0.1"


def test_two_saves_are_byte_identical(swimmer, tmp_path: Path) -> None:
    first = swimmer.save(tmp_path / "first.nc").read_bytes()
    time.sleep(1.1)  # HDF5 counts time in seconds, if it does
    swimmer.wall_time = 7.0
    assert swimmer.save(tmp_path / "second.nc").read_bytes() == first


def test_a_result_without_a_state(tmp_path: Path) -> None:
    result = falling({"time": np.arange(3.0), "height": np.zeros(3), "com_position": np.zeros((3, 3))})
    assert Result.load(result.save(tmp_path / "r.nc")).state is None


def test_a_failed_save_leaves_the_old_file_alone(swimmer, tmp_path: Path) -> None:
    path = swimmer.save(tmp_path / "result.nc")
    before = path.read_bytes()
    swimmer.dataset["bad"] = ("time", np.array([object()] * 501))
    with pytest.raises(Exception):  # noqa: B017 whatever the NetCDF library says to an object
        swimmer.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_load_says_what_is_wrong(swimmer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file .*missing.nc"):
        Result.load(tmp_path / "missing.nc")
    with pytest.raises(InputError, match=r"there is no file .*result.nc"):
        Result.load(tmp_path)
    text = tmp_path / "text.nc"
    text.write_text("not a result")
    with pytest.raises(InputError, match="damaged or not a NetCDF"):
        Result.load(text)
    whole = swimmer.save(tmp_path / "whole.nc")
    for length in (1000, 100_000):
        torn = tmp_path / f"torn{length}.nc"
        torn.write_bytes(whole.read_bytes()[:length])
        with pytest.raises(InputError, match="damaged or not a NetCDF"):
            Result.load(torn)
    foreign = tmp_path / "foreign.nc"
    with h5netcdf.File(foreign, "w") as file:
        file.attrs["title"] = "weather"
    with pytest.raises(InputError, match="not a result of this version of limbless"):
        Result.load(foreign)


def test_csv(swimmer, tmp_path: Path) -> None:
    path = swimmer.to_csv(tmp_path / "run.csv", ["base_twist", "position", "joint_torque", "kinetic_energy"])
    header, *rows = path.read_text().splitlines()
    told = dict(line.split(",") for line in (tmp_path / "run-units.csv").read_text().splitlines())
    names = header.split(",")
    assert names[:8] == [
        "time",
        *(f"base_twist_{part}" for part in ("x", "y", "z", "rx", "ry", "rz")),
        "position_link_0_x",
    ]
    assert names[-2:] == ["joint_torque_36", "kinetic_energy"]
    assert told["column"] == "unit" and list(told)[1:] == names and len(names) == 1 + 6 + 39 + 36 + 1
    assert [told[name] for name in names[:8]] == ["s", "m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s", "m"]
    table = np.array([[float(cell) for cell in row.split(",")] for row in rows])
    assert np.array_equal(table[:, names.index("joint_torque_3")], swimmer.dataset["joint_torque"].values[:, 2])
    assert np.array_equal(table[:, names.index("position_link_12_y")], swimmer.dataset["position"].values[:, 12, 1])
    with pytest.raises(InputError, match="no recorded variable 'joint_torqe'; did you mean 'joint_torque'"):
        swimmer.to_csv(tmp_path / "other.csv", ["joint_torqe"])
    everything = swimmer.to_csv(tmp_path / "all.csv").read_text().splitlines()[0].split(",")
    assert "momentum_rz" in everything
    assert not any(name.startswith("radius") for name in everything)


def test_write_and_load_a_folder(swimmer, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "run"
    swimmer.scenario = scenario()
    written = swimmer.write(folder)
    names = {str(path.relative_to(folder)) for path in written}
    assert {"scenario.yaml", "result.nc", "summary.json", "figures/overview.png", "figures/overview.csv"} <= names
    # no temporary file stays
    assert names == {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert (folder / "scenario.yaml").read_text() == "name: stub\n"
    assert json.loads((folder / "summary.json").read_text())["status"] == "completed"
    loaded = Result.load(folder)
    assert loaded.wall_time == 2.0
    again = loaded.write(tmp_path / "again", figures=False)
    assert [path.name for path in again] == ["scenario.yaml", "result.nc", "summary.json"]
    for path in again:
        assert path.read_bytes() == (folder / path.name).read_bytes()


def test_a_scenario_comes_back_equal(tmp_path: Path) -> None:
    eel = Scenario.load("eel-planar", {"gait.amplitude": 0.08})
    block = {"time": np.zeros(1), "height": np.zeros(1), "com_position": np.zeros((1, 3))}
    result = Result.from_records([block], Falling(), eel, "failed: it fell", None, None)
    assert result.dataset.attrs["total_mass"] == pytest.approx(37.247, abs=1e-3)
    assert (result.name, result.period) == ("eel-planar", 2.0)
    loaded = Result.load(result.save(tmp_path / "eel.nc"))
    assert loaded.scenario == eel
    assert loaded.status == "failed: it fell"
    assert loaded.save(tmp_path / "again.nc").read_bytes() == (tmp_path / "eel.nc").read_bytes()


def test_print(swimmer) -> None:
    text = repr(swimmer)
    for part in ("made-up", "completed", "10 s", "(-4, 0, 0) m", "0.4 m/s", "worst balance", "pass"):
        assert part in text
    swimmer.status = "failed: <b>"
    assert "failed: &lt;b&gt;" in swimmer._repr_html_()


def test_what_is_written_is_never_seen_half_written(tmp_path: Path) -> None:
    path = write_text(tmp_path / "new" / "note.txt", "old\n")
    with pytest.raises(RuntimeError, match="stop"), replacing(path) as temporary:
        temporary.write_text("half")
        assert (temporary.parent, temporary.suffix) == (path.parent, ".txt")
        raise RuntimeError("stop")
    assert path.read_text() == "old\n"
    assert list(path.parent.iterdir()) == [path]


def test_table_keeps_all_digits_and_pads_short_columns(tmp_path: Path) -> None:
    path = write_table(tmp_path / "t.csv", {"a (m)": np.array([0.1, 1 / 3]), "at 2 s, x (m)": np.array([1e-300])})
    assert path.read_text() == 'a (m),"at 2 s, x (m)"\n0.1,1e-300\n0.3333333333333333,\n'


def test_writing_asks_for_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """xarray would import all of `distributed`; afterwards everybody else may."""
    import sys

    from limbless.core.files import without_cluster

    for name in ("distributed", "dask.distributed"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with without_cluster(), pytest.raises(ImportError):
        import dask.distributed  # noqa: F401
    with without_cluster(), pytest.raises(ImportError):
        import distributed  # noqa: F401
    assert not {"distributed", "dask.distributed"} & {*sys.modules}


def test_a_file_whose_clock_does_not_go_forwards_or_that_holds_no_numbers_is_refused(tmp_path: Path) -> None:
    """Balances compare the two ends of a run: none would notice."""
    whole = ll.run("eel-planar", {"duration": 0.1})
    for clock in ("time", "look"):
        for damage in (np.nan, np.inf, -1.0):
            times = whole.dataset[clock].values.copy()
            times[len(times) // 2] = damage
            path = Result(whole.dataset.assign_coords({clock: times})).save(tmp_path / "result.nc")
            with pytest.raises(InputError, match=f"its {clock} does not go forwards"):
                Result.load(path)
    for name in ("position", "look_com_position"):  # no balance looks at the first
        spoilt = whole.dataset.copy(deep=True)
        spoilt[name][1, 0] = np.nan
        with pytest.raises(InputError, match=f"its {name} holds what is no number"):
            Result.load(Result(spoilt).save(tmp_path / "result.nc"))


def test_the_worst_of_rows_that_are_left_out_stays_with_the_next_that_is_kept() -> None:
    raw = Records({"residual": np.array([1.0, 9.0, 2.0, 3.0, 8.0, 4.0]), "time": np.arange(6.0)})
    kept = rows_of(raw, np.array([True, False, True, False, False, True]), ["residual"])
    assert kept["residual"].tolist() == [1.0, 9.0, 8.0] and kept["time"].tolist() == [0.0, 2.0, 5.0]


def test_units_of_a_screws_two_halves_and_numbers_that_are_none(swimmer: Result) -> None:
    columns = {name: unit for name, unit, _ in components(swimmer.dataset["base_twist"])}
    assert columns["base_twist_z"] == "m/s" and columns["base_twist_rz"] == "rad/s"
    assert plain({"a": np.inf, "b": [np.nan, -np.inf, 1.0]}) == {"a": None, "b": [None, None, 1.0]}


def test_a_state_comes_back_at_its_time(tmp_path: Path) -> None:
    state = State(2.5, np.arange(3.0), {"grip": np.array([1, 0])})
    path = write_netcdf(tmp_path / "a.nc", xr.Dataset({"x": ("time", [1.0])}), state)
    back = read_netcdf(path)[1]
    assert back is not None and back.time == 2.5 and back.x.tolist() == [0.0, 1.0, 2.0]
    assert back.memory["grip"].tolist() == [1, 0]
