"""Plans of interleaved requests from a seed, and oracles that judge what came back."""
