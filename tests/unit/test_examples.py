"""Every example runs in an empty directory, as a user would run it, and shows what it says it shows."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import limbless as ll

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def output(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> str:
    """What an example printed."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / request.param), run_name="__main__")
    return capsys.readouterr().out


EXPECTED = {
    "01_run_a_scenario.py": r"worst balance .* pass .*(?s:.*)wrote scenario\.yaml, result\.nc, summary\.json",
    "02_five_link_swimmer.py": r"5 links, 4 degrees of freedom(?s:.*)status +completed",
    "03_own_gait.py": r"largest difference of the head's path: \d\.\de-(0[7-9]|1\d) m",
    "04_own_force_law.py": r"largest difference of the head's path: (0\.0e\+00|\d\.\de-1\d) m",
    "05_heading_controller.py": r"t = +0 s +heading +0\.0 deg(?s:.*)t = +20 s +heading +(29|30)\.\d deg",
    "06_inverse_and_direct_dynamics.py": r"the same joint accelerations: \d\.\de-1\d rad/s2",
    "07_sensitivity.py": r"By differences of runs: -5\.00\d\d m per rad of amplitude \(exact -5\.00\d\d\)",
    "09_tendon_neck.py": r"air: .* right 0\.439 N, down 0\.396 N(?s:.*)spend 3\.332 mJ(?s:.*)spend 1\.420 mJ(?s:.*) "
    r"is 8\.8 cm away",
    "10_swimming_rod_and_chain.py": r"divides the difference by (3\.9|4\.[01]) and (3\.9|4\.[01]): second order",
    "11_snake_on_the_ground.py": r"at 90 % .* slid 0\.000 mm(?s:.*)at 110 % .* slid 9[56]\.\d+ mm",
    "13_what_servos_cost.py": r"none \| 1\.8\d+ \| 1\.4\d+ \|(?s:.*)10 Hz \| 0\.9\d+ \| 1\.1\d+ \|(?s:.*)Stribeck",
    "12_crawl_then_reach.py": r"crawled to \(0\.4\d\d, 0\.\d+\) m\nthe clamp cost \d\.\d+ mJ",
    "19_robots_in_and_out.py": r"difference of the mass matrix: \de-1[5-9] of it\nit swims (0\.\d\d\d) m out of our "
    r"hands and \1 m out of the file",
    "20_learn_to_swim.py": r"best of 24 sines: return \d\d\.\d(?s:.*)its episode is proven",
    "21_from_a_film.py": r"wave +3\.8\d+ .* from head to tail(?s:.*)drag\.0 = 0\.0(19|20)\d*, 95 %(?s:.*)"
    r"ratio of drags: 0\.013[2-4]",
    "14_steered_snake.py": r"the head came within 0\.0\d m of its goal; the body slipped by \d\.\de-0[789] of its "
    r"speed",
    "15_best_gait.py": r"0\.5342 m/s with 1\.22 (?s:.*)0\.7311 m/s\. 1 of 1 starts ended there; gait\.growth at",
    "16_body_shape.py": r"half_width: -1\.57\d mm/s(?s:.*)link_length: \+6\.78\d mm/s(?s:.*)becomes 0\.6\d+ m/s",
    "17_sidewinder.py": r"0\.\d+ m in 1\.5 s; the best of \d+: 0\.\d+ m, by cma",
    "18_tendon_design.py": r"50% immersed: \d+\.\d+ mJ(?s:.*)100% immersed: \d+\.\d+ mJ\n3 of 3 runs",
}


@pytest.mark.parametrize("output", EXPECTED, indirect=True)
def test_example_shows_what_it_says(output: str, request: pytest.FixtureRequest) -> None:
    assert re.search(EXPECTED[request.node.callspec.params["output"]], output), output


def test_every_example_is_expected_to_show_something() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(EXPECTED)


def test_the_swimmer_in_yaml_is_the_one_in_python() -> None:
    written = ll.Scenario.load(EXAMPLES / "swimmer.yaml")
    described = runpy.run_path(str(EXAMPLES / "02_five_link_swimmer.py"))
    assert written.robot.build() == described["robot"]
    assert ll.run(written).dataset.equals(described["result"].dataset)
