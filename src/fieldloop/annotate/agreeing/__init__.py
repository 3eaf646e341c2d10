"""Agreement of two or more authors as a vector, and what its parts ask for."""

from fieldloop.annotate.agreeing.report import compare_all_authors

__all__ = ["compare_all_authors"]
