"""One run: from a scenario through time to a result, its analysis and its checkpoints."""
