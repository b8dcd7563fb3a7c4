"""Diagrams of the pages: from the words of a fence to a picture that needs no script."""
