"""Candidates and their ``config.pbtxt``: build, write, parse, compare, explain."""
