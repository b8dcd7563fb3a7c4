"""Diagrams of the pages: turns the text of a fence into a picture that needs no script."""
