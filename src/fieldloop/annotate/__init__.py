"""Annotation: the taxonomy, machine proposals, and agreement between two authors."""

from fieldloop.annotate.agreement import compare_authors, measure_lateness
from fieldloop.annotate.by_condition import compare_by_condition
from fieldloop.annotate.change_points import ChangePoint, find_change_points
from fieldloop.annotate.dealing import ANYONE, Hand, count_doubles, deal_episodes, draw_doubles
from fieldloop.annotate.dispute import DisputeLimits, find_disputes
from fieldloop.annotate.edge_cases import find_edge_cases
from fieldloop.annotate.proposal import Proposal, propose_labels
from fieldloop.annotate.propose import propose_phases
from fieldloop.annotate.segments import find_segment_problems
from fieldloop.annotate.sources import (
    NO_ATTEMPTS,
    Attempts,
    Source,
    choose_labels,
    choose_labels_by_name,
    classify_author,
)
from fieldloop.annotate.taxonomy import (
    load_shipped_measures,
    load_shipped_taxonomy,
    load_whole_taxonomy,
    parse_taxonomy,
    read_whole_taxonomy_text,
)
from fieldloop.annotate.taxonomy_diff import compare_taxonomies
from fieldloop.annotate.taxonomy_lint import find_taxonomy_errors, find_taxonomy_remarks

__all__ = [
    "ANYONE",
    "NO_ATTEMPTS",
    "Attempts",
    "ChangePoint",
    "DisputeLimits",
    "Hand",
    "Proposal",
    "Source",
    "choose_labels",
    "choose_labels_by_name",
    "classify_author",
    "compare_authors",
    "compare_by_condition",
    "compare_taxonomies",
    "count_doubles",
    "deal_episodes",
    "draw_doubles",
    "find_change_points",
    "find_disputes",
    "find_edge_cases",
    "find_segment_problems",
    "find_taxonomy_errors",
    "find_taxonomy_remarks",
    "load_shipped_measures",
    "load_shipped_taxonomy",
    "load_whole_taxonomy",
    "measure_lateness",
    "parse_taxonomy",
    "propose_labels",
    "propose_phases",
    "read_whole_taxonomy_text",
]
