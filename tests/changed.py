"""Changes answers at random: types, members, huge values and half ones, bytes."""

import copy
import json
from dataclasses import replace
from itertools import islice


def _nested(levels):
    value = 1
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


ODD = (None, True, -1, 0, 1.5, -0.0, 10**30, 10**400, float("inf"), float("nan"), "", "x",
       "\ud800", "\x00", "count/" + "9" * 5000, "count[" + "9" * 5000 + "]", "/count/0", "http://[",
       "2024-13-45", "\u202e", "9" * 5000, [], {}, [[]], [{}], {"": None}, {"a": 1}, {"type": 7},
       [None] * 50, _nested(50), _nested(400))  # fmt: skip
WORDS = ("id", "result", "error", "content", "errors", "type", "parameter_name", "tool_name",
         "suggested_value", "jsonrpc", "method", "code", "message", "data", "structuredContent",
         "isError", "choices", "usage", "delta", "tool_calls", "finish_reason", "stop_reason",
         "index", "role", "retry_after_ms", "nextCursor", "tools", "inputSchema", "name", "$ref",
         "properties", "_meta", "capabilities", "protocolVersion", "status",
         "cacheScope")  # fmt: skip
PIECES = (b"\\ud800", b"\xff", b"NaN", b"1" * 5000, b"[" * 2000, b"\n", b"\r\n\r\n", b"data: ",
          b"\x00", b'{"a": 1, "a": 2}', b"1e999", b"event: error\n")  # fmt: skip
HEADERS = ("", "-1", "9" * 5000, "é", "x,,;;==", "http://[", "Wed, 99 Foo 99999 25:61:61 GMT")
NAMES = ("content-type", "retry-after", "location", "link", "allow", "mcp-session-id")
STATUSES = (0, 100, 202, 204, 302, 400, 418, 429, 500, 999)


def _places(value):
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict | list):
            for key in here if isinstance(here, dict) else range(len(here)):
                yield here, key
                waiting.append(here[key])


def changed_value(draw, value):
    """A JSON value of which some parts are others."""
    made = copy.deepcopy(value)
    for _ in range(draw.choice((1, 1, 2, 5))):
        places = list(islice(_places(made), 2_000))
        if not places or draw.random() < 0.05:
            made = copy.deepcopy(draw.choice(ODD))
            continue
        holder, key = draw.choice(places)
        odd = copy.deepcopy(draw.choice(ODD))
        how = draw.randrange(6)
        if how == 0:
            del holder[key]
        elif how == 1 and isinstance(holder, dict):
            holder[draw.choice(WORDS)] = holder.pop(key)
        elif how == 2 and isinstance(holder, dict):
            holder[draw.choice(WORDS)] = odd
        elif how == 3:
            holder[key] = draw.choice(([holder[key]], {"a": holder[key]}))
        else:
            holder[key] = odd
    return made


def changed_bytes(draw, body):
    """A body of which some bytes are others, lost, or there twice."""
    made = bytearray(body)
    for _ in range(draw.choice((1, 2, 10))):
        at = draw.randrange(len(made) + 1)
        how = draw.randrange(5)
        if how == 0:
            made[at : at + 1] = bytes([draw.randrange(256)])
        elif how == 1:
            del made[at : at + draw.choice((1, 3, 100))]
        elif how == 2:
            made[at:at] = made[at : at + draw.choice((1, 20, 200))]
        elif how == 3:
            made[at:at] = draw.choice(PIECES)
        else:
            del made[at:]
    return bytes(made)


def changed(draw, exchange):
    """An exchange whose answer is another."""
    answer = exchange.answer
    if answer is None:
        return exchange
    how = draw.randrange(8)
    if how == 0:
        return replace(exchange, answer=replace(answer, status=draw.choice(STATUSES)))
    if how == 1:
        more = (draw.choice(NAMES), draw.choice(HEADERS))
        return replace(exchange, answer=replace(answer, headers=(more, *answer.headers)))
    if answer.messages:
        made = changed_value(draw, list(answer.messages))
        messages = tuple(made) if isinstance(made, list) else (made,)
        return replace(exchange, answer=replace(answer, messages=messages))
    try:
        body = json.dumps(changed_value(draw, json.loads(answer.body))).encode()
    except ValueError:
        body = changed_bytes(draw, answer.body)
    if how == 2:
        body = changed_bytes(draw, answer.body)
    return replace(exchange, answer=replace(answer, body=body))
