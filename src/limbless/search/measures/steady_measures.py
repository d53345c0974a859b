"""`steady.*`: numbers of the motion that a gait settles into, see `limbless.steady`."""

from operator import attrgetter

from limbless.search.measures.measure_registry import STEADY, measure

for _name, _unit, _meaning, _smooth, *_wants in (
    ("speed", "m/s", "speed of the steady motion along its path", True),
    ("turn_rate", "rad/s", "net turn of a period, over the period", True),
    ("positive_work", "J", "positive work of all actuators in a period", True),
    ("power", "W", "positive work of a period, over the period", True),
    ("cost_of_transport", "1", "positive work over weight times distance, of a period", True),
    ("peak_torque", "N m", "largest absolute torque of any joint", False, "torque"),
    (
        "torque_ratio",
        "1",
        "largest ratio of a joint's torque (norm of order 16 over time) to its `torque_limit`",
        True,
        "torque",
        "limit",
    ),
    (
        "spread",
        "1",
        "among contacts: largest difference of the speeds of three settled periods, over their mean",
        False,
    ),
    (
        "largest_multiplier",
        "1",
        "size of the largest Floquet multiplier: below 1 the motion is stable",
        False,
        "smoothness",
    ),
):
    measure(f"steady.{_name}", _unit, _meaning, needs=STEADY, smooth=_smooth, wants=tuple(_wants))(attrgetter(_name))
