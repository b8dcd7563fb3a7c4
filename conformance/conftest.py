"""Makes `pytest conformance` the conformance kit."""

from conformance.kit.plugin import *  # noqa: F403 - pytest finds the hooks by their names here
