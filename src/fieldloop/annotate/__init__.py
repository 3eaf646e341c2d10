"""Annotation: the taxonomy, machine proposals, and agreement between two authors."""

from fieldloop.annotate.agreement import agreement
from fieldloop.annotate.by_condition import agreements_by_condition
from fieldloop.annotate.propose import propose
from fieldloop.annotate.taxonomy import measures, parse_taxonomy, taxonomy

__all__ = ["agreement", "agreements_by_condition", "measures", "parse_taxonomy", "propose", "taxonomy"]
