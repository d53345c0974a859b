"""Memory: the largest resident memory of fresh interpreters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.table import Row

ROOT = Path(__file__).parents[1]
SCENARIOS = {
    "newton-euler": "eel-planar",
    "macro-continuous": "rod-swim",
    "non-smooth": "snake-undulate-orthotropic",
    "geometric": "wheeled-snake-crawl",
    "tendon-statics": "neck-planar",
}
TOLD = """
import os, re, resource
if os.path.exists("/proc/self/status"):   # what getrusage tells of Linux begins with the peak of the starting process
    print(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
LIBRARIES = "import numpy, scipy.optimize, numba, xarray, h5netcdf, pydantic"
LONG_CHAIN = """
import limbless as ll, mujoco, pinocchio as pin
from benchmarks import peers
from benchmarks.dynamics import Evaluation

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096

def limbless(chain):
    ours = Evaluation(chain, inverse=False)
    ours.from_python()(1)
    return ours

def pinocchio(chain):
    model = peers.pinocchio_model(chain)
    return model, model.createData()

def with_mujoco(chain):
    model = peers.mujoco_model(chain)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data

build = {engine}
small, chain = build(ll.Chain.uniform(links=3, length=0.05)), ll.Chain.uniform(links={joints} + 1, length=0.05)
chain.arrays()
before = resident()
kept = build(chain)
print((resident() - before) / 1024**2)
"""
"""What one engine keeps for a chain; everything is imported and compiled before."""


def fresh(code: str) -> str:
    """What a fresh interpreter prints that runs this code."""
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT).stdout


def peak(code: str) -> float:
    """Largest resident memory of a fresh interpreter that ran this code, MB."""
    return float(fresh(code + TOLD).split()[-1]) / 1024.0


def rows(scenarios: dict[str, str] = SCENARIOS, joints: int = 300) -> list[Row]:
    """A run of each model (compile cache filled) beside the libraries alone, and a long chain beside other engines."""
    bare = peak(LIBRARIES)
    made = [Row("numpy, scipy, numba, xarray and pydantic imported, nothing more", f"{bare:.0f} MB")]
    for kind, name in scenarios.items():
        run = f"import limbless; limbless.run({name!r})"
        peak(run)  # fills the compile cache: compiling takes memory too
        made.append(Row(f"`{name}` ({kind}), all of `ll.run`", f"{peak(run):.0f} MB"))
    return made + (chain_rows(joints) if Path("/proc/self/statm").exists() else [])


def chain_rows(joints: int) -> list[Row]:
    """Memory for the direct dynamics of a long chain, MB."""
    used = {}
    for engine in ("limbless", "pinocchio", "with_mujoco"):
        code = LONG_CHAIN.replace("{engine}", engine).replace("{joints}", str(joints))
        used[engine] = max(float(fresh(code).split()[-1]), 0.1)
    return [
        Row(
            f"kept for the direct dynamics of a chain of {joints} joints, beside {name}",
            f"{used['limbless']:.1f} MB",
            f"{used[peer]:.1f} MB",
            used[peer] / used["limbless"],
            f"{used[peer] / used['limbless']:.0f}",
        )
        for peer, name in (("pinocchio", "Pinocchio"), ("with_mujoco", "MuJoCo"))
    ]
