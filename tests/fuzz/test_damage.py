"""Random damage to files: each scenario still loads or is refused in words that name the file, and every command ends
in a sentence.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.scenarios import loader

SEEDS = 15
"""Damages of each kind: 300 files in all."""
RUBBISH = [
    "nan",
    ".inf",
    "-1",
    "0",
    "1e400",
    "null",
    "[]",
    "{}",
    "~",
    "true",
    "'",
    '"',
    "[1, 2",
    "{a: b",
    "30 deg",
    "*x",
    "&x",
    "!!python/object:os.system",
    "\t",
    "2026-11-16",
    "0x1F",
    "1_000",
    "yes",
    "\u00e9\u4e16",
    "- -",
    ":",
    "%",
    "@",
    "\x00",
    "\ufeff",
    "a" * 5000,
    "[" * 200,
]

Damage = Callable[[str, np.random.Generator], str]


def pick(items: list[str], rng: np.random.Generator) -> str:
    return items[int(rng.integers(len(items)))]


def spot(text: str, rng: np.random.Generator) -> int:
    return int(rng.integers(len(text)))


def cut(text: str, rng: np.random.Generator) -> str:
    return text[: spot(text, rng)]


def drop_line(text: str, rng: np.random.Generator) -> str:
    lines = text.splitlines(keepends=True)
    del lines[int(rng.integers(len(lines)))]
    return "".join(lines)


def double_line(text: str, rng: np.random.Generator) -> str:
    lines = text.splitlines(keepends=True)
    number = int(rng.integers(len(lines)))
    return "".join([*lines[:number], lines[number], *lines[number:]])


def flip_characters(text: str, rng: np.random.Generator) -> str:
    letters = list(text)
    for _ in range(int(rng.integers(1, 6))):
        letters[spot(text, rng)] = chr(int(rng.integers(1, 0x250)))
    return "".join(letters)


def insert_rubbish(text: str, rng: np.random.Generator) -> str:
    place = spot(text, rng)
    return text[:place] + pick(RUBBISH, rng) + text[place:]


def replace_value(text: str, rng: np.random.Generator) -> str:
    values = list(re.finditer(r"(?<=: )[^\n,{}\[\]]+", text))
    found = values[int(rng.integers(len(values)))]
    return text[: found.start()] + pick(RUBBISH, rng) + text[found.end() :]


def misspell(text: str, rng: np.random.Generator) -> str:
    keys = list(re.finditer(r"\w+(?=:)", text))
    found = keys[int(rng.integers(len(keys)))]
    return text[: found.start()] + found[0][::-1] + "_" + text[found.end() :]


def swap_lines(text: str, rng: np.random.Generator) -> str:
    lines = text.splitlines(keepends=True)
    a, b = rng.integers(len(lines), size=2)
    lines[a], lines[b] = lines[b], lines[a]
    return "".join(lines)


def reindent(text: str, rng: np.random.Generator) -> str:
    lines = text.splitlines(keepends=True)
    number = int(rng.integers(len(lines)))
    lines[number] = " " * int(rng.integers(1, 9)) + lines[number].lstrip()
    return "".join(lines)


def swallow_all(text: str, rng: np.random.Generator) -> str:
    return pick(RUBBISH, rng)


DAMAGES: list[Damage] = [
    cut,
    drop_line,
    double_line,
    flip_characters,
    insert_rubbish,
    replace_value,
    misspell,
    swap_lines,
    reindent,
    swallow_all,
]


@pytest.mark.parametrize("complete", [False, True], ids=["as it is written", "with every field"])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_refused_in_words(damage: Damage, complete: bool, tmp_path: Path) -> None:
    outcomes: Counter[str] = Counter()
    for seed in range(SEEDS):
        rng = np.random.default_rng([seed, complete])
        name = pick(loader.names(), rng)
        text = ll.Scenario.load(name).to_yaml() if complete else loader.path_of(name).read_text(encoding="utf-8")
        file = tmp_path / f"{seed}.yaml"
        file.write_text(damage(text, rng), encoding="utf-8")
        told = f"{damage.__name__}, {name}, seed {seed}"
        try:
            ll.Scenario.load(file)
            outcomes["loaded"] += 1
        except ll.InputError as error:
            words = str(error)
            assert str(file) in words or file.name in words, f"{told}: {words!r} does not name the file"
            assert "pydantic" not in words and "Traceback" not in words and "object at 0x" not in words, (
                f"{told}: {words!r}"
            )
            assert len(words) < 20000, f"{told}: {len(words)} characters are more than anybody reads"
            outcomes["refused"] += 1
        except BaseException as error:
            raise AssertionError(f"{told} ends in {type(error).__name__}: {error}") from error
    assert outcomes["refused"] or damage in (drop_line, swap_lines, reindent), outcomes


def test_a_file_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    for seed in range(SEEDS):
        file.write_bytes(np.random.default_rng(seed).bytes(200))
        with pytest.raises(ll.InputError, match=r"broken\.yaml"):
            ll.Scenario.load(file)


def ends_in_a_sentence(words: list[str], told: str) -> int:
    """The exit code of a command that ended in words."""
    answer = CliRunner().invoke(main, words)
    assert answer.exception is None or isinstance(answer.exception, SystemExit), f"{told}: {answer.exception!r}"
    assert answer.exit_code in (0, 1, 2), told
    assert "Traceback" not in answer.output and "Unexpected error" not in answer.output, f"{told}: {answer.output}"
    assert answer.exit_code == 0 or answer.stderr.strip(), told
    return answer.exit_code


def test_commands_that_read_damaged_files_end_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "damaged.yaml"
    for seed in range(3 * SEEDS):
        rng = np.random.default_rng([seed, 7])
        text = loader.path_of(pick(loader.names(), rng)).read_text(encoding="utf-8")
        damage = DAMAGES[int(rng.integers(len(DAMAGES)))]
        file.write_bytes(rng.bytes(300) if seed % 5 == 0 else damage(text, rng).encode())
        told = f"seed {seed}, {damage.__name__}"
        refused = ends_in_a_sentence(["describe", str(file)], told) != 0
        ends_in_a_sentence(["cite", str(file)], told)
        if refused:  # what still loads would be run
            assert ends_in_a_sentence(["run", str(file), "--out", str(tmp_path / "out")], told) == 2
            assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short run as it is saved."""
    folder = tmp_path_factory.mktemp("kept")
    ll.run("eel-planar", {"duration": 0.1}).write(folder, figures=False)
    return folder


def damage_bytes(file: Path, rng: np.random.Generator) -> None:
    content = bytearray(file.read_bytes())
    for place in rng.integers(len(content), size=int(rng.integers(1, 30))):
        content[place] = int(rng.integers(256))
    file.write_bytes(content[: int(rng.integers(len(content)))] if rng.random() < 0.3 else content)


def damage_data(file: Path, rng: np.random.Generator) -> None:
    """A file that can be read, and whose parts do not belong together."""
    with h5py.File(file, "r+") as data:
        for _ in range(3):
            names = [name for name in data if name != "state"]
            name, kind = names[int(rng.integers(len(names)))], int(rng.integers(6))
            if kind == 0:
                del data[name]
            elif kind == 1:
                data.attrs[str(rng.choice(FACTS))] = ODD[int(rng.integers(len(ODD)))]
            elif kind == 2:
                data[name].attrs[str(rng.choice(["units", "long_name", "frame"]))] = ODD[int(rng.integers(len(ODD)))]
            elif kind == 3 and data[name].dtype.kind == "f":
                data[name][...] = rng.choice([np.nan, np.inf, 1e300, -1.0])
            elif kind == 4:
                del data[name]
                data[name] = np.zeros((2,) * int(rng.integers(4)))
            else:
                del data[name]
                data.create_dataset(name, data=["a", "b"], dtype=h5py.string_dtype())


def damage_summary(file: Path, rng: np.random.Generator) -> None:
    summary = file.with_name("summary.json")
    found = json.loads(summary.read_text())
    bars: list[Any] = [{}, "x", {"total": 3}, {"total": {"mean_speed": "x"}, "sources": {}, "notes": []}]
    found |= {"wall_time": pick(["1", "x"], rng), "numerical_error": bars[int(rng.integers(4))]}
    summary.write_text(json.dumps(found) if rng.random() < 0.7 else "{")


FACTS = [
    "scenario_name",
    "model",
    "step",
    "gait_period",
    "total_mass",
    "task",
    "status",
    "notes",
    "doubts",
    "scenario",
    "limbless",
    "written_by",
]
ODD: list[Any] = ["", "x", "[]", "{", "[1, {}]", np.nan, np.inf, -1, 10**18, True, [1.0, 2.0], "a" * 5000]


COUNTS = {damage_bytes: 20, damage_data: 6, damage_summary: 2}
"""Damages of each kind: most of the first cannot even be read, of the others figures are drawn."""


@pytest.mark.parametrize("damage", COUNTS, ids=lambda damage: damage.__name__)
def test_commands_that_show_damaged_runs_end_in_a_sentence(
    damage: Callable[[Path, np.random.Generator], None], kept: Path, tmp_path: Path
) -> None:
    for seed in range(COUNTS[damage]):
        folder = tmp_path / f"{seed}"
        shutil.copytree(kept, folder)
        damage(folder / "result.nc", np.random.default_rng([seed, 11]))
        told = f"{damage.__name__}, seed {seed}"
        if ends_in_a_sentence(["plot", str(folder), "--figure", "overview"], told) != 0:
            ends_in_a_sentence(["report", str(folder)], told)


def test_folders_that_hold_no_run(tmp_path: Path) -> None:
    (tmp_path / "result.nc").mkdir()
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    loop, long = str(tmp_path / "loop.yaml"), "x" * 5000
    for words in (
        ["plot", str(tmp_path)],
        ["report", str(tmp_path / "nowhere")],
        ["movie", str(tmp_path)],
        ["describe", loop],
        ["view", str(tmp_path)],
        ["run", str(tmp_path)],
        ["cite", str(tmp_path)],
        ["plot", loop],
        ["run", "\x00.yaml"],
        ["describe", f"{long}.yaml"],
        ["run", f"{long}.yaml"],
        ["report", long],
    ):
        assert ends_in_a_sentence(words, str(words)[:80]) in (1, 2)


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "damaged.yaml"
    file.write_text(loader.path_of("eel-planar").read_text().replace("amplitude: 0.06", "amplitude: [0.06"))
    answer = CliRunner().invoke(main, ["run", str(file)])
    assert answer.exit_code == 2 and "damaged.yaml" in answer.stderr and "Traceback" not in answer.output
