"""Cases: from a tool's input schema to calls with a named intent."""
