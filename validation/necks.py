"""What cases and golden tests of the tendon-driven neck share.

Reference numbers are in the paper's axes (z along the backbone), with gravity as a free vector: base orientation none,
axes exchanged here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

TO_LIBRARY = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
EIGHT = {
    "neck-vertical-air": "hanging_air",
    "neck-vertical-water": "hanging_water",
    "neck-horizontal-water": "horizontal_water",
}


def work_steps(force: Any, place: Any) -> np.ndarray:
    """Work from point to point of a path: the mean force of a step times its change of place, summed."""
    force, place = np.asarray(force), np.asarray(place)
    return np.asarray((0.5 * (force[1:] + force[:-1]) * np.diff(place, axis=0)).sum(axis=1))


def spent(steps: np.ndarray) -> float:
    """What steps cost where nothing is recovered, J."""
    return float(np.maximum(steps, 0.0).sum())


def environment(given: dict) -> list[Any]:
    """One of the reference's loads."""
    field = tuple(TO_LIBRARY @ np.array(given["gravity"]))
    fluid = (
        [ll.Buoyancy(density=given["rho_fluid"], immersed=given["immersed"], acceleration=field)]
        if given["rho_fluid"]
        else []
    )
    return [ll.Gravity(acceleration=field), *fluid]


def neck(numbers: dict, load: str, **options: Any) -> ll.TendonStatics:
    """The default neck under a load of the reference, without stops unless asked for."""
    settings = ll.TendonStaticsSettings(**{"stops": False, **options})
    return ll.TendonStatics(ll.SnakeNeck(), environment(numbers["loads"][load]), settings=settings)


def friction_of(case: dict) -> Any:
    return "gautreau2024" if case["friction"] == "paper" else case["friction"]


def in_paper(equilibrium: Any) -> np.ndarray:
    """The tip in the paper's axes."""
    return TO_LIBRARY.T @ equilibrium.tip_in_base


def signed(tension: np.ndarray) -> np.ndarray:
    """Tensions of four tendons as the two signed ones of the antagonist pairs."""
    return np.stack([tension[:, 0] - tension[:, 3], tension[:, 1] - tension[:, 2]], axis=1)


def published_spine(case: dict) -> ll.TendonSpine:
    """Two segments of equal disks on one rod; three tendons at 120 degrees end on each."""
    E, r = case["E"], case["ro"]
    inertia = np.pi / 4 * r**4
    disks = case["disks"]
    vertebrae = []
    for length, count in zip(case["length"], disks, strict=True):
        l = length / count
        bending, twisting = E * inertia / l, E / (2 * 1.3) * 2 * inertia / l
        vertebrae += [
            ll.Vertebra(
                length=l,
                lateral_stiffness=bending,
                vertical_stiffness=bending,
                twist_stiffness=twisting,
                joint_mass=0.0,
                disk_mass=0.0,
                volume=0.0,
            )
        ] * count
    angles = np.pi / 2 + np.array([0.0, 2.0, 4.0]) * np.pi / 3
    tendons = []
    for segment, radius in enumerate(case["pitch_radius"]):
        for a in angles:
            y, z = (TO_LIBRARY @ (radius * np.array([np.cos(a), np.sin(a), 0.0])))[1:]
            tendons.append(ll.Tendon(holes=((y, z),), anchor=sum(disks[: segment + 1])))
    return ll.TendonSpine(vertebrae=tuple(vertebrae), tendons=tuple(tendons))
