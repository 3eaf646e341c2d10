"""The collection plan: draw it, write work orders, follow its progress, score it."""
