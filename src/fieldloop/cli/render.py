"""Print a result: by the renderer of its kind where there is one, otherwise by its shape."""

import dataclasses
import importlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from fieldloop.cli.screen import Screen
from fieldloop.cli.tables import format_value, get_field_label, make_facts_table, make_heading, make_table
from fieldloop.model.finding import Status
from fieldloop.model.note import Note

Renderer = Callable[[Any, Screen], None]

# by type name, so that printing one result loads neither the other rooms nor their renderers
RENDERERS = {
    "CheckReport": "render_check:print_check_report",
    "EpisodeReport": "render_check:print_episode_report",
    "Ingested": "render_ingest:print_ingested_logs",
    "Contents": "render_ingest:print_log_contents",
    "Converted": "render_ingest:print_conversion",
    "Audited": "render_audit:print_map_and_audit",
    "Audit": "render_audit:print_audit",
    "Compared": "render_audit:print_compared_claims",
    "Velocity": "render_audit:print_velocity",
    "Numbers": "render_prepare:print_numbers",
    "LintReport": "render_protocol:print_lint_report",
    "ProtocolShown": "render_protocol:print_protocol_overview",
    "ProtocolChanges": "render_protocol:print_protocol_changes",
    "Plan": "render_plan:print_plan",
    "PlanNow": "render_plan:print_plan_in_force",
    "PlanScore": "render_plan:print_plan_score",
    "OrderSheet": "render_plan:print_order_sheet",
    "Forecast": "render_plan:print_forecast",
    "Decision": "render_run:print_gate_decision",
    "VersionComparison": "render_compare:print_version_comparison",
    "Watch": "render_run:print_production_rates",
    "Rollout": "render_run:print_rollout",
    "Diagnosis": "render_diagnosis:print_diagnosis",
    "PolicyVersion": "render_run:print_policy",
    "Release": "render_release:print_release",
    "Integrity": "render_release:print_integrity",
    "ReleaseDiff": "render_release_diff:print_release_diff",
    "Worth": "render_worth:print_worth",
    "IncidentNow": "render_run:print_incident",
    "GateReport": "render_gate:print_gate_report",
    "TrialSheet": "render_gate:print_trial_sheet",
    "TrialToMake": "render_gate:print_trial_to_make",
    "TrialResult": "render_gate:print_trial_result",
    "PolicyHealth": "render_run:print_policy_health",
    "PolicyCheck": "render_policy:print_policy_check",
    "HandEyeResult": "render_hand_eye:print_hand_eye_result",
    "ForceTorqueResult": "render_hand_eye:print_force_torque_result",
    "Verified": "render_hand_eye:print_verification",
    "Calibration": "render_hand_eye:print_camera_pose",
    "IntrinsicsResult": "render_camera:print_intrinsics_result",
    "CameraPairResult": "render_camera:print_camera_pair",
    "Home": "render_home:print_home",
    "Annotated": "render_proposals:print_proposals",
    "TaxonomyShown": "render_annotate:print_taxonomy",
    "TaxonomyLinted": "render_annotate:print_taxonomy_lint",
    "TaxonomyChanges": "render_annotate:print_taxonomy_changes",
    "TaxonomiesShown": "render_annotate:print_taxonomies",
    "TaxonomyEdited": "render_annotate:print_taxonomy_edited",
    "EpisodeLabels": "render_annotate:print_episode_labels",
    "LabelsKept": "render_annotate:print_labels_kept",
    "TasksShown": "render_annotate:print_tasks",
    "NextTask": "render_annotate:print_next_task",
    "Dealt": "render_annotate:print_dealt",
    "Agreed": "render_agree:print_agreement",
}
ONE_BY_ONE = {"IncidentNow", "EpisodeReport", "PlanScore", "OrderSheet", "ServerShown"}
"""Nouns that a row of a table cannot hold."""
OF_MANY = {
    "Progress": "render_plan:print_progress",
    "LogShown": "render_ingest:print_log_list",
    "PolicyVersion": "render_run:print_policies",
    "Release": "render_release:print_releases",
}
"""Nouns whose list has a renderer of its own."""
WIDE = {
    "findings",
    "evidence",
    "facts",
    "parent_from_child",
    "covariance",
    "annotations_sha256",
    "operations",
    "excluded",
    "answered",
}
"""Fields that do not fit in a row of a list; `--json` has them."""


def show_result(result: Any, screen: Screen) -> None:
    """Print a result."""
    name = type(result).__name__
    if isinstance(result, str):
        screen.write(result)
    elif name in RENDERERS:
        _load_renderer(RENDERERS[name])(result, screen)
    elif isinstance(result, Mapping):
        from fieldloop.doors.written import convert_to_json

        screen.write(json.dumps(convert_to_json(result), indent=2, ensure_ascii=False))
    elif isinstance(result, list | tuple):
        _show_list(result, screen)
    elif dataclasses.is_dataclass(result):
        show_noun(result, screen)
    elif result is not None:
        screen.write(str(result))


def show_noun(value: Any, screen: Screen) -> None:
    """Print a noun: its facts, then each noun that has a renderer and each list of nouns in a section of its own."""
    held = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    sections = {name: part for name, part in held.items() if _is_list_of_nouns(part) or _is_printable_noun(part)}
    if kept := [name for name in held if name not in sections]:
        screen.print(make_facts_table((get_field_label(name), _format_cell(held[name], name)) for name in kept))
    for name, part in sections.items():
        screen.print()
        screen.print(make_heading(get_field_label(name).capitalize()))
        show_result(part, screen)


def show_noun_table(rows: tuple[Any, ...] | list[Any], screen: Screen) -> None:
    """Print nouns of one kind as a table; columns that are empty in every row are left out."""
    names = [f.name for f in dataclasses.fields(rows[0]) if f.name not in WIDE]
    filled = [n for n in names if any(getattr(row, n) not in (None, "", ()) for row in rows)]
    flat = [n for n in filled if not any(_is_list_of_nouns(getattr(row, n)) for row in rows)]
    figures = [get_field_label(n) for n in flat if all(isinstance(getattr(row, n), int | float | None) for row in rows)]
    cells = ([_format_cell(getattr(row, n), n) for n in flat] for row in rows)
    screen.print(make_table([get_field_label(n) for n in flat], cells, right=figures))


def _load_renderer(module_and_function: str) -> Renderer:
    module, _, function = module_and_function.partition(":")
    found: Renderer = getattr(importlib.import_module(f"fieldloop.cli.{module}"), function)
    return found


def _show_list(rows: list[Any] | tuple[Any, ...], screen: Screen) -> None:
    if not rows:
        screen.write("Nothing yet.")
    elif own := OF_MANY.get(type(rows[0]).__name__):
        _load_renderer(own)(rows, screen)
    elif _is_list_of_nouns(rows) and len({type(row) for row in rows}) == 1 and type(rows[0]).__name__ not in ONE_BY_ONE:
        show_noun_table(rows, screen)
    else:
        for place, row in enumerate(rows):
            if place:
                screen.print()
            show_result(row, screen)


def _is_list_of_nouns(value: Any) -> bool:
    from fieldloop.model.condition import Stratum

    plural = isinstance(value, list | tuple) and bool(value)
    return plural and all(dataclasses.is_dataclass(v) and not isinstance(v, Stratum | Note) for v in value)


def _is_printable_noun(value: Any) -> bool:
    """Has it a renderer, or is it a nameless holder of lists, such as a schedule?"""
    from fieldloop.model.condition import Stratum

    if type(value).__name__ in RENDERERS:
        return True
    if isinstance(value, Stratum | Note):  # written in a cell
        return False
    nameless = dataclasses.is_dataclass(value) and not hasattr(value, "id")
    return nameless and any(_is_list_of_nouns(getattr(value, f.name)) for f in dataclasses.fields(value))


def _format_cell(value: Any, name: str) -> Any:
    return value if isinstance(value, Status) else format_value(value, name)
