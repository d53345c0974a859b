"""Files from strangers: they fill no memory, lead to no other file, and write nowhere but where they were put."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.core.errors import printable
from limbless.core.files import as_word, below

BODY = "robot: {preset: uniform, links: 3}\ngait: {kind: body-wave, amplitude: 0.1, wavelength: 0.5}\n"
LAUGHS = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30)
)


@pytest.fixture(scope="module")
def swim() -> ll.Result:
    return ll.run("eel-planar", {"duration": 0.1})


# Text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS + BODY, "entries once its aliases"),
        (LAUGHS + BODY + "initial: {joint_position: *a29}\n", "entries once its aliases"),
        ("x: &x [1, *x]\n" + BODY, "unknown field|contains itself"),
        ("x: " + "[" * 50_000 + BODY, "nested too deeply"),
        ("- " * 20_000, "nested too deeply"),
        ("# " + "x" * 5_000_000 + "\n" + BODY, "more than 4000000 characters"),
        (BODY + "duration: 0x" + "f" * 5000, "whole number of 20000 bits"),
        (BODY + 'title: "\\e[2J"', r"control character '\\x1b'"),
        (BODY + 'title: "\\0"', r"control character '\\x00'"),
        (BODY + 'title: "\\ud800"', "control character"),
        (BODY + "duration: !!bool abc", "not valid YAML: KeyError"),
        ("? [a, {b: c}]\n: 3\n" + BODY, "not valid YAML: TypeError"),
        (
            BODY + "initial: {joint_position: [" + "x, " * 3000 + "x]}",
            "more than 40 errors, of which these are the first",
        ),
    ],
    ids=[
        "laughs",
        "laughs in a field",
        "itself",
        "brackets",
        "dashes",
        "long",
        "digits",
        "steering",
        "zero",
        "half a letter",
        "tag",
        "key",
        "many errors",
    ],
)
def test_absurd_text_is_refused_at_once(text: str, said: str) -> None:
    with pytest.raises(ll.InputError, match=said) as caught:
        ll.Scenario.from_yaml(text, "theirs.yaml")
    assert "theirs.yaml" in str(caught.value) and len(str(caught.value)) < 20_000


def test_aliases_as_people_use_them_stay_what_they_are() -> None:
    scenario = ll.Scenario.from_yaml(
        "robot: {preset: uniform, links: 3, length: &l 0.2, half_width: 0.02}\n"
        "gait: {kind: body-wave, amplitude: 0.1, wavelength: *l}\n"
    )
    assert scenario.gait.wavelength == scenario.robot.length == 0.2


def test_a_file_that_never_ends_is_not_read_for_ever() -> None:
    with pytest.raises(ll.InputError, match="more than 4000000 characters"):
        ll.Scenario.load(Path("/dev/zero"))


def test_what_would_steer_a_terminal_is_written_out(tmp_path: Path, swim: ll.Result) -> None:
    assert printable("a\x1b[31mb\x07\ne\u202e") == "a\\x1b[31mb\\x07\ne\\u202e"
    data = swim.dataset.assign_attrs(scenario_name="\x1b]0;owned\x07")
    ll.Result(data, swim.scenario).save(tmp_path / "result.nc")
    missing = tmp_path / "a\x1b[2Jb.yaml"
    for words in (["run", str(missing)], ["describe", str(missing)], ["plot", str(tmp_path / "\x1b[2J")]):
        told = CliRunner().invoke(main, words)
        assert told.exit_code == 2 and "\x1b" not in told.output and "\\x1b" in told.stderr
    swim.save(tmp_path / "own.nc")
    told = CliRunner().invoke(main, ["compare", str(tmp_path / "own.nc"), str(tmp_path / "result.nc"), "--no-figures"])
    assert told.exit_code == 0 and "\x1b" not in told.output and "owned" in told.output


# Data


def test_runs_that_cannot_be_compared_are_named(tmp_path: Path, swim: ll.Result) -> None:
    swim.save(tmp_path / "whole.nc")
    ll.Result(swim.dataset.isel(axis=slice(0, 2)), swim.scenario).save(tmp_path / "flat.nc")
    words = ["compare", str(tmp_path / "whole.nc"), str(tmp_path / "flat.nc"), "--no-figures"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 2 and "flat.nc cannot be shown" in told.output


def damaged(kind: str, file: h5py.File, secret: Path) -> None:
    """Put something into a result that leads elsewhere or is larger than it is."""
    if kind == "a link to another file":
        file["peeping"] = h5py.ExternalLink(str(secret), "/x")
    elif kind == "a soft link":
        file["peeping"] = h5py.SoftLink("/position")
    elif kind == "numbers of another file":
        file.create_dataset("peeping", (8,), "u1", external=[(str(secret), 0, 8)])
    elif kind == "a view of another file":
        layout = h5py.VirtualLayout((8,), "u1")
        layout[:] = h5py.VirtualSource(str(secret), "x", (8,))
        file.create_virtual_dataset("peeping", layout)
    elif kind == "in the state":
        file["state"].create_dataset("memory_peeping", (8,), "u1", external=[(str(secret), 0, 8)])
    elif kind == "a terabyte of nothing":
        file.create_dataset("peeping", (2**37,), "f8", chunks=(2**20,))
    elif kind == "a group that holds itself":
        file["peeping"] = file["state"]
        file["state"]["again"] = file["state"]
    elif kind == "sixty groups in each other":
        file.create_group("/".join("g" * 60))


@pytest.mark.parametrize(
    "kind",
    [
        "a link to another file",
        "a soft link",
        "numbers of another file",
        "a view of another file",
        "in the state",
        "a terabyte of nothing",
        "a group that holds itself",
        "sixty groups in each other",
    ],
)
def test_a_result_leads_to_no_other_file(kind: str, swim: ll.Result, tmp_path: Path) -> None:
    """Its figures and reports would show what it points at, as its own numbers."""
    secret = tmp_path / "secret"
    secret.write_bytes(b"a secret")
    path = swim.save(tmp_path / "result.nc")
    ll.Result.load(path)
    with h5py.File(path, "r+") as file:
        damaged(kind, file, secret)
    with pytest.raises(ll.InputError, match=r"cannot load a result: .*result.nc") as caught:
        ll.Result.load(path)
    assert "a secret" not in str(caught.value)
    told = CliRunner().invoke(main, ["plot", str(tmp_path)])
    assert told.exit_code == 2 and not (tmp_path / "figures").exists()


# Places


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("eel-planar", "eel-planar"),
        ("../../etc/passwd", "etc-passwd"),
        ("..", "untitled"),
        ("", "untitled"),
        ("/", "untitled"),
        ("a/b\\c:d", "a-b-c-d"),
        (".hidden", "hidden"),
        ("x" * 500, "x" * 100),
        ("<b>", "b"),
        ("~/x", "x"),
        ("a\x00b", "a-b"),
    ],
)
def test_a_name_is_one_word(name: str, word: str, tmp_path: Path) -> None:
    assert as_word(name) == word
    assert (tmp_path / as_word(name)).parent == tmp_path


def test_a_name_of_a_scenario_leads_nowhere() -> None:
    for name in ("../x", "/x", "a/b", "..", "", ".", "a b", "a\nb"):
        with pytest.raises(ll.InputError, match="name"):
            ll.Scenario.from_yaml(f"{BODY}name: {name!r}\n")


def test_links_in_a_folder_lead_nothing_out_of_it(swim: ll.Result, tmp_path: Path) -> None:
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    mine.mkdir()
    (mine / "report.html").write_text("mine")
    swim.write(theirs, figures=False)
    (theirs / "figures").symlink_to(mine)
    (theirs / "report.html").symlink_to(mine / "report.html")
    assert below(theirs, "other") == theirs / "other"
    with pytest.raises(ll.InputError, match=r"leads to .*mine, which is not in"):
        below(theirs, "figures")
    told = CliRunner().invoke(main, ["plot", str(theirs), "--figure", "overview"])
    assert told.exit_code == 2 and "leads to" in told.stderr
    told = CliRunner().invoke(main, ["report", str(theirs)])
    assert told.exit_code == 0, told.output
    assert [path.name for path in mine.iterdir()] == ["report.html"] and (mine / "report.html").read_text() == "mine"


def test_save_writes_below_its_folder_whatever_a_result_is_called(swim: ll.Result, tmp_path: Path) -> None:
    pytest.importorskip("viser", reason="the extra view is not installed")
    from threading import Lock
    from types import SimpleNamespace

    from limbless.view.studio.page import Page

    work = tmp_path / "work"
    work.mkdir()
    said: list[str] = []
    page: Any = SimpleNamespace(
        result=ll.Result(swim.dataset.assign_attrs(scenario_name="../../outside")),
        folder=work,
        studio=SimpleNamespace(saving=Lock()),
        controls=SimpleNamespace(say=said.append),
        _refused=said.append,
    )
    Page.save(page)
    assert said == ["saved in runs/outside"] and [path.name for path in tmp_path.iterdir()] == ["work"]
    with page.studio.saving:
        Page.save(page)
    assert said[1:] == ["a run is being saved; press again when it is"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (work / "runs").rename(work / "before")
    (work / "runs").symlink_to(elsewhere)
    Page.save(page)
    assert said[-1].startswith("nothing is saved: ") and not list(elsewhere.iterdir())
    assert np.isfinite(ll.Result.load(work / "before/outside").dataset["position"].values).all()
