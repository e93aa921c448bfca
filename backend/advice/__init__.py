"""From answers to a recommendation: rules, reasons, risks, and what would change it."""
