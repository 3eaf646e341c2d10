"""Possible explanations of a loss, a file a kind, with their prior probabilities."""
