"""The best of many: goals, objectives, optimisers, confirmation."""
