"""Files of numbers from others: nothing outside them is read, nothing is allocated that they do not hold."""

from __future__ import annotations

import ast
import os
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.lib import format as npy
from scipy.io import savemat

import limbless as ll
from limbless.cli.main import main
from limbless.core import data_files
from limbless.core.data_files import load_arrays, open_archive, open_hdf5
from limbless.search.sweeps.row_store import Store


def test_an_hdf5_file_that_leads_out_of_itself_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["secret"] = np.arange(3.0)
    np.arange(3.0).tofile(tmp_path / "raw")
    layout = h5py.VirtualLayout((3,), "f8")
    layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "secret", (3,))
    makers = {
        "link": lambda file: file.__setitem__("a", h5py.ExternalLink("other.h5", "/secret")),
        "soft": lambda file: file.__setitem__("a", h5py.SoftLink("/b")),
        "raw": lambda file: file.create_dataset("a", (3,), "f8", external=[(str(tmp_path / "raw"), 0, 24)]),
        "virtual": lambda file: file.create_virtual_dataset("a", layout),
        "deep": lambda file: file.create_group("g").__setitem__("a", h5py.ExternalLink("other.h5", "/secret")),
    }
    for name, make in makers.items():
        with h5py.File(tmp_path / f"{name}.h5", "w") as file:
            make(file)
        with pytest.raises(ll.InputError, match=r"is a link|lie in another file"), open_hdf5(tmp_path / f"{name}.h5"):
            pass
        with pytest.raises(ll.InputError):
            ll.Film.load(tmp_path / f"{name}.h5", length=0.1, rate=50.0)


def test_groups_that_hold_themselves_or_have_no_end_are_refused(tmp_path: Path) -> None:
    """Whoever walks through the file, xarray for one, would never come back, or run out of its stack."""
    with h5py.File(tmp_path / "ring.h5", "w") as file:
        group = file.create_group("g")
        group["again"] = group
    with h5py.File(tmp_path / "deep.h5", "w") as file:
        file.create_group("/".join("g" * 60))["a"] = np.arange(3.0)
    for name in ("ring", "deep"):
        with pytest.raises(ll.InputError, match="holds itself, or lies in more than 50 others"):  # noqa: SIM117
            with open_hdf5(tmp_path / f"{name}.h5"):
                pass
    with h5py.File(tmp_path / "flat.h5", "w") as file:
        file.create_group("/".join("g" * 40))["a"] = np.arange(3.0)
        file["twice"] = file["g"]
    with open_hdf5(tmp_path / "flat.h5") as file:
        assert list(file["twice/" + "/".join("g" * 39) + "/a"]) == [0.0, 1.0, 2.0]


ELSEWHERE = {
    "interop/films/readers.py": "open_dataset",  # of a file that open_hdf5 has looked into
    "simulation/result/storage.py": "load_dataset",  # the same
    "control/gaits/recorded_motion.py": "load_dataset",  # the same
    "interop/log_files/named_arrays.py": "loadmat",  # MATLAB 5, of bounded size: it has no links
    "interop/logs/fmu.py": "ZipFile",  # written, not read
    "interop/learning/gym_env.py": "load",  # bytes that the caller's own Env has made
}
READS = ("open_dataset", "load_dataset", "open_datatree", "read_excel", "read_hdf", "load_workbook", "loadmat")


def test_every_file_of_numbers_comes_through_the_gate() -> None:
    """A new reader asks `open_hdf5`, `load_arrays` or `open_archive` for its file, and is then no reader of its own."""
    root = Path(ll.__file__).parent
    found: dict[str, str] = {}
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            name = getattr(called, "attr", getattr(called, "id", ""))
            of = getattr(getattr(called, "value", None), "id", "")
            if name in READS or (of, name) in (("np", "load"), ("h5py", "File"), ("zipfile", "ZipFile")):
                found[path.relative_to(root).as_posix()] = name
    del found["core/data_files.py"]
    assert found == ELSEWHERE


def test_an_archive_unpacks_to_no_more_than_it_may_claim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "worm.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("worm.wcon", " " * 10**6)
    monkeypatch.setattr(data_files, "SMALL", 1000)
    monkeypatch.setattr(data_files, "DENSEST", 2)
    with pytest.raises(ll.InputError, match=r"worm.zip: it claims 1000000 bytes"), open_archive(path):
        pass
    with pytest.raises(ll.InputError, match="claims 1000000 bytes"):
        ll.Film.load(path, length=0.1, rate=50.0)
    (tmp_path / "cut.zip").write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ll.InputError, match="damaged or locked archive"), open_archive(tmp_path / "cut.zip"):
        pass


@pytest.mark.parametrize("kind", ["h5", "npy", "npz"])
def test_claims_beyond_the_file_are_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"huge.{kind}"
    if kind == "h5":
        with h5py.File(path, "w") as file:
            file.create_dataset("a", (10**10,), "f8", chunks=(1000,))
    else:
        bare = tmp_path / "a.npy"
        with bare.open("wb") as stream:
            npy.write_array_header_1_0(stream, {"shape": (10**10,), "fortran_order": False, "descr": "<f8"})
        if kind == "npz":
            with zipfile.ZipFile(path, "w") as archive:
                archive.write(bare)
        else:
            bare.rename(path)
    with pytest.raises(ll.InputError, match="claims 80000000000 bytes"):
        if kind == "h5":
            with open_hdf5(path):
                pass
        else:
            load_arrays(path)


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_files, "SMALL", 1000)
    np.savez_compressed(tmp_path / "bomb.npz", a=np.zeros(10**6))
    with pytest.raises(ll.InputError, match="claims"):
        load_arrays(tmp_path / "bomb.npz")


def test_objects_and_damage_are_sentences(tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    with pytest.raises(ll.InputError, match="Python objects"):
        load_arrays(tmp_path / "objects.npy")
    (tmp_path / "damaged.npy").write_bytes(b"\x93NUMPY\x01\x00nonsense")
    with pytest.raises(ll.InputError, match="cannot be read as a NumPy file"):
        load_arrays(tmp_path / "damaged.npy")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("film.csv", b"frame,point,x,y\n" + b"1" * 200_000),  # longer than any cell that csv takes
        ("film.wcon", b'{"units": {}, "data": [%s]}' % (b"1" * 5000)),  # a number that Python takes for an attack
        ("film.h5", None),
        ("log.jsonl", b'{"time": ' + b"[" * 100_000),
        ("log.mat", None),
    ],
)
def test_what_libraries_raise_about_a_file_is_a_sentence(name: str, content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "film.h5":
        with h5py.File(path, "w") as file:
            file.create_dataset("tracks", (2,), dtype=h5py.ref_dtype)
            file["node_names"] = [b"a"]
    elif content is None:
        savemat(path, {"t": np.array([{"a": 1}, [1, 2]], dtype=object)})
    else:
        path.write_bytes(content)
    read = ll.Film.load if name.startswith("film") else ll.read_log
    with pytest.raises(ll.InputError, match=rf"^{name}: cannot be read as a (film|log) \("):
        read(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
@pytest.mark.parametrize(
    "words",
    [
        ["run", "PIPE.yaml"],
        ["run", "PIPE.urdf"],
        ["robot", "PIPE.xml"],
        ["film", "PIPE.csv", "--length", "0.1"],
        ["film", "PIPE.npz", "--length", "0.1"],
        ["plot", "PIPE.nc"],
        ["run", "--resume", "PIPE"],
        ["sweep", "--status", "PIPE"],
    ],
    ids=lambda words: words[0] + words[1].partition("PIPE")[2],
)
def test_a_pipe_is_refused_and_not_waited_for(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = next(word for word in words if "PIPE" in word)
    if name == "PIPE":  # a folder from somebody else, full of them
        for inner in ("scenario.yaml", "plan.yaml", "runs.db", "result.nc", "summary.json"):
            Path(name).mkdir(exist_ok=True)
            os.mkfifo(Path(name, inner))
    else:
        os.mkfifo(name)
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 2 and told.stderr.startswith("Error: "), told.output


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_pipes_beside_good_files_are_not_waited_for(tmp_path: Path) -> None:
    path = ll.run("eel-planar", {"duration": 0.02}).save(tmp_path / "result.nc")
    os.mkfifo(tmp_path / "summary.json")
    with pytest.raises(ll.InputError, match="is a pipe"):
        ll.Result.load(path)
    os.mkfifo(tmp_path / "runs.db")
    with pytest.raises(ll.InputError, match="is a pipe"):
        Store(tmp_path)
