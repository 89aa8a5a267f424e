"""What several test files use, one module a topic."""
