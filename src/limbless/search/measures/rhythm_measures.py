"""`frequency`, `phase_lag`, `wavelength` of the joints; `activity_frequency` and `locking_time` of oscillators."""

from limbless.search.measures.measure_registry import measure
from limbless.simulation.analysis import rhythm

for _name, _unit, _meaning in (
    ("frequency", "Hz", "how often the joints go to and fro, their median over the second half of the run"),
    ("phase_lag", "1", "cycles by which each joint lags behind its neighbour on the side of the head, their mean"),
    ("wavelength", "1", "body lengths of the wave along the joints, positive where it runs from head to tail"),
):
    measure(_name, _unit, _meaning, wants=("time",))(getattr(rhythm, _name))
for _name, _unit, _meaning in (
    ("activity_frequency", "Hz", "turns per second of each oscillator, and their median"),
    ("locking_time", "s", "when oscillators keep step: differences of phase stay within 0.05 rad from then on"),
):
    measure(_name, _unit, _meaning, wants=("time", "oscillators"))(getattr(rhythm, _name))
