"""Agreement of two or more authors as a vector, and what its parts ask for."""

from fieldloop.annotate.agreeing.report import compare_all_authors
from fieldloop.annotate.agreeing.vector import AgreementLimits

__all__ = ["AgreementLimits", "compare_all_authors"]
