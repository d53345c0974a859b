"""The model whose problem is a rod of given strains."""
