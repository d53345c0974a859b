"""Non-smooth dynamics of a chain in contact (paper 002)."""
from limbless.models.nonsmooth.model import NonSmooth, NonSmoothSettings

__all__ = ["NonSmooth", "NonSmoothSettings"]
