"""Measures what a session costs, in a separate process."""
