"""What the server saw (trace, statistics, metrics), joined to what the client saw."""
