"""`SkinFriction`: how a robot's skin rubs on what it touches."""

from __future__ import annotations

from limbless.core import Description, Quantity, quantity


class SkinFriction(Description):
    """Friction of a skin with scales, or on small wheels: less along the body than across it. It acts on every ground
    and obstacle that states none of its own.
    """

    forward: Quantity[float] = quantity(0.1, "1", "friction along the body while it slides head first", ge=0)
    lateral: Quantity[float] = quantity(0.5, "1", "friction across the body", ge=0)
    backward: Quantity[float | None] = quantity(
        None, "1", "friction along the body while it slides tail first; as `forward` if absent", ge=0
    )
