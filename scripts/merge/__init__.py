"""The parts of `merge_results`: finding what is to be merged."""
