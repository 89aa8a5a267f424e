"""Install, upgrade, try and remove the hooks, as settings or as a plugin.

This wing changes no memory file itself; a hook that `hook_runner` runs may.
"""
