"""The tables of the database which remembers a project on this machine."""
