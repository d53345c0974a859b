"""The table "Where a change goes" counts truly: a copy of the library gets one change of each sort, by the files that
its row names and no other, and does what was added.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "CONTRIBUTING.md", ROOT / "docs" / "extending.md"]
TABLE = next(
    part for page in PAGES for part in page.read_text().split("\n## ") if part.startswith("Where a change goes")
)
SHOWN = {
    path: text
    for page in PAGES
    for path, text in re.findall(r"^```python\n# src/limbless/(\S+)\n(.*?)^```$", page.read_text(), re.M | re.S)
}
"""Files of the library that the documents show, as they stand."""

TURBULENCE = '''
"""`turbulence`: drag that grows with the third power of speed."""
from typing import Literal

from limbless.core.description import quantity
from limbless.environments.base import Environment, Pack
from limbless.environments.law_packing import in_windows, segment_rows
from limbless.mechanics.forces.turbulence import TurbulenceLaw
from limbless.robots.base import Robot


class TurbulentDrag(Environment):
    """Drag of the third power."""

    kind: Literal["turbulence"] = "turbulence"
    coefficient: float = quantity(1.0, "N s3/m4", "per length")

    def pack(self, robot: Robot) -> Pack:
        rows = segment_rows(TurbulenceLaw(), robot.segments(), 2, coefficient=self.coefficient)
        return Pack(in_windows(self, rows))
'''
WITNESS = """
import numpy as np

from tests.contracts.witnesses import Case, witness


@witness("newton-euler", "com_speed")
def com_speed(case: Case) -> None:
    data = case.of("free")
    case.same(data["com_speed"], np.sqrt((data["com_velocity"] ** 2).sum(axis=1)))
"""
FIGURE = """
from limbless.view.figures import style
from limbless.view.figures.figure_registry import Drawing, figure
from limbless.simulation.result import Result


@figure("speed-alone", "speed of the centre of mass", needs=("com_speed",))
def speed_alone(result: Result) -> Drawing:
    sheet, (axes,) = style.panels([30.0])
    time, speed = result.dataset["time"].values, result.dataset["com_speed"].values
    axes.plot(time, speed)
    return sheet, {"time (s)": time, "speed (m/s)": speed}
"""
COMMAND = '''
import click


@click.command()
def greet() -> None:
    """Say something friendly."""
    click.echo("Hello, snake.")
'''
CHANGES: dict[str, dict[str, str | list[tuple[str, str]]]] = {
    "a gait": {"control/gaits/standing_wave.py": SHOWN["control/gaits/standing_wave.py"]},
    "a robot": {"robots/presets/tadpole.py": SHOWN["robots/presets/tadpole.py"]},
    "a kind of joint": {
        "mechanics/chain/screw.py": SHOWN["mechanics/chain/screw.py"],
        "robots/joints.py": [
            ('FREEDOMS = {"revolute": 1,', 'FREEDOMS = {"revolute": 1, "screw": 1,'),
            ('kind: Literal["revolute",', 'kind: Literal["revolute", "screw",'),
            (
                '    rotor_inertia: Listed[PerFreedom] = quantity(\n        0.0, "kg m2"',
                '    pitch: float = quantity(0.0, "m/rad", "way of a screw along its axis")\n'
                '    rotor_inertia: Listed[PerFreedom] = quantity(\n        0.0, "kg m2"',
            ),
        ],
        "robots/chain_arrays.py": [
            (
                "from limbless.robots import PER_FREEDOM, Bodies,",
                "from limbless.mechanics.chain.screw import Screw\nfrom limbless.robots import PER_FREEDOM, Bodies,",
            ),
            (
                "for primitive in (Revolute, Prismatic, Spherical)",
                "for primitive in (Revolute, Prismatic, Spherical, Screw)",
            ),
            (
                '    if joint.kind == "spherical":\n',
                '    if joint.kind == "screw":\n'
                "        return [JointColumns(Screw.code, axis, arm, home, number, True, joint.pitch)]\n"
                '    if joint.kind == "spherical":\n',
            ),
        ],
    },
    "a law of a fluid, of friction, of a field": {
        "mechanics/forces/turbulence.py": SHOWN["mechanics/forces/turbulence.py"],
        "environments/turbulence.py": TURBULENCE,
    },
    "a shape to touch": {
        path: SHOWN[path] for path in ("mechanics/contact/shapes/boulder.py", "environments/boulder.py")
    },
    "a variable of results": {
        "models/variables.py": [
            ('    "kinetic_energy": V', '    "com_speed": Variable((), "m/s", "speed"),\n    "kinetic_energy": V')
        ],
        "models/recording/body_recorder.py": [
            ('    "com_velocity",\n', '    "com_velocity",\n    "com_speed",\n'),
            (
                '        return {\n            "kinetic_energy": 0.5',
                "        velocity = alone.sum(axis=1) / self.mass.sum()\n"
                '        return {\n            "com_speed": np.linalg.norm(velocity, axis=1),\n'
                '            "kinetic_energy": 0.5',
            ),
        ],
        "tests/contracts/witnesses/com_speed.py": WITNESS,
    },
    "a number that sweeps and searches ask for": {
        "search/measures/top_speed.py": SHOWN["search/measures/top_speed.py"]
    },
    "a figure": {"view/figures/speed_alone.py": FIGURE},
    "a command": {
        "cli/greet.py": COMMAND,
        "cli/main.py": [
            ("exchange, film, listing", "exchange, film, greet, listing"),
            ("\nfor command in (\n", "\nfor command in (\n    greet.greet,\n"),
        ],
    },
}
"""Of each row: a new file as a whole; of an old one, texts and what takes their places."""
SCRIPT = """
import sys

import plain_kernels

plain_kernels.install()
import numpy as np
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.core.errors import InputError
from limbless.search.measures import find
from limbless.view import figures
from limbless.view.scene.frames import frames_of
from limbless.view.scene.palette import theme_of
from limbless.view.scene.world import World
from tests.contracts.witnesses import WITNESSES, Case
from tests.contracts.witnesses import com_speed


def says(*words):
    answer = CliRunner().invoke(main, list(words))
    assert answer.exit_code == 0, answer.output
    return answer.output


assert ll.__file__.startswith(sys.argv[1]), ll.__file__
assert "friendly" in says("--help") and says("greet") == "Hello, snake.\\n"
for family, kind in (
    ("gaits", "standing-wave"), ("presets", "tadpole"), ("environments", "turbulence"), ("environments", "boulder")
):
    assert kind in says("list", family) and kind in says("describe", kind)

swim = ll.run({
    "robot": {"preset": "uniform", "links": 2}, "gait": {"kind": "standing-wave"},
    "environment": [{"kind": "turbulence", "coefficient": 3.0}], "duration": 0.04, "step": 0.01,
})
assert swim.summary()["balances"]["power"]["verdict"] == "pass" and "turbulence" in str(swim.dataset.coords)
WITNESSES["newton-euler", "com_speed"](Case({"free": lambda: swim.dataset}, 1e-9))
_, table = figures.draw(swim, "speed-alone")
assert len(table["speed (m/s)"]) == swim.dataset.sizes["time"]

assert "top_speed" in says("list", "measures") and find("top_speed").function(swim) == swim.dataset["com_speed"].max()

bob = {"mass": 2.0, "inertia": [0.02, 0, 0, 0.02, 0, 0.03], "joint": {"kind": "screw", "pitch": 0.01}}
links = [{"mass": 1.0}, bob]
hung = ll.NewtonEuler(ll.Chain(base="fixed", links=links), ll.Gravity())
turning = hung.inverse([0.7], [0.0], [3.0])  # m g p holds it, (J + m p2) turns it
assert abs(turning.joint_torque[0] - 2.0 * 9.81 * 0.01 - 3.0 * (0.03 + 2.0 * 0.01**2)) < 1e-12, turning

snake = {
    "robot": {"preset": "aiko"}, "gait": {"kind": "joint-wave"},
    "model": "non-smooth", "duration": 0.004, "step": 0.002,
    "environment": [{"kind": "boulder", "centre": [0.0, 0.0, -0.3525], "radius": 0.3}, {"kind": "gravity"}],
}
touched = ll.run(snake)
assert (touched.dataset["contact_force"].values[-1, :, 2] > 0.0).any()
frames = frames_of(touched)
(ball,) = World([frames], theme_of(frames)).still.values()
assert np.allclose(np.linalg.norm(ball.vertices - [0.0, 0.0, -0.3525], axis=1), 0.3, rtol=1e-6)
try:
    ll.steady(snake)
except InputError as error:
    assert "environment.boulder: obstacles stand in one place" in str(error), error
else:
    raise AssertionError("a motion beside a boulder is not steady")
"""


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_names_the_files_of_its_change(change: str) -> None:
    """No file that a change takes is missing from its row, and none that the row must have is not taken."""
    (cell,) = re.findall(rf"^\| {re.escape(change)} \| (.*) \|$", TABLE, re.M)
    named = re.findall(r"`((?:[\w-]+/)+[\w.]+)`", cell)
    new = {Path(path).stem for path, edit in CHANGES[change].items() if isinstance(edit, str)}
    assert {path.replace("NAME", name) for path in named for name in new} >= set(CHANGES[change])
    assert len(named) == len(CHANGES[change])


def test_a_copy_of_the_library_with_one_change_of_each_sort_does_what_was_added(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src" / "limbless", tmp_path / "limbless", ignore=ignored)
    shutil.copytree(ROOT / "tests" / "contracts", tmp_path / "tests" / "contracts", ignore=ignored)
    for change, files in CHANGES.items():
        for name, edit in files.items():
            path = tmp_path / name if name.startswith("tests/") else tmp_path / "limbless" / name
            if isinstance(edit, str):
                assert not path.exists(), f"{change}: {name} is there already"
                path.write_text(edit)
                continue
            text = path.read_text()
            for old, new in edit:
                assert text.count(old) == 1, f"{change}: {name} has no place for {new}"
                text = text.replace(old, new)
            path.write_text(text)
    (tmp_path / "see.py").write_text(SCRIPT)
    paths = os.pathsep.join(map(str, (tmp_path, ROOT / "tests" / "plain")))
    answer = subprocess.run(
        [sys.executable, "see.py", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
