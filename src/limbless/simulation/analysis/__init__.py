"""Numbers of a run from its Dataset: speed, energy, limits, and the balances that prove it."""
