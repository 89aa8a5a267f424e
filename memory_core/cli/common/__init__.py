"""Arguments, scopes, lines and messages of all commands.  No module is a command."""
