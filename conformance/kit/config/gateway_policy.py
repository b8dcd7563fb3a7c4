"""The gateway policy that a user declares, and the line of the first mistake in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from ruamel.yaml.error import YAMLError

from conformance.formats.problem import Place
from conformance.formats.text.yaml_text import YamlFault, yaml_positions
from conformance.formats.validate.validate import validate
from conformance.kit.config.given_files import given_json, given_text
from conformance.kit.config.system_words import in_one_line
from conformance.spec.messages import Message, message
from conformance.spec.published import validator
from conformance.spec.vocabulary import ApiFamily

PLAYED: Final = tuple(each.value for each in ApiFamily if each is not ApiFamily.CUSTOM)
"""The families of the providers that the kit plays."""
_CHAIN: Final = "chain"
_SCHEMA: Final = "$schema"
"""The member by which an editor finds the schema."""
_OWN: Final = re.compile(r"x-.|[\w-]+(?:\.[\w-]+)+/.")
"""How the name of a custom member starts. Any other unknown name may be a typing mistake."""


class PolicyUnusable(ValueError):
    """A file is not a valid policy.

    `line` is the line of the mistake, or 0 if the words name the place.
    """

    def __init__(self, said: Message | str, line: int = 0, path: str = "") -> None:
        super().__init__(line)
        self._said, self.line, self._path = said, line, path

    def words(self, language: str) -> str:
        """Return what is wrong, without a full stop."""
        said = self._said if isinstance(self._said, str) else self._said.words(language)
        return f"{self._path}: {said}".removeprefix(": ").rstrip(".")


def policy_of(path: Path) -> Mapping[str, Any]:
    """Return the policy in a file. Raises `PolicyUnusable`."""
    try:
        policy = given_json(path)
        mistake = next(_mistakes(policy), None) or next(_problems(policy), None)
        if mistake is None:
            held: Mapping[str, Any] = policy
            return held
        place, said, named = mistake
        position = yaml_positions(given_text(path), [place])[place]
    except YamlFault as error:
        raise PolicyUnusable(error.message) from None
    except (OSError, ValueError, YAMLError) as error:
        raise PolicyUnusable(in_one_line(error)) from None
    raise PolicyUnusable(said, position.line, named)


_Mistake = tuple[Place, Message, str]
"""The place of a mistake, the message about it, and the path if the message lacks it."""


def _problems(policy: Any) -> Iterator[_Mistake]:
    """Yield what the schema refuses."""
    for each in validate(policy, "gateway-policy"):
        yield each.place, each.message, each.path


def _mistakes(policy: Any) -> Iterator[_Mistake]:
    """Yield the mistakes that the schema accepts.

    These are unknown members, and providers that the kit cannot play.
    """
    known = _members("gateway-policy")
    if not isinstance(policy, dict):
        # The schema's message would quote the value. A link may lead to a file that is a secret.
        yield (), message("kit.policy.no_object", known=_listed(known)), ""
        return
    told = {name: held for name, held in policy.items() if name != _SCHEMA}
    yield from _unknown((), told, known)
    members: dict[str, Collection[str]] = {
        name: each["properties"] for name, each in known.items() if "properties" in each
    }
    members["retry"] = _members("retry-policy")
    members["models"] = (*PLAYED, _CHAIN)
    for name, own in members.items():
        held = policy.get(name)
        if isinstance(held, dict):
            yield from _unknown((name,), held, own)
    fallback = policy.get("fallback")
    order = fallback.get("order") if isinstance(fallback, dict) else None
    for place, family in enumerate(order if isinstance(order, list) else ()):
        if family == ApiFamily.CUSTOM:
            families = ", ".join(f"`{each}`" for each in PLAYED)
            said = message("kit.policy.custom", families=families)
            yield ("fallback", "order", place), said, ""


def _members(document: str) -> Mapping[str, Any]:
    schema = validator(document).schema
    assert isinstance(schema, dict)
    members: Mapping[str, Any] = schema["properties"]
    return members


def _unknown(place: Place, held: Mapping[Any, Any], known: Collection[str]) -> Iterator[_Mistake]:
    lead = "".join(f"{each}." for each in place)
    for name in held:
        if name not in known and _OWN.match(str(name)) is None:
            near = get_close_matches(str(name), known, 1)
            id = "kit.policy.member_near" if near else "kit.policy.member"
            values = {"nearest": f"{lead}{near[0]}"} if near else {"known": _listed(known, lead)}
            yield (*place, str(name)), message(id, name=f"{lead}{name}", **values), ""


def _listed(known: Iterable[str], lead: str = "") -> str:
    return ", ".join(f"`{lead}{each}`" for each in known)
