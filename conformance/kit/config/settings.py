"""The checked settings of a session."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.formats.schema.uri import urlsplit
from conformance.kit.config.examples import ExamplesUnusable, read_examples
from conformance.kit.config.gateway_policy import PolicyUnusable, policy_of
from conformance.kit.config.given_secrets import in_headers, in_target, in_values
from conformance.kit.config.options import OPTIONS
from conformance.kit.config.secrets import Redactor, is_secret_name
from conformance.kit.config.system_words import why_no_file, why_no_new_file
from conformance.kit.config.waivers import WaiversUnusable, read_waivers
from conformance.kit.model.loopback import is_loopback
from conformance.kit.model.results import Waiver
from conformance.kit.model.run import Role
from conformance.kit.model.settings import (
    EVERY_OTHER_TOOL,
    RECORD,
    AllowCalls,
    Settings,
    is_pattern,
)
from conformance.spec.clauses import CLONE, id_base
from conformance.spec.messages import Message, message
from conformance.spec.vocabulary import Level

_ADDRESS = re.compile(r"(?:localhost|\[[0-9a-fA-F:]+\]|[\w-]+(?:\.[\w-]+)+)(?::\d{1,5})?(?:/\S*)?")
"""A host, perhaps with a port and a path, and with nothing before it."""
_ROUTE = re.compile(r"(?:(?P<tool>.+)=)?(?P<method>[A-Za-z]+)\s+(?P<path>/.*)", re.DOTALL)
"""A method and a path, for one tool if it is named."""
_LAST_PORT = 65_535
_MOST_PATTERNS = 100
"""The most patterns of `--include-tool` or `--exclude-tool`: each is compared with each tool."""
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header (RFC 9110)."""
_VALUE = re.compile("[ -~]*")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")
"""What is surely a name of a variable. Anything else may be the secret: `--bearer-env "$TOKEN"`."""


class OptionUnusable(Exception):
    """An option or a file cannot be used. The text is one sentence in the user's language."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """The settings of a session, and the words of a command line that repeats it.

    The words contain secrets as they were given: redact each word before you quote it.
    """

    settings: Settings
    words: tuple[str, ...]
    told: Message | None = None
    """Says which options came from a settings file."""


def need_target(settings: Settings, here: Path) -> None:
    """Raise `OptionUnusable` if there is nothing to check.

    Its text says in three lines how to name a target. For someone who is `here` in a clone, the
    default target is its reference server.
    """
    in_clone = CLONE is not None and here.resolve().is_relative_to(CLONE)
    if settings.targets or settings.judge is not None or in_clone:
        return
    folder = "" if settings.language == "en" else f"{settings.language}/"
    guide = f"{id_base()}/{folder}conformance/quick-start/#targets"
    command = "agent-formats check"
    raise _usage("kit.option.no_target", settings.language, command=command, guide=guide)


def settings_of(options: Mapping[str, Any], here: Path) -> Settings:
    """Return the checked settings from all options by `dest`. Paths are relative to `here`.

    Raises `OptionUnusable`.
    """

    def option(flag: str) -> Any:
        return options[OPTIONS[flag.removeprefix("--")].dest]

    language: str = option("--language")
    headers = [_header(text, language) for text in option("--header")]
    environment = {name: _variable(name, "--env", language) for name in option("--env")}
    bearer = option("--bearer-env")
    if bearer is not None:
        headers.append(("Authorization", f"Bearer {_bearer(bearer, language)}"))
    gateways = tuple(option("--gateway"))
    targets = (*option("--target"), *gateways)
    for number, name in ((option("--concurrency"), "--concurrency"),
                         (option("--max-time"), "--max-time"),
                         (option("--request-timeout"), "--request-timeout"),
                         (option("--start-timeout"), "--start-timeout")):  # fmt: skip
        if not 0 < number < math.inf:
            raise _usage("kit.option.not_positive", language, option=name, value=number)
    for name in ("--max-examples", "--rate"):
        if not 0 <= option(name) < math.inf:
            raise _usage("kit.option.negative", language, option=name, value=option(name))
    if 0 < option("--rate") * option("--max-time") < 1:
        seconds = f"{option('--max-time'):g}"
        raise _usage("kit.option.too_slow", language, rate=option("--rate"), seconds=seconds)
    for target in targets:
        if target not in gateways:
            _check_target(target, language)
    _check_gateways(gateways, option("--allow-calls"), language)
    _check_globs(option("--include-tool"), option("--exclude-tool"), language)
    recording = option("--judge")
    level = Level(option("--level")) if option("--level") else None
    if level is not None:
        _check_level(level, option, language)
    if recording is not None and (targets or option("--replay") or option("--plan")):
        raise _usage("kit.option.judge_alone", language)
    routes, openapi = _routes(option("--invoke"), language), option("--openapi")
    if option("--plan") and option("--write-examples"):
        raise _usage("kit.option.plan_without_answers", language)
    allow = option("--allow-calls") or ("auto" if targets else "all")
    return Settings(
        targets=targets,
        profiles=tuple(option("--profile")),
        spec_versions=tuple(option("--spec-version")),
        fail_on_should="should" in option("--fail-on"),
        fail_on_superseded="superseded" in option("--fail-on"),
        level=level,
        headers=tuple(headers),
        environment=environment,
        invoke=routes,
        provider=_provider(option("--provider"), language),
        gateway_policy=_policy(option("--gateway-policy"), here, language),
        openapi=openapi,
        include_tools=tuple(option("--include-tool")),
        exclude_tools=tuple(option("--exclude-tool")),
        allow_calls=AllowCalls(allow),
        sandbox=option("--sandbox"),
        examples=_known_calls(option("--examples"), environment, language),
        write_examples=_new_file(option("--write-examples"), here, language),
        waivers=_waivers(option("--waivers"), here, language),
        waivers_file=option("--waivers") or "",
        seed=option("--seed"),
        max_examples=option("--max-examples"),
        concurrency=option("--concurrency"),
        rate=option("--rate"),
        max_time=option("--max-time"),
        request_timeout=option("--request-timeout"),
        start_timeout=option("--start-timeout"),
        report=here / option("--report"),
        language=language,
        replay=option("--replay"),
        judge=_recording(here / recording, language) if recording is not None else None,
        plan_only=option("--plan"),
        secrets=(
            *_secrets(headers, environment, targets),
            *_in_addresses((openapi or "", *(path for _, path in routes.values()))),
        ),
        credentials=_credentials(headers, environment),
    )


def _check_level(level: Level, option: Callable[[str], Any], language: str) -> None:
    """Refuse a level that cannot be reached: servers and gateways have different ones."""
    if option("--allow-calls") == "none" and level is not Level.DESCRIBED:
        raise _usage("kit.option.level_without_calls", language, level=level)
    if option("--replay") is not None:
        raise _usage("kit.exit.level_of_selection", language, level=level)
    gateways = bool(option("--gateway"))
    servers = bool(option("--target")) or not (gateways or option("--judge"))
    for role, given in ((Role.GATEWAY, gateways), (Role.SERVER, servers)):
        if given and level not in role.levels:
            levels = ", ".join(role.levels[1:])
            raise _usage("kit.option.level_of_others", language, level=level, levels=levels)


def _recording(path: Path, language: str) -> Path:
    """Return the record at a path, or in the report directory at that path.

    Raises `OptionUnusable` if there is none. This happens before an earlier report is removed,
    because the record may be part of that report.
    """
    file = path / RECORD if os.path.isdir(path) else path
    if (reason := why_no_file(file)) is not None:
        raise _usage("kit.judge.unreadable", language, file=file, reason=reason)
    return file


def _new_file(path: str | None, here: Path, language: str) -> Path | None:
    """Return the path of a file to write.

    Raises `OptionUnusable` if it exists or cannot be made.
    """
    if path is None:
        return None
    file = here / path
    if os.path.lexists(file):
        raise _usage("kit.option.examples_there", language, path=path)
    if (reason := why_no_new_file(file)) is not None:
        raise _usage("kit.option.examples", language, path=path, reason=reason)
    return file


def _check_globs(included: Sequence[str], excluded: Sequence[str], language: str) -> None:
    for name, globs in (("--include-tool", included), ("--exclude-tool", excluded)):
        if sum(map(is_pattern, globs)) > _MOST_PATTERNS:
            raise _usage("kit.option.patterns", language, option=name, limit=_MOST_PATTERNS)
    both = sorted(set(included) & set(excluded))
    if both:
        raise _usage("kit.option.contradict", language, globs=", ".join(both))


def _usage(id: str, language: str, **values: object) -> OptionUnusable:
    return OptionUnusable(message(id, **values).words(language))


def _header(text: str, language: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not _TOKEN.fullmatch(name.strip()) or not _VALUE.fullmatch(value):
        raise _usage("kit.option.header", language)  # its text may be a secret
    return name.strip(), value.strip()


def _bearer(name: str, language: str) -> str:
    value = _variable(name, "--bearer-env", language).strip()
    if not value or not _VALUE.fullmatch(value):
        raise _usage("kit.option.bearer", language, name=name)
    return value


def _variable(name: str, option: str, language: str) -> str:
    value = os.environ.get(name)
    if value is None:
        known = "kit.option.no_variable" if _VARIABLE.fullmatch(name) else "kit.option.no_name"
        raise _usage(known, language, name=name, option=option)
    return value


def _check_target(target: str, language: str) -> None:
    shown = Redactor(in_target(target))(target)
    if target.startswith("stdio:"):
        try:
            empty = not shlex.split(target.removeprefix("stdio:"))
        except ValueError:
            empty = True
        if empty:
            raise _usage("kit.option.command", language, target=shown)
        return
    try:
        parts = urlsplit(target)
        sound = parts.scheme in {"http", "https"} and parts.hostname
    except ValueError:  # an incomplete IPv6 address
        sound = False
    if not sound or not target.isprintable() or " " in target:
        starter = _starter(target)
        if starter is not None:
            example = f"stdio:{starter}{shown}"
            raise _usage("kit.target.a_command", language, target=shown, example=example)
        if _ADDRESS.fullmatch(target):
            raise _usage("kit.target.no_scheme", language, target=shown)
        raise _usage("kit.target.not_a_target", language, target=shown)
    try:
        known_port = parts.port != 0
    except ValueError:  # above 65535, or not a number
        known_port = False
    if not known_port:
        raise _usage("kit.target.port", language, target=shown)


def _starter(target: str) -> str | None:
    """Return the prefix that makes a command or file start a server; None if it is neither."""
    first, more, _ = target.partition(" ")
    if shutil.which(first) is not None or (more and _WORD.fullmatch(first)):
        return ""
    return _STARTERS.get(Path(first).suffix) if os.path.isfile(first) else None


_WORD = re.compile(r"[\w-]+")
_STARTERS = {".py": "python ", ".js": "node ", ".mjs": "node "}
_GATEWAY = re.compile(r"(?:native|openai)\+(?P<url>https?://\S+)")


def _check_gateways(gateways: Iterable[str], allow: str | None, language: str) -> None:
    """Refuse a gateway that is not on this machine, or that may not be called.

    It has to reach the provider that the kit plays.
    """
    for gateway in gateways:
        found = _GATEWAY.fullmatch(gateway)
        if found is None or not is_loopback(found["url"]) or not gateway.isprintable():
            shown = Redactor(in_target(gateway))(gateway)
            raise _usage("kit.option.gateway", language, given=shown)
        if allow == "none":
            raise _usage("kit.option.gateway_without_calls", language)


def _provider(given: str, language: str) -> tuple[str, int]:
    host, _, port = given.rpartition(":")
    is_port = re.fullmatch("[0-9]{1,5}", port) is not None and int(port) <= _LAST_PORT
    if not is_port or not is_loopback(f"//{host}"):
        raise _usage("kit.option.provider", language, given=given)
    return host.strip("[]"), int(port)


def _policy(path: str | None, here: Path, language: str) -> Mapping[str, Any]:
    if path is None:
        return {}
    try:
        return policy_of(here / path)
    except PolicyUnusable as mistake:
        reason = mistake.words(language)
        if mistake.line:
            given = {"path": path, "line": mistake.line, "reason": reason}
            raise _usage("kit.option.policy_line", language, **given) from None
        raise _usage("kit.option.policy", language, path=path, reason=reason) from None


def _routes(given: Iterable[str], language: str) -> dict[str, tuple[str, str]]:
    """Return the routes of `--invoke` by tool. The route for all other tools has an empty name."""
    routes: dict[str, tuple[str, str]] = {}
    for text in given:
        found = _ROUTE.fullmatch(text.strip())
        if found is None:
            raise _usage("kit.option.invoke", language, text=text, example="POST /api/{tool}")
        tool = found["tool"] or EVERY_OTHER_TOOL
        if tool in routes:
            raise _usage("kit.option.invoke_twice", language, text=text)
        routes[tool] = found["method"].upper(), found["path"]
    return routes


def _secrets(
    headers: list[tuple[str, str]], environment: Mapping[str, str], targets: tuple[str, ...]
) -> tuple[str, ...]:
    own = [*in_headers(headers), *in_values(environment.values())]
    named = [secret for target in targets for secret in in_target(target)]
    others = in_values(value for name, value in os.environ.items() if is_secret_name(name))
    return (*own, *named, *others)


def _in_addresses(addresses: Iterable[str]) -> Iterator[str]:
    """Yield the secrets before the host and in the query. A path may be the name of a file."""
    for address in addresses:
        scheme, between, rest = address.partition("://")
        host = re.split("[/?]", rest, maxsplit=1)[0]
        yield from in_target(
            f"{scheme + between + host if between else ''}?{address.partition('?')[2]}"
        )


def _credentials(headers: list[tuple[str, str]], environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values that prove who calls. A server may repeat other values, such as a path."""
    given = [*headers, *environment.items()]
    return tuple(value.removeprefix("Bearer ") for name, value in given if is_secret_name(name))


def _known_calls(
    path: str | None, environment: Mapping[str, str], language: str
) -> dict[str, tuple[Mapping[str, Any], ...]]:
    if path is None:
        return {}
    try:
        return read_examples(path, environment, language)
    except ExamplesUnusable as unusable:
        raise OptionUnusable(unusable.words.words(language)) from None


def _waivers(path: str | None, here: Path, language: str) -> tuple[Waiver, ...]:
    if path is None:
        return ()
    try:
        return read_waivers(here / path, language)
    except WaiversUnusable as unusable:
        raise OptionUnusable(unusable.words.words(language)) from None
