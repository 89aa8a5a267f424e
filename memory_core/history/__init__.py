"""Compute the state of items from history records, and performance from runs.

The records come as values: `storage` reads and writes them.
"""
