"""A result as nodes of a scene: bodies, skins, arrows, surroundings."""
