"""Statics of a tendon-driven spine (paper 004)."""

from limbless.models.tendon_statics.model import TendonStatics
from limbless.models.tendon_statics.settings import TendonStaticsSettings

__all__ = ["TendonStatics", "TendonStaticsSettings"]
