"""The report: what a session found, for people and for programs."""
