"""The motion that a gait settles into: fixed points of a period map."""
