"""Every use case has a command and a route, and every public function of the corridor is one, or says why not."""

import importlib
import inspect
import pkgutil

import pytest

from fieldloop import loop
from fieldloop.api.app import build
from fieldloop.api.parameters import read
from fieldloop.api.stages import STAGES, families, stage_of
from fieldloop.cli.arguments import parser_for
from fieldloop.cli.choose import OWN
from fieldloop.loop.catalogue import USE_CASES, Needs
from fieldloop.model.person import Role

CORRIDOR = sorted(module.name for module in pkgutil.iter_modules(loop.__path__))

NOT_A_USE_CASE = {
    "a part that several use cases share": (
        "audit:latest_audit",
        "audit:read_map",
        "measurements:rules_of",
        "audit:latest_deployment",
        "audit:require_complete_audit",
        "contents:contents_of",
        "contents:list_log",
        "convert:converted",
        "convert:folded",
        "convert:write",
        "looking:look",
        "ingest:signature_of",
        "ingest:take_in",
        "mapping:mapping_in_force",
        "mapping:mapping_of",
        "mapping:shelve_mapping",
        "convert:said_of",
        "reopen:reopen",
        "streams:remember_streams",
        "streams:streams_of",
        "intrinsics:attach_intrinsics",
        "picture_files:distinct_names",
        "picture_files:picture_files",
        "picture_files:read_picture",
        "attaching:in_force_on",
        "attaching:known_sensor",
        "attaching:remembering",
        "attaching:since_ns",
        "attaching:trusted_calibrations",
        "measurements:judged",
        "home_sensors:slipped_sensors",
        "protocols_in_force:read_text",
        "synchronisation:write_down",
        "measurements:outdated",
        "measurements:imprints_of",
        "measurements:imprints_named",
        "measurements:keep_looked",
        "measurements:batch_of",
        "mending:still_wrong",
        "check_again:measure_again",
        "check:look_and_keep",
        "judged:remember_dataset",
        "judged:remember_episodes",
        "judged:summary",
        "synchronisation:require_verified",
        "synchronisation:unverified_devices",
        "looking:look_at",
        "glimpse:glimpse",
        "parts:cut",
        "run_on_ray:each_on_ray",
        "sketching:sketches_of",
        "sketching:sketches_on_shelf",
        "measurements:measured_in",
        "ingest:reports_of",
        "monitor:baselines",
        "monitor:nominal",
        "protocol_lint:linted_task",
        "protocol_named:example_names",
        "protocol_named:example_text",
        "protocol_named:protocol_at",
        "protocol_named:protocol_named",
        "protocol_named:text_of",
        "protocol_sheet:sheet_in_force",
        "protocol_versions:locked_text",
        "protocol_versions:locked_version",
        "protocol_versions:own_text",
        "protocol_versions:shelve_version",
        "protocol_versions:version_of",
        "numbers:in_force",
        "numbers:is_locked",
        "plan_known:collected_since",
        "plan_known:coverage_now",
        "plan_known:coverage_under",
        "plan_known:crew_of",
        "plan_known:good_demonstrations",
        "plan_known:known_now",
        "plan_known:learnt_by",
        "plan_known:open_demands",
        "plan_known:outcomes_in_force",
        "plan_known:progress_of",
        "plan_known:scores_of",
        "diagnose:evidence_of",
        "release_evidence:agreements_of",
        "release_evidence:lags_of",
        "annotated_twice:annotated_twice",
        "audited_map:files_of",
        "audited_map:map_changed",
        "doubled_rows:doubled_rows",
        "live_sites:live_without_a_set",
        "live_sites:live_in_tables",
        "order_counts:order_counts",
        "order_counts:with_unnamed",
        "order_sheets:read_sheet",
        "order_sheets:write_orders",
        "plan_asked:asked_for",
        "taxonomy_lock:lock_taxonomy",
        "case_files:read_case",
        "written_times:in_our_time",
        "written_times:read_moment",
        "attempt_files:read_demonstrations",
        "attempt_files:read_outcomes",
        "attempt_files:telemetry_of",
        "table_rows:rows_of",
        "data_measured:read_agreements",
        "data_measured:read_lags",
        "whole_file:write_whole",
        "whole_file:read_whole",
        "whole_file:make_folder",
        "fault_words:parse_faults",
        "fault_words:refuse_beyond",
        "picking_story:play",
        "picking_story:read_orders",
        "picking_story:read_story",
        "picking_story:trained",
        "by_tier:episodes_by_tier",
        "by_tier:outcomes_by_tier",
        "policies:named",
        "policies:load",
        "release:named",
        "rollout:in_production",
        "rollout:last_gate",
        "rollout:on_ladder",
        "serve:timed",
    ),
    "takes what only code can hand in: nouns, an engine, a floor": (
        "calibrate:attach",
        "monitor:record_outcomes",
        "floor:write_demonstrations",
        "floor:demonstrate",
        "floor:run_trials",
        "floor:run_attempts",
        "floor:sitting",
        "floor:verify_clocks",
        "simulate:attempt",
    ),
    "a read that pages are drawn from; the API has it under another use case or under /api/events": (
        "home_success:success_over_time",
        "page_reads:tail",
        "page_reads:rates",
        "page_reads:daily_rates",
        "page_reads:attention",
        "page_reads:reports",
        "page_reads:every",
    ),
    "a part of home, which has the command": (
        "home_changes:changes",
        "home_next:next_steps",
        "home_now:read_now",
        "home_stages:stages",
        "home_stages:way_back",
    ),
    "how work is run, not what is done": ("run_on:cores", "run_on:each", "workspace:track_silently"),
    "how doors come in": (
        "catalogue:use_case",
        "tokens:whose",
        "workspace:create_workspace",
        "workspace:open_workspace",
        "workspace:require_role",
    ),
}
"""Why a public function of the corridor has no command of its own."""
EXCUSED = {name for names in NOT_A_USE_CASE.values() for name in names}


@pytest.fixture(scope="module")
def routes():
    return {(method, route.path) for route in build(lambda: None).routes for method in getattr(route, "methods", ())}


@pytest.mark.parametrize("case", USE_CASES, ids=lambda case: case.command)
def test_a_use_case_has_a_command_and_a_route(case, routes):
    function = case.load()
    ask = read(function)
    assert case.summary == inspect.getdoc(function).partition("\n")[0]
    assert case.summary.endswith(".")
    assert ask.takes_workspace is (case.needs is not Needs.NOTHING)
    assert case.summary in " ".join(parser_for(case.command, case.summary, ask, case.needs).format_help().split())
    found = {method for method, path in routes if path == f"/api/{case.path}"}
    assert found or case.no_route, "a use case without a route says why"
    assert not (found and case.no_route)
    assert case.roles <= set(Role)


@pytest.mark.parametrize("case", USE_CASES, ids=lambda case: case.command)
def test_every_parameter_is_explained(case):
    assert not [p.name for p in read(case.load()).parameters if not p.help]


def test_a_route_that_names_a_file_on_the_server_is_no_get(routes):
    for case in USE_CASES:
        if any(p.kind.__name__ == "Path" for p in read(case.load()).parameters):
            assert ("GET", f"/api/{case.path}") not in routes


@pytest.mark.parametrize("module", CORRIDOR)
def test_every_public_function_of_the_corridor_is_a_use_case_or_says_why_not(module):
    opened = importlib.import_module(f"fieldloop.loop.{module}")
    own = {
        f"{module}:{name}"
        for name, thing in vars(opened).items()
        if inspect.isfunction(thing) and thing.__module__ == opened.__name__ and not name.startswith("_")
    }
    listed = {case.target for case in USE_CASES}
    assert not own - listed - EXCUSED, "give it a command in the catalogue, or say here why not"
    assert not {name for name in EXCUSED if name.startswith(f"{module}:")} - own, "excused, but not there any more"


def test_every_command_stands_under_a_heading():
    placed = {word for words in STAGES.values() for word in words}
    assert set(families()) | set(OWN) == placed
    assert stage_of("rollout back") == "Run"
