"""Helpers that several test files share, one module per topic."""
