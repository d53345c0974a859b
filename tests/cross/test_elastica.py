"""The rod beside PyElastica: the bending that its snake's muscles make is imposed, and the ground
makes the same motion of it.
"""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("elastica", reason="PyElastica (extra `dev`) is not installed")

from elastica_snake import Snake, motion


def test_snake_moves_and_strains_as_in_pyelastica() -> None:
    """Centre of mass and inner moment over 3 s; what differs falls with the square of PyElastica's elements."""
    counts, apart = (16, 32, 64), []
    for count in counts:
        history = Snake(count).run(3.0, 0.02)
        data = motion(history, cells=96, step=0.005).dataset
        apart.append(data["com_position"].values[:, :2] - history.center)
    assert 1.7 < -np.polyfit(np.log(counts), np.log([np.abs(one).max() for one in apart]), 1)[0] < 2.3
    moved, limit = np.linalg.norm(history.center[-1] - history.center[0]), (4.0 * apart[2] - apart[1]) / 3.0
    assert moved > 0.05 and np.abs(limit).max() < 3e-4 * moved
    inner = np.array(
        [np.interp(history.abscissa, data["abscissa"].values, row) for row in data["internal_wrench"].values[..., 5]]
    )
    late = history.time > 1.0
    wrong = np.abs(inner - history.moment)[late, 1:-1].max()
    assert wrong < 0.01 * np.abs(history.moment[late]).max(), "the moment that bends the body"
