"""Extract learnings from an agent's report.

What becomes of a learning is decided in other wings.
"""
