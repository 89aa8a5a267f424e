"""Long stress tests of hooks and of merging; each is a program of which a test runs a part."""
