"""The pages that are made of the source and of the code, as plain Markdown in three languages."""
