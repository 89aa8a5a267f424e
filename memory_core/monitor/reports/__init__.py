"""A report on some weeks of a project: what it says, and its formats.

Each format prints the same contents.
"""
