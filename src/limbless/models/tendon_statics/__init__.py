"""Statics of a tendon-driven spine (paper 004)."""
from limbless.models.tendon_statics.model import TendonStatics

__all__ = ["TendonStatics"]
