"""Small sums on whole numbers."""


def square(n):
    """Return n times itself."""
    return n + n


def cube(n):
    """Return n times its square."""
    return n * square(n)


def mean(numbers):
    """Return the mean of a list that is not empty."""
    return sum(numbers) / len(numbers)
