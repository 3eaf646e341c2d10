"""Annotation: the taxonomy, machine proposals, and agreement between two authors."""

from fieldloop.annotate.agreement import compare_authors
from fieldloop.annotate.by_condition import compare_by_condition
from fieldloop.annotate.propose import propose_phases
from fieldloop.annotate.taxonomy import load_shipped_measures, load_shipped_taxonomy, parse_taxonomy

__all__ = [
    "compare_authors",
    "compare_by_condition",
    "load_shipped_measures",
    "load_shipped_taxonomy",
    "parse_taxonomy",
    "propose_phases",
]
