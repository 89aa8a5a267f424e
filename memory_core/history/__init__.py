"""Compute from history records: the state of items, undo steps, performance and common errors.

The records come as values: `storage` reads and writes them.
"""
