"""Makes `pytest conformance` the conformance kit."""

from conformance.kit.plugin.hooks import *  # noqa: F403 - pytest finds the hooks by their names here
