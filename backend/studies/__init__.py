"""Run a study: trials, the worker process, progress, run directories."""
