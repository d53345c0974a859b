"""Random damage to scenario files: each file either still loads, or is refused in words that name the file and say what is wrong."""
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli import main
from limbless.scenarios import loader

SEEDS = 15
"""Damages of each kind: 300 files in all."""
RUBBISH = ["nan", ".inf", "-1", "0", "1e400", "null", "[]", "{}", "~", "true", "'", "\"", "[1, 2", "{a: b", "30 deg", "*x", "&x",
           "!!python/object:os.system", "\t", "2026-11-16", "0x1F", "1_000", "yes", "\u00e9\u4e16", "- -", ":", "%", "@",
           "\x00", "\ufeff", "a" * 5000, "[" * 200]

Damage = Callable[[str, np.random.Generator], str]


def pick(items: list[str], rng: np.random.Generator) -> str:
    return items[int(rng.integers(len(items)))]


def spot(text: str, rng: np.random.Generator) -> int:
    return int(rng.integers(len(text)))


def cut(text: str, rng: np.random.Generator) -> str:
    return text[:spot(text, rng)]


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
    return text[:found.start()] + pick(RUBBISH, rng) + text[found.end():]


def misspell(text: str, rng: np.random.Generator) -> str:
    keys = list(re.finditer(r"\w+(?=:)", text))
    found = keys[int(rng.integers(len(keys)))]
    return text[:found.start()] + found[0][::-1] + "_" + text[found.end():]


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


DAMAGES: list[Damage] = [cut, drop_line, double_line, flip_characters, insert_rubbish, replace_value, misspell, swap_lines, reindent,
                         swallow_all]


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
            assert "pydantic" not in words and "Traceback" not in words and "object at 0x" not in words, f"{told}: {words!r}"
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


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "damaged.yaml"
    file.write_text(loader.path_of("eel-planar").read_text().replace("amplitude: 0.06", "amplitude: [0.06"))
    answer = CliRunner().invoke(main, ["run", str(file)])
    assert answer.exit_code == 2 and "damaged.yaml" in answer.stderr and "Traceback" not in answer.output
