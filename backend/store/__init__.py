"""The index of runs and the decision records: SQLite, or a team's PostgreSQL by URL."""
