"""Recall a memory for a prompt, and save the learnings of a report.

Every change of an item passes through `transaction`; `git.resolve` combines whole files.
"""
