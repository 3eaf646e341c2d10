"""What happened when: the words for it, machine proposals, and how far two authors agree."""

from fieldloop.annotate.agreement import agreement
from fieldloop.annotate.by_condition import agreements_by_condition
from fieldloop.annotate.propose import propose
from fieldloop.annotate.taxonomy import measures, parse_taxonomy, taxonomy

__all__ = ["agreement", "agreements_by_condition", "measures", "parse_taxonomy", "propose", "taxonomy"]
