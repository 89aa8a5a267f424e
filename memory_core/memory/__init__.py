"""Recall a memory for a prompt, and save the learnings of a report.

Every change of a memory file is written here.
"""
