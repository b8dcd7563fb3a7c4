"""The pages that are made from the source and the code, as plain Markdown in three languages."""
