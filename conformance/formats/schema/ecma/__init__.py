"""Regular expressions as ECMA-262 means them: read, matched within a limit, filled in."""
