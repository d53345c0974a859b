"""limbless: simulate robots without limbs. The public names; each is imported when first used."""

from __future__ import annotations

import importlib
from typing import Any

from limbless.core.gc_pause import gc_paused

__version__ = "0.1.0"

_PUBLIC = {
    "core.errors": "InputError SimulationError",
    "robots.chain": "Chain",
    "robots.presets.uniform_chain": "UniformChain",
    "robots.presets.aiko": "Aiko",
    "robots.presets.khalil_eel": "KhalilEel",
    "robots.presets.module_snake": "ModuleSnake",
    "robots.presets.wang_snake": "WangSnake",
    "robots.rod": "Rod",
    "robots.tendon_spine": "TendonSpine",
    "robots.presets.snake_neck": "SnakeNeck",
    "robots.presets.spine_45": "Spine45",
    "interop.robots.robot_file": "RobotFile load_robot read_robot",
    "interop.robots.save_robot": "save_robot",
    "control.gaits.body_wave": "BodyWave",
    "control.gaits.concertina": "Concertina",
    "control.gaits.curvature_wave": "CurvatureWave",
    "control.gaits.user_gait": "FunctionGait",
    "control.gaits.helix": "Helix",
    "control.gaits.inchworm": "Inchworm",
    "control.gaits.joint_wave": "JointWave",
    "control.gaits.muscle_wave": "MuscleWave",
    "control.gaits.peristalsis": "Peristalsis",
    "control.gaits.recorded": "RecordedGait",
    "control.gaits.sampled_curvature": "SampledCurvature",
    "control.gaits.serpenoid": "Serpenoid",
    "control.gaits.sheared_curvature": "ShearedCurvature",
    "control.gaits.steered_curvature": "SteeredCurvature",
    "control.gaits.still": "Still",
    "control.gaits.tension_step": "LengthStep TensionStep WinchStep",
    "control.gaits.tension_wave": "TensionWave",
    "control.gaits.travelling_curvature": "TravellingCurvature",
    "environments.flows.user_flow": "FunctionFlow",
    "environments.flows.oscillating": "OscillatingFlow",
    "environments.flows.shear": "ShearFlow",
    "environments.flows.uniform": "UniformFlow",
    "environments.flows.vortices": "VorticesFlow",
    "environments.flows.waves": "WavesFlow",
    "environments.anchorage": "Anchorage",
    "environments.body_drag": "BodyDrag",
    "environments.buoyancy": "Buoyancy",
    "environments.clamp": "Clamp",
    "environments.constraint": "Constraint Places",
    "environments.drag": "Drag",
    "environments.user_law": "ForceLaw",
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
    "models.chain.geometry.geometric_model": "Geometric",
    "models.geometric": "GeometricSettings",
    "models.rod.rod_model": "MacroContinuous",
    "models.macro_continuous": "MacroContinuousSettings",
    "models.chain.newton_euler_model": "NewtonEuler",
    "models.newton_euler": "NewtonEulerSettings",
    "models.chain.contact.nonsmooth_model": "NonSmooth",
    "models.nonsmooth": "NonSmoothSettings",
    "models.chain.soft.soft_model": "Soft",
    "models.soft": "SoftSettings",
    "models.statics.statics_model": "TendonStatics",
    "models.tendon_statics": "TendonStaticsSettings",
    "scenarios.scenario": "Scenario",
    "simulation.result": "Result",
    "simulation.simulate": "run simulate",
    "search.optimisation.optimisers": "Evolution Gradient Search",
    "search.optimisation.goals": "Evaluation",
    "search.optimisation.optimise": "Best Front optimise",
    "search.sweeps.rollout": "rollout",
    "search.steady_motion.steady": "SteadyMotion steady",
    "search.sweeps.sweep": "Sweep sweep",
    "search.studies.error_bars": "error_bars",
    "search.studies.sensitivity": "sensitivity",
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
    with gc_paused():
        return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
