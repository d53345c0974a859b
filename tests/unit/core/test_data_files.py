"""Files of numbers from others: nothing outside them is read, nothing is allocated that they do not hold."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from numpy.lib import format as npy

import limbless as ll
from limbless.core import data_files
from limbless.core.data_files import load_arrays, open_hdf5


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


def test_a_group_within_itself_is_refused(tmp_path: Path) -> None:
    """Whoever walks down it would never come to its end."""
    with h5py.File(tmp_path / "ring.h5", "w") as file:
        group = file.create_group("g")
        group["again"] = group
    with pytest.raises(ll.InputError, match="'again' holds itself"), open_hdf5(tmp_path / "ring.h5"):
        pass


def test_a_variable_may_stand_in_several_groups(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "shared.h5", "w") as file:
        file["a"] = np.arange(3.0)
        file.create_group("g")["a"] = file["a"]
    with open_hdf5(tmp_path / "shared.h5") as file:
        assert list(file["g/a"]) == [0.0, 1.0, 2.0]


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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    for read in (load_arrays, lambda path: ll.Film.load(path, length=0.1, rate=50.0)):
        with pytest.raises(ll.InputError, match=r"ordinary|no film"):
            read(tmp_path / "pipe.npy")


FULL = """
import resource, signal, sys, limbless as ll
from limbless.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
main(['run', 'eel-planar', '--set', 'duration=1', '--out', sys.argv[1], '--no-figures', '--quiet'])
"""


@pytest.mark.skipif(os.name != "posix", reason="a disk cannot be made small here")
def test_a_full_disk_is_one_sentence_and_not_a_crash(tmp_path: Path) -> None:
    ll.run("eel-planar", {"duration": 0.02})  # its kernels are written to the cache before the disk is full
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "run")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr[-2000:]
    assert "Traceback" not in done.stderr and "result.nc" in done.stderr + done.stdout
    assert not list((tmp_path / "run").glob(".result*")), "no half of a file is left"
