"""Robots that others published. Runs where LIMBLESS_PUBLIC_FILES names a folder with them; none of it is in here.

What is expected of files that are known by name was measured once with Pinocchio 4.1 and MuJoCo 4.0; every other file
loads or is refused in a sentence, moves in water and lies on the ground.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.interop.robots.first_run import first_scenario
from limbless.models.chain.newton_euler_model import NewtonEuler
from tests.cross.test_robot_files import (
    bare,
    floating_torques,
    mujoco_mass_matrix,
    mujoco_torques,
    state,
    swimming,
)

HOME = Path(os.environ.get("LIMBLESS_PUBLIC_FILES", "/nowhere")) / "robots"
FILES = sorted(HOME.iterdir()) if HOME.is_dir() else []
pytestmark = pytest.mark.skipif(not FILES, reason="LIMBLESS_PUBLIC_FILES names no folder of robots")
KNOWN = {  # joints, base, first link, last link, kg, ranges
    "sea-snake.urdf": (16, "free", "finalhead", "finalend", 3.656994, 0),
    "sea-snake.xml": (16, "free", "finalhead", "finalend", 3.656994, 0),
    "modsnake.urdf": (15, "free", "world", "link16", 2.544, 15),
    "pad-snake.urdf": (6, "free", "motor_with_onshape_mounting", "motor_with_no_arms", 1.04796477, 6),
    "pad-snake.sdf": (6, "free", "motor_with_onshape_mounting", "motor_with_no_arms", 1.04796477, 6),
    "gymnasium-swimmer.xml": (2, "planar", "torso", "back", 106.81415022205297, 2),
    "zebrafish.sdf": (15, "free", "link_0", "link_15", 5.022324522733332e-05, 15),
    "continuous-snake.urdf": (7, "free", "base_link", "link8", 0.3146213503140476, 0),
}
REFUSED = {
    "dm-swimmer-template.xml": "no moving joint",
    "pad-snake.urdf": "14 joints on side branches of 7 links",
    "pad-snake.sdf": "14 joints on side branches of 7 links",
}
TORQUES = {  # the largest at the state of `state`: joint, its torque in N m by Pinocchio 4.1
    "sea-snake.urdf": ("joint11", -0.08243792307153601),
    "sea-snake.xml": ("joint11", -0.09042278868706957),
    "modsnake.urdf": ("link1112", -0.0015480447782045298),
    "pad-snake.urdf": ("revolute_2", 0.00071294779368101),
    "pad-snake.sdf": ("revolute_2", 0.00071294779368101),
    "gymnasium-swimmer.xml": ("motor1_rot", 3.151595861225249),
    "zebrafish.sdf": ("joint_2", 4.405258527733736e-13),
    "continuous-snake.urdf": ("joint3", -0.0002461896098113291),
}


def loaded(path: Path, **options: Any) -> ll.RobotFile | None:
    """A file with its branches welded where it has any; None where it is rightly refused."""
    try:
        return ll.read_robot(path, branches="weld", **options)
    except InputError as error:
        assert path.name in REFUSED and REFUSED[path.name] in str(error), error
        return None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_loads(path: Path) -> None:
    began = time.process_time()
    if path.name in REFUSED:
        with pytest.raises(InputError, match=REFUSED[path.name]):
            ll.read_robot(path)
    found = loaded(path, base_armature="drop")
    assert time.process_time() - began < 10  # of a loaded machine; one alone takes 0.1 s
    if found is None or path.name not in KNOWN:
        return
    chain = found.chain()
    joints, base, first, last, mass, ranges = KNOWN[path.name]
    assert (chain.freedoms, chain.base, chain.link_names[0], chain.link_names[-1]) == (joints, base, first, last)
    assert chain.total_mass == pytest.approx(mass, rel=1e-12)
    assert sum(link.joint is not None and link.joint.lower is not None for link in chain.links) == ranges


@pytest.mark.parametrize("path", [path for path in FILES if path.name in TORQUES], ids=lambda path: path.name)
def test_torques_that_pinocchio_found(path: Path) -> None:
    """Of the floating robot, side branches welded; and forward dynamics gives the accelerations back."""
    found = loaded(path, base_armature="drop")
    assert found is not None
    chain = bare(found.chain())
    q, v, a = state(chain.freedoms)
    model = NewtonEuler(chain)
    solved = model.inverse(q, v, a).joint_torque
    joint, torque = TORQUES[path.name]
    assert solved[chain.joint_names.index(joint)] == pytest.approx(torque, abs=1e-10 * np.abs(solved).max())
    assert model.forward(q, v, solved).joint_acceleration == pytest.approx(a, abs=1e-10)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".xml"], ids=lambda path: path.name)
def test_an_mjcf_moves_as_in_mujoco(path: Path) -> None:
    found = loaded(path, base_armature="drop")
    if found is None:
        return
    chain = bare(found.chain())
    q, v, a = state(chain.freedoms)
    expected = mujoco_torques(path, q, v, a, chain.joint_names)
    solved = NewtonEuler(chain).inverse(q, v, a).joint_torque
    assert solved == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".urdf"], ids=lambda path: path.name)
def test_a_urdf_moves_as_in_pinocchio(path: Path) -> None:
    """Where it is a chain as it is: Pinocchio would move side branches too."""
    try:
        chain = bare(ll.load_robot(path))
    except InputError:
        pytest.skip("side branches")
    q, v, a = state(chain.freedoms)
    expected = floating_torques(path, q, v, a, chain.joint_names)
    solved = NewtonEuler(chain).inverse(q, v, a).joint_torque
    assert solved == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


@pytest.mark.long
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_out_and_in_again(path: Path, tmp_path: Path) -> None:
    """Written as MJCF: MuJoCo finds the chain's inertia, and what is read back is the chain."""
    found = loaded(path)
    if found is None:
        return
    chain = found.chain()
    q = state(chain.freedoms)[0]
    M = NewtonEuler(chain).mass_matrix(q)
    file = ll.save_robot(chain, tmp_path / "robot.xml")
    back = NewtonEuler(ll.load_robot(file, base=chain.base)).mass_matrix(q)
    assert back == pytest.approx(M, abs=1e-12 * np.abs(M).max())
    inverse, other = np.linalg.inv(M), np.linalg.inv(mujoco_mass_matrix(file, q))
    assert other == pytest.approx(inverse, abs=1e-10 * np.abs(inverse).max())
    plain = bare(chain, rotor_inertia=0.0)  # a URDF holds none
    file = ll.save_robot(plain, tmp_path / "robot.urdf")
    M = NewtonEuler(plain).mass_matrix(q)
    again = NewtonEuler(ll.load_robot(file, base=chain.base)).mass_matrix(q)
    assert again == pytest.approx(M, abs=1e-12 * np.abs(M).max())
    if chain.base == "free":
        q, v, a = state(chain.freedoms)
        expected = floating_torques(file, q, v, a, chain.joint_names)
        solved = NewtonEuler(plain).inverse(q, v, a).joint_torque
        assert solved == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def test_one_robot_in_two_formats() -> None:
    names = {path.name: path for path in FILES}
    pairs = [("pad-snake.urdf", "pad-snake.sdf", 1e-12), ("sea-snake.urdf", "sea-snake.xml", 1e-5)]
    for one, two, tolerance in pairs:
        if one not in names or two not in names:
            continue
        chains = [
            bare(ll.load_robot(names[name], branches="weld", base_armature="drop"), rotor_inertia=0.0)
            for name in (one, two)
        ]
        q = state(chains[0].freedoms)[0]
        first, second = (NewtonEuler(chain).mass_matrix(q) for chain in chains)
        assert second == pytest.approx(first, abs=tolerance * np.abs(first).max())


def test_the_swimmer_swims_as_in_mujoco() -> None:
    path = HOME / "gymnasium-swimmer.xml"
    if not path.is_file():
        pytest.skip("not there")
    coarse, fine = swimming(path, 0.02, duration=4.0), swimming(path, 0.01, duration=4.0)
    assert max(fine) < 1e-7
    assert np.log2(coarse[0] / fine[0]) > 3.7 and np.log2(coarse[1] / fine[1]) > 3.7


def test_six_links_swim_as_in_mujoco() -> None:
    path = HOME / "dm-swimmer6.xml"
    if not path.is_file():
        pytest.skip("not there")
    assert max(swimming(path, 0.002, amplitude=2e-4)) < 1e-10


@pytest.mark.long
@pytest.mark.parametrize("medium", ["water", "ground"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_swims_and_lies_on_the_ground(path: Path, medium: str) -> None:
    found = loaded(path)
    if found is None:
        return
    planar = found.chain().base == "planar"
    options = {"branches": "weld", **({"base": "free"} if planar and medium == "ground" else {})}
    data = first_scenario(path, options, medium)
    result = ll.run(ll.Scenario.load(data), {"duration": 3.0 if medium == "water" else 1.0})
    assert result.proven, result.warning
    assert result.summary()["path_length"] > 0
