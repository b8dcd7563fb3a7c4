"""Converts documents from one form to another, and lists what the other form cannot carry.

`portable` is a tool between two forms. `atdf`, `ardf`, `mcp`, `openapi` and others read and write
one form each, and `errors` the forms of a failed call. `convert` selects them.
"""
