"""A plugin of pytest that makes a function of the kit raise: `BREAKS` names it, as `module:name`.

It raises at its first call, or with `BREAKS_ALWAYS` at each call. Then it writes the file `BROKEN`.
"""

import importlib
import os
import sys
from functools import wraps
from pathlib import Path


class PlantedError(Exception):
    """What a broken function raises: no part of the kit catches this alone."""


def broken(really, name):
    """The same function, which raises."""
    always, told = "BREAKS_ALWAYS" in os.environ, Path(os.environ["BROKEN"])

    @wraps(really)
    def raising(*values, **options):
        if always or not told.exists():
            told.touch()
            raise PlantedError(f"in {name}")
        return really(*values, **options)

    code = raising.__code__.replace(co_filename=really.__code__.co_filename)
    raising.__code__ = code  # it is the kit that fails, not a test
    return raising


def plant(place):
    """Break a function wherever a module of the kit has it by name."""
    module, _, name = place.partition(":")
    holder = importlib.import_module(module)
    *owners, last = name.split(".")
    for each in owners:
        holder = getattr(holder, each)
    really = vars(holder)[last]
    if isinstance(really, property):
        setattr(holder, last, property(broken(really.fget, name)))
        return
    made = broken(really, name)
    setattr(holder, last, made)
    for own, loaded in list(sys.modules.items()):
        if own.startswith("conformance") and getattr(loaded, last, None) is really:
            setattr(loaded, last, made)


if "BREAKS" in os.environ:
    plant(os.environ["BREAKS"])
