"""Interleave's engine: plain values from stage to stage, no web framework anywhere below."""
