"""Recall a memory for a prompt, and remember what a report teaches.

Every change of a memory file is written here.
"""
