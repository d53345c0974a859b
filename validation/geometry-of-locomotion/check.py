"""Gaits whose net motion geometry decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll
from validation.eel import swim
from validation.rods import rotation_matrices
from validation.runner.convergence_orders import fitted_order

SIZES = (0.2, 0.1, 0.05, 0.025)


def bending(curvature: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> ll.FunctionGait:
    """Curvature K(t, X) of a planar rod."""

    def strain(t: np.ndarray, X: np.ndarray) -> np.ndarray:
        found = np.zeros((len(t), len(X), 6))
        found[..., 0], found[..., 5] = 1.0, curvature(t[:, None], X)
        return found

    return ll.FunctionGait(function=strain, drives="strain")


def cycle(curvature: Callable[[np.ndarray, np.ndarray], np.ndarray], period: float = 1.0) -> np.ndarray:
    """Displacement of the head after one period in linear drag, without inertia."""
    model, rod = {"kind": "macro-continuous", "inertia": False, "cells": 64}, ll.Rod(base="planar", strains="planar")
    data = ll.simulate(
        rod, bending(curvature), ll.Drag(), model=model, duration=period, step=period / 50, record_every=period
    ).dataset
    return data.base_position.values[-1] - data.base_position.values[0]


def loop(size: float, period: float = 1.0) -> np.ndarray:
    """A round loop in the plane of two modes of bending."""
    w = 2.0 * np.pi / period
    return cycle(
        lambda t, X: size * 6.0 * (np.cos(w * t) * np.cos(np.pi * X) + np.sin(w * t) * np.sin(np.pi * X)), period
    )


def momentum_of_the_wheeled_snake() -> float:
    """From zero momentum, no wheels: largest momentum in 5 s."""
    model, phase = ll.Geometric(ll.WangSnake()), np.arange(1, 5) * np.pi / 2
    M = model.metric([0, 0, 0, *0.4 * np.sin(phase)])
    start = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ (0.4 * np.cos(phase)))
    data = ll.simulate(
        ll.WangSnake(),
        ll.Serpenoid(),
        (),
        model="geometric",
        duration=5.0,
        step=0.01,
        initial={"twist": (start[0], start[1], 0, 0, 0, start[2])},
    ).dataset
    return float(np.abs(data.momentum.values[:, [0, 1, 5]]).max())


def momentum_with_the_fluid(form: str) -> float:
    """Largest momentum of eel and water together in 4 s from rest, no drag, over the largest momentum of the eel alone.

    The water's is made here of recorded places alone: rho pi (b², a²) per length across each link, times the velocity
    of its middle.
    """
    water = {"drag": (0.0, 0.0, 0.0, 0.0), "added_mass": form}
    data = swim(4.0, water=water, step=0.005, record_every=0.005).dataset
    velocity = make_interp_spline(data.time.values, data.position.values, k=5).derivative()(data.time.values)
    across = rotation_matrices(data.orientation.values.reshape(-1, 4)).reshape(*data.orientation.shape[:2], 3, 3)
    local = np.einsum("tsij,tsi->tsj", across, velocity) * (1000.0 * np.pi * np.array([0.0, 0.09**2, 0.065**2]))
    fluid = np.einsum("s,tsij,tsj->ti", data.section_length.values, across, local)
    body = ll.KhalilEel().build().total_mass * data.com_velocity.values
    return float(np.abs(body + fluid).max() / np.abs(body).max())


def check(case: Any, sheet: Any) -> dict[str, float]:
    moved = [float(np.linalg.norm(loop(size))) for size in SIZES]
    axes = sheet.subplots()
    axes.loglog(SIZES, moved, "o-")
    axes.set(xlabel="size of the loop", ylabel="displacement per cycle (m)")
    flight = ll.simulate(ll.KhalilEel(), ll.BodyWave(), [], duration=4.0, step=0.01).dataset
    return {
        "reciprocal": float(np.linalg.norm(cycle(lambda t, X: 4.0 * np.sin(2.0 * np.pi * t) * np.cos(3.0 * X + 1.0)))),
        "any speed": float(np.linalg.norm(loop(0.4) - loop(0.4, 0.2))),
        "area": -fitted_order(SIZES, moved),
        "momentum": float(np.abs(flight.momentum.values[:, :3]).max()),
        "centre": float(np.ptp(flight.com_position.values, axis=0).max()),
        "momentum geometric": momentum_of_the_wheeled_snake(),
        "perfect fluid": momentum_with_the_fluid("consistent"),
        "printed fluid": momentum_with_the_fluid("paper"),
    }
