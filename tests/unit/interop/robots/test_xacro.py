"""A xacro file calculates, and never runs code: neither when it is read nor through any command."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.interop.robots import xacro as reader
from limbless.interop.robots.xacro import evaluate

pytest.importorskip("xacro")

ROBOT = """<robot name="snake" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="kg" value="0.5"/><xacro:property name="thing" value="{expression}"/>
<xacro:macro name="part" params="name"><link name="${{name}}"><inertial><mass value="${{kg * 2}}"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro>
<xacro:part name="a"/><xacro:part name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="${{0.1 + len(str(thing)) * 0}} 0 0"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * (1 + a) ** 2", 18.0),
        ("-a / 4 if a > 1 and not b else 0", -0.5),
        ("math.pi / 2", math.pi / 2),
        ("sin(radians(30))", 0.5),
        ("max(a, 7) % 4 + 7 // 2", 6),
        ("'link_' + str(3)", "link_3"),
        ("sizes[1] + table.wide", 5.0),
        ("1 < a <= 2 or b", True),
        ("10 ** 100 ** 1", 10**100),
    ],
)
def test_expressions_are_those_of_arithmetic(text: str, value: object) -> None:
    names = {"a": 2.0, "b": False, "sizes": [1, 2], "table": {"wide": 3.0}}
    assert evaluate(text, names) == pytest.approx(value) if isinstance(value, float) else value


ATTACKS = [
    "(lambda: open('gone', 'w'))()",
    "().__class__.__base__.__subclasses__()",
    "a.__class__",
    "__import__('os').system('touch gone')",
    "open('gone', 'w')",
    "[open(x, 'w') for x in ['gone']]",
    "exec('1')",
    "getattr(a, 'b')",
    "'{0.__class__}'.format(a)",
    "sin.__self__",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_else_is_evaluated(text: str) -> None:
    with pytest.raises(ll.InputError):
        evaluate(text, {"a": 1.0})


@pytest.mark.parametrize(
    "text", ["'a' * 10**9", "9 ** 9 ** 9", "'%1000000000d' % 1", "factorial(10**6)", "1" + "+1" * 20000]
)
def test_no_expression_fills_the_memory(text: str) -> None:
    with pytest.raises((ll.InputError, OverflowError)):
        evaluate(text, {})


@pytest.mark.parametrize(
    "command", [["run"], ["robot"], ["describe"], ["view", "--no-browser"], ["report"], ["export", "--to", "mjcf"]]
)
@pytest.mark.parametrize("expression", ["${(lambda: open('gone', 'w'))()}", "$(eval open('gone', 'w'))"])
def test_no_command_runs_code_of_a_xacro_file(
    command: list[str], expression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("snake.xacro").write_text(ROBOT.format(expression=expression))
    answer = CliRunner().invoke(main, [command[0], "snake.xacro", *command[1:]])
    assert answer.exit_code != 0 and not Path("gone").exists(), answer.output


def test_a_file_that_only_calculates_is_read_as_the_package_reads_it(tmp_path: Path) -> None:
    import xacro

    path = tmp_path / "snake.xacro"
    path.write_text(ROBOT.format(expression="$(eval 1 + 2)"))
    before = xacro.safe_eval
    assert reader.expanded(path) == xacro.process_file(str(path)).toxml()
    assert xacro.safe_eval is before, "the package is as it was"
    assert ll.load_robot(path).total_mass == pytest.approx(2.0)


def test_macros_that_grow_without_end_are_refused(tmp_path: Path) -> None:
    doubled = "".join(f'<xacro:property name="p{n}" value="${{p{n - 1}}}${{p{n - 1}}}"/>' for n in range(1, 40))
    text = ROBOT.format(expression="${p39}").replace(
        "<xacro:macro", f'<xacro:property name="p0" value="ab"/>{doubled}<xacro:macro', 1
    )
    path = tmp_path / "snake.xacro"
    path.write_text(text)
    with pytest.raises(ll.InputError, match="expand"):
        reader.expanded(path)


COPIES = {
    "elements": '<xacro:macro name="m0"><a/><a/></xacro:macro>'
    + "".join(f'<xacro:macro name="m{n}">{f"<xacro:m{n - 1}/>" * 10}</xacro:macro>' for n in range(1, 12))
    + "<xacro:m11/>",
    "texts": "".join(f"<a b=\"${{'x' * {n}}}\"/>" for n in range(100, 130)),
    "entities": '<a b="&x;"/>',
    "files": '<xacro:include filename="snake.xacro"/>' * 2,
}


@pytest.mark.parametrize("kind", COPIES)
def test_nothing_that_is_copied_or_taken_in_fills_the_memory(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MOST_EXPANSIONS", 2000)
    monkeypatch.setattr(reader, "MOST_TOGETHER", 2500)
    entity = '<!DOCTYPE r [<!ENTITY x "y">]>' if kind == "entities" else ""
    path = tmp_path / "snake.xacro"
    path.write_text(f'{entity}<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{COPIES[kind]}</robot>')
    with pytest.raises(ll.InputError, match=r"expand to more than 2,000|ENTITY"):
        reader.expanded(path)
