"""fieldloop: from robot log to the next collection plan, as one loop."""

__version__ = "0.1.0"
