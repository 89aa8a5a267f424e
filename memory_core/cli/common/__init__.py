"""Arguments, scopes, inputs, tables and messages of all commands.  No module is a command."""
