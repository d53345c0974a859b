"""What knows no robot: refusals, units, files, descriptions and their registry, users' functions, splines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.core.citations import *
    from limbless.core.data_files import *
    from limbless.core.description import *
    from limbless.core.errors import *
    from limbless.core.fields import *
    from limbless.core.files import *
    from limbless.core.finite_differences import *
    from limbless.core.functions.callables import *
    from limbless.core.gc_pause import *
    from limbless.core.input_problems import *
    from limbless.core.interruption import *
    from limbless.core.kinds import *
    from limbless.core.resources import *
    from limbless.core.timeline import *
    from limbless.core.units import *

__version__ = "0.1.0"

__getattr__ = lazy_names(
    __name__,
    {
        "resources": "in_words spawned",
        "citations": "PAPERS",
        "data_files": "load_arrays open_archive open_hdf5 reading refuse_pipe refuse_special",
        "description": "Angle Description Field Listed Nested Quantity Quaternion Vector3 checked quantity",
        "errors": "InputError SimulationError nearest printable refuse_numbers refuse_unknown",
        "fields": "TRUTH description_at field_at holders html_table normalised type_of unit_at unit_of",
        "files": "as_word below fresh_folder replacing without_cluster write_table write_text",
        "finite_differences": "STENCIL STEP differences of_stencil",
        "functions.callables": (
            "FileName Function NamedFunction call folder_of functions_in located name_of named_in numbers_of "
            "refuse_named span text_of told"
        ),
        "gc_pause": "gc_paused skip_last_collection",
        "input_problems": "InputProblem dotted leaves problems_of report with_received",
        "interruption": "undisturbed",
        "kinds": "Family Place Refusal from_word reader refuse",
        "timeline": ("Array LOOKS Looks blocks_between knots_among knots_between on_grid parted recorded stage_times"),
        "units": "in_unit refusal spelled_out",
    },
)
