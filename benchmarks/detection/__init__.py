"""Which faults the oracles detect, held against what was foretold before the first run."""
