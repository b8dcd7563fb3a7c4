"""Cases: from a tool's input schema to calls with a named intent (the kit's section 3)."""
