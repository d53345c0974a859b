"""Many runs: plans, workers, stores, eight robots at a time."""
