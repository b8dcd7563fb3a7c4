"""The formats, the kit and its chapters."""

from conformance.late_grammar import put_off

put_off()
