"""What is written of a value: without secrets, however deep it is."""

from conformance.kit.config.secrets import Redactor
from conformance.kit.model.written import mapped


def test_every_text_of_a_value_is_mapped_keys_and_the_last_of_two_equal_ones_too():
    value = {"a": ["x", 1, None, ("y", True)], "b": {"c": frozenset(["z"])}, "B": 2}
    assert mapped(value, str.upper) == {"A": ["X", 1, None, ["Y", True]], "B": 2}


def test_a_value_that_is_deeper_than_functions_may_call_themselves_is_mapped():
    value = "secret"
    for _ in range(5000):
        value = {"not": [value]}
    clean = mapped(value, lambda text: text.replace("secret", "«secret-1»"))
    for _ in range(5000):
        clean = clean["not"][0]
    assert clean == "«secret-1»"


def test_a_number_that_holds_a_secret_becomes_a_text_without_it():
    value = {"card": 4929123456789012, "more": [14929123456789012, 4929123456789012.0, 49291, True]}
    clean = mapped(value, Redactor(["4929123456789012"]))
    assert clean == {"card": "«secret-1»", "more": ["1«secret-1»", "«secret-1».0", 49291, True]}
