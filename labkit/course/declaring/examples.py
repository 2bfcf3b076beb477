"""Sources to begin with at the declaration bench: good ones, bad ones, and some that declare nothing. Chapter 02.

    >>> declared(EXAMPLES["good"]).findings
    ()

Does not: run anything; the sources are text.
"""

GOOD = '''\
from datetime import date
from typing import Annotated, Literal
from pydantic import Field

Day = Annotated[date, Field(
    description="A day as YYYY-MM-DD, for example 2026-09-01")]
Status = Literal["paid", "unpaid", "refunded"]

def query_orders(
    start_date: Day,
    end_date: Day,
    status: Annotated[Status | None, Field(
        description="Order status; leave out for all")] = None,
    limit: Annotated[int, Field(
        description="How many at most, 1 to 100", ge=1, le=100)] = 20,
) -> list:
    """List the orders between two days, both included.

    Only reads; changes nothing.
    """
'''
BAD = '''\
def query(a: str, date: str, limit: int = 20, extra: list = ()):
    """Query."""
'''
NESTED = '''\
from __future__ import annotations
from typing import Annotated
from pydantic import BaseModel, Field

class Line(BaseModel):
    item: Annotated[str, Field(description="For example tea")]
    quantity: Annotated[int, Field(
        description="How many, 1 to 99", ge=1, le=99)] = 1

class Address(BaseModel):
    street: Annotated[str, Field(description="With the number")]
    city: Annotated[str, Field(description="For example Oslo")]

def place_order(
    lines: Annotated[list[Line], Field(
        description="What to send", min_length=1)],
    to: Annotated[Address, Field(description="Where to send it")],
) -> str:
    """Place one order of several things. Can't be undone."""
'''
ENUM_AND_DATE = '''\
from datetime import datetime
from enum import Enum

class Room(Enum):
    """A room by its name."""
    GARDEN = "garden"
    LIBRARY = "library"

def book_room(room: Room, start: datetime, hours: int = 1) -> str:
    """Book a room for some hours; fails where it is taken.

    Args:
        start: For example 2026-09-01T14:30:00
        hours: Whole hours, for example 2
    """
'''
OTHER_SHAPES = '''\
from dataclasses import dataclass
from typing_extensions import TypedDict

@dataclass
class Point:
    x: float
    y: float = 0.0

class Label(TypedDict):
    text: str

def draw(points: list[Point], label: Label | None = None) -> str:
    """Draw points on the map, with a label where one is given."""
'''
TREE = '''\
from pydantic import BaseModel

class Folder(BaseModel):
    name: str
    folders: list["Folder"] = []

def make_folders(root: Folder) -> int:
    """Make a folder and all folders in it; return how many."""
'''
NOT_STRICT = '''\
def tag(labels: dict[str, str], spot: tuple[int, int]) -> str:
    """Put labels of your own choice on a spot of the map."""
'''
SLIP = '''\
def find(text: str, top: int = 5:
    """Find notes that hold a text."""
'''
UNKNOWN_NAME = '''\
def find(since: date) -> list:
    """Find notes that are not older than a day."""
'''
ENDLESS = '''\
def find(text: str) -> list:
    """Find notes that hold a text."""

while True: pass
'''
EXAMPLES = {
    "good": GOOD,
    "bad": BAD,
    "nested": NESTED,
    "enum and date": ENUM_AND_DATE,
    "dataclass and TypedDict": OTHER_SHAPES,
    "holds itself": TREE,
    "not strict": NOT_STRICT,
    "a slip of the pen": SLIP,
    "an unknown name": UNKNOWN_NAME,
    "never ends": ENDLESS,
}
"""Name -> source."""
