"""A chain, rigid or soft, among hard things: scene, moving bodies, memory of a step."""
