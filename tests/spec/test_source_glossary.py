"""The glossary gives each word in three languages, and the texts use no other for it."""

import re

import pytest
from ruamel.yaml import YAML

from tests.root import ROOT

SOURCE = ROOT / "schema" / "source"
GLOSSARY = YAML(typ="safe").load((SOURCE / "glossary.yaml").read_text(encoding="utf-8"))
AVOIDED = {
    "es": [
        *("solicitud", "encabezado", "línea de órdenes", "juzga", "juzgó", "punto de acceso"),
        *("realimentación", "advertencia", "casi acierto", "descodific", "por defecto"),
        *("enlace HTTP", "enlace MCP"),
    ],
    "pt": [
        *("DEVERIA-SE", "DEVE-SE", " não DEVE", "«", "com estado", "julga", "ligação"),
        *("achado", "advert", "ampliad", "aperto de mão", "êxito", "evento terminal", "juiz"),
        *("ponto de acesso", "quase acerto", "quebrad", "solicita"),
    ],
}
"""Other words for the same thing, which were used once."""


@pytest.mark.parametrize("entry", list(GLOSSARY))
def test_each_word_stands_in_three_languages_with_what_it_means(entry):
    for part in ("term", "text"):
        assert list(GLOSSARY[entry][part])[:3] == ["en", "es", "pt"]
        assert all(GLOSSARY[entry][part].values())


@pytest.mark.parametrize("language", list(AVOIDED))
def test_no_text_has_another_word_for_it(language):
    found = [
        f"{path.name}: {word}"
        for path in sorted(SOURCE.rglob("*.yaml"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(rf"\s*{language}: ", line)
        for word in AVOIDED[language]
        if word in line
    ]
    assert found == []
