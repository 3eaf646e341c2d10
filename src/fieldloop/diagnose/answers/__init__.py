"""Facts that a diagnosis states: evidence and fix of each cause, what is not known, what to log."""
