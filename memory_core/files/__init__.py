"""Open, list, replace and delete files below one folder, and never outside it.

It imports no other wing.
"""
