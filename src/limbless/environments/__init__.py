"""What pushes back on a robot: one file per environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.environments.base import *
    from limbless.environments.buoyancy import *
    from limbless.environments.clamp import *
    from limbless.environments.constraint import *
    from limbless.environments.drag import *
    from limbless.environments.gravity import *
    from limbless.environments.ground import *
    from limbless.environments.hard_surface import *
    from limbless.environments.law_packing import *
    from limbless.environments.open_water import *
    from limbless.environments.point_wrench import *
    from limbless.environments.solids import *
    from limbless.environments.support import *
    from limbless.environments.water import *
    from limbless.environments.wheels import *

__getattr__ = lazy_names(
    __name__,
    {
        "base": "CURRENT Environment MOST_POINTS Pack refuse_points segments_of together",
        "buoyancy": "Buoyancy",
        "clamp": "Clamp",
        "constraint": "Constraint Places",
        "drag": "Drag",
        "gravity": "STANDARD field_among",
        "ground": "Ground",
        "hard_surface": "CONES Cone ContactEnvironment Surfaces along_x surface_row",
        "law_packing": (
            "NO_VOLUME added_inertia body_rows end_face field_rows gauss_rules in_slices in_windows "
            "lifted_fills links_of put_force segment_rows stations"
        ),
        "open_water": "flows_of pack_open surface_of",
        "point_wrench": "PointWrench breaks_of",
        "solids": "DrawnBall DrawnBar DrawnBox DrawnRelief DrawnSheet DrawnTube WAVE_CELLS level_water",
        "support": "NEVER Support",
        "water": "DEFAULT_VISCOSITY Water",
        "wheels": "WheelContact Wheels",
    },
)
