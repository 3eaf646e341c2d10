"""What happened when: the words for it, machine proposals, and how far two authors agree."""

from fieldloop.annotate.agreement import agreement
from fieldloop.annotate.propose import propose
from fieldloop.annotate.taxonomy import measures, parse_taxonomy, taxonomy

__all__ = ["agreement", "measures", "parse_taxonomy", "propose", "taxonomy"]
