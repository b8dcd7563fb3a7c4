"""Makes `pytest conformance` run the conformance kit."""

pytest_plugins = ("conformance.kit.plugin.hooks",)
