"""Makes `pytest conformance` the conformance kit."""

pytest_plugins = ("conformance.kit.plugin.hooks",)
