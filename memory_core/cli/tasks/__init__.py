"""Commands of `agent-memory task`, which keep notes about Backlog.md tasks.  `app` lists them."""
