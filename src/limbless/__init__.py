"""limbless: simulate robots without limbs. The public names; each is imported when first used."""
from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "run": "limbless.simulation",
    "simulate": "limbless.simulation",
    "Scenario": "limbless.scenarios.scenario",
    "Result": "limbless.result",
    "InputError": "limbless.errors",
    "SimulationError": "limbless.errors",
    "Chain": "limbless.robots.chain",
    "KhalilEel": "limbless.robots.khalil_eel",
    "UniformChain": "limbless.robots.uniform_chain",
    "WangSnake": "limbless.robots.wang_snake",
    "TendonSpine": "limbless.robots.tendon_spine",
    "SnakeNeck": "limbless.robots.snake_neck",
    "BodyWave": "limbless.gaits.body_wave",
    "Serpenoid": "limbless.gaits.serpenoid",
    "Aiko": "limbless.robots.aiko",
    "JointWave": "limbless.gaits.joint_wave",
    "RecordedGait": "limbless.gaits.recorded",
    "FunctionGait": "limbless.gaits.function",
    "Gravity": "limbless.environments.gravity",
    "Buoyancy": "limbless.environments.buoyancy",
    "Drag": "limbless.environments.drag",
    "Water": "limbless.environments.water",
    "Wheels": "limbless.environments.wheels",
    "Clamp": "limbless.environments.clamp",
    "ForceLaw": "limbless.environments.force_law",
    "NewtonEuler": "limbless.models.newton_euler",
    "Geometric": "limbless.models.geometric",
    "TendonStatics": "limbless.models.tendon_statics",
    "Ground": "limbless.environments.ground",
    "Pegs": "limbless.environments.obstacles",
    "Boxes": "limbless.environments.obstacles",
    "Terrain": "limbless.environments.terrain",
    "NonSmooth": "limbless.models.nonsmooth",
    "Rod": "limbless.robots.rod",
    "Contact": "limbless.environments.constraint",
    "Places": "limbless.environments.constraint",
    "Anchorage": "limbless.environments.anchorage",
    "SweepingAnchorage": "limbless.environments.sweeping_anchorage",
    "Support": "limbless.environments.support",
    "PointWrench": "limbless.environments.point_wrench",
    "Peristalsis": "limbless.gaits.peristalsis",
    "Inchworm": "limbless.gaits.inchworm",
    "TravellingCurvature": "limbless.gaits.travelling_curvature",
    "SteeredCurvature": "limbless.gaits.steered_curvature",
    "ShearedCurvature": "limbless.gaits.sheared_curvature",
    "SampledCurvature": "limbless.gaits.sampled_curvature",
    "RegularisedFriction": "limbless.environments.regularised_friction",
    "MacroContinuous": "limbless.models.macro_continuous",
    "MacroContinuousSettings": "limbless.models.macro_continuous",
    "sensitivity": "limbless.studies.sensitivity",
    "error_bars": "limbless.studies.errors",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'limbless' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
