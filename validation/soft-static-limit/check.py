"""Soft bodies at rest against tendon statics and closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import limbless as ll
from validation.resting import tip_of_loaded_rod
from validation.spines import ELASTICA

TENSION = (0.5, 0.4, 0.0, 0.0)  # N
HANGING = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
AIR: tuple[Any, ...] = (ll.Gravity(),)
WATER: tuple[Any, ...] = (ll.Gravity(), ll.Buoyancy(), ll.Water(model="morison", added_mass="consistent"))


def distance(environment: Any, stations: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Times, and distance of the tip from where statics has it."""
    data = ll.simulate(
        ll.SnakeNeck(damping_time=0.3),
        ll.TensionStep(after=TENSION, ramp=0.5),
        environment,
        model=ll.SoftSettings(stations=stations),
        duration=12.0,
        step=0.02,
        record_every=0.1,
        initial={"orientation": HANGING},
    ).dataset
    loads = [item for item in environment if item.kind != "water"]
    tip = ll.TendonStatics(ll.SnakeNeck(), loads, base_orientation=HANGING).solve(TENSION).position[-1]
    return data.time.values, np.linalg.norm(data["tip_position"].values - np.asarray(tip), axis=1)


def rod(**fields: Any) -> ll.Rod:
    """L = EI = ρA = 1, thin."""
    return ll.Rod(
        **{
            "base": "fixed",
            "strains": "planar",
            "length": 1.0,
            "half_width": 1e-4,
            "density": 1e8 / np.pi,
            "stiffness": 1.0,
            "passive": {},
            **fields,
        }
    )


def frequency(load: float) -> float:
    """ω² of the first mode of a column with this ρAgL³/EI."""
    model = ll.Soft(rod(), ll.Gravity(acceleration=(-load, 0.0, 0.0)), settings=ll.SoftSettings(cells=16))
    return float(model.linearise(model.flat()).frequency[0] ** 2)


def check(case: Any, sheet: Any) -> dict[str, float]:
    axes, found = sheet.subplots(), {}
    for name, environment in (("air", AIR), ("water", WATER)):
        times, apart = distance(environment)
        axes.semilogy(times, np.maximum(apart, 1e-16), label=name)
        found[name] = float(apart[-1])
    axes.set_xlabel("time (s)")
    axes.set_ylabel("distance of the tip from statics (m)")
    axes.legend()
    found["two stations"] = float(distance(AIR, 2)[1][-1])
    tips, angles = [], []
    for load, (angle, deflection, shortening, _) in ELASTICA.items():
        (x, y), turned = tip_of_loaded_rod(rod(), load, 8, 4)
        tips += [abs(y - deflection), abs(1.0 - x - shortening)]
        angles.append(abs(turned - angle))
    found["elastica"], found["angle"] = max(tips), max(angles)
    near, nearer = frequency(7.81), frequency(7.83)
    found["column"] = 7.83 + 0.02 * nearer / (near - nearer)
    return {name: float(value) for name, value in found.items()}
