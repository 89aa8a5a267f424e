"""Keep one memory per task and synchronise it with Backlog.md.

Task memories share no file with the memories of agents.
"""
