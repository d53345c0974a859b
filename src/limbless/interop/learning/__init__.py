"""Learning: any scenario of a chain as an environment of Gymnasium (extra `learn`)."""

from limbless.interop.learning.gym_env import Env
from limbless.interop.learning.gym_vector_env import VectorEnv
from limbless.interop.learning.gymnasium_names import register

__all__ = ["Env", "VectorEnv"]

register()
