"""The report of a check: as stable JSON, as a printed summary, and as a page with plots."""

from fieldloop.report.check.causes import Cause, Causes, group_by_cause
from fieldloop.report.check.content import CheckReport
from fieldloop.report.check.episode_names import name_episodes_apart
from fieldloop.report.check.html import render_check_page
from fieldloop.report.check.json_form import build_report_json, get_episode_address
from fieldloop.report.check.sketch import EpisodeSketch, sketch_episode
from fieldloop.report.check.summary import Summary, sort_episodes_by_cost, summarise_check_report

__all__ = [
    "Cause",
    "Causes",
    "CheckReport",
    "EpisodeSketch",
    "Summary",
    "build_report_json",
    "get_episode_address",
    "group_by_cause",
    "name_episodes_apart",
    "render_check_page",
    "sketch_episode",
    "sort_episodes_by_cost",
    "summarise_check_report",
]
