"""Tempting wrong answers to the exercises of chapter 02. Each takes the stub cell's place, and each must fail."""

from __future__ import annotations

from labkit.course.exercises import exercise


def _booking(right: str, wrong: str) -> str:
    """Our own answer to 02.1 with one slip in it."""
    ours = exercise("02.1").solution
    assert ours.count(right) == 1
    return ours.replace(right, wrong)


WRONG: dict[str, tuple[str, ...]] = {
    "02.1": (
        # forgot that a schema is open unless it says otherwise
        _booking('    "additionalProperties": False,\n', ""),
        # a date by its looks
        _booking('"format": "date"', '"pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"'),
        # everything required
        _booking('["guests", "day"]', '["guests", "day", "area"]'),
        # the bound left out of what is allowed
        _booking('"minimum": 1, "maximum": 12', '"exclusiveMinimum": 0, "exclusiveMaximum": 12'),
        # half a guest
        _booking('"integer"', '"number"'),
        # a description is no enum
        _booking('"enum": ["garden", "hall"]', '"description": "garden or hall"'),
    ),
    "02.2": (
        # text that looks like a date keeps lint silent
        '''
def find_notes(
    text: Annotated[str, Field(description="Words, for example tea")],
    since_date: Annotated[str, Field(
        description="For example 2026-09-01", pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")] = "2026-01-01",
    limit: Annotated[int, Field(description="How many, 1 to 50", ge=1, le=50)] = 10,
) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
        # a default that is no date: the function gets it
        '''
def find_notes(
    text: Annotated[str, Field(description="Words, for example tea")],
    since_date: Annotated[date, Field(description="For example 2026-09-01")] = "",
    limit: Annotated[int, Field(description="How many, 1 to 50", ge=1, le=50)] = 10,
) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
        # another name than the one that was asked for
        '''
def find_notes(
    query: Annotated[str, Field(description="Words, for example tea")],
    since: Annotated[date | None, Field(description="For example 2026-09-01")] = None,
    limit: Annotated[int, Field(description="How many, 1 to 50", ge=1, le=50)] = 10,
) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
        # anything, by name
        '''
def find_notes(text: str, **others) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
        # an upper bound, and no lower one
        '''
def find_notes(
    text: Annotated[str, Field(description="Words, for example tea")],
    since_date: Annotated[date | None, Field(description="For example 2026-09-01")] = None,
    limit: Annotated[int, Field(description="How many, 1 to 50", le=50)] = 10,
) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
        # a date without a default is required
        '''
def find_notes(
    text: Annotated[str, Field(description="Words, for example tea")],
    since_date: Annotated[date | None, Field(description="For example 2026-09-01")],
    limit: Annotated[int, Field(description="How many, 1 to 50", ge=1, le=50)] = 10,
) -> list:
    """Find the notes that hold a text, newest first. Only reads."""
    return []
''',
        # types and bounds, and nothing said
        '''
def find_notes(text: str, since_date: date | None = None, limit: Annotated[int, Field(ge=1, le=50)] = 10) -> list:
    """Find notes."""
    return []
''',
    ),
    "02.3": (
        # the enum does not admit the null that the type admits
        """
import copy

def strict_v0(schema):
    strict = copy.deepcopy(schema)
    for name, part in strict["properties"].items():
        part.pop("default", None)
        if name not in schema.get("required", []) and part["type"] != ["string", "null"]:
            part["type"] = [part["type"], "null"]
    strict["required"] = list(strict["properties"])
    strict["additionalProperties"] = False
    return strict
""",
        # null twice
        """
import copy

def strict_v0(schema):
    strict = copy.deepcopy(schema)
    for name, part in strict["properties"].items():
        part.pop("default", None)
        if name not in schema.get("required", []):
            types = part["type"] if isinstance(part["type"], list) else [part["type"]]
            part["type"] = [*types, "null"]
            if "enum" in part:
                part["enum"].append(None)
    strict["required"] = list(strict["properties"])
    strict["additionalProperties"] = False
    return strict
""",
        # a shallow copy: the parts are those of the given schema
        """
def strict_v0(schema):
    strict = dict(schema)
    for name, part in strict["properties"].items():
        part.pop("default", None)
        if name not in schema.get("required", []):
            types = part["type"] if isinstance(part["type"], list) else [part["type"]]
            part["type"] = [t for t in types if t != "null"] + ["null"]
            if "enum" in part:
                part["enum"] = [*part["enum"], None]
    strict["required"] = list(strict["properties"])
    strict["additionalProperties"] = False
    return strict
""",
        # all required, and so nothing may be missing: null is refused
        """
import copy

def strict_v0(schema):
    strict = copy.deepcopy(schema)
    for part in strict["properties"].values():
        part.pop("default", None)
    strict["required"] = list(strict["properties"])
    strict["additionalProperties"] = False
    return strict
""",
        # the property is built anew from its type
        """
def strict_v0(schema):
    properties = {}
    for name, part in schema["properties"].items():
        kinds = part["type"] if isinstance(part["type"], list) else [part["type"]]
        enum = {"enum": part["enum"] + [None]} if "enum" in part else {}
        free = {"type": sorted({*kinds, "null"}), **enum}
        properties[name] = part if name in schema.get("required", []) else free
    whole = {"type": "object", "properties": properties, "required": list(properties)}
    return whole | {"additionalProperties": False}
""",
        # a schema without a list of required
        """
import copy

def strict_v0(schema):
    strict = copy.deepcopy(schema)
    for name, part in strict["properties"].items():
        if name not in schema["required"]:
            part.pop("default", None)
            types = part["type"] if isinstance(part["type"], list) else [part["type"]]
            part["type"] = [t for t in types if t != "null"] + ["null"]
            if "enum" in part:
                part["enum"] = [*part["enum"], None]
    strict["required"] = list(strict["properties"])
    strict["additionalProperties"] = False
    return strict
""",
    ),
}
