"""The report of a diagnosis: is the drop real, what caused it, what to do; as sentences and as an HTML page."""

from fieldloop.report.diagnose.content import DiagnosisReport, write_headline, write_main_cause
from fieldloop.report.diagnose.html import render_diagnosis_page

__all__ = ["DiagnosisReport", "render_diagnosis_page", "write_headline", "write_main_cause"]
