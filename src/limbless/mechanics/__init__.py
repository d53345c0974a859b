"""Mathematics and compiled kernels; nothing here knows a robot, a gait or an environment by name."""
