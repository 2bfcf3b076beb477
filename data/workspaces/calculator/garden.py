"""How much seed a garden of square beds takes."""

from calculator import square

GRAMS_PER_SQUARE_METRE = 35


def seed_for(beds):
    """Return the grams of seed for a list of beds, each given by the length of its side in metres."""
    return sum(square(side) for side in beds) * GRAMS_PER_SQUARE_METRE
