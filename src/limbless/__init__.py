"""limbless: simulate robots without limbs. The public names; each is imported when first used."""

from __future__ import annotations

import importlib
from typing import Any

from limbless.calm import calm

__version__ = "0.1.0"

_PUBLIC = {
    "errors": "InputError SimulationError",
    "robots.chain": "Chain",
    "robots.uniform_chain": "UniformChain",
    "robots.aiko": "Aiko",
    "robots.khalil_eel": "KhalilEel",
    "robots.module_snake": "ModuleSnake",
    "robots.wang_snake": "WangSnake",
    "robots.rod": "Rod",
    "robots.tendon_spine": "TendonSpine",
    "robots.snake_neck": "SnakeNeck",
    "robots.spine_45": "Spine45",
    "interop.robot_file": "RobotFile load_robot read_robot",
    "interop.save_robot": "save_robot",
    "gaits.body_wave": "BodyWave",
    "gaits.concertina": "Concertina",
    "gaits.curvature_wave": "CurvatureWave",
    "gaits.function": "FunctionGait",
    "gaits.helix": "Helix",
    "gaits.inchworm": "Inchworm",
    "gaits.joint_wave": "JointWave",
    "gaits.muscle_wave": "MuscleWave",
    "gaits.peristalsis": "Peristalsis",
    "gaits.recorded": "RecordedGait",
    "gaits.sampled_curvature": "SampledCurvature",
    "gaits.serpenoid": "Serpenoid",
    "gaits.sheared_curvature": "ShearedCurvature",
    "gaits.steered_curvature": "SteeredCurvature",
    "gaits.still": "Still",
    "gaits.tension_step": "LengthStep TensionStep WinchStep",
    "gaits.tension_wave": "TensionWave",
    "gaits.travelling_curvature": "TravellingCurvature",
    "flows.function": "FunctionFlow",
    "flows.oscillating": "OscillatingFlow",
    "flows.shear": "ShearFlow",
    "flows.uniform": "UniformFlow",
    "flows.vortices": "VorticesFlow",
    "flows.waves": "WavesFlow",
    "environments.anchorage": "Anchorage",
    "environments.body_drag": "BodyDrag",
    "environments.buoyancy": "Buoyancy",
    "environments.clamp": "Clamp",
    "environments.constraint": "Contact Places",
    "environments.drag": "Drag",
    "environments.force_law": "ForceLaw",
    "environments.gravity": "Gravity",
    "environments.ground": "Ground",
    "environments.objects": "FreeObject Objects SelfContact",
    "environments.obstacles": "Boxes Pegs",
    "environments.pipe": "Pipe",
    "environments.point_wrench": "PointWrench",
    "environments.regularised_friction": "RegularisedFriction",
    "environments.support": "Support",
    "environments.sweeping_anchorage": "SweepingAnchorage",
    "environments.terrain": "Terrain",
    "environments.water": "Water",
    "environments.wheels": "Wheels",
    "models.geometric": "Geometric GeometricSettings",
    "models.macro_continuous": "MacroContinuous MacroContinuousSettings",
    "models.newton_euler": "NewtonEuler NewtonEulerSettings",
    "models.nonsmooth": "NonSmooth NonSmoothSettings",
    "models.soft": "Soft SoftSettings",
    "models.tendon_statics": "TendonStatics TendonStaticsSettings",
    "scenarios.scenario": "Scenario",
    "result": "Result",
    "simulation": "run simulate",
    "search.asking": "Evolution Gradient Search",
    "search.goals": "Answer",
    "search.optimise": "Best Front optimise",
    "search.rollout": "rollout",
    "search.steady": "SteadyMotion steady",
    "search.sweep": "Sweep sweep",
    "studies.errors": "error_bars",
    "studies.sensitivity": "sensitivity",
    "interop.films.film": "Film",
    "interop.films.identification": "identify",
}
"""Modules, room by room, and what of each is public."""
_HOMES = {name: f"limbless.{module}" for module, names in _PUBLIC.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "interop":
        return importlib.import_module("limbless.interop")
    if name not in _HOMES:
        raise AttributeError(f"module 'limbless' has no attribute {name!r}")
    with calm():
        return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
