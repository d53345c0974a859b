"""Models whose problem is a chain of joints and strain cells, smooth or in contact."""
