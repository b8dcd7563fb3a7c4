"""The text that `--explain` prints about a clause."""

from __future__ import annotations

import json
from collections.abc import Iterator

from conformance.kit.report.safe_text import visible
from conformance.kit.verdicts.run_result import REPAIR_CLAUSE
from conformance.spec.clauses import CLONE, Clause, clause_url, clauses
from conformance.spec.messages import Message, message
from conformance.spec.suggest_clause import near_clause
from conformance.spec.vocabulary import Era, Requirement, Scope


class NoSuchClauseError(LookupError):
    """No clause has this id; `words` names the most similar ids."""

    def __init__(self, id: str, language: str) -> None:
        super().__init__(id)
        near = near_clause(id, language)
        self.words: Message = message("kit.no_such_clause", clause=visible(id), near=near)


def clause_of(id: str, language: str = "en") -> Clause:
    """Return the clause with this id, in upper or lower case; raises `NoSuchClauseError`."""
    try:
        return clauses()[id.upper()]
    except KeyError:
        raise NoSuchClauseError(id, language) from None


def explained(clause: Clause, language: str) -> str:
    """Return a clause's sentence, reason and scope, how it is verified, and broken examples."""
    parts = [f"{clause.id}.{n}  {each[language]}" for n, each in enumerate(clause.parts, 1)]
    lines = [clause.id, "", *(parts or [clause.text[language]]), ""]
    if clause.why is not None:
        lines += [message("kit.explain.why", why=clause.why[language]).words(language), ""]
    facts = list(_facts(clause, language))
    width = max(len(name) for name, _ in facts)
    lines += [f"{name:<{width}}  {said}" for name, said in facts]
    if clause.source is not None:
        lines += ["", f"“{clause.source.quote}”", clause.source.url]
    return "\n".join(lines)


def _facts(clause: Clause, language: str) -> Iterator[tuple[str, str]]:
    def say(id: str, **values: object) -> str:
        return message(id, **values).words(language)

    required = say(f"report.requirement.{clause.requirement.value.lower()}")
    if clause.where_claimed is not None:
        raised = say(f"report.requirement.{clause.where_claimed.value.lower()}")
        required += f" ({say('kit.explain.raised', requirement=raised)})"
    yield say("kit.explain.requirement"), required
    yield say("kit.explain.status"), say(f"vocabulary.status.{clause.status.value}")
    of_target = clause.scope is not Scope.DOCUMENT  # no session asks a target for a document
    counts = Requirement.MUST in (clause.requirement, clause.where_claimed)
    if of_target and (counts or clause.id == REPAIR_CLAUSE):
        yield say("kit.explain.level"), say(f"vocabulary.needed_for.{clause.needed_for.value}")
    elif of_target and clause.requirement is Requirement.SHOULD:
        yield say("kit.explain.level"), say("kit.explain.no_level")
    yield say("kit.explain.scope"), say(f"vocabulary.scope.{clause.scope.value}")
    if of_target:
        yield say("kit.explain.where"), _where(clause, language)
    if clause.excluded is not None:
        yield say("kit.explain.not_judged"), clause.excluded[language]
    elif clause.verified is not None:
        yield say("kit.explain.judged"), say(f"vocabulary.verified.{clause.verified.value}")
    for title, file in _broken_examples(clause, language):
        yield say("kit.explain.example"), f"{title} ({file})"
    yield say("kit.explain.page"), clause_url(clause, language)


def _where(clause: Clause, language: str) -> str:
    def say(id: str, **values: object) -> str:
        return message(f"kit.explain.{id}", **values).words(language)

    limits = clause.applies_to
    parts = [", ".join(say(f"binding.{one.value}") for one in limits.bindings)]
    if set(limits.eras) != set(Era):
        parts.append(", ".join(say(f"era.{one.value}") for one in limits.eras))
    alone = limits.since is not None and limits.since == limits.until
    if alone:
        parts.append(say("only", version=limits.since))
    if limits.since is not None and not alone:
        parts.append(say("since", version=limits.since))
    if limits.until is not None and not alone:
        parts.append(say("until", version=limits.until))
    if limits.claimed:
        parts.append(say("claimed"))
    if limits.offers is not None:
        parts.append(say(f"offers.{limits.offers.value}"))
    if limits.openapi is not None:
        parts.append(say("openapi.only" if limits.openapi else "openapi.not"))
    return "; ".join(filter(None, parts)) or say("everywhere")


def _broken_examples(clause: Clause, language: str) -> list[tuple[str, str]]:
    """Return the title and file of at most two examples that break only this clause."""
    if clause.requirement is Requirement.MAY:
        return []  # a permission cannot be broken
    if CLONE is None:
        return []  # the examples are not installed
    index = CLONE / "fixtures" / "examples" / clause.spec / "index.json"
    if not index.exists():
        return []  # a specification of bindings has no example documents
    listed = json.loads(index.read_text(encoding="utf-8"))["invalid"]
    place = index.parent.relative_to(CLONE).as_posix()
    return [
        (each["title"][language], f"{place}/{each['file']}")
        for each in listed
        if each["breaks"] == clause.id
    ][:2]
