"""What stages hand each other: errors, exit codes, tables, findings, and where things live."""
