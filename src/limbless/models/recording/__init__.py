"""Records of bodies and of water as the variables of a result."""
