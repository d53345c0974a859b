"""What is released: a wheel and a source archive, looked into, unpacked elsewhere and run from there."""

from __future__ import annotations

import email
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive of this tree."""
    pytest.importorskip("hatchling", reason="builds the wheel")
    folder = tmp_path_factory.mktemp("dist")
    words = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    return folder


def test_the_wheel_holds_the_library_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
        (about,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = email.message_from_bytes(archive.read(about))
        entry = next(archive.read(name) for name in archive.namelist() if name.endswith("entry_points.txt"))
    library = ROOT / "src"
    there = {
        path.relative_to(library).as_posix()
        for path in (library / "limbless").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == there  # YAML files, py.typed and all: .gitignore must not hide a room
    assert wheel.stat().st_size < 2_000_000
    assert b"limbless = limbless.__main__:main" in entry
    assert metadata["Name"] == "limbless" and metadata["License-Expression"] == "MIT"
    assert "all" in metadata.get_all("Provides-Extra")
    assert metadata.get_payload().startswith("# limbless")  # what an index shows
    assert wheel.name == f"limbless-{metadata['Version']}-py3-none-any.whl"


def test_the_source_archive_can_be_built_and_tested(built: Path) -> None:
    (source,) = built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "constraints.txt", "LICENSE", "README.md", "src/limbless/__init__.py"} <= inside
    assert any(name.startswith("tests/unit/") for name in inside)
    assert not any(name.startswith((".venv", "runs/", "site/")) for name in inside)
    assert source.stat().st_size < 20_000_000


def test_the_wheel_runs_outside_the_repository(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    told = subprocess.run(
        [sys.executable, "-c", "import limbless as ll; print(ll.__file__); print(ll.Scenario.load('eel-planar').name)"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
        check=True,
        capture_output=True,
        text=True,
    )
    place, name = told.stdout.split()
    assert Path(place).is_relative_to(tmp_path) and name == "eel-planar"


@pytest.mark.long
def test_a_stranger_installs_the_wheel_and_sees_a_robot_move(built: Path, tmp_path: Path) -> None:
    """In an empty environment, with the registry that pip is set up for."""
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "empty", with_pip=True)
    programs = tmp_path / "empty" / ("Scripts" if os.name == "nt" else "bin")
    outside = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    for words in (
        [programs / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", wheel],
        [programs / "limbless", "demo", "--out", tmp_path / "demo"],
    ):
        subprocess.run(words, cwd=tmp_path, env=outside, check=True, capture_output=True)
    assert (tmp_path / "demo" / "result.nc").exists() and any((tmp_path / "demo" / "figures").glob("*.png"))
