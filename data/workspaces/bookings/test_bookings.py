import unittest

from bookings import Booking, length, overlaps
from room import Room

MORNING = Booking("Ada", 540, 600)
LATE_MORNING = Booking("Grace", 600, 690)
LUNCH = Booking("Alan", 660, 720)


class BookingsTest(unittest.TestCase):
    def test_overlap_in_the_middle(self):
        self.assertTrue(overlaps(LATE_MORNING, LUNCH))

    def test_apart(self):
        self.assertFalse(overlaps(MORNING, LUNCH))

    def test_back_to_back_is_no_overlap(self):
        self.assertFalse(overlaps(MORNING, LATE_MORNING))

    def test_length(self):
        self.assertEqual(length(LATE_MORNING), 90)

    def test_a_room_takes_bookings_back_to_back(self):
        room = Room()
        self.assertTrue(room.book(MORNING))
        self.assertTrue(room.book(LATE_MORNING))
        self.assertFalse(room.book(LUNCH))
        self.assertEqual(room.who(600), "Grace")


if __name__ == "__main__":
    unittest.main()
