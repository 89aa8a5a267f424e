"""Choose the items of a memory that help with a task, within a budget of tokens."""
