"""``jsonschema`` as a judge: exact where it is not, and asked for nothing that it would have to fetch. Chapter 03.

    >>> validator_for({"multipleOf": 0.1}).is_valid(0.3)
    True

Pure. Does not: word problems, follow a reference that leads out of the schema, know formats other than ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from labkit.validate.keywords import FORMATS, is_found, is_multiple

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


def validator_for(schema: Any) -> Validator:
    """Return a validator of the 2020-12 dialect. Raises ValueError, saying where, for a schema that is none."""
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import extend
    from referencing.jsonschema import EMPTY_REGISTRY

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        place = ".".join(map(str, error.absolute_path))
        raise ValueError(f"the schema is not valid JSON Schema at {place or 'its root'}") from None
    formats = FormatChecker(formats=())
    for name, (fits, _) in FORMATS.items():
        formats.checks(name)(lambda value, fits=fits: not isinstance(value, str) or fits(value))
    exact: Any = extend(  # type: ignore[no-untyped-call]
        Draft202012Validator, {"pattern": _pattern, "multipleOf": _multiple_of}
    )
    # With no registry given, a reference that leads out of the schema would be fetched.
    validator: Validator = exact(schema, format_checker=formats, registry=EMPTY_REGISTRY)
    return validator


def _pattern(validator: Any, pattern: str, value: Any, schema: Any) -> Iterator[Exception]:
    from jsonschema import ValidationError

    if validator.is_type(value, "string") and not is_found(pattern, value):
        yield ValidationError("pattern")


def _multiple_of(validator: Any, step: float, value: Any, schema: Any) -> Iterator[Exception]:
    from jsonschema import ValidationError

    if validator.is_type(value, "number") and not is_multiple(value, step):
        yield ValidationError("multipleOf")
