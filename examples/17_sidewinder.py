"""A snake on the ground has no slopes: CMA-ES looks for a faster sidewinder. A taste, with a dozen short runs."""

import limbless as ll

coarse = {"model": {"kind": "non-smooth", "theta": 1.0}, "step": 0.002, "duration": 1.5, "record_every": 0.1}


def sideways(result: ll.Result) -> float:
    """Metres across in the run."""
    x, y, _ = result.summary()["com_displacement"]
    return float((x * x + y * y) ** 0.5)


if __name__ == "__main__":
    first = ll.run("snake-sidewind", coarse)
    best = ll.optimise(
        "snake-sidewind",
        {"gait.yaw_amplitude": (0.2, 1.0), "gait.pitch_amplitude": (0.05, 0.3)},
        changes=coarse,
        maximise=sideways,
        max_evaluations=8,
        workers=0,
    )
    print(f"{sideways(first):.3f} m in 1.5 s; the best of {len(best.history)}: {best.value:.3f} m, by {best.method}")
