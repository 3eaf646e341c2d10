"""`python -m fieldloop` is the command line."""

import sys

from fieldloop.cli import main

sys.exit(main())
