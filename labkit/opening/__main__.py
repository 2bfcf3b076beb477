"""``python -m labkit.opening``: what lab.py calls."""

import sys

if __name__ == "__main__":
    try:
        from labkit.opening import main

        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # Ctrl-C while the lab was still loading
        sys.exit(130)
