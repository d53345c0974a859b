"""Controllers with state: what they sense, what they command, and the rates of their own numbers in a run's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.mechanics.control.block_diagram import *
    from limbless.mechanics.control.closed_loop import *
    from limbless.mechanics.control.muscles import *
    from limbless.mechanics.control.oscillators import *
    from limbless.mechanics.control.senses import *

__getattr__ = lazy_names(
    __name__,
    {
        "block_diagram": "BlockDiagram Samples",
        "closed_loop": "command command_all place_joints put_all_control_rates put_control_rates put_tendon sample",
        "muscles": "MusclePairs",
        "oscillators": "FeedbackRows OscillatorTables Outputs Ramp",
        "senses": "Delays Noise SenseRows Senses sample_senses sense_early sense_late",
    },
)
