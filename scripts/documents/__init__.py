"""Command lines for documents: `files` finds them, `report` writes what was found in them."""
