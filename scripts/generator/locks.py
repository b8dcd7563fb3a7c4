"""What one run must know of the last: translations, ids that were used, released files.

`translations.lock` has, for each text, the hashes of its three languages when they last agreed. If
an English text changes and a translation does not, the translation is stale. `ids.lock` has every
clause id that was ever used. `schema/released.sha256` freezes released versions.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from scripts.generator.clauses import Clause
from scripts.generator.problems import Problem, SourceError
from scripts.generator.texts import LANGUAGES, Text

TRANSLATIONS = "schema/source/translations.lock"
IDS = "schema/source/ids.lock"
RELEASED = "schema/released.sha256"
_TEXT = re.compile(r"(?P<key>.+) (?P<en>[0-9a-f]{12}) (?P<es>[0-9a-f]{12}) (?P<pt>[0-9a-f]{12})")
_ID = re.compile(r"(?P<id>[A-Z0-9-]+) (?P<state>live|retired)")
_FILE = re.compile(r"(?P<digest>[0-9a-f]{64})  (?P<name>.+)")
_NAMES = {"es": "Spanish", "pt": "Portuguese"}


def translations(
    root: Path, texts: Mapping[str, Text], *, accept: bool = False
) -> tuple[bytes, list[Problem]]:
    """Return the new content of `translations.lock`, and a problem for each stale translation.

    The entry of a stale text stays unchanged. With `accept`, its translations count as correct.
    """
    known = {
        entry["key"]: (entry["en"], entry["es"], entry["pt"])
        for entry in _entries(root, TRANSLATIONS, _TEXT)
    }
    made = {}
    problems = []
    for key, text in texts.items():
        now = tuple(_hash(text.in_language(language)) for language in LANGUAGES)
        before = known.get(key, now)
        late = [
            language
            for index, language in enumerate(LANGUAGES)
            if index and now[0] != before[0] and now[index] == before[index]
        ]
        if accept or not late:
            made[key] = now
            continue
        made[key] = before
        for language in late:
            what = f"The English text changed, and the {_NAMES[language]} one did not."
            do = "Translate the change; if it needs none, run with --accept-translations."
            problems.append(Problem(text.file, text.line, key, what, do))
    lines = [" ".join((key, *made[key])) for key in sorted(made)]
    return _text(lines), problems


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def ids(
    root: Path, clauses: Iterable[Clause], *, retire: Iterable[str] = ()
) -> tuple[bytes, list[Problem]]:
    """Return the new content of `ids.lock`, and a problem for each id that is reused or missing.

    It marks the ids in `retire` as retired; nobody can use those again.
    """
    known = {entry["id"]: entry["state"] for entry in _entries(root, IDS, _ID)}
    live = {clause.id: clause for clause in clauses}
    problems = []
    for name in retire:
        if name in live or known.get(name) != "live":
            what = f"{name} cannot be retired: it is in the source, or was never used."
            problems.append(Problem(IDS, 0, "", what, "Remove it from the source first."))
        else:
            known[name] = "retired"
    for name, state in sorted(known.items()):
        if state == "retired" and name in live:
            home = live[name].home
            what = f"The clause id {name} was used before, and is retired."
            problems.append(Problem(home.file, home.line, home.path, what, "Take a new number."))
        elif state == "live" and name not in live:
            what = f"The clause {name} is no longer in the source."
            do = f"Put it back, or give it up for good with --retire {name}."
            problems.append(Problem(IDS, 0, "", what, do))
    known |= {name: "live" for name in live if name not in known}
    return _text(f"{name} {state}" for name, state in sorted(known.items())), problems


def released(root: Path, files: Mapping[str, bytes]) -> list[Problem]:
    """Return a problem for each released file that `files` would change, or that is missing.

    A file that the source no longer makes must stay unchanged. It needs a later version.
    """
    problems = []
    for entry in _entries(root, RELEASED, _FILE):
        name = entry["name"]
        kept = root / name
        do = "Undo the change, or make it in a new version."
        if name in files:
            content = files[name]
            what = "A released file would change."
        elif not _followed(name, files):
            problems.append(Problem(name, 0, "", "A released file is no longer made.", do))
            continue
        elif kept.is_file():
            content = kept.read_bytes()
            what = "A released file was changed."
        else:
            problems.append(Problem(name, 0, "", "A released file is gone.", "Put it back."))
            continue
        if hashlib.sha256(content).hexdigest() != entry["digest"]:
            problems.append(Problem(name, 0, "", what, do))
    return problems


def _followed(name: str, files: Iterable[str]) -> bool:
    """Return whether the source makes the same file for a later version."""
    folder, spec, version, last = name.split("/")
    return any(
        each.startswith(f"{folder}/{spec}/") and each.endswith(f"/{last}")
        and number(each.split("/")[2]) > number(version)
        for each in files
    )  # fmt: skip


def number(version: str) -> tuple[int, ...]:
    """Return a version as numbers, which can be compared."""
    return tuple(int(part) for part in version.split("."))


def released_names(root: Path) -> list[str]:
    """Return the sorted paths of all released files."""
    return sorted(entry["name"] for entry in _entries(root, RELEASED, _FILE))


def release(root: Path, files: Mapping[str, bytes]) -> bytes:
    """Return the new content of `released.sha256`, which freezes the schemas and clauses."""
    digests = {entry["name"]: entry["digest"] for entry in _entries(root, RELEASED, _FILE)}
    for name, content in files.items():
        if name.startswith("schema/") and not name.startswith("schema/source/"):
            digests[name] = hashlib.sha256(content).hexdigest()
    return _text(f"{digest}  {name}" for name, digest in sorted(digests.items()))


def _entries(root: Path, name: str, form: re.Pattern[str]) -> list[re.Match[str]]:
    """Read a lock; raises `SourceError` for invalid lines, which a merge may leave."""
    file = root / name
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    entries = [form.fullmatch(line) for line in lines]
    odd = [number for number, entry in enumerate(entries, 1) if entry is None]
    if odd:
        do = "Take the lock of one side whole, and run `python -m scripts.generate`."
        what = "This is no line of the lock."
        raise SourceError([Problem(name, number, "", what, do) for number in odd])
    return [entry for entry in entries if entry is not None]


def _text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
