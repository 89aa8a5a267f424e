"""Check an installation, explain each problem, and do the safe repairs.

Each check returns findings; the command prints them.
"""
