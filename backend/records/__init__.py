"""Decision records: what was decided, on which evidence, by whom; their life cycle and exports."""
