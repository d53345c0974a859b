"""Non-smooth dynamics of a chain in contact (paper 002)."""

from limbless.models.nonsmooth.model import NonSmooth
from limbless.models.nonsmooth.settings import NonSmoothSettings
from limbless.models.nonsmooth.solution import Contacts

__all__ = ["Contacts", "NonSmooth", "NonSmoothSettings"]
