"""The fields of a request that are no messages and no tools: which there are, and what they may hold. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from labkit.models.server.broken import Broken, broken, spelled

Check = tuple[Callable[[Any], bool], str]

SHARED = {
    *("model", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options", "temperature", "top_p"),
    *("metadata", "prompt_cache_key", "prompt_cache_retention", "safety_identifier", "service_tier", "store"),
    *("top_logprobs", "user"),
}
CHAT_PARAMETERS = SHARED | {
    *("messages", "response_format", "n", "stop", "seed", "max_tokens", "max_completion_tokens", "logprobs"),
    *("frequency_penalty", "presence_penalty", "logit_bias", "modalities", "prediction", "reasoning_effort"),
    "verbosity",
}
RESPONSES_PARAMETERS = SHARED | {
    *("input", "instructions", "text", "max_output_tokens", "max_tool_calls", "include", "reasoning"),
    *("truncation", "background"),
}


def parameter_faults(body: dict[str, Any], known: set[str]) -> list[Broken]:
    """Return what is wrong with the request's own fields; ``null`` means "not given" for an optional one."""
    found = []
    if not isinstance(body.get("model"), str) or not body["model"]:
        found.append(broken("form", "model", "a request needs model, the name of one"))
    for name in body:
        if name not in known:
            found.append(broken("parameter", spelled(name), "there is no such parameter"))
    for name, (fits, wanted) in _CHECKS.items():
        if name in known and body.get(name) is not None and not fits(body[name]):
            found.append(broken("parameter", name, f"must be {wanted}"))
    return found + _together(body)


def _together(body: dict[str, Any]) -> list[Broken]:
    """What each field allows, but not beside another."""
    found = []
    if body.get("max_tokens") is not None and body.get("max_completion_tokens") is not None:
        found.append(broken(18, "max_tokens", "max_completion_tokens replaces max_tokens; send one of them"))
    if body.get("stream_options") is not None and body.get("stream") is not True:
        found.append(broken("parameter", "stream_options", "only allowed beside stream: true"))
    return found


def _whole(value: Any, low: int, high: float = float("inf")) -> bool:
    return type(value) is int and low <= value <= high


def _number(value: Any, low: float, high: float) -> bool:
    return type(value) in (int, float) and low <= value <= high


def _is_true_or_false(value: Any) -> bool:
    return isinstance(value, bool)


def _is_stop(value: Any) -> bool:
    texts = [value] if isinstance(value, str) else value
    return isinstance(texts, list) and len(texts) <= 4 and all(isinstance(text, str) for text in texts)


_BOOL: Check = (_is_true_or_false, "true or false")
_TOKENS: Check = (lambda value: _whole(value, 1), "a whole number of at least 1")
_PENALTY: Check = (lambda value: _number(value, -2, 2), "a number from -2 to 2")
_TEXT: Check = (lambda value: isinstance(value, str), "text")
_OBJECT: Check = (lambda value: isinstance(value, dict), "an object")

_CHECKS: dict[str, Check] = {
    "stream": _BOOL,
    "stream_options": _OBJECT,
    "temperature": (lambda value: _number(value, 0, 2), "a number from 0 to 2"),
    "top_p": (lambda value: _number(value, 0, 1), "a number from 0 to 1"),
    "n": (lambda value: type(value) is int and value == 1, "1: a script has one reply"),
    "stop": (_is_stop, "text, or a list of at most 4 texts"),
    "seed": (lambda value: type(value) is int, "a whole number"),
    "max_tokens": _TOKENS,
    "max_completion_tokens": _TOKENS,
    "max_output_tokens": (lambda value: _whole(value, 16), "a whole number of at least 16"),
    "frequency_penalty": _PENALTY,
    "presence_penalty": _PENALTY,
    "logprobs": _BOOL,
    "top_logprobs": (lambda value: _whole(value, 0, 20), "a whole number from 0 to 20"),
    "store": _BOOL,
    "user": _TEXT,
    "instructions": _TEXT,
    "reasoning_effort": _TEXT,
    "reasoning": _OBJECT,
    "text": _OBJECT,
    "metadata": _OBJECT,
}
