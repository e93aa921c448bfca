"""Sends a plan to a Triton, one gRPC stream per live session, and knows what that cost itself."""
