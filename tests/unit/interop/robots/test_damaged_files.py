"""Damaged descriptions: a chain or one sentence, never another exception."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.interop.robots import mjcf_text
from limbless.interop.robots.xml_text import parse
from tests.unit.interop.robots.descriptions import sdf, swimmer, urdf
from tests.unit.interop.robots.test_serial_trunk import LEGS

SOURCES = [
    ("a.urdf", urdf()),
    ("b.urdf", urdf(more=LEGS)),
    ("c.sdf", sdf()),
    ("d.xml", swimmer()),
    ("e.xml", swimmer(base="free")),
]


def damaged(text: str, chance: random.Random) -> str:
    """A few of: a tag dropped, two names swapped, a number made unusable, an attribute taken away, text cut."""
    for _ in range(chance.randint(1, 3)):
        what = chance.randrange(6)
        tags = list(re.finditer(r"<[^>]*>", text))
        words = re.findall(r'(?:name|link|joint|mesh|class)\d?="([^"]+)"|<(?:parent|child)>([^<]+)<', text)
        numbers = list(re.finditer(r"(?<=[\" >])-?\d[\d.e-]*(?=[\" <])", text))
        if what == 0 and tags:
            tag = chance.choice(tags)
            text = text[: tag.start()] + text[tag.end() :]
        elif what == 1 and len(words) > 1:
            one, two = (first or second for first, second in (chance.choice(words), chance.choice(words)))
            text = text.replace(f'"{one}"', f'"{two}"', 1)
        elif what in (2, 3) and numbers:
            number = chance.choice(numbers)
            value = chance.choice(["nan", "inf", "1e300", "-1e300", "0", "-1", "", "x", "1e-300", "1 2 3 4 5 6 7"])
            text = text[: number.start()] + value + text[number.end() :]
        elif what == 4:
            found = list(re.finditer(r' \w+="[^"]*"', text))
            attribute = chance.choice(found)
            text = text[: attribute.start()] + text[attribute.end() :]
        elif tags:
            tag = chance.choice(tags)
            text = text[: tag.start()] + tag[0] * 2 + text[tag.end() :]
    return text


def one(folder: Path, number: int) -> None:
    chance = random.Random(number)
    name, text = SOURCES[number % len(SOURCES)]
    path = folder / name
    path.write_text(damaged(text, chance))
    try:
        chain = ll.load_robot(path, branches=chance.choice(["refuse", "weld", "drop"]))
    except InputError as error:
        assert str(error).startswith(path.name) or "FromFile" in str(error), error
        return
    assert np.isfinite(chain.bodies().inertia).all() and chain.freedoms > 0


@pytest.mark.parametrize("number", range(40))
def test_a_few(tmp_path: Path, number: int) -> None:
    one(tmp_path, number)


@pytest.mark.long
def test_a_thousand(tmp_path: Path) -> None:
    for number in range(1000):
        one(tmp_path, number)


def test_comments_that_never_end_are_looked_at_once() -> None:
    """Ten million letters: a pattern that begins again at every one of them would take days."""
    with pytest.raises(InputError, match="not valid XML"):
        parse("<robot>" + "<!--" * 2_500_000, "a.urdf")
    assert parse("<a><!-- b --><!--\n--\n--><c/><!----></a>", "a.urdf")[0].tag == "c"


@pytest.mark.parametrize(
    "asks",
    [
        '<replicate count="100000000"><geom size="0.1"/></replicate>',
        '<replicate count="1000"><replicate count="1000"><geom size="0.1"/></replicate></replicate>',
        '<flexcomp name="f" type="grid" count="1000 1000 1000" spacing="1 1 1"/>',
        '<body><composite type="cable" prefix="c" count="100000000 1 1" size="1"/></body>',
    ],
    ids=["copies", "copies of copies", "flexible", "composite"],
)
def test_a_few_lines_do_not_ask_mujoco_for_a_world(asks: str, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    path = tmp_path / "d.xml"
    path.write_text(swimmer().replace("<worldbody>", f"<worldbody>{asks}", 1))
    assert asks in path.read_text()
    with pytest.raises(InputError, match="asks for more than 200000 elements"):
        ll.load_robot(path)


def test_files_that_include_each_other_many_times_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.setattr(mjcf_text, "_MOST_FILES", 50)
    for number in range(12):
        twice = f'<include file="{number + 1}.xml"/>' * 2
        (tmp_path / f"{number}.xml").write_text(f"<mujoco>{twice}</mujoco>")
    (tmp_path / "12.xml").write_text("<mujoco/>")
    with pytest.raises(InputError, match="more than 50 of them"):
        ll.load_robot(tmp_path / "0.xml")
