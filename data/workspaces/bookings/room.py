"""One room and who has it when."""

from bookings import contains, overlaps


class Room:
    def __init__(self):
        self.booked = []

    def book(self, booking):
        """Take the booking if the room is free for it; say whether it was taken."""
        if any(overlaps(booking, other) for other in self.booked):
            return False
        self.booked.append(booking)
        return True

    def who(self, minute):
        """Return the name of who has the room at a given minute, or None."""
        return next((each.name for each in self.booked if contains(each, minute)), None)
