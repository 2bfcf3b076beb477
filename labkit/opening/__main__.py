"""``python -m labkit.opening``: what lab.py calls."""

import sys

from labkit.opening import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
