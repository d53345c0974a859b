"""What moves: descriptions of robots, and one file per ready robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.core.lazy import lazy_names

if TYPE_CHECKING:
    from limbless.robots.base import *
    from limbless.robots.chain import *
    from limbless.robots.chain_arrays import *
    from limbless.robots.joints import *
    from limbless.robots.links import *
    from limbless.robots.material import *
    from limbless.robots.rod import *
    from limbless.robots.rotation_matrices import *
    from limbless.robots.sections import *
    from limbless.robots.tendon import *
    from limbless.robots.tendon_spine import *

__getattr__ = lazy_names(
    __name__,
    {
        "base": "Array Bodies MOST_LINKS Preset Robot Segment SkinFriction",
        "chain": "Base Chain",
        "chain_arrays": "ChainArrays JointColumns PRISMATIC REVOLUTE SPHERICAL axis_number",
        "joints": "Bound FREEDOMS Joint PER_FREEDOM PerFreedom",
        "links": "BodyShape Link Mesh Sphere symmetric_matrix upper_triangle",
        "material": "MaterialLaw",
        "rod": "ACTUATED AXES HELD NATURAL PassiveStretch Rod RodPiece STILL STRAINS",
        "rotation_matrices": "ModifiedDH about_x snap",
        "sections": (
            "Box Capsule Direction EllipticCylinder HalfEllipsoid MassProperties Placed Solid ellipse_area "
            "ellipse_second_moments total"
        ),
        "tendon": "Cable ChannelTendon LinkTendon Place Winch agree names_of refuse_channels",
        "tendon_spine": "SpineSection Tendon TendonSpine Vertebra",
    },
)
