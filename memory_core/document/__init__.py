"""Parse, edit and limit the text of a memory file.

All functions work on text: they open no file and read no history.
"""
