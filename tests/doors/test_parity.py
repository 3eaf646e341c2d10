"""Every use case has a command and a route, and every public function of the corridor is one, or says why not."""

import importlib
import inspect
import pkgutil

import pytest

from fieldloop import loop
from fieldloop.api.app import build_app
from fieldloop.cli.arguments import build_parser
from fieldloop.cli.choose import OWN
from fieldloop.doors.parameters import read_parameters
from fieldloop.doors.stages import STAGES, get_stage, group_by_family
from fieldloop.loop.catalogue import USE_CASES, Needs
from fieldloop.model.person import Role

CORRIDOR = sorted(
    module.name.removeprefix("fieldloop.loop.")
    for module in pkgutil.walk_packages(loop.__path__, "fieldloop.loop.")
    if not module.ispkg
)

NOT_A_USE_CASE = {
    "a part that several use cases share": (
        "audit.audit:latest_audit",
        "data.as_frozen:episodes_of_release",
        "data.as_frozen:logs_as_frozen",
        "data.find_episode:find_episode",
        "data.find_episode:find_log",
        "data.find_episode:logs_by_name",
        "data.ingest:log_status",
        "data.ingest:refuse_statements",
        "data.moment:forget_glimpses",
        "data.relabel:judge_anew",
        "data.statements:describe_conflicts",
        "data.statements:read_statements",
        "data.statements:refuse_contradiction",
        "data.statements:with_statements",
        "home.names:find_numbered",
        "run.monitor:trials_before_production",
        "run.monitor:unknown_results",
        "run.possible_outcomes:refuse_misspelt_condition",
        "work.pasted:pasted_table",
        "audit.audit:read_map",
        "data.measurements:rules_of",
        "audit.audit:latest_deployment",
        "audit.audit:require_complete_audit",
        "data.dry_run:contents_of",
        "data.dry_run:list_log",
        "ship.convert:compare_with_source",
        "ship.convert:conversion_result",
        "ship.convert:fold_similar_losses",
        "ship.convert:write_recordings",
        "ship.same_content:compare_content",
        "ship.same_frames:compare_frames",
        "ship.target:prepare_target",
        "ship.target:size_mb",
        "work.measure_part:measure_part",
        "data.ingest:signature_of",
        "data.ingest:ingest_paths",
        "data.mapping:mapping_in_force",
        "data.mapping:mapping_of",
        "data.mapping:shelve_mapping",
        "work.reopen:reopen",
        "data.streams:remember_streams",
        "data.streams:streams_of",
        "calibrate.intrinsics:attach_intrinsics",
        "calibrate.picture_files:distinct_names",
        "calibrate.picture_files:picture_files",
        "calibrate.picture_files:read_picture",
        "calibrate.attach:calibration_in_force",
        "calibrate.attach:require_known_sensor",
        "calibrate.attach:workspace_to_store_in",
        "calibrate.attach:parse_time_ns",
        "calibrate.attach:trusted_calibrations",
        "data.measurements:judge_episodes",
        "home.sensors:slipped_sensors",
        "collect.synchronisation:record_offset",
        "data.measurements:outdated_episodes",
        "data.measurements:imprints_of",
        "data.measurements:imprints_fingerprint",
        "data.measurements:keep_results",
        "data.measurements:batch_of",
        "ship.verify_fixes:episodes_still_failing",
        "data.check_again:measure_again",
        "data.check:measure_and_cache",
        "data.remember_verdicts:remember_dataset",
        "data.remember_verdicts:remember_episodes",
        "data.remember_verdicts:summary",
        "collect.synchronisation:require_verified",
        "collect.synchronisation:unverified_devices",
        "work.measure_part:measure_recording",
        "data.moment:glimpse",
        "work.parts:cut_into_parts",
        "work.run_on_ray:each_on_ray",
        "data.worst_episodes:sketches_of",
        "data.worst_episodes:sketches_on_shelf",
        "data.measurements:stored_measurements",
        "data.ingest:reports_of",
        "run.monitor:baselines",
        "run.monitor:baseline_of",
        "run.monitor:window_span",
        "run.monitor:with_silent_sites",
        "run.monitor:replaced_on_the_fleet",
        "ship.policy:refuse_taken_name",
        "ship.release:held_back",
        "work.example_tables:example_table",
        "work.example_tables:write_template",
        "plan.known:versions_in_force",
        "run.monitor:nominal_outcomes",
        "protocol.lint:lint_task",
        "protocol.named:example_names",
        "protocol.named:example_text",
        "protocol.named:protocol_at",
        "protocol.named:protocol_named",
        "protocol.sheet:sheet_in_force",
        "protocol.versions:locked_text",
        "protocol.versions:locked_version",
        "protocol.versions:protocol_file_text",
        "protocol.versions:shelve_version",
        "protocol.in_force:in_force",
        "protocol.in_force:is_locked",
        "plan.known:collected_since",
        "plan.known:coverage_now",
        "plan.known:coverage_and_elsewhere",
        "plan.known:next_order_number",
        "audit.audit:examine",
        "plan.known:coverage_under",
        "plan.known:crew_of",
        "plan.known:good_demonstrations",
        "plan.known:read_plan_inputs",
        "plan.known:learnt_by",
        "plan.known:open_demands",
        "plan.known:outcomes_in_force",
        "plan.known:progress_of",
        "plan.known:scores_of",
        "run.diagnose:evidence_of",
        "ship.release_evidence:agreements_of",
        "ship.release_evidence:lags_of",
        "floor.annotated_twice:compare_two_annotators",
        "audit.audited_map:file_digests",
        "audit.audited_map:map_changed",
        "audit.live_sites:live_sites_without_set",
        "audit.live_sites:live_sites_without_set_in_tables",
        "plan.order_counts:order_counts",
        "plan.order_counts:assign_unnamed_episodes",
        "plan.order_sheets:read_sheet",
        "plan.order_sheets:write_orders",
        "plan.plan:plan_settings",
        "ship.taxonomy_lock:lock_taxonomy",
        "ship.taxonomy_lock:is_locked",
        "ship.annotate:agreement_of_spans",
        "ship.policy:digest_of",
        "work.case_files:read_case",
        "work.atomic_files:write_atomically",
        "work.atomic_files:make_folder",
        "floor.limits:refuse_amount",
        "floor.parse_faults:parse_faults",
        "floor.parse_faults:refuse_beyond",
        "floor.picking_story:simulate_story",
        "floor.picking_story:read_orders",
        "floor.picking_story:read_story",
        "floor.picking_story:train_policy",
        "run.policies:find_policy",
        "run.policies:load_engine",
        "run.policies:release_of",
        "ship.release:find_release",
        "run.rollout:version_in_production",
        "run.rollout:last_gate",
        "run.rollout:passed_gate",
        "run.rollout:rollout_in_progress",
        "run.serve:measure_latency",
    ),
    "takes or gives what only code can hold: nouns, arrays, an engine, a floor": (
        "data.read_log:read_log",
        "calibrate.extrinsics:attach",
        "run.outcomes:record_outcomes",
        "run.possible_outcomes:refuse_impossible",
        "run.possible_outcomes:further_conditions",
        "floor.floor:write_demonstrations",
        "floor.floor:demonstrate",
        "floor.floor:run_trials",
        "floor.floor:run_attempts",
        "floor.floor:alternate_turns",
        "floor.floor:verify_clocks",
        "floor.simulate:attempt",
    ),
    "a read that pages are drawn from; the API has it under another use case or under /api/events": (
        "home.success:success_over_time",
        "home.success:policies_shown",
        "home.pages:tail",
        "home.pages:rates",
        "home.pages:daily_rates",
        "home.pages:count_open_work",
        "home.pages:reports",
        "home.pages:find_newest_first",
    ),
    "a part of home, which has the command": (
        "home.changes:changes",
        "home.next_steps:next_steps",
        "home.now:read_now",
        "home.stages:stages",
        "home.stages:way_back",
    ),
    "how work is run, not what is done": ("work.run_on:cores", "work.run_on:run_each", "workspace:track_silently"),
    "how doors come in": (
        "catalogue:use_case",
        "house.tokens:actor_by_secret",
        "workspace:create_workspace",
        "workspace:open_workspace",
    ),
}
"""Why a public function of the corridor has no command of its own."""
EXCUSED = {name for names in NOT_A_USE_CASE.values() for name in names}


@pytest.fixture(scope="module")
def routes():
    return {
        (method, route.path) for route in build_app(lambda: None).routes for method in getattr(route, "methods", ())
    }


@pytest.mark.parametrize("case", USE_CASES, ids=lambda case: case.command)
def test_a_use_case_has_a_command_and_a_route(case, routes):
    function = case.load()
    ask = read_parameters(function)
    assert case.summary == inspect.getdoc(function).partition("\n")[0]
    assert case.summary.endswith(".")
    assert ask.takes_workspace is (case.needs is not Needs.NOTHING)
    assert case.summary in " ".join(build_parser(case.command, case.summary, ask, case.needs).format_help().split())
    found = {method for method, path in routes if path == f"/api/{case.path}"}
    assert found or case.no_route, "a use case without a route says why"
    assert not (found and case.no_route)
    assert case.roles <= set(Role)


@pytest.mark.parametrize("case", USE_CASES, ids=lambda case: case.command)
def test_every_parameter_is_explained(case):
    assert not [p.name for p in read_parameters(case.load()).parameters if not p.help]


def test_a_route_that_names_a_file_on_the_server_is_no_get(routes):
    for case in USE_CASES:
        if any(p.kind.__name__ == "Path" for p in read_parameters(case.load()).parameters):
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
    assert set(group_by_family()) | set(OWN) == placed
    assert get_stage("rollout back") == "Run"
