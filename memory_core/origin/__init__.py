"""Read where the texts of memories came from, decide what is new, and list what waits.

A text that may mislead agents waits for a person; nothing here changes a memory.
"""
