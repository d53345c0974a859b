"""Python functions inside descriptions: named, written, asked for their arguments, and permitted."""
