"""Pydantic's generator of JSON Schema, held to one promise: what the schema offers, a call can send. Pure. Chapter 02.

Pydantic describes some types that strict validation then refuses in every call: members of an Enum inside a Literal,
an Enum of dates, a field that a dataclass does not take. Such a declaration would fail later, in front of a model.

Does not: warn; what can't be described is left out, and what can't be sent is refused.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from pydantic.json_schema import GenerateJsonSchema

_IN_JSON = (str, bool, int, float, type(None), list, dict)


class NoCallFits(ValueError):
    """A type has a schema, and yet no JSON value would be accepted for it. Its text is a remedy."""


class Generator(GenerateJsonSchema):
    """Pydantic's generator, with three changes.

    A set of any size takes repeated items: nothing is lost by them. A dataclass offers only the fields that it takes.
    Raises NoCallFits for a type that no call can satisfy.
    """

    def emit_warning(self, kind: Any, detail: str) -> None:
        """Say nothing: a default that JSON can't say is left out of the schema, and stays one of the function."""

    def set_schema(self, schema: Any) -> dict[str, Any]:
        return _repeatable(super().set_schema(schema))

    def frozenset_schema(self, schema: Any) -> dict[str, Any]:
        return _repeatable(super().frozenset_schema(schema))

    def dataclass_args_schema(self, schema: Any) -> dict[str, Any]:
        taken = [field for field in schema["fields"] if field.get("init", True)]
        return super().dataclass_args_schema(schema | {"fields": taken})

    def enum_schema(self, schema: Any) -> dict[str, Any]:
        if not schema["members"]:
            raise NoCallFits("its Enum has no members")
        if not all(isinstance(member.value, _IN_JSON) for member in schema["members"]):
            raise NoCallFits("the values of its Enum are not JSON; give the members text or numbers as values")
        return super().enum_schema(schema)

    def literal_schema(self, schema: Any) -> dict[str, Any]:
        if any(isinstance(value, Enum) for value in schema["expected"]):
            raise NoCallFits('its Literal holds members of an Enum; write their values, as in Literal["red"]')
        if not all(isinstance(value, _IN_JSON) for value in schema["expected"]):
            raise NoCallFits("its Literal holds values that are not JSON; use text or numbers")
        return super().literal_schema(schema)

    def is_subclass_schema(self, schema: Any) -> dict[str, Any]:
        raise NoCallFits("a class can't be sent as JSON; take its name, and look the class up")


def _repeatable(schema: dict[str, Any]) -> dict[str, Any]:
    if "minItems" not in schema and "maxItems" not in schema:
        schema.pop("uniqueItems", None)
    return schema
