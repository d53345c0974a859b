"""What docs/extending.md shows as one file each, against closed forms: `python tests/plain/one_file.py` compiles it,
`... plain` does not.

A body on a screw falls with (J + m p2) q'' = -m g p; a law of the third power brakes a sliding bar by c L v3; a leash
pulls with k times its length; Heun's rule is of second order.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

if "plain" in sys.argv:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.path.insert(0, str(Path(__file__).parent))
    import plain_kernels

    plain_kernels.install()

import numpy as np

import limbless as ll
from limbless.environments.base import Environment, Pack
from limbless.environments.law_packing import in_windows, segment_rows
from limbless.mechanics.chain.tables import LinkRow
from limbless.mechanics.integrate import runge_kutta
from limbless.models.chain.chain_evaluation import ChainEvaluator
from limbless.models.chain.chain_problem import mark_given, robot_of
from limbless.robots.joints import Joint
from limbless.robots.links import Link as LinkDescription
from limbless.scenarios.scenario import Initial

ROOT = Path(__file__).parents[2]


def shown() -> dict[str, Any]:
    """What the document defines, as one module."""
    module = sys.modules["document"] = ModuleType("document")
    page = (ROOT / "docs" / "extending.md").read_text()
    for text in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        if "src/limbless/mechanics/" in text.splitlines()[0]:
            exec(compile(text, "extending.md", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def screw(names: dict[str, Any]) -> None:
    mass, about, pitch, g = 2.0, 0.03, 0.01, 9.81
    bob = LinkDescription(joint=Joint(axis=(0, 0, 1)), mass=mass, inertia=(0.02, 0, 0, 0.02, 0, about))
    chain = ll.Chain(base="fixed", links=(LinkDescription(mass=1.0), bob))
    plain = robot_of(chain, np.zeros((2, 21)))
    link = LinkRow.of(plain.links)
    link.kind[1], link.size[1], link.has_arm[1] = names["Screw"].code, pitch, 1
    robot = mark_given(plain._replace(kinds=(names["Screw"](),)), np.zeros(1, dtype=bool))
    forces = ll.NewtonEuler(chain, ll.Gravity())._forces
    now = ChainEvaluator(robot, 2, forces)
    now.position[7] = 0.7
    now()
    np.testing.assert_allclose(now.acceleration[6], -mass * g * pitch / (about + mass * pitch**2), rtol=1e-12)
    np.testing.assert_allclose(now.bodies[1, 9:12], [0.0, 0.0, 0.7 * pitch], atol=1e-15)


def law_and_leash(names: dict[str, Any]) -> None:
    class Both(Environment):
        kind: Literal["both"] = "both"

        def pack(self, robot: Any) -> Pack:
            rows = names["Leash"].zeros(1)
            leash = names["Leash"].of(rows)
            leash.post[:], leash.stiffness[:] = (0.0, 0.5, 0.0), 8.0
            law = segment_rows(names["TurbulenceLaw"](), robot.segments(), 2, coefficient=3.0)
            return Pack(in_windows(self, law), elements=(names["Leashes"](0, rows),))

    chain = ll.UniformChain(links=1, length=0.4).build()
    found = ll.NewtonEuler(chain, Both()).inverse([], [], [], base_twist=(0.0, 0.2, 0.0, 0.0, 0.0, 0.0))
    # the leash pulls at the end: the bar turns, too
    middle = found.base_acceleration[1] + 0.2 * found.base_acceleration[5]
    np.testing.assert_allclose(chain.total_mass * middle, 8.0 * 0.5 - 3.0 * 0.4 * 0.2**3, rtol=1e-12)
    run = ll.simulate(chain, ll.BodyWave(), Both(), duration=0.2, step=0.01, initial={"twist": (0.0, 0.2, 0, 0, 0, 0)})
    balance = run.summary()["balances"]["power"]
    assert balance["verdict"] == "pass", balance
    off = []
    for step in (0.002, 0.001):
        hard = (
            ll.simulate(
                chain,
                ll.BodyWave(),
                Both(),
                model="non-smooth",
                duration=0.1,
                step=step,
                record_every=0.02,
                initial={"twist": (0.0, 0.2, 0, 0, 0, 0)},
            )
            .dataset["base_position"]
            .values[-1]
        )
        off.append(np.linalg.norm(hard - run.dataset["base_position"].sel(time=0.1, method="nearest").values))
    assert off[1] < 0.6 * off[0] < 1e-3, off  # Moreau's steps tend to the smooth motion


def order_of_heun(names: dict[str, Any]) -> None:
    model = ll.NewtonEuler(ll.UniformChain(links=3), ll.Water())
    gait = ll.BodyWave()
    ends = {}
    for engine, counts in ((names["advance_heun"], (8, 16)), (runge_kutta.advance, (32,))):
        for count in counts:
            knots = np.linspace(0.0, 0.16, count + 1)
            drive = model.drive(gait, np.linspace(0.0, 0.16, 2 * count + 1))
            x = model.initial_state(Initial(), gait).x
            engine(model.problem(drive, 0, None, None), knots, np.zeros(count + 1, dtype=bool), x)
            ends[count] = x[:3]
    coarse, fine = (np.linalg.norm(ends[count] - ends[32]) for count in (8, 16))
    assert 3.3 < coarse / fine < 4.7, coarse / fine


if __name__ == "__main__":
    found = shown()
    screw(found)
    law_and_leash(found)
    order_of_heun(found)
    print("one file each")
