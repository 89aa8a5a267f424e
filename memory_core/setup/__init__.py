"""Install, upgrade, try and remove the hooks, as settings or as a plugin, and create memories.

This wing changes no item of a memory itself; a hook that `hook_runner` runs may.
"""
