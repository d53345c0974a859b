"""What users bring and take away: robot files, films, learning, logs."""
