"""The linter against a real Triton: the same generated configurations, judged by both."""
