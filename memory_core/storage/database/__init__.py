"""The database which remembers a project on this machine, one module for each group of tables.

`state_db` opens it; no hook that delivers or collects does.
"""
