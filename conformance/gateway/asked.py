"""The content of the calls to a gateway, in the names of the vocabulary."""

from __future__ import annotations

from typing import Final

ASKED: Final = {"temperature": 0.5, "max_tokens": 77, "top_p": 0.25, "stop": ["END"]}
"""Parameters that every API family has."""
OUTSIDE: Final = {
    "temperature-high": {"temperature": 2.5},
    "temperature-low": {"temperature": -0.5},
    "top-p-high": {"top_p": 1.5},
    "max-tokens-zero": {"max_tokens": 0},
}
"""Parameters with values outside their ranges."""
_SCHEMA: Final = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "The name of a city."},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "stops": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
}
TOOLS: Final = (
    {"name": "get_weather", "description": "The weather of a city.", "parameters": _SCHEMA},
    {"name": "get_time", "description": "The time of a city.", "parameters": _SCHEMA},
)
"""Tools whose schemas use only keywords that every API family has."""
FORM: Final = "distance_in_leagues"
"""A name that occurs in the response format, and in no other part of a call."""
FORMED: Final = {
    "type": "json_schema",
    "json_schema": {
        "name": "distance",
        "schema": {
            "type": "object",
            "properties": {FORM: {"type": "integer"}},
            "required": [FORM],
            "additionalProperties": False,
        },
    },
}
RESULTS: Final = {"get_weather": "21 degrees", "get_time": "half past nine"}
"""The result of each tool, in the order of the calls."""
TALK: Final = {
    "tools": TOOLS,
    "messages": [
        {"role": "user", "content": "What are the weather and the time in Recife?"},
        {
            "role": "assistant",
            "content": "I look it up.",
            "tool_calls": [
                {"tool_call_id": f"call_{n}", "tool_name": name, "arguments": '{"city": "Recife"}'}
                for n, name in enumerate(RESULTS)
            ],
        },
        *(
            {"role": "tool", "tool_call_id": f"call_{n}", "content": text}
            for n, text in enumerate(RESULTS.values())
        ),
    ],
}
"""A conversation with calls of two tools."""
