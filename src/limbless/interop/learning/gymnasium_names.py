"""What learning needs of Gymnasium: the package itself, and a name there."""

from __future__ import annotations

from limbless.core import InputError

NAME = "limbless/Scenario-v0"

try:
    import gymnasium
except ImportError:
    raise InputError("learning needs the extra learn: pip install 'limbless[learn]'") from None


def register() -> None:
    """`gymnasium.make("limbless/Scenario-v0", scenario=...)` makes an `Env`."""
    if NAME not in gymnasium.registry:
        gymnasium.register(
            id=NAME,
            entry_point="limbless.interop.learning.gym_env:Env",
            vector_entry_point="limbless.interop.learning.gym_vector_env:VectorEnv",
        )
