"""What can be touched, a file per kind of shape; each says how near a body is and what is drawn of it."""
