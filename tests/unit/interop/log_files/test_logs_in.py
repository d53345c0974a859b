"""Logs and tracks in: one planted motion in every format, lost packets, and what is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.core.errors import InputError

RATE, LAG = 20.0, 0.06
TIME = np.arange(100) / RATE
COMMAND = 0.7 * np.sin(2.0 * np.pi * TIME[:, None] + np.arange(3))
POSITION = 0.65 * np.sin(2.0 * np.pi * (TIME[:, None] - LAG) + np.arange(3))


def sheet(path: Path, rows: list[list[str | float]]) -> Path:
    """A workbook as spreadsheets write it, with words of its own and shared ones."""
    words = sorted({cell for row in rows for cell in row if isinstance(cell, str) and cell})
    lines = []
    for r, row in enumerate(rows, start=1):
        cells = []
        for c, cell in enumerate(row):
            place = f"{chr(65 + c)}{r}"
            if isinstance(cell, str):
                cells.append(f'<c r="{place}" t="s"><v>{words.index(cell)}</v></c>' if cell else "")
            else:
                cells.append(f'<c r="{place}"><v>{cell!r}</v></c>')
        lines.append(f'<row r="{r}">{"".join(cells)}</row>')
    name = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "xl/worksheets/sheet1.xml", f"<worksheet {name}><sheetData>{''.join(lines)}</sheetData></worksheet>"
        )
        archive.writestr(
            "xl/sharedStrings.xml", f"<sst {name}>{''.join(f'<si><t>{word}</t></si>' for word in words)}</sst>"
        )
    return path


def written(path: Path) -> tuple[Path, dict[str, object]]:
    """The log in the format of a name, and what must be said of it."""
    degrees = np.degrees(POSITION)
    if path.suffix == ".csv":
        head = "time_ms,q1_deg,q2_deg,q3_deg,cmd1,cmd2,cmd3,i1_mA,i2_mA,i3_mA"
        rows = np.column_stack([1e3 * TIME, degrees, COMMAND, 100.0 * POSITION])
        path.write_text("\n".join([head, *(",".join(map(repr, map(float, row))) for row in rows)]))
        return path, {}
    if path.suffix == ".jsonl":
        rows = [{"t": t, **{f"q{k + 1}": q for k, q in enumerate(row)}} for t, row in zip(TIME, POSITION, strict=True)]
        path.write_text("\n".join(json.dumps(row) for row in rows))
        return path, {}
    if path.suffix == ".mat":
        from scipy.io import savemat

        savemat(path, {"angles": degrees, "goal": COMMAND})
        return path, {"position": "angles", "units": {"position": "deg"}, "rate": RATE}
    if path.suffix == ".xlsx":
        rows = [["t", "a.position", "b.position", "c.position"], *np.column_stack([TIME, POSITION]).tolist()]
        return sheet(path, rows), {}
    np.savez(path, time=TIME, position=POSITION, joint=np.array(["a", "b", "c"]))
    return path, {}


@pytest.mark.parametrize("name", ["log.csv", "log.jsonl", "log.mat", "log.xlsx", "log.npz"])
def test_one_log_in_every_format(tmp_path: Path, name: str) -> None:
    path, said = written(tmp_path / name)
    log = ll.read_log(path, said)
    assert log.position == pytest.approx(POSITION, abs=1e-12)
    assert log.time == pytest.approx(TIME) and log.rate == pytest.approx(RATE) and log.gaps == 0
    if name in ("log.csv", "log.mat"):
        assert log.command == pytest.approx(COMMAND)
    if name == "log.csv":
        assert log.current == pytest.approx(0.1 * POSITION)
    if name in ("log.xlsx", "log.npz"):
        assert log.joints == ("a", "b", "c")


def test_signs_turn_angles_and_rates_and_zeros_are_taken_off(tmp_path: Path) -> None:
    """A motor mounted the other way round counts both backwards; its zero is where the joint is straight."""
    path = tmp_path / "log.csv"
    path.write_text("t,q1,q2,q1_command,q2_command,v1,v2\n0,1,2,1.5,2.5,3,4\n0.1,1,2,1.5,2.5,3,4\n")
    columns = {"position": ["q1", "q2"], "command": ["q1_command", "q2_command"], "velocity": ["v1", "v2"]}
    log = ll.read_log(path, columns, sign=[1, -1], zero=[0.25, -0.5])
    assert log.position is not None and log.command is not None and log.velocity is not None
    assert log.position[0].tolist() == [0.75, -1.5] and log.command[0].tolist() == [1.25, -2.0]
    assert log.velocity[0].tolist() == [3.0, -4.0]


def test_a_run_is_a_log(tmp_path: Path) -> None:
    run = ll.run("eel-planar", {"duration": 0.3, "record_every": 0.05})
    run.save(tmp_path / "result.nc")
    files = [run.export(tmp_path / "run.mat"), tmp_path / "result.nc"]
    if pytest.importorskip("rosbags"):
        files.append(run.export(tmp_path / "bag"))
    for file in files:
        log = ll.read_log(file)
        assert log.position == pytest.approx(run.dataset.joint_position.values)
        assert log.effort == pytest.approx(run.dataset.joint_torque.values)
        assert list(log.joints) == list(run.dataset.joint.values)
    track = ll.read_track(tmp_path / "result.nc")
    assert track.marker("head") == pytest.approx(run.dataset.head_position.values)


def test_lost_packets_are_found_and_filled() -> None:
    from limbless.interop.log_files.joint_log import JointLog, without_lost

    spoilt = POSITION.copy()
    spoilt[40] = -np.pi  # one row with all joints at -180 degrees
    spoilt[70, 1] = np.nan
    log = without_lost(JointLog("log", TIME, ("a", "b", "c"), position=spoilt))
    assert log.gaps == 2 and log.position is not None
    assert np.abs(log.position - POSITION).max() < 0.04
    spoilt[20:26] = np.nan
    log = without_lost(JointLog("log", TIME, ("a", "b", "c"), position=spoilt))
    assert len(log.time) == 74 and "the longest piece is kept" in log.notes[-1]
    untouched = without_lost(JointLog("log", TIME, ("a", "b", "c"), position=POSITION))
    assert untouched.gaps == 0


def test_tracks(tmp_path: Path) -> None:
    way = np.column_stack([TIME, 3.0 * TIME, -TIME])
    rows = [["C1", "", "", "C2"], ["t", "x", "y", "t", "x", "y"], *(np.column_stack([way, 2.0 * way])).tolist()]
    path = sheet(tmp_path / "video.xlsx", rows)
    track = ll.read_track(path, column="C2")
    assert track.marker() == pytest.approx(2.0 * way[:, 1:]) and track.markers == ("C2",)
    with pytest.raises(InputError, match="2 tracks, C1, C2; choose one with column"):
        ll.read_track(path)
    rows[3][4] = "lost"
    assert np.isnan(ll.read_track(sheet(tmp_path / "word.xlsx", rows), column="C2").marker()).any(axis=1).sum() == 1
    table = tmp_path / "track.csv"
    body = [f"{t!r},{1e3 * x!r},{1e3 * y!r}" for t, x, y in way.tolist()]
    table.write_text("\n".join(["t,head_x_mm,head_y_mm", *body]))
    assert ll.read_track(table).marker("head") == pytest.approx(way[:, 1:])
    with pytest.raises(InputError, match="no time in it: say how often it was filmed"):
        table.write_text("\n".join(["head_x,head_y", "0,1", "1,1"]))
        ll.read_track(table)


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        ("q1,q2\n0,1\n1,1", {}, "no time in it"),
        ("t,a,b\n0,1,2\n1,2,3", {}, "no column of joints among t, a, b"),
        ("t,q1\n0,90\n1,80\n2,45", {}, "is more than a turn; if deg is meant"),
        ("t,q1\n0,1\n0,2", {}, "times must increase"),
        ("t,q1\n0,1\n1000,2\n2000,3", {}, "are its times in seconds"),
        ("t,q1\n0,1\n1,2", {"joints": ["a", "b"]}, "1 joints, and 2 names for them"),
        ("t,q1\n0,1\n1,2", {"raet": 3}, "no setting 'raet'"),
        ("t,q1\n0,1\n1,2", {"position": "p1"}, "has no 'p1'"),
        ("t,q1\n0,1\n1,2", {"units": {"position": "gon"}}, "known are rad, deg"),
        ("t,q1\n0,1\n1,2", {"units": "deg"}, "say of what, such as units={position: deg}"),
        ("t,q1,i1\n0,1,900\n1,2,700", {}, "current of 880 A cannot be; if mA is meant"),
        ("t,q1,dq1\n0,1,4e8\n1,2,4e8", {}, "velocity of 4e.08 rad/s cannot be; if rpm is meant"),
        ("t,q1\n0,1", {}, "1 of its 1 samples count, and a log has two or more"),
        ("t,q1\n0,1\n1,2", {"rows": [5, 9]}, "0 of its 2 samples count"),
        ("t,q1\n0,1\n1,2", {"rows": 5}, "the first and the one after the last"),
        ("q1\n1\n2", {"rate": 0}, "rate: samples a second, a number above 0 such as 20; got 0"),
        ("q1\n1\n2", {"rate": "fast"}, "a number above 0 such as 20; got 'fast'"),
        ("t,q1\n0,1\n1,2", {"sign": [1, -1]}, "sign: one number, or 1, one for each joint"),
        ("t,q1,q2\n0,1,nan\n1,2,nan", {}, "no sample has a value of every joint"),
    ],
)
def test_logs_that_are_none(tmp_path: Path, text: str, said: dict[str, object], message: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        ll.read_log(path, said)


def test_a_matlab_file_that_unpacks_to_more_than_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.io import savemat

    path = tmp_path / "log.mat"
    savemat(path, {"q": np.zeros((20_000, 3)), "t": TIME}, do_compression=True)
    assert ll.read_log(path, position="q", rate=RATE).joints == ("1", "2", "3")
    monkeypatch.setattr("limbless.interop.log_files.named_arrays.LARGEST", 400_000)
    assert path.stat().st_size < 10_000
    with pytest.raises(InputError, match=r"it unpacks to more than 0\.4 MB"):
        ll.read_log(path, position="q", rate=RATE)


def test_what_is_guessed_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("t,q1,i1_mA\n0,1,5\n1,2,6")
    assert ll.read_log(path).notes == (
        "units: current in mA, by the name of its columns",
        "units: times of 't' taken as seconds",
        "units: position taken as rad",
    )


def test_the_command(tmp_path: Path) -> None:
    path, _ = written(tmp_path / "log.csv")
    said = CliRunner().invoke(main, ["log", str(path)])
    assert said.exit_code == 0, said.output
    assert "100 samples in 4.95 s, 20 /s" in said.output and "lag        60.0 60.0 60.0 ms" in said.output
    assert "amplitude over command 0.929" in said.output
    refused = CliRunner().invoke(main, ["log", str(tmp_path / "none.csv")])
    assert refused.exit_code == 2 and "there is no log" in refused.output


def test_a_held_reference(tmp_path: Path) -> None:
    """What a bus does: rows of a wave, held, move the robot as a servo whose reference is renewed as often."""
    from scipy.io import savemat

    from limbless.control.actuation.shape_map import turns

    changes = {"duration": 0.3, "actuation": {"kind": "servo"}}
    wave = ll.Scenario.load("module-snake-undulate", changes)
    times = np.arange(8) / 20.0
    rows = np.column_stack([times, wave.gait.sample_joints(times, turns(wave.robot.build())).value])
    gait = {"kind": "recorded", "between": "hold", "table": rows.tolist()}
    held = ll.run(wave, {"gait": gait})
    asked = ll.run(wave, {"actuation.refresh": 20.0})
    np.testing.assert_allclose(held.dataset.joint_position.values, asked.dataset.joint_position.values, atol=1e-9)
    savemat(tmp_path / "log.mat", {"time": times, "joint_position": rows[:, 1:]})
    again = ll.run(wave, {"gait": {"kind": "recorded", "between": "hold", "file": str(tmp_path / "log.mat")}})
    np.testing.assert_array_equal(again.dataset.joint_position.values, held.dataset.joint_position.values)
    with pytest.raises(InputError, match="'hold' has no velocities to impose"):
        ll.Scenario.load(wave, {"gait": gait, "actuation": {"kind": "motion"}})


def test_between_rows() -> None:
    table = ((0.0, 1.0), (1.0, 3.0), (2.0, -1.0))
    times = np.array([0.0, 0.5, 1.0, 1.75])
    held = ll.RecordedGait(table=table, between="hold").sample(times, np.zeros(1))
    assert held.value[:, 0].tolist() == [1.0, 1.0, 3.0, 3.0] and not held.rate.any()
    lines = ll.RecordedGait(table=table, between="straight").sample(times, np.zeros(1))
    assert lines.value[:, 0].tolist() == [1.0, 2.0, 3.0, 0.0] and lines.rate[:, 0].tolist() == [2.0, 2.0, -4.0, -4.0]
    assert ll.RecordedGait(table=table, between="hold").breakpoints(0.0, 2.0) == [1.0]
