"""Altair charts from findings and from what the analysis prepared; no data work.

Every chart reads in a light and a dark theme: transparent background, all text in axes, headings
and legends (which the page's theme colours), marks in mid-tones with at least 3:1 contrast on
both. Beside each chart stands a function that says its finding in one sentence, for screen readers.
"""
