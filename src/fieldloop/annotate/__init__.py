"""What happened when: the words (`taxonomy`), machine proposals (`propose`), and how far two authors agree (`agreement`)."""

from fieldloop.annotate.agreement import agreement
from fieldloop.annotate.propose import propose
from fieldloop.annotate.taxonomy import measures, parse_taxonomy, taxonomy

__all__ = ["agreement", "measures", "parse_taxonomy", "propose", "taxonomy"]
