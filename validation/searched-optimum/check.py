"""A best gait and a steady motion, held against plain runs, a grid and an optimiser that is not limbless's own."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

BOUNDS = {
    "gait.amplitude": (0.005, 0.3),
    "gait.growth": (0.0, 2.5),
    "gait.wavelength": (0.8, 4.0),
    "gait.period": (0.6, 4.0),
}
LOW, HIGH = np.array(list(BOUNDS.values())).T
LIMIT = 4.0  # N m, what a yaw motor of the eel gives
PERIODS, STEPS = 55, 50
FAR = 1e4  # m: no eel swims as far
MOST = 5.0  # a ratio of torques beyond this is as bad as any: the run may have diverged


def run_on(before: ll.Scenario, period: float) -> Any:
    """The period after a scenario, recorded at every step: plain runs alone."""
    return ll.simulate(
        before.robot,
        before.gait,
        before.environment,
        before.model,
        period,
        before.step,
        initial=ll.run(before),
        record_every=before.step,
    ).dataset


def last_period(changes: dict[str, float], periods: int, steps: int) -> tuple[float, float]:
    """Speed (m/s) and largest torque over its limit in the last of some periods from rest."""
    period = changes.get("gait.period", 2.0)
    before = (periods - 1) * period
    clock = {"gait.ramp": 2.0 * period, "step": period / steps, "duration": before, "record_every": before}
    last = run_on(ll.Scenario.load("eel-planar", {**changes, **clock}), period)
    place = last["base_position"].values
    torque = np.abs(last["joint_torque"].values).max()
    return float(np.linalg.norm(place[-1] - place[0])) / period, float(torque) / LIMIT


def norm_of(torques: np.ndarray) -> np.ndarray:
    """Norm of order 16 over a period of samples (first axis), scaled so that a sinusoid has its amplitude."""
    turn = np.sin(2.0 * np.pi * np.arange(64) / 64.0)
    return np.asarray((np.mean((torques / LIMIT) ** 16, axis=0) / np.mean(turn**16)) ** (1.0 / 16.0))


class Trial:
    """What others ask for: speeds and torques of gaits, from a start in motion; all remembered.

    A run lasts 55 periods, of which the last counts; no steady motion and no slope of limbless is asked for.
    """

    def __init__(self) -> None:
        start = {"initial.twist": [-0.4, 0.0, 0.0, 0.0, 0.0, 0.0], "gait.ramp": 0.0}
        self.eel = ll.Scenario.load("eel-planar", start)
        self.joints = self.eel.robot.build().freedoms
        self.tried: list[tuple[float, float]] = []
        self.known: dict[bytes, tuple[float, np.ndarray]] = {}

    def __call__(self, shares: np.ndarray) -> list[tuple[float, np.ndarray]]:
        """Speed and torque ratios (one each joint) of every row of shares between the bounds."""
        return [self._found(row) for row in np.clip(np.atleast_2d(shares), 0.0, 1.0)]

    def _found(self, share: np.ndarray) -> tuple[float, np.ndarray]:
        name = share.tobytes()
        if name not in self.known:
            self.known[name] = self._run(LOW + share * (HIGH - LOW))
            self.tried.append((self.known[name][0], float(self.known[name][1].max())))
        return self.known[name]

    def _run(self, numbers: np.ndarray) -> tuple[float, np.ndarray]:
        names = [path.removeprefix("gait.") for path in BOUNDS]
        wave = self.eel.gait.changed(**dict(zip(names, map(float, numbers), strict=True)))
        before = (PERIODS - 1) * wave.period
        clock = {"duration": before, "step": wave.period / STEPS, "record_every": before}
        try:
            last = run_on(self.eel.model_copy(update={"gait": wave, **clock}), wave.period)
        except ll.SimulationError:  # it diverged
            return 0.0, np.full(self.joints, MOST)
        place, torque = last["base_position"].values, last["joint_torque"].values[:STEPS]
        if not np.isfinite(torque).all() or not np.abs(place).max() < FAR:
            return 0.0, np.full(self.joints, MOST)
        return float(np.linalg.norm(place[-1] - place[0])) / wave.period, np.minimum(norm_of(torque), MOST)


def other_optimum(trial: Trial, seed: int = 1) -> np.ndarray:
    """The fastest gait within the limits, by searches that know no slopes and nothing of ours: differential evolution
    over all bounds, and COBYQA from where that ends; it is begun anew from its own end with a smaller radius, because
    rounding alone decides whether one search stops two thousandths too early.
    """
    from scipy.optimize import NonlinearConstraint, differential_evolution, minimize

    square = [(0.0, 1.0)] * len(BOUNDS)

    def penalised(shares: np.ndarray) -> np.ndarray:
        return np.array([-speed + 2.0 * max(ratios.max() - 1.0, 0.0) for speed, ratios in trial(shares.T)])

    wide = differential_evolution(
        penalised,
        square,
        rng=seed,
        popsize=12,
        maxiter=30,
        init="sobol",
        polish=False,
        tol=0.0,
        vectorized=True,
        updating="deferred",
    )
    within = NonlinearConstraint(lambda shares: trial(shares)[0][1], -np.inf, 1.0)
    place = wide.x
    for radius in (0.1, 0.03, 0.01):
        place = minimize(
            lambda shares: -trial(shares)[0][0],
            place,
            method="COBYQA",
            bounds=square,
            constraints=within,
            options={"maxfev": 250, "initial_tr_radius": radius, "final_tr_radius": 1e-5},
        ).x
    if trial(place)[0][1].max() > 1.0 + 1e-4:
        raise RuntimeError("the other optimiser ended beyond the limits")
    return np.asarray(LOW + place * (HIGH - LOW))


def along_the_edge(trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """Periods, and the speeds of gaits of the largest growth and the shortest wave whose amplitude is as large as the
    limits let it be, by bisection: brute force on what the best gait has left to choose.
    """
    periods = np.linspace(1.18, 1.3, 16)
    shares = np.tile([0.0, 1.0, 0.0, 0.0], (len(periods), 1))
    shares[:, 3] = (periods - LOW[3]) / (HIGH[3] - LOW[3])
    low, high = np.zeros(len(periods)), np.full(len(periods), 0.1)
    for _ in range(18):
        shares[:, 0] = 0.5 * (low + high)
        within = np.array([ratios.max() <= 1.0 for _, ratios in trial(shares)])
        low, high = np.where(within, shares[:, 0], low), np.where(within, high, shares[:, 0])
    shares[:, 0] = low
    return periods, np.array([speed for speed, _ in trial(shares)])


def check(case: Any, sheet: Any) -> dict[str, float]:
    paths = {"gait.amplitude": 0.06, "gait.period": 2.0, "robot.half_width": 0.06}
    eel = ll.Scenario.load("eel-planar")
    paths["robot.half_width"] = float(eel.robot.half_width)
    motion = ll.steady(eel, slopes=list(paths))
    found = {"speed": motion.speed / last_period({}, 120, 100)[0]}
    for name, (path, here) in zip(("slope_amplitude", "slope_period", "slope_width"), paths.items(), strict=True):
        low, high = (last_period({path: here * (1.0 + side)}, 120, 100)[0] for side in (-5e-3, 5e-3))
        found[name] = motion.slopes["speed"][path] / ((high - low) / (1e-2 * here))
    best = ll.optimise(
        "eel-planar", BOUNDS, maximise="steady.speed", subject_to=["steady.torque_ratio <= 1"], starts=2, certify=False
    )
    found["torque"] = last_period(best.values, PERIODS, STEPS)[1]
    trial = Trial()
    other = other_optimum(trial)
    tried = list(trial.tried)
    found["optimum"] = last_period(dict(zip(BOUNDS, map(float, other), strict=True)), 120, 100)[0] / best.value
    periods, speeds = along_the_edge(trial)
    fine = np.linspace(periods[0], periods[-1], 2001)
    curve = np.polynomial.Polynomial.fit(periods, speeds, 4)(fine)
    found["edge"], found["edge_period"] = curve.max() / best.value, fine[curve.argmax()] / best.values["gait.period"]
    draw(sheet, tried, periods, speeds, best)
    return found


def draw(sheet: Any, tried: list[tuple[float, float]], periods: np.ndarray, speeds: np.ndarray, best: Any) -> None:
    left, right = sheet.subplots(1, 2)
    left.plot(
        np.arange(1, len(tried) + 1),
        [speed if ratio <= 1.0 + 1e-4 else np.nan for speed, ratio in tried],
        ".",
        markersize=2,
    )
    left.axhline(best.value, color="k", linewidth=0.8)
    left.set(xlabel="gait tried by the other optimiser", ylabel="speed (m/s)")
    right.plot(periods, speeds, ".-")
    right.plot(best.values["gait.period"], best.value, "k+", markersize=10)
    right.set(xlabel="period (s), growth and wavelength at bounds", ylabel="speed at the torque limit (m/s)")
