"""Parse, edit and limit the text of a memory file.

Text goes in and text comes out: no file is opened and no history is read.
"""
