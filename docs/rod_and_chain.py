"""The rod and the chains that are cut from it: `python docs/rod_and_chain.py` draws docs/images/rod-and-chain.png.

A rod (macro-continuous model) and `rod.to_chain(n)` (Newton-Euler model) swim in the same water with the same gait. The
two models share the law of the water and nothing else. What they differ by, in the motion and in the torque inside,
falls with the square of n.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xarray as xr
from scipy.interpolate import CubicSpline

import limbless as ll
from limbless.view.figures.style import COLOURS, GREY, styled

LINKS = (10, 20, 40, 80)
PICTURE = Path(__file__).parent / "images" / "rod-and-chain.png"


def differences(links: tuple[int, ...] = LINKS, cells: int = 128, duration: float = 1.0) -> dict[str, list[float]]:
    """Largest differences between rod and chain over a run, relative to the largest change of the rod,
    for each number of links.
    """
    rod = ll.Rod(strains="planar", length=1.0, half_width=0.03, half_height=0.045)
    gait = ll.BodyWave(amplitude=0.25, growth=0.3, wavelength=1.0, period=1.0, ramp=0.5)
    options = {"environment": ll.Water(model="morison"), "duration": duration, "step": 0.005, "record_every": 0.05}
    smooth = ll.simulate(rod, gait, model=ll.MacroContinuousSettings(cells=cells), **options).dataset
    inside = CubicSpline(smooth["abscissa"].values, smooth["internal_wrench"].values, axis=1)
    exact = {
        "position of the head": smooth["base_position"].values,
        "centre of mass": smooth["com_position"].values,
        "speed of the head": speed(smooth),
    }
    found: dict[str, list[float]] = {name: [] for name in (*exact, "torque inside", "force inside")}
    for count in links:
        chain = ll.simulate(
            rod.to_chain(count), gait.changed(x_first=0.5 / count), model="newton-euler", **options
        ).dataset
        here = {
            "position of the head": chain["base_position"].values,
            "centre of mass": chain["com_position"].values,
            "speed of the head": speed(chain),
            "torque inside": -chain["joint_torque"].values,
            "force inside": np.linalg.norm(chain["internal_wrench"].values[:, 1:, :3], axis=-1),
        }
        wrench = inside(np.arange(1, count) / count)  # at the joints
        exact |= {"torque inside": wrench[..., 5], "force inside": np.linalg.norm(wrench[..., :3], axis=-1)}
        for name, values in here.items():
            scale = np.abs(exact[name] - exact[name][0]).max()
            found[name].append(float(np.abs(values - exact[name]).max() / scale))
    return found


def speed(data: xr.Dataset) -> np.ndarray:
    """Speed of the head, m/s."""
    return np.linalg.norm(data["base_twist"].values[:, :3], axis=1)


def order(links: tuple[int, ...], values: list[float]) -> float:
    """Fitted exponent of 1/n."""
    return float(-np.polyfit(np.log(links), np.log(values), 1)[0])


def draw(path: Path = PICTURE, links: tuple[int, ...] = LINKS, **settings: float) -> Path:
    """The differences over the number of links, with their fitted orders."""
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(4.4, 3.0), layout="constrained")
        axes = figure.subplots()
        for colour, (name, values) in zip(COLOURS, differences(links, **settings).items(), strict=False):
            axes.loglog(
                links, values, "o-", markersize=3, color=colour, label=f"{name}: order {order(links, values):.2f}"
            )
        axes.loglog(links, 2.0 * values[0] * (links[0] / np.array(links)) ** 2, "--", color=GREY, label="1/n²")
        axes.set_xlabel("links of the chain")
        axes.set_ylabel("largest difference from the rod (relative)")
        axes.set_xticks(links, [str(count) for count in links], minor=False)
        axes.minorticks_off()
        axes.margins(x=0.05)
        axes.legend()
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150)
    return path


if __name__ == "__main__":
    print(draw())
