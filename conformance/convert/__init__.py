"""From one form of a document to another, with a list of what the other form cannot carry.

`portable` holds a tool between two forms; `atdf`, `ardf`, `mcp`, `openai` and `openapi` read and
write one form each, `errors` those of a failed call; `convert` chooses.
"""
