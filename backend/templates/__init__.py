"""Reads ``model_templates/*/template.yaml``: tensors, parameters, samples, tolerances, needs."""
