"""The words by which a refusal says what would be right, in English, Spanish and Portuguese."""

from __future__ import annotations

from typing import Final

ROOT: Final = ("arguments", "input", "params", "object", "argumentos", "entrada", "parámetros",
               "parâmetros", "objeto")  # fmt: skip
"""The words for the arguments of a call as a whole."""
TYPES: Final = {
    "string": ("string", "str", "text", "cadena", "cadeia", "texto"),
    "integer": ("integer", "int", "whole number", "number", "long", "int32", "int64", "uint",
                "i32", "i64", "u32", "u64", "usize", "entero", "inteiro", "número"),
    "number": ("number", "float", "double", "decimal", "numeric", "float32", "float64", "f32",
               "f64", "número", "numérico"),
    "boolean": ("boolean", "bool", "true or false", "true/false", "booleano",
                "verdadero o falso", "verdadeiro ou falso"),
    "array": ("array", "list", "sequence", "tuple", "lista", "arreglo", "arranjo", "matriz",
              "vector", "vetor"),
    "object": ("object", "dict", "dictionary", "mapping", "map", "record", "model", "objeto",
               "diccionario", "dicionário"),
    "null": ("null", "none", "nulo", "nula"),
}  # fmt: skip
"""The words for each type of JSON."""
FORMATS: Final = {
    "date-time": ("date-time", "datetime", "iso 8601", "iso8601", "rfc 3339", "rfc3339",
                  "timestamp", "timezone", "time zone", "offset", "fecha y hora", "data e hora",
                  "zona horaria", "fuso horário"),
    "date": ("date", "yyyy-mm-dd", "iso 8601", "iso8601", "fecha", "uma data", "data válida",
             "aaaa-mm-dd"),
    "time": ("time", "hh:mm", "iso 8601", "hora"),
    "email": ("email", "e-mail", "@", "correo electrónico"),
    "uri": ("uri", "url", "scheme", "esquema"),
    "uuid": ("uuid", "guid"),
    "duration": ("duration", "iso 8601", "duración", "duração"),
    "hostname": ("hostname", "host name", "domain", "nombre de host", "nome de host", "dominio",
                 "domínio"),
    "ipv4": ("ipv4", "ip address", "ip"),
    "ipv6": ("ipv6", "ip address", "ip"),
}  # fmt: skip
"""The words for each format."""
_MISSING: Final = (
    "required", "missing", "must have", "must be provided", "must be present", "must be given",
    "is needed", "mandatory", "not provided", "undefined", "obligatori", "requerid", "necesari",
    "se requiere", "obrigatóri", "necessári", "falta", "ausente",
)  # fmt: skip
_EXTRA: Final = (
    "additional propert", "extra", "unexpected", "unrecognized", "unrecognised", "unknown",
    "not allowed", "not permitted", "not expected", "unevaluated", "no such", "adicional",
    "adicionais", "inesperad", "desconocid", "desconhecid", "no permitid", "no está permitid",
    "no se permite", "não permitid", "não é permitid", "no reconocid", "não reconhecid",
    "no existe", "não existe",
)  # fmt: skip
_UNIQUE: Final = ("unique", "duplicate", "non-unique", "distinct", "repeated", "únic",
                  "duplicad", "repetid", "distint")  # fmt: skip
_CHOICE: Final = (
    *_MISSING, "exactly one", "only one", "one of", "either", "both", "union", "branch",
    "discriminator", "variant", "any of", "schema", "not allowed", "exactamente un",
    "exatamente um", "solo un", "apenas um", "uno de", "una de", "um dos", "uma das", "ambos",
    "esquema",
)  # fmt: skip
BY_KEYWORD: Final = {
    "oneOf": _CHOICE,
    "anyOf": _CHOICE,
    "required": _MISSING,
    "dependentRequired": _MISSING,
    "dependencies": _MISSING,
    "additionalProperties": _EXTRA,
    "unevaluatedProperties": _EXTRA,
    "uniqueItems": _UNIQUE,
}
"""The parts of words for a keyword, any of which tells enough."""
NOT_EMPTY: Final = ("empty", "at least one", "non-empty", "nonempty", "blank", "vacío", "vacía",
                    "vazio", "vazia", "al menos un", "al menos una", "pelo menos um",
                    "pelo menos uma", "en blanco", "em branco")  # fmt: skip
"""The words for "at least one"."""
ABOVE_ZERO: Final = ("positive", "negative", "non-negative", "nonnegative", "zero", "positivo",
                     "positiva", "negativo", "negativa", "cero")  # fmt: skip
"""The words for a bound of 0."""
CONTAINS: Final = ("contain", "contains", "contener", "contiene", "conter", "contém")
"""The words for `contains`."""
