"""The kit compared with its peers: the same servers, the same planted faults, in one run."""
