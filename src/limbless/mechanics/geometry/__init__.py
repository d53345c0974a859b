"""The geometric model: a head that carries a chain, with clamps and wheels."""
