"""A snake between supports, steered by its head towards a place: the curvature that the head draws is the steering
wheel.

The controller sees where the head is and where it points, and sets `steer`, the mean curvature that the head draws.
What the body has taken on already stays as it is, so that every section follows the one before, and nothing slips."""

from __future__ import annotations

import numpy as np

import limbless as ll

GOAL = np.array([-1.2, 1.0])
states: list[np.ndarray] = []


def controller(t: float, observation: dict[str, np.ndarray]) -> dict[str, float]:
    """Steer by the angle between the way ahead and the goal, both averaged over the undulation; stop near the goal."""
    states.append(observation["base_position"][:2])
    if len(states) < 3:
        return {}
    ahead, wanted = states[-1] - states[-3], GOAL - states[-1]  # one wavelength of path: 0.6 m at 0.5 m/s
    left = np.arctan2(ahead[0] * wanted[1] - ahead[1] * wanted[0], ahead @ wanted)
    return {"steer": float(np.clip(-1.5 * left, -1.5, 1.5)), "speed": -0.5 if np.hypot(*wanted) > 0.25 else -0.1}


snake = ll.Rod(name="snake", base="planar", strains="planar", length=1.0, half_width=0.03)
settings = ll.MacroContinuousSettings(cells=160)
result = ll.simulate(
    snake,
    ll.SteeredCurvature(),
    ll.Support(spacing=0.2),
    model=settings,
    duration=6.0,
    step=0.02,
    record_every=0.1,
    controller=controller,
    control_period=0.6,
)

head = result.dataset["head_position"].values[:, :2]
nearest = np.linalg.norm(head - GOAL, axis=1).min()
slip = float(result.dataset["contact_residual"].max())
print(f"the head came within {nearest:.2f} m of its goal; the body slipped by {slip:.1e} of its speed")
assert nearest < 0.3 and slip < 1e-6
