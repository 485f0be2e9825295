"""What `scripts/check` checks in Python."""
