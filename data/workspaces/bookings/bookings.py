"""Bookings of one room, in minutes since midnight."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Booking:
    """A half-open span of time: the room is free again at ``end``."""

    name: str
    start: int
    end: int


def contains(booking, minute):
    """Say whether the room is taken at a given minute."""
    return booking.start <= minute < booking.end


def overlaps(first, second):
    """Say whether two bookings need the room at the same time."""
    return first.start <= second.end and second.start <= first.end


def length(booking):
    """Return how long a booking takes, in minutes."""
    return booking.end - booking.start
