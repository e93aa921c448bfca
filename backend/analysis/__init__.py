"""What the requests tables show: groups, quantiles, uncertainty, comparisons, verdict."""
