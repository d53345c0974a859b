"""Many runs with one question: sweeps, steady motions, the best of many, and where their numbers are kept."""
