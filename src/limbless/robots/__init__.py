"""What moves: descriptions of robots, and one file per ready robot."""
