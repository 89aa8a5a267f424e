"""Follow the event log of a project: what it contains, reading it live, and export.

Hooks write the log and never import this wing.
"""
