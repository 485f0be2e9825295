"""The campaigns of `scripts/stress`, one module each: the first line of its text, and `main(arguments)`."""
