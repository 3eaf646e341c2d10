"""What is deployed, under which conditions, how often: a map becomes strata with exposure, and answers five questions.

`parse` reads the map and the catalogue, `ask` scores how complete they are, `compare` holds them against the logs.
"""

from fieldloop.audit.compare import Comparison, compare
from fieldloop.audit.map_file import parse
from fieldloop.audit.questions import ask

__all__ = ["Comparison", "ask", "compare", "parse"]
