import unittest

from calculator import cube, mean, square
from garden import seed_for


class CalculatorTest(unittest.TestCase):
    def test_square(self):
        self.assertEqual(square(3), 9)

    def test_cube(self):
        self.assertEqual(cube(3), 27)

    def test_mean(self):
        self.assertEqual(mean([1, 2, 6]), 3)

    def test_seed_for_two_beds(self):
        self.assertEqual(seed_for([1, 3]), 350)


if __name__ == "__main__":
    unittest.main()
