"""The workspace itself: set it up, examine it, give access to it."""
