"""The command line: the same jobs as the pages, fit for a terminal and for CI."""
