"""All timing rigs by name: those to develop an estimator on, and those to report on, which share nothing."""

from bench.timing_truth.development import DEVELOPMENT
from bench.timing_truth.report import REPORT

__all__ = ["DEVELOPMENT", "REPORT"]
