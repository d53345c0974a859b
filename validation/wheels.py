"""What cases and golden tests of the wheeled snake share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import limbless as ll


def tail(dataset: Any) -> np.ndarray:
    """X, Y, theta_3 of the tail at every record."""
    q = dataset["base_orientation"].values
    return np.column_stack([dataset["base_position"].values[:, :2], 2.0 * np.arctan2(q[:, 3], q[:, 0])])


def drive(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates and accelerations of the joints by (29)."""
    phase = t + np.arange(1, 5) * np.pi / 2
    return 0.4 * np.sin(phase), 0.4 * np.cos(phase), -0.4 * np.sin(phase)


def crawl(law: str, step: float, duration: float, every: float) -> ll.Result:
    """The snake of the paper on its wheels."""
    return ll.simulate(
        ll.WangSnake(),
        ll.Serpenoid(),
        ll.Wheels(law=law),
        model="geometric",
        duration=duration,
        step=step,
        record_every=every,
    )


def glide() -> tuple[np.ndarray, Any]:
    """The same joints without any wheels, from zero momentum, for 10 s: rates of the base at the start, and the run."""
    q, qd, _ = drive(0.0)
    M = ll.Geometric(ll.WangSnake()).metric([0, 0, 0, *q])
    start = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ qd)
    run = ll.simulate(
        ll.WangSnake(),
        ll.Serpenoid(),
        (),
        model="geometric",
        duration=10.0,
        step=0.01,
        initial={"twist": (start[0], start[1], 0, 0, 0, start[2])},
    )
    return start, run.dataset


class Exterior:
    """(22) with the torques of (23), in full or as printed: without the products of the base's rates with those of the
    joints.

    `friction` is `eps_` and a slip speed (m/s), `viscous` or `none`.
    """

    def __init__(self, friction: str) -> None:
        self.viscous = friction == "viscous"  # coefficients in N s/m, at the modules' centres
        smooth = friction.startswith("eps_")
        wheels = ll.Wheels(law="regularised", slip_speed=float(friction.removeprefix("eps_"))) if smooth else ()
        self.model = ll.Geometric(ll.WangSnake(), wheels)

    def friction(self, x: np.ndarray, v: np.ndarray) -> np.ndarray:
        if not self.viscous:
            return self.model.generalised_force(x, v)
        rows = [self.model.body_jacobian(x, module)[:2] for module in range(5)]
        return -sum(J.T @ (np.array([0.01, 0.5]) * (J @ v)) for J in rows)

    def __call__(self, t: float, base: np.ndarray, printed: bool) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations of the tail and torques of the joints."""
        q, qd, qdd = drive(t)
        x, v, none = np.concatenate([base[:3], q]), np.concatenate([base[3:], qd]), np.zeros(7)
        whole, M = self.model.bias(x, v), self.model.metric(x)
        apart = self.model.bias(x, [*base[3:], *none[3:]]) + self.model.bias(x, [*none[:3], *qd]) if printed else whole
        force = self.friction(x, v)
        tail_acceleration = np.linalg.solve(M[:3, :3], (force - apart)[:3] - M[:3, 3:] @ qdd)
        return tail_acceleration, (M @ np.concatenate([tail_acceleration, qdd]) + whole - force)[3:]

    def run(self, printed: bool, start: Any = (0.0,) * 6, end: float = 14.0) -> tuple[np.ndarray, np.ndarray]:
        """Track and torques every 10 ms, from the tail's place and rates."""
        times = np.linspace(0.0, end, round(100 * end) + 1)
        track = solve_ivp(
            lambda t, y: np.concatenate([y[3:], self(t, y, printed)[0]]),
            (0.0, end),
            np.array(start),
            method="LSODA",
            t_eval=times,
            rtol=1e-10,
            atol=1e-12,
        ).y.T
        return track[:, :2], np.array([self(t, y, printed)[1] for t, y in zip(times, track, strict=True)])
