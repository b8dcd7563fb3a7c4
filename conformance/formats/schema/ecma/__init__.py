"""Regular expressions of ECMA-262: parsing, matching within a limit, and sample texts."""
