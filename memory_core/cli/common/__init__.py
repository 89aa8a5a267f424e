"""What several commands share: arguments, scopes, inputs, tables and messages.  No command is here."""
