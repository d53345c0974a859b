"""What pushes on a body."""
