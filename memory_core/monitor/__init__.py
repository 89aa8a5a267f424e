"""Observe a project: follow its event log, count what happens, and report the numbers.

Hooks write the log and never import this wing.
"""
