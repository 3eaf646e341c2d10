"""The command line: `fieldloop COMMAND …`, one command per use case of the catalogue."""

from fieldloop.cli.entry import main

__all__ = ["main"]
