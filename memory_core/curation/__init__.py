"""The actions of users: add, search, status, prune, export, undo.

Commands, MCP tools and the Python API call the same functions.
"""
