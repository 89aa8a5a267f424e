"""Recall a memory for a prompt, and save the learnings of a report.

Every change of an item, by a run or by a person, passes through `transaction`.
"""
