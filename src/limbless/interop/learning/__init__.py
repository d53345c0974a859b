"""Learning: any scenario of a chain as an environment of Gymnasium (extra `learn`)."""

from limbless.interop.learning.environment import Env
from limbless.interop.learning.registered import register
from limbless.interop.learning.vector import VectorEnv

__all__ = ["Env", "VectorEnv"]

register()
