"""A best gait and a steady motion, held against plain runs and against an optimiser that is not limbless's own."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

BOUNDS = {"gait.amplitude": (0.005, 0.3), "gait.growth": (0.0, 2.5), "gait.wavelength": (0.8, 4.0),
          "gait.period": (0.6, 4.0)}
LIMIT = 4.0            # N m, what a yaw motor of the eel gives
PERIODS, STEPS = 40, 50


def last_period(changes: dict[str, float], periods: int, steps: int) -> tuple[float, float]:
    """Speed (m/s) and largest torque over its limit in the last of some periods from rest, of plain runs alone."""
    period = changes.get("gait.period", 2.0)
    step = period / steps
    plain = {**changes, "gait.ramp": 2.0 * period, "step": step}
    before = ll.Scenario.load("eel-planar", {**plain, "duration": (periods - 1) * period,
                                             "record_every": (periods - 1) * period})
    begun = ll.run(before)
    last = ll.simulate(before.robot, before.gait, before.environment, before.model, period, step, initial=begun,
                       record_every=step)
    place = last.dataset["base_position"].values
    torque = np.abs(last.dataset["joint_torque"].values).max()
    return float(np.linalg.norm(place[-1] - place[0])) / period, float(torque) / LIMIT


class Trial:
    """What the other optimiser asks for; it remembers all."""

    def __init__(self) -> None:
        self.tried: list[tuple[float, float]] = []
        self.known: dict[bytes, tuple[float, float]] = {}

    def __call__(self, shares: np.ndarray) -> tuple[float, float]:
        key = np.clip(shares, 0.0, 1.0).tobytes()
        if key not in self.known:
            point = {path: float(low + share * (high - low)) for (path, (low, high)), share
                     in zip(BOUNDS.items(), np.frombuffer(key), strict=True)}
            try:
                self.known[key] = last_period(point, PERIODS, STEPS)
            except ll.SimulationError:                     # too strong for its steps
                self.known[key] = 0.0, 1e3
            self.tried.append(self.known[key])
        return self.known[key]

    def penalised(self, shares: np.ndarray) -> float:
        speed, ratio = self(shares)
        return -speed + 2.0 * min(max(ratio - 1.0, 0.0), 5.0)


def other_optimum(trial: Trial) -> float:
    """The fastest gait within the limits by searches that know no slopes: one over all bounds, one from its best."""
    from scipy.optimize import NonlinearConstraint, differential_evolution, minimize

    square = [(0.0, 1.0)] * len(BOUNDS)
    wide = differential_evolution(trial.penalised, square, rng=1, popsize=4, maxiter=7, init="sobol", polish=False,
                                  tol=0.0)
    within = NonlinearConstraint(lambda shares: min(trial(shares)[1], 5.0), -np.inf, 1.0)
    minimize(lambda shares: -trial(shares)[0], wide.x, method="COBYQA", bounds=square, constraints=within,
             options={"maxfev": 110, "initial_tr_radius": 0.1, "final_tr_radius": 1e-5})
    return max(speed for speed, ratio in trial.tried if ratio <= 1.0)


def check(case: Any, sheet: Any) -> dict[str, float]:
    paths = {"gait.amplitude": 0.06, "gait.period": 2.0, "robot.half_width": 0.06}
    eel = ll.Scenario.load("eel-planar")
    paths["robot.half_width"] = float(eel.robot.half_width)
    motion = ll.steady(eel, slopes=list(paths))
    found = {"speed": motion.speed / last_period({}, 120, 100)[0]}
    for name, (path, here) in zip(("slope_amplitude", "slope_period", "slope_width"), paths.items(), strict=True):
        low, high = (last_period({path: here * (1.0 + side)}, 120, 100)[0] for side in (-5e-3, 5e-3))
        found[name] = motion.slopes["speed"][path] / ((high - low) / (1e-2 * here))
    best = ll.optimise("eel-planar", BOUNDS, maximise="steady.speed", subject_to=["steady.torque_ratio <= 1"], starts=2,
                       certify=False)
    trial = Trial()
    found["optimum"] = other_optimum(trial) / best.value
    found["torque"] = last_period(best.values, PERIODS, STEPS)[1]
    speeds = np.array([speed if ratio <= 1.0 else np.nan for speed, ratio in trial.tried])
    axes = sheet.subplots()
    axes.plot(np.arange(1, len(speeds) + 1), speeds, ".", markersize=3)
    axes.axhline(best.value, color="k", linewidth=0.8)
    axes.set(xlabel="gait tried by the other optimiser", ylabel="speed (m/s)")
    return found
