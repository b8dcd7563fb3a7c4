"""Plain words: expressions to avoid, their replacements, and the limit of a sentence's length."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from scripts.website.prose import plain

LONGEST = 25
"""The most words in a sentence of a page."""


@dataclass(frozen=True, slots=True)
class Word:
    """An expression to avoid, and its replacement; with `pages_only`, code may use it."""

    pattern: re.Pattern[str]
    instead: str
    pages_only: bool = False


def _word(pattern: str, instead: str, *, pages_only: bool = False) -> Word:
    return Word(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead, pages_only)


_ENGLISH = (
    _word(r"mend(?:s|ed|ing)?", "fix"),
    _word(r"(?:un)?lawful(?:ly)?", "valid, allowed"),
    _word(r"but for", "except"),
    _word(r"stands? (?:in|on|here|there|behind|under|beside|twice)", "is in, is on"),
    _word(r"(?<!there )(?:is|are) no (?!longer|more|other)\w+|that is none", "is not a"),
    _word(r"whoever|he who", "anyone who, the person who"),
    _word(r"it is said that|(?:is|are) told", "the page says, the client receives"),
    _word(r"keeps? (?:its|the|a) (?:schema|rule)s?", "follows, conforms to"),
    _word(r"beside", "in addition to, next to"),
    _word(r"at once", "at the same time, immediately"),
    _word(r"for the rest|by chance", "otherwise, random"),
    _word(r"accus(?:e|es|ed|ing)", "report a failure"),
    _word(r"furnish(?:ed|es)?|fellows?|bystanders?", "configured, concurrent call"),
    _word(r"signs? of life", "health check"),
    _word(r"good calls?", "baseline call, valid call"),
    _word(r"wherein|thereof|whereof|lest|nought|nowhere", "the plain word"),
    _word(r"(?<!-)judg(?:e|es|ed|ing)", "check, test", pages_only=True),
    _word(r"folders?", "directory", pages_only=True),
    _word(
        r"licences?|recognis\w+|catalogues?|gr[e]y|behaviours?|colours?|organis\w+|neighbours?"
        r"|favour\w*|centres?|analys(?:e|ed|ing)|misspelt|learnt|spelt",
        "the US spelling",
    ),
    Word(re.compile(r"\d %"), "the number and % without a space", pages_only=True),
    Word(re.compile(r"\bNo\b[^.;:]*\b(?:MUST|SHOULD)\b"), "A server MUST NOT …"),
)
_TWICE = Word(
    re.compile(r"(?<![\w-])([^\W\d_]{2,}) \1(?![\w-])", re.I), "the word once", pages_only=True
)
"""In every language."""
_OTHERS = {
    "es": (
        _word("de usted", "su"),
        _word("el terminal", "la terminal"),
        Word(re.compile(r"\b[Ss]olo (?:se )?DEBER?(?:ÍA)?N?\b"), "NO DEBE … salvo que …"),
        _word("merecen? la pena", "vale la pena, conviene"),
        _word("costes?", "costo"),
        _word("saludo inicial", "negociación inicial"),
        _word("carpetas?", "directorio"),
        _word("solicitud(?:es)?", "petición"),
        _word("llamadas? base", "llamada de base"),
        _word(r"arran(?:c|qu)\w+|a secas", "empezar, iniciar, simple"),
        _word("ficheros?|ordenador(?:es)?|vuestr[oa]s?", "archivo, computadora, su"),
        _word("sorte(?:a|an|ar|e|en|ad[oa]s?)", "aleatorio, al azar"),
        _word("hall(?:a|an|ó|aron|ar|arse|ad[oa]s?)", "encontrar"),
        _word("como mucho|de momento", "como máximo, por ahora"),
        _word("por defecto", "predeterminado"),
        _word("incidencias?", "issue"),
        _word("llamador(?:es)?", "quien llama"),
        _word("salida de error", "salida de errores"),
        _word("motivos? de fin", "motivo de finalización"),
        _word(r"se han? \w+[ai]do", "the simple past: se eliminó"),
    ),
    "pt": (
        _word("numa?s?|nuns", "em um, em uma"),
        _word("seus próprios", "os seus"),
        Word(re.compile(r"\b[Ss]ó (?:se )?DEVE(?:RIA)?M?\b"), "NÃO DEVE … a menos que …"),
        _word("pastas?", "diretório"),
        _word("chamadas? (?:base|corretas?)", "chamada de base"),
        _word("descritor(?:es)? estendidos?", "descritor aprimorado"),
        _word("rastros? de (?:pilha|erro)", "stack trace"),
        _word("veredictos?", "veredito"),
        _word("mudad[oa]s?", "alterado"),
        _word("ficheiros?|utilizador(?:es)?|ecrãs?|registos?", "arquivo, usuário, tela, registro"),
        _word("sorte(?:ia|iam|ie|iem|ar|ad[oa]s?)", "aleatório, ao acaso"),
        _word("(?<!identificadores de )fragmentos?", "trecho"),
        _word("isenç(?:ão|ões)", "dispensa"),
        _word("quebrad[oa]s?", "inválido, interrompido"),
        _word("viola(?:m|r)?", "descumpre"),
        _word("chamador(?:es)?", "quem chama"),
        _word("saída de erro", "saída de erros"),
        _word("motivos? de fim", "motivo de término"),
        _word("(?:o|um|ao|do|no|pelo) URI", "a URI"),
        _word("impress[oa]s?", "do original, mostrado"),
        _word(r"tom(?:a|am|ar|e|em|ou|ad[oa]s?)(?: \w+){1,5} por", "interpretar como, considerar"),
        _word(r"(?:cliente|servidor|processo|programa)(?:e?s)? de fora", "externo"),
        _word("(?:parâmetro|intervalo|nome|tipo)s? padrão", "padronizado"),
    ),
}
_UNIT = re.compile(r"^[ \t]*(?:[-*+] |\d+\. |#{1,6} |\?{3}|!{3}|=== |>|\||:|```)")
_SENTENCE = re.compile(r"(?<=[.!?:])[\"”')*_]*\s+")
_MARKS = re.compile(r"[*_\[\]\"#>]+")


@dataclass(frozen=True, slots=True)
class Found:
    """An expression or sentence that is not plain, with its line."""

    line: int
    what: str
    do: str


def words_to_avoid(text: str, language: str, *, code: bool = False) -> Iterator[Found]:
    """Yield each expression of `text` to avoid; with `code`, the text is a docstring or comment."""
    said = _MARKS.sub("", plain(text))
    for word in (_TWICE, *(_ENGLISH if language == "en" else _OTHERS[language])):
        if code and word.pages_only:
            continue
        for each in word.pattern.finditer(said):
            line = said.count("\n", 0, each.start()) + 1
            yield Found(line, f"“{' '.join(each[0].split())}”", f"Write: {word.instead}.")


def too_long(text: str, most: int = LONGEST) -> Iterator[Found]:
    """Yield each sentence of `text` with more than `most` words; a cell or item is separate."""
    for line, unit in _units(plain(text)):
        for sentence in _SENTENCE.split(" ".join(_MARKS.sub("", unit).split())):
            count = sum(any(map(_said, word)) for word in sentence.split())
            if count > most:
                yield Found(line, f"{count} words: “{sentence[:60]}…”", f"At most {most}.")


def _said(letter: str) -> bool:
    return letter.isalnum() or letter == "…"  # `plain` replaces code by this


def _units(text: str) -> Iterator[tuple[int, str]]:
    """Yield each paragraph, list item and table cell, with its first line."""
    first, held = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or _UNIT.match(line):
            yield first, held
            first, held = number, ""
        if line.lstrip().startswith("|"):
            yield from ((number, cell) for cell in line.split("|"))
        else:
            first = first if held.strip() else number
            held = f"{held} {_UNIT.sub('', line)}"
    yield first, held


def remarks(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of Python code, each with its line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(said))):
                yield node.lineno, said
