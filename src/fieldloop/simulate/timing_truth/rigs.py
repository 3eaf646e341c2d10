"""All timing rigs by name: those to develop an estimator on, and those to report on, which share nothing."""

from fieldloop.simulate.timing_truth.development import DEVELOPMENT
from fieldloop.simulate.timing_truth.report import REPORT

__all__ = ["DEVELOPMENT", "REPORT"]
