"""The linter of ``config.pbtxt``: a table of rules over a located configuration."""
