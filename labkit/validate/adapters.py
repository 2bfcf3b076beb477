"""Three judges of one schema, with one verdict and one way of saying what is wrong.

Chapter 03. The judge may be pydantic, the hand-written validator or ``jsonschema``; whichever it is, the hand-written
checker words the problems, and a function's tool gets the Python types that it is annotated with.

    >>> judge("subset", {"properties": {"n": {"type": "integer"}}})({"n": "5"})
    (None, [Problem(path='n', rule='type', message='must be an integer, got "5"')])

Pure, as far as the validators of an author's own models are. Values must have been through ``normalise``.
Does not: repair, fill the defaults of a Python signature, run the tool.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from labkit.calls import Problem, quote
from labkit.validate.defaults import fill
from labkit.validate.subset import check

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from labkit.validate.wording import Words

Judge = Callable[[dict[str, Any]], tuple[dict[str, Any] | None, list[Problem]]]
Finder = Callable[[dict[str, Any]], list[Problem]]


def judge(kind: str, schema: Any, adapter: TypeAdapter[Any] | None = None, words: Words = str) -> Judge:
    """Return the judge of one tool's arguments: it answers ``(values, [])`` or ``(None, problems)``, and never raises.

    ``kind`` is ``pydantic``, ``subset`` or ``jsonschema``. With an adapter the values come typed by pydantic, strictly,
    without the defaults of the signature; without one they get the schema's own defaults, and ``jsonschema`` judges
    where pydantic was asked for. ``words`` says what may be told of an exception that an author's own rule raises.
    Raises ValueError for a schema that the judge can't follow, naming what it is.
    """
    if kind not in ("pydantic", "subset", "jsonschema"):
        raise ValueError(f'a validator is "pydantic", "subset" or "jsonschema", not {quote(kind)}')
    if kind == "subset":
        _require_known(schema)
    convert = _filled(schema) if adapter is None else _typed(schema, adapter, words)
    if kind == "subset":
        return _checked(lambda values: check(schema, values), convert)
    if kind == "jsonschema" or adapter is None:
        return _checked(_by_jsonschema(schema), convert)
    if is_plain(schema, adapter):
        return convert
    return _checked(lambda values: _all_problems(schema, values), convert)


def _require_known(schema: Any) -> None:
    from labkit.validate.coverage import unsupported

    if unknown := unsupported(schema):
        raise ValueError(f"the subset validator does not know {', '.join(unknown)}")


def _all_problems(schema: Any, values: dict[str, Any]) -> list[Problem]:
    """Return what the checker finds, branches included: it words the problems for every judge."""
    from labkit.validate.branches import ALL_RULES

    return check(schema, values, ALL_RULES)


def _checked(find: Finder, convert: Judge) -> Judge:
    def judged(values: dict[str, Any]) -> tuple[dict[str, Any] | None, list[Problem]]:
        problems = find(values)
        return (None, problems) if problems else convert(values)

    return judged


def _filled(schema: Any) -> Judge:
    return lambda values: (fill(schema, values), [])


def _typed(schema: Any, adapter: TypeAdapter[Any], words: Words) -> Judge:
    """Return the step that turns JSON values into the annotated Python types.

    Strictness is said here and not in the model's own settings, which do not reach nested models. Strict validation
    of Python values would refuse the text of a date, so all but the plainest arguments go through JSON once more.
    """
    plain = is_plain(schema, adapter)
    read: Callable[..., Any] = adapter.validator.validate_python if plain else adapter.validator.validate_json

    def typed(values: dict[str, Any]) -> tuple[dict[str, Any] | None, list[Problem]]:
        try:
            return read(values if plain else json.dumps(values), strict=True), []
        except (Exception, SystemExit, GeneratorExit) as error:  # a model's own validator may raise anything
            return None, _all_problems(schema, values) or _refused_by_pydantic(error, values, words)

    return typed


def _refused_by_pydantic(error: BaseException, values: dict[str, Any], words: Words) -> list[Problem]:
    from pydantic import ValidationError

    from labkit.validate.wording import of_exception, of_pydantic

    try:
        return of_pydantic(error, values, words) if isinstance(error, ValidationError) else [of_exception(error)]
    except Exception as trouble:  # an author's own error that can't even be shown
        return [of_exception(trouble)]


def _by_jsonschema(schema: Any) -> Finder:
    from labkit.validate.oracle import validator_for
    from labkit.validate.wording import of_exception, of_jsonschema

    validator = validator_for(schema)

    def find(values: dict[str, Any]) -> list[Problem]:
        try:
            if validator.is_valid(values):
                return []
            return _all_problems(schema, values) or of_jsonschema(validator.iter_errors(values))
        except Exception as error:  # a reference that leads nowhere is found only when it is followed
            return [of_exception(error)]

    return find


def is_plain(schema: Any, adapter: TypeAdapter[Any]) -> bool:
    """Say whether strict pydantic alone judges as the schema does: flat, of strings, numbers and truth values only."""
    properties, core = schema.get("properties", {}), adapter.core_schema
    if not isinstance(core, dict) or core.get("type") != "typed-dict" or set(schema) - _PLAIN_OBJECT:
        return False
    fields = [field["schema"] for field in core["fields"].values()]
    return all(map(_is_plain_property, properties.values())) and all(map(_is_plain_field, fields))


def _is_plain_property(schema: Any) -> bool:
    if not isinstance(schema, dict) or set(schema) - _PLAIN_PROPERTY:
        return False
    types = [schema["type"]] if isinstance(schema.get("type"), str) else schema.get("type", [])
    return bool(types) and set(types) <= {"string", "integer", "number", "boolean", "null"}


def _is_plain_field(core: Any) -> bool:
    inner = core.get("schema") if core["type"] == "nullable" else core
    return inner["type"] in ("str", "int", "float", "bool") and not set(inner) - _PLAIN_FIELD


_NOTES = {"title", "description", "default", "examples", "deprecated"}
_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"}
_PLAIN_OBJECT = {"type", "properties", "required", "additionalProperties", *_NOTES}
_PLAIN_PROPERTY = {"type", *_BOUNDS, *_NOTES}
_PLAIN_FIELD = {"type", "ge", "gt", "le", "lt", "min_length", "max_length", "metadata", "serialization", "ref"}
