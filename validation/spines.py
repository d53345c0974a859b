"""Rods as spines of many equal vertebrae: what the cases of rods under load share."""
from __future__ import annotations

import limbless as ll
from limbless.robots.tendon_spine import Tendon, Vertebra


def rod(count: int, length: float = 1.0, bending: float = 1.0, twisting: float | None = None, rest: float = 0.0, hole: float = 0.0,
        mass: float = 0.0) -> ll.TendonSpine:
    """Equal vertebrae with the stiffness (N m²) and mass (kg) of a rod; one straight tendon at the offset `hole` (m)."""
    l = length / count
    one = Vertebra(length=l, lateral_stiffness=bending / l, vertical_stiffness=bending / l,
                   twist_stiffness=None if twisting is None else twisting / l, rest_lateral=rest / count, joint_mass=mass / count,
                   disk_mass=0.0, volume=0.0)
    return ll.TendonSpine(vertebrae=(one,) * count, tendons=(Tendon(holes=((hole, 0.0),)),), disk_radius=1.0)
