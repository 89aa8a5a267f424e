"""The settings: their defaults, their models, and the reading and writing of config.yml.

Hooks read what `config_merge` has prepared, see `storage.config`.
"""
