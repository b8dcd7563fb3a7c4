"""The changelogs tell every dialect that the formats accept, and the errata every correction."""

from __future__ import annotations

from functools import cache

from conformance.formats.catalog import normalize as normalise
from conformance.formats.resource import resource
from conformance.formats.runtime import recognition as runtime_rows
from conformance.formats.tool import declared, descriptor
from conformance.formats.validate import recognize
from scripts.generator.build import Source, load_source, read_source
from tests.root import ROOT

DIALECTS = {
    recognize.LEGACY_LABEL,
    descriptor.OTHER_TYPE,
    normalise.NO_TYPE,
    resource.CONTENT,
    resource.BARE,
    runtime_rows.BY_ADAPTER,
    runtime_rows.RULE_FIELDS,
    runtime_rows.POLICY_IN_ITS_KEY,
    declared.EARLIER_KEYS,
    *(name for *_, name in declared.DIALECTS),
}


@cache
def source() -> Source:
    return read_source(load_source(ROOT))[0]


def test_every_dialect_is_told_under_its_name():
    told = {change.id for change in source().changes if change.kind == "dialect"}
    assert told >= DIALECTS
    # A place may be named by a pointer: a reader of errors takes it, and gives it no name.
    assert told - DIALECTS == {"pointer-for-a-place"}


def test_every_specification_tells_what_its_first_version_brought():
    told = {change.spec for change in source().changes if change.kind == "introduced"}
    assert told == set(source().project.versions)


def test_the_errata_of_an_example_are_listed_with_those_that_no_example_holds():
    ids = {erratum.id for erratum in source().errata}
    assert {"invalid-date-error-1", "lost-checklist", "bounds-translated"} <= ids
    assert len(ids) == len(source().errata)
