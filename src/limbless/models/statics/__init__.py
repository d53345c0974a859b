"""The model whose problem is a spine at rest."""
