"""Networks written as functions of their weights, so that a checkpoint runs without the library that trained it."""
