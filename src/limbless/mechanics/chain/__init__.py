"""Serial chains: what their joints are, how they move, what drives them."""
