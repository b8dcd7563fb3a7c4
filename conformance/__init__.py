"""The specifications, the formats, the conformance kit and its chapters."""
