"""Tests of the dashboard in a real browser, with a project that real hooks filled."""
