"""Long trials of the hooks and of memories under git; each is a program, and a test runs a part."""
