"""Annotation: the taxonomy, machine proposals, and agreement between two authors."""

from fieldloop.annotate.agreement import compare_authors
from fieldloop.annotate.by_condition import compare_by_condition
from fieldloop.annotate.change_points import ChangePoint, find_change_points
from fieldloop.annotate.proposal import Proposal, propose_labels
from fieldloop.annotate.propose import propose_phases
from fieldloop.annotate.taxonomy import load_shipped_measures, load_shipped_taxonomy, parse_taxonomy

__all__ = [
    "ChangePoint",
    "Proposal",
    "compare_authors",
    "compare_by_condition",
    "find_change_points",
    "load_shipped_measures",
    "load_shipped_taxonomy",
    "parse_taxonomy",
    "propose_labels",
    "propose_phases",
]
