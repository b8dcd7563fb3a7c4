"""An expression to avoid and a sentence that is too long are found, wherever they are."""

from __future__ import annotations

import pytest

from scripts.check_wording import IDEAS, main
from scripts.website.wording import remarks, too_long, words_to_avoid

LONG = "This sentence " + "goes on and " * 8 + "ends."


def avoided(text, language="en", **options):
    return [found.what for found in words_to_avoid(text, language, **options)]


@pytest.mark.parametrize(
    "text",
    [
        "Mend the call.",
        "All of them but for one.",
        "It stands in the file.",
        "A value that is no string.",
        "Whoever reads it.",
        "Both are sent at once.",
        "The kit accuses a server.",
        "A colour.",
        "The rate is 100 %.",
        "No server MUST answer.",
        "The kit\njudges it.",
    ],
)
def test_an_expression_to_avoid_is_found(text):
    assert len(avoided(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Fix the call.",
        "There is no string here.",
        "It is no longer there.",
        "Use `--judge`, or `lawful`.",
        "The rate is 100%.",
        "A matter of judgment.",
        "A server MUST NOT answer. No other server answers; it SHOULD wait.",
        "See [this](beside.md).",
    ],
)
def test_plain_words_are_left_alone(text):
    assert avoided(text) == []


def test_what_is_avoided_in_spanish_and_portuguese_is_found():
    assert avoided("El terminal.", "es") == ["“El terminal”"]
    assert avoided("El servidor de usted.", "es") == ["“de usted”"]
    assert avoided("Numa lista, os seus próprios.", "pt") == ["“Numa”", "“seus próprios”"]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Solo se DEBE reintentar una llamada segura."),
        ("es", "El coste de la llamada."),
        ("es", "Arranque el servidor."),
        ("es", "La llamada base."),
        ("pt", "Só DEVE ser repetida uma chamada segura."),
        ("pt", "Uma chamada correta."),
        ("pt", "O descritor estendido."),
        ("pt", "Abra a pasta."),
        ("es", "Una llamada sorteada."),
        ("es", "Lo que se halló."),
        ("es", "Como mucho, 128."),
        ("es", "El valor por defecto."),
        ("es", "Abra una incidencia."),
        ("es", "El valor del llamador."),
        ("es", "Va a la salida de error."),
        ("es", "Sin motivo de fin."),
        ("es", "El informe se ha eliminado."),
        ("pt", "Uma chamada sorteada."),
        ("pt", "Um fragmento vazio."),
        ("pt", "Uma isenção obsoleta."),
        ("pt", "Uma entrada quebrada."),
        ("pt", "Ela viola uma cláusula."),
        ("pt", "O valor do chamador."),
        ("pt", "Vai para a saída de erro."),
        ("pt", "Sem motivo de fim."),
        ("pt", "Um recurso para o URI."),
        ("pt", "O bloco impresso."),
        ("pt", "O modelo toma um motivo inventado por uma resposta."),
        ("pt", "Um servidor de fora."),
        ("pt", "O intervalo padrão do parâmetro."),
        ("es", "El El `name` de un resultado."),
    ],
)
def test_what_can_be_read_otherwise_and_a_second_term_are_found(language, text):
    assert len(avoided(text, language)) == 1


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "Esto solo se debe a un error. El costo de la llamada de base."),
        ("pt", "Só deve haver um. O descritor aprimorado, a chamada de base."),
        ("es", "Un hallazgo en la salida de errores. Hay coincidencias. Nadie lo ha visto."),
        ("pt", "A constatação na saída de erros. Identificadores de fragmento da URI."),
        ("pt", "Verifica o servidor pelo lado de fora. Uma decisão tomada. Por quê?"),
        ("pt", "O valor padrão de um parâmetro padronizado. Um padrão próprio."),
    ],
)
def test_what_means_one_thing_is_left_alone_in_other_languages(language, text):
    assert avoided(text, language) == []


def test_a_word_that_only_pages_avoid_is_left_alone_in_code():
    assert avoided("The kit judges it.", code=True) == []


def test_an_expression_is_found_at_its_line():
    (found,) = words_to_avoid("One.\n\nTwo lines\nand a folder.", "en")
    assert found.line == 4


def test_a_long_sentence_is_found_at_the_start_of_its_paragraph():
    (found,) = too_long(f"Short.\n\n{LONG}")
    assert (found.line, found.what[:8]) == (3, "27 words")


@pytest.mark.parametrize("between", [". And it ", ":\n\n- it ", " |\n| it "])
def test_a_full_stop_an_item_and_a_cell_end_a_sentence(between):
    assert not list(too_long("| " * ("|" in between) + LONG.replace(" and goes", between, 1)))


def test_remarks_are_docstrings_and_comments_and_not_other_strings():
    code = '"""Whole."""\n\ndef f():\n    """Inner."""\n    return "beside"  # last\n'
    assert sorted(remarks(code)) == [(1, "Whole."), (4, "Inner."), (5, "last")]


@pytest.fixture
def tree(tmp_path):
    file = tmp_path / "conformance" / "kit" / "one.py"
    file.parent.mkdir(parents=True)
    file.write_text('"""Fixes it."""\n')
    return tmp_path


def checked(tree):
    return main(["--root", str(tree)])


def test_a_remark_in_code_has_to_be_plain(tree, capsys):
    assert checked(tree) == 0
    (tree / "conformance" / "kit" / "two.py").write_text("# a bystander\n")
    assert checked(tree) == 1
    assert "conformance/kit/two.py:1: “bystander” Write:" in capsys.readouterr().err


def test_a_page_has_to_be_plain(tree, capsys):
    (tree / "README.md").write_text("# Words\n\nMend it.\n")
    assert checked(tree) == 1
    assert "README.md:3: “Mend” Write: fix." in capsys.readouterr().err


def test_what_was_tried_has_to_be_plain_in_each_language(tree, capsys):
    ideas = tree / IDEAS / "http.yaml"
    ideas.parent.mkdir(parents=True)
    ideas.write_text("- en: A call\n  es: Una solicitud\n  pt: Uma chamada\n")
    assert checked(tree) == 1
    assert "attacks/http.yaml:2: A call: “solicitud” Write: petición." in capsys.readouterr().err
