"""Compares the kit with its peers: the same servers and the same planted faults, in one run."""
