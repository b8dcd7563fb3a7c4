import json

import pytest

from conformance.formats.text.json_text import Notation, positions_of, read


def only_problem(reading):
    (problem,) = reading.problems
    return problem


def test_utf8_text_is_read_without_a_problem():
    reading = read('{"name": "reserva_habitación"}'.encode())
    assert reading.readable
    assert reading.problems == ()
    assert reading.data == {"name": "reserva_habitación"}


def test_a_byte_order_mark_before_utf8_is_passed_over():
    reading = read(b"\xef\xbb\xbf" + b'{"a": 1}')
    assert (reading.data, reading.problems) == ({"a": 1}, ())


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_unicode_encoding_is_read_and_reported(encoding):
    reading = read('{"a": "é"}'.encode(encoding))
    assert reading.data == {"a": "é"}
    assert only_problem(reading).message.id == "documents.other_encoding"


def test_bytes_that_are_no_utf8_are_reported_with_their_line():
    reading = read(b'{\n "a": "\xff"\n}')
    assert not reading.readable
    assert only_problem(reading).message.id == "documents.not_text"
    assert (reading.stopped.line, reading.stopped.column) == (2, 8)


def test_a_name_that_stands_twice_is_reported_at_its_second_place():
    raw = b'{"tools": [\n  {"name": "a",\n   "name": "b"}]}'
    reading = read(raw)
    problem = only_problem(reading)
    assert problem.path == "$.tools[0].name"
    assert positions_of(reading, [problem.place])[problem.place].line == 3


def test_the_same_name_in_two_objects_is_no_problem():
    assert read(b'[{"a": 1}, {"a": {"a": 2}}]').problems == ()


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_number_that_json_has_not_cannot_be_read(word):
    reading = read(f'{{"a": {word}}}'.encode())
    assert not reading.readable
    assert only_problem(reading).message.id == "documents.no_number"


def test_an_integer_of_thousands_of_digits_cannot_be_read():
    assert only_problem(read(b"9" * 5000)).message.id == "documents.long_number"


def test_half_a_surrogate_pair_is_reported_in_texts_and_names():
    reading = read(rb'{"a": ["\ud800"], "\udc00": "\ud83d\ude00"}')
    assert {each.pointer for each in reading.problems} == {"/a/0", "/\udc00"}


def test_a_written_surrogate_pair_is_no_problem():
    assert read(rb'{"a": "\ud83d\ude00 \\ud800"}').problems == ()


@pytest.mark.parametrize("depth", [300, 100_000])
@pytest.mark.parametrize("notation", list(Notation))
def test_what_is_nested_too_deep_is_reported(depth, notation):
    reading = read(b"[" * depth + b"]" * depth, notation)
    assert not reading.readable
    assert only_problem(reading).message.id in ("documents.too_deep", "documents.yaml.too_much")


def test_text_that_is_no_json_is_reported_where_it_stops_being_json():
    reading = read(b'{\n  "a": 1,\n  oops\n}')
    problem = only_problem(reading)
    assert problem.message.id == "documents.not_json"
    assert (reading.stopped.line, reading.stopped.column) == (3, 3)
    assert "line 3, column 3" in problem.message.words()
    assert '"oops"' in problem.message.words()


def test_text_that_ends_too_early_is_reported_as_that():
    for text in (b'{"a": [1, 2', b'{"a": [1,\n'):
        assert only_problem(read(text)).message.id == "documents.not_json.ends"


def test_a_line_break_inside_a_string_is_not_taken_for_the_end_of_the_text():
    problem = only_problem(read(b'{"a": "x\ny", "b": 1}'))
    assert problem.message.id == "documents.not_json"
    assert 'at line 1, column 9, there is "\\n"' in problem.message.words()


@pytest.mark.parametrize("notation", list(Notation))
@pytest.mark.parametrize("raw", [b"", b" \n\n", b"\xef\xbb\xbf"])
def test_an_empty_text_is_reported_as_empty(raw, notation):
    assert only_problem(read(raw, notation)).message.id == "documents.empty"


def test_a_document_beyond_the_limit_is_not_read(monkeypatch):
    monkeypatch.setattr("conformance.formats.text.json_text.LARGEST", 10)
    assert only_problem(read(b'{"a": "bcdefgh"}')).message.id == "documents.too_large"


def test_a_document_of_more_values_than_memory_holds_is_not_read(monkeypatch):
    monkeypatch.setattr("conformance.formats.text.json_text.MOST_MARKS", 10)
    assert only_problem(read(b"[" + b"[]," * 8 + b"1]")).message.id == "documents.too_many"
    assert read(b'["a, b, c, d"]').readable
    assert read(b"[1, 2, 3, 4, 5, 6, 7]").readable


@pytest.mark.parametrize("text", ["a: [" + "x," * 600_000 + "]", "a:\n" + "- b: c\n" * 200_000])
def test_a_yaml_text_of_more_values_than_memory_holds_is_not_read(text):
    assert only_problem(read(text.encode(), Notation.YAML)).message.id == "documents.too_many"


@pytest.mark.parametrize("item", ['"\\ud800"', '{"a": 1, "a": 2}'])
def test_of_a_problem_that_repeats_only_so_many_are_told(item):
    problems = read(f"[{', '.join([item] * 3000)}]".encode()).problems
    assert len(problems) == 1000
    assert len({each.place for each in problems}) == 1000


def test_space_behind_a_document_is_not_read_again_from_each_of_its_places():
    raw = b'{"a": 1, "a": 2}' + b"\n" * 2_000_000
    reading = read(raw)
    assert positions_of(reading, [("a",)])[("a",)].column == 10


def test_places_are_found_in_the_text_whatever_the_layout():
    text = '{"tools" :[ {"name":"a{,:\\"]"},\n\t{"x/y":\n[1,2 ,{"z":null}]} ]}'
    reading = read(text.encode())
    places = [(), ("tools", 0, "name"), ("tools", 1, "x/y", 2, "z"), ("tools", 1, "x/y", 1)]
    found = positions_of(reading, places)
    assert [(found[each].line, found[each].column) for each in places] == [
        (1, 1),
        (1, 14),
        (3, 8),
        (3, 4),
    ]


def test_a_place_that_is_missing_has_the_position_of_what_is_around_it():
    reading = read(b'{"tools": [\n{"a": 1}]}')
    place = ("tools", 0, "name")
    assert positions_of(reading, [place])[place].line == 2


def test_a_large_document_is_read_and_searched_in_seconds():
    data = {"tools": [{"name": "n" * 100, "values": list(range(50))} for _ in range(5000)]}
    raw = json.dumps(data, indent=1).encode()
    place = ("tools", 4999, "values", 49)
    reading = read(raw)
    expected = raw.count(b"\n") - 3
    assert positions_of(reading, [place])[place].line == expected


def test_yaml_is_read_as_json_values_only():
    raw = b"no: yes\nwhen: 2025-01-15\nn: 0x1F\nf: 1.5\nnone: ~\nb: true\nt: '1'\n"
    assert read(raw, Notation.YAML).data == {
        "no": "yes",
        "when": "2025-01-15",
        "n": 31,
        "f": 1.5,
        "none": None,
        "b": True,
        "t": "1",
    }


def test_places_are_found_in_yaml_too():
    reading = read(b"tools:\n  - name: a\n    inputSchema:\n      type: object\n", Notation.YAML)
    place = ("tools", 0, "inputSchema", "type")
    assert positions_of(reading, [place])[place].line == 4


def test_a_name_that_stands_twice_in_yaml_is_reported():
    reading = read(b"a: 1\nb: 2\na: 3\n", Notation.YAML)
    assert only_problem(reading).message.id == "documents.member_twice"


def test_text_that_is_no_yaml_is_reported_with_its_line():
    reading = read(b"a: 1\nb: [1, 2\nc: }\n", Notation.YAML)
    assert only_problem(reading).message.id == "documents.not_yaml"
    assert reading.stopped.line == 3


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a: 1\n---\nb: 2\n", "documents.yaml.another", 2),
        ("a: 1\n---  # more\nb: 2\n", "documents.yaml.another", 2),
        ("a:\n\tb: 1\n", "documents.yaml.tab", 2),
        ("a:\n  b: 1\n  \tc: 2\n", "documents.yaml.tab", 3),
        ("a: [\n--- b\n", "documents.not_yaml", 2),
        ('{\n\t"a": 1 "b": 2\n}\n', "documents.not_yaml", 2),
        ("a: 1\nb: c\x01\n", "documents.yaml.character", 2),
        ('a: 1\nb: "\\UFFFFFFFF"\n', "documents.not_yaml", 2),
        ('a: 1\nb: "\\U00110000"\n', "documents.not_yaml", 2),
    ],
)
def test_usual_causes_have_words_of_their_own_and_each_is_in_its_line(text, said, line):
    reading = read(text.encode(), Notation.YAML)
    assert only_problem(reading).message.id == said
    assert reading.stopped is not None
    assert reading.stopped.line == line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: " + "[" * 310 + "]" * 310, "documents.too_deep"),
        ("a: &a [*a]", "documents.yaml.too_much"),
    ],
)
def test_only_an_alias_that_contains_itself_is_one_too_much(text, said):
    assert only_problem(read(text.encode(), Notation.YAML)).message.id == said


def test_one_document_may_be_marked_as_one():
    assert read(b"---\na: 1\n...\n", Notation.YAML).readable


@pytest.mark.parametrize(
    "raw", [b"a: .nan", b"a: .inf", b"a: 1e999", b"a: 0x" + b"f" * 9_000, b"a: 0o" + b"7" * 9_000]
)
def test_a_number_that_json_has_not_cannot_be_read_from_yaml(raw):
    assert only_problem(read(raw, Notation.YAML)).message.id == "documents.no_number"


def test_yaml_that_doubles_itself_does_not_fill_the_memory():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    reading = read("\n".join(lines).encode(), Notation.YAML)
    assert only_problem(reading).message.id == "documents.yaml.too_much"


def test_a_long_text_that_yaml_repeats_does_not_fill_the_disk():
    text = f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 1000)}]"
    reading = read(text.encode(), Notation.YAML)
    assert only_problem(reading).message.id == "documents.yaml.too_much"


def test_a_yaml_alias_that_holds_itself_is_reported():
    reading = read(b"a: &a [*a]", Notation.YAML)
    assert only_problem(reading).message.id == "documents.yaml.too_much"


@pytest.mark.parametrize("raw", [b"? [a, b]\n: 1", b"--- a\n--- b", b"a: !!python/object:os.x 1"])
def test_yaml_beyond_json_is_a_value_or_a_problem_but_no_traceback(raw):
    reading = read(raw, Notation.YAML)
    assert reading.readable or reading.problems


@pytest.mark.filterwarnings("error")
def test_an_anchor_that_is_given_again_is_no_problem_and_nothing_is_printed(capsys):
    text = "a: &x 1\n::error file=a::pwned: &x 2\nc: *x\n"
    assert read(text.encode(), Notation.YAML).data == {"a": 1, "::error file=a::pwned": 2, "c": 2}
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("said", ["%YAML 1.1", "%YAML 1.3", "%YAML 1.2"])
def test_a_version_of_yaml_that_a_text_names_changes_no_value(said):
    raw = f"{said}\n---\na: yes\nb: 1:30\nc: 010\nd: no\n".encode()
    reading = read(raw, Notation.YAML)
    assert reading.data == {"a": "yes", "b": "1:30", "c": 10, "d": "no"}


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n", {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}}),
        ("b: {y: 3, <<: {y: 1, x: 1}}\n", {"b": {"x": 1, "y": 3}}),
        ("b: {<<: [{x: 1}, {x: 2, y: 2}]}\n", {"b": {"x": 1, "y": 2}}),
        ("b: {<<: [{<<: {z: 3}, x: 1}, {x: 2}]}\n", {"b": {"x": 1, "z": 3}}),
        ("b: {<<: {}, x: 1}\n", {"b": {"x": 1}}),
        ("b: {'<<': {x: 1}}\n", {"b": {"<<": {"x": 1}}}),
        ("b: {<<: 1}\n", {"b": {"<<": 1}}),
        ("b: {<<: [{x: 1}, 2]}\n", {"b": {"<<": [{"x": 1}, 2]}}),
        ("- <<\n", ["<<"]),
    ],
)
def test_what_yaml_merges_into_an_object_is_a_member_of_it(text, made):
    reading = read(text.encode(), Notation.YAML)
    assert reading.data == made
    assert not reading.problems


def test_a_merged_value_has_the_position_at_which_it_is_written():
    reading = read(b"a: &a\n  x: 1\nb:\n  <<: *a\n  y: 2\n", Notation.YAML)
    places = {("b", "x"), ("b", "y"), ("a", "x")}
    found = {place: position.line for place, position in positions_of(reading, places).items()}
    assert found == {("b", "x"): 2, ("b", "y"): 5, ("a", "x"): 2}


DOUBLED = "a0: &a0 {x0: 1}\n" + "".join(
    f"a{n}: &a{n} {{x{n}: 1, <<: [*a{n - 1}, *a{n - 1}]}}\n" for n in range(1, 40)
)
GROWING = "a0: &a0 {x0: 1}\n" + "".join(
    f"a{n}: &a{n} {{x{n}: 1, <<: *a{n - 1}}}\n" for n in range(1, 3_000)
)


def test_mappings_that_merge_each_other_without_end_are_read_or_are_too_much():
    assert len(read(DOUBLED.encode(), Notation.YAML).data["a39"]) == 40
    for text in (GROWING, "a: &a {<<: *a}", "a: &a {<<: [{<<: {<<: *a}}]}"):
        assert only_problem(read(text.encode(), Notation.YAML)).message.id == (
            "documents.yaml.too_much"
        )
