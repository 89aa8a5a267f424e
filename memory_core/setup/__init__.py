"""Install, upgrade and remove the hooks, as settings or as a plugin.

It changes no memory file.
"""
