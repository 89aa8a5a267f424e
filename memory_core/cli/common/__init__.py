"""Arguments, scopes, inputs, lines and messages of all commands.  No module is a command."""
