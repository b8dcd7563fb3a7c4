"""Garbage is looked for seldom while a session gathers, and as before once that is over."""

import gc

import pytest

from conformance.kit.plugin.recording import collecting_seldom


def interrupted(before, frozen):
    with collecting_seldom():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > frozen
        raise KeyboardInterrupt


def test_what_was_set_before_is_set_again_even_after_an_interrupt():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    with pytest.raises(KeyboardInterrupt):
        interrupted(before, frozen)
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() <= frozen
