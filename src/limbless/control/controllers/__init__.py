"""Controllers: functions that are asked in every period, and kinds with state in the motion, one file each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Controller(Protocol):
    """What closes a loop: a function, or an object that is called like one, in every control period."""

    def __call__(
        self, time: float, observation: dict[str, NDArray[np.float64]], /
    ) -> Mapping[str, Any] | ArrayLike | None:
        """From the time (s) and what is observed: fields of the gait to change, joint torques to add until the next
        call, or None.
        """
