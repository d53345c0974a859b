"""What knows no robot: refusals, units, files, descriptions and their registry, users' functions, splines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.core.data_files import *
    from limbless.core.description import *
    from limbless.core.errors import *
    from limbless.core.files import *
    from limbless.core.gc_pause import *
    from limbless.core.input_problems import *
    from limbless.core.interruption import *
    from limbless.core.timeline import *
    from limbless.core.units import *

__version__ = "0.1.0"

__getattr__ = lazy_names(
    __name__,
    {
        "data_files": "load_arrays open_archive open_hdf5 refuse_pipe refuse_special",
        "description": "Angle Description Field Listed Nested Quantity Quaternion Vector3 quantity",
        "errors": "InputError SimulationError nearest printable refuse_numbers",
        "files": "as_word below fresh_folder replacing without_cluster write_table write_text",
        "gc_pause": "gc_paused skip_last_collection",
        "input_problems": "InputProblem dotted problems_of report with_received",
        "interruption": "undisturbed",
        "timeline": "LOOKS Looks blocks_between knots_among knots_between on_grid parted recorded stage_times",
        "units": "in_unit refusal spelled_out",
    },
)
