"""Published robots and families of them: a few numbers each, and `build()` makes the description."""
