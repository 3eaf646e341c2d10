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
        "annotate.tasks:describe_tasks",
        "home.labelling:read_labelling_queue",
        "data.moment:open_recording",
        "look.bare_video:list_videos",
        "look.bare_video:read_video",
        "look.checked:check_part",
        "look.checked:estimate_camera_lags",
        "look.of_path:open_path",
        "look.picture_files:draw_depth",
        "look.picture_files:find_depth_range_m",
        "look.picture_files:make_picture_file",
        "look.thinning:count_sent_rows",
        "look.thinning:reduce_signal",
        "look.timing:compute_seconds",
        "look.timing:compute_start_and_duration",
        "look.timing:get_stream_seconds",
        "look.view:build_calibration_json",
        "look.view:build_findings_json",
        "look.view:build_segment_json",
        "audit.audit:find_latest_audit",
        "data.as_frozen:find_release_episodes",
        "data.as_frozen:find_logs_as_frozen",
        "data.file_names:name_defect_file",
        "data.file_names:name_files_apart",
        "data.find_episode:find_episode",
        "data.find_episode:find_log",
        "data.find_episode:find_logs_by_name",
        "data.find_episode:name_episodes",
        "data.ingest:decide_log_status",
        "data.ingest:explain_refused_statements",
        "data.moment:forget_cached_moments",
        "data.relabel:judge_changed_episodes",
        "data.statements:describe_conflicts",
        "data.statements:read_statements",
        "data.statements:refuse_contradiction",
        "data.statements:apply_user_statements",
        "home.labelling:read_labelling_queue",
        "home.names:find_numbered",
        "run.monitor:count_trials_before_production",
        "run.monitor:note_unknown_results",
        "run.possible_outcomes:refuse_misspelt_condition",
        "work.pasted:open_pasted_table",
        "work.stated_reason:require_stated_reason",
        "audit.audit:read_map",
        "data.measurements:collect_measuring_rules",
        "audit.audit:require_latest_deployment",
        "audit.audit:require_complete_audit",
        "data.dry_run:list_contents",
        "data.dry_run:list_log",
        "ship.convert:compare_with_source",
        "ship.convert:make_conversion_result",
        "ship.convert:fold_similar_losses",
        "ship.convert:write_recordings",
        "ship.same_content:compare_content",
        "ship.same_frames:compare_frames",
        "ship.target:prepare_target",
        "ship.target:measure_size_mb",
        "work.measure_part:measure_part",
        "data.ingest:compute_files_signature",
        "data.ingest:ingest_paths",
        "data.mapping:find_mapping_in_force",
        "data.mapping:find_mapping_of_log",
        "data.mapping:shelve_mapping",
        "work.reopen:reopen_episode",
        "data.streams:cache_stream_list",
        "data.streams:describe_streams",
        "data.streams:read_kept_streams",
        "calibrate.intrinsics:store_intrinsics",
        "calibrate.picture_files:make_distinct_names",
        "calibrate.picture_files:list_picture_files",
        "calibrate.picture_files:read_picture",
        "calibrate.attach:require_calibration",
        "calibrate.attach:require_known_sensor",
        "calibrate.attach:choose_workspace_to_store_in",
        "calibrate.attach:parse_time_ns",
        "calibrate.attach:find_trusted_calibrations",
        "data.measurements:judge_episodes",
        "home.sensors:find_slipped_sensors",
        "collect.synchronisation:record_offset",
        "collect.devices:list_devices",
        "collect.devices:find_undeclared_devices",
        "collect.devices:is_name_covered",
        "data.measurements:find_outdated_episodes",
        "data.measurements:read_imprints",
        "data.measurements:fingerprint_imprints",
        "data.measurements:store_results",
        "data.measurements:assemble_batch",
        "ship.verify_fixes:find_episodes_still_failing",
        "ship.released_samples:find_release_labels",
        "ship.released_samples:gather_release_samples",
        "ship.worth:choose_least_valuable",
        "ship.worth:estimate_release_worth",
        "data.check_again:measure_again",
        "data.check:measure_and_cache",
        "data.remember_verdicts:record_dataset_verdict",
        "data.remember_verdicts:record_episode_verdicts",
        "data.remember_verdicts:summarise_dataset",
        "collect.synchronisation:list_clock_reasons",
        "data.as_frozen:find_labels_as_frozen",
        "data.as_frozen:find_matching_labels",
        "data.as_frozen:find_episodes_of_releases",
        "data.as_frozen:match_release_labels",
        "data.as_frozen:replay_labels",
        "data.streams:read_kept_streams",
        "ship.release_or_path:find_release_or_path",
        "ship.verified:keep_verification",
        "home.episodes:parse_label",
        "run.trust:trace_forward",
        "run.trust:trace_policy",
        "ship.dataset:open_log_dataset",
        "ship.dataset:open_release_dataset",
        "ship.offered:find_plan",
        "ship.offered:select_offered_episodes",
        "ship.own_trainer:find_own_trainer",
        "ship.own_trainer:register_trainer",
        "ship.own_trainer:train_with_own_trainer",
        "ship.release:list_exports",
        "ship.release_manifest:find_manifest_path",
        "ship.release_manifest:list_files",
        "ship.release_manifest:read_manifest",
        "ship.release_manifest:write_manifest",
        "ship.release_reasons:judge_selection",
        "ship.release_reasons:list_release_reasons",
        "ship.release_reasons:name_verdicts",
        "ship.release_reasons:require_reason",
        "ship.release_reasons:summarise_checks",
        "ship.sketches:sketch_release",
        "collect.synchronisation:list_unverified_devices_of_robot",
        "work.measure_part:measure_recording",
        "data.moment:show_moment",
        "work.parts:cut_into_parts",
        "work.run_on_ray:run_each_on_ray",
        "data.worst_episodes:sketch_worst_episodes",
        "data.worst_episodes:sketch_worst_stored_episodes",
        "data.measurements:read_stored_measurements",
        "data.ingest:find_last_report",
        "run.monitor:list_baselines",
        "run.monitor:compute_baseline",
        "run.monitor:compute_window_span",
        "run.monitor:add_silent_sites",
        "run.monitor:is_replaced_on_fleet",
        "ship.policy:refuse_taken_name",
        "ship.policy:is_bundle_folder",
        "ship.policy_bundle:is_runnable",
        "ship.policy_bundle:make_policy_bundle",
        "ship.policy_bundle:read_policy_settings",
        "ship.policy_bundle:refuse_pickles",
        "ship.policy_data:read_dataset_facts",
        "run.policies:find_bundle_folder",
        "ship.release:note_held_back_episodes",
        "annotate.compare.annotators:compare_spans",
        "ship.dataset_labels:add_labels_to_dataset",
        "annotate.compare.annotators:get_agree_settings",
        "annotate.compare.annotators:write_report",
        "work.label_files:read_label_file",
        "work.label_files:choose_rate",
        "work.label_files:read_dataset_labels",
        "annotate.exchange.placed_labels:place_labels",
        "work.example_tables:write_example_table",
        "work.example_tables:write_template",
        "plan.known:find_versions_in_force",
        "run.monitor:find_nominal_outcomes",
        "protocol.lint:lint_task",
        "protocol.named:list_example_protocols",
        "protocol.named:read_example_protocol",
        "protocol.named:find_protocol_by_file_or_name",
        "protocol.named:find_protocol_by_name",
        "protocol.sheet:make_sheet_in_force",
        "protocol.versions:read_locked_text",
        "protocol.versions:read_locked_version",
        "protocol.versions:read_protocol_file",
        "protocol.versions:shelve_version",
        "protocol.in_force:require_protocol_in_force",
        "protocol.in_force:is_locked",
        "protocol.in_force:require_known_task",
        "plan.known:find_collected_since",
        "plan.known:compute_workspace_coverage",
        "plan.known:compute_coverage_and_elsewhere",
        "plan.known:get_next_order_number",
        "audit.audit:score_map",
        "plan.known:compute_coverage_for_policy",
        "plan.known:find_crew",
        "plan.known:find_good_demonstrations",
        "plan.known:read_plan_inputs",
        "plan.known:find_training_demonstrations",
        "plan.known:find_open_demands",
        "plan.known:find_outcomes_in_force",
        "plan.known:compute_plan_progress",
        "plan.known:find_plan_scores",
        "run.diagnose:collect_evidence",
        "ship.release_evidence:measure_agreements",
        "ship.release_evidence:estimate_rig_lags",
        "floor.annotated_twice:compare_two_annotators",
        "audit.audited_map:hash_map_files",
        "audit.audited_map:find_edited_map_files",
        "audit.live_sites:note_live_sites_without_set",
        "audit.live_sites:note_live_sites_without_set_in_tables",
        "plan.order_counts:count_episodes_by_order",
        "plan.order_counts:assign_unnamed_episodes",
        "plan.order_sheets:read_sheet",
        "plan.order_sheets:write_orders",
        "plan.plan:make_plan_settings",
        "annotate.taxonomy.lock:lock_taxonomy",
        "annotate.taxonomy.lock:is_locked",
        "annotate.taxonomy.lock:find_locked_taxonomies",
        "annotate.taxonomy.lock:make_taxonomy_lock",
        "annotate.submission:list_import_events",
        "annotate.submission:expect_tasks",
        "annotate.submission:expect_saved_labels",
        "annotate.taxonomy.carried_labels:move_labels",
        "annotate.taxonomy.carried_labels:rename_saved_spans",
        "annotate.taxonomy.in_force:find_predecessor",
        "annotate.taxonomy.in_force:is_governed",
        "annotate.taxonomy.in_force:find_locks",
        "annotate.taxonomy.in_force:list_phase_labels",
        "annotate.taxonomy.in_force:find_taxonomy",
        "annotate.taxonomy.in_force:find_taxonomy_file",
        "annotate.taxonomy.in_force:read_locked_taxonomy",
        "annotate.taxonomy.in_force:read_taxonomy_as_written",
        "annotate.taxonomy.in_force:read_taxonomy_text",
        "annotate.taxonomy.in_force:require_kind",
        "annotate.people:choose_author",
        "annotate.people:is_lead",
        "annotate.people:require_lead",
        "annotate.revisions:find_newest_revision",
        "annotate.revisions:find_newest_revisions",
        "annotate.revisions:find_revisions",
        "annotate.usable_episodes:find_usable_episodes",
        "annotate.usable_episodes:require_usable_episode",
        "annotate.taxonomy.merged_spans:rename_spans",
        "annotate.taxonomy.taxonomies:read_named_taxonomy",
        "annotate.taxonomy.taxonomies:look_over_taxonomy",
        "annotate.taxonomy.edited:name_text",
        "annotate.visible:select_visible_labels",
        "annotate.numbers:read_limits",
        "annotate.numbers:read_annotation_number",
        "annotate.numbers:compute_lease_end",
        "annotate.qualified:is_known_lead",
        "annotate.qualified:find_calibration_sets",
        "annotate.qualified:explain_missing_qualification",
        "annotate.qualified:deal_calibration",
        "annotate.qualified:make_calibration_tasks",
        "annotate.comparison:make_decision_tasks",
        "annotate.comparison:make_tasks_after_withdrawal",
        "annotate.qualified:is_calibration_done",
        "annotate.qualified:judge_annotator",
        "annotate.submission:find_task_of",
        "annotate.submission:renew_lease",
        "annotate.submission:list_what_follows",
        "annotate.written_segments:make_segment",
        "annotate.written_segments:parse_segments",
        "annotate.compare.annotators:compare_people_quickly",
        "ship.policy:hash_file_or_folder",
        "work.case_files:read_case",
        "work.atomic_files:write_atomically",
        "work.atomic_files:make_folder",
        "floor.limits:read_most_days",
        "floor.limits:read_most_simulated",
        "floor.limits:refuse_too_large_amount",
        "floor.parse_faults:parse_faults",
        "floor.parse_faults:refuse_beyond_range",
        "floor.picking_story:simulate_story",
        "floor.picking_story:read_orders",
        "floor.picking_story:read_story",
        "floor.picking_story:train_policy",
        "ship.gate_plan:describe_plan",
        "ship.gate_plan:find_exposures",
        "ship.gate_plan:find_open_plan",
        "ship.gate_plan:find_plan",
        "ship.gate_plan:find_results",
        "ship.gate_plan:find_trained_lighting_levels",
        "ship.gate_plan:is_blind",
        "ship.gate_plan:is_revealed",
        "ship.gate_plan:list_kept",
        "ship.gate_plan:list_trials",
        "ship.gate_plan:make_plan",
        "ship.gate_plan:refuse_to_simulate",
        "ship.gate_plan:require_plan",
        "ship.gate_report:collect_report",
        "ship.gate_report:state_limits",
        "ship.gate_trials:parse_facts",
        "run.policies:find_policy",
        "run.policies:load_engine",
        "run.policies:find_release_of_policy",
        "ship.release:find_release",
        "run.rollout:find_version_in_production",
        "run.rollout:find_last_gate_decision",
        "run.rollout:has_passed_gate",
        "run.rollout:find_rollout_in_progress",
        "run.rollout:list_versions_on_rungs",
        "run.serve:measure_latency",
        "run.serve:measure_admission",
        "run.serve:has_passed",
        "run.serve:make_loader",
        "run.serving_record:keep_to_rollout",
    ),
    "takes or gives what only code can hold: nouns, arrays, an engine, a floor": (
        "data.read_log:read_log",
        "calibrate.extrinsics:fit_and_store_camera_pose",
        "run.outcomes:record_outcomes",
        "run.possible_outcomes:refuse_impossible_outcomes",
        "run.possible_outcomes:find_unmapped_conditions",
        "floor.floor:write_demonstrations",
        "floor.floor:demonstrate",
        "floor.floor:run_trials",
        "floor.floor:run_paired_scenes",
        "floor.floor:run_attempts",
        "floor.floor:alternate_operators",
        "floor.floor:verify_clocks",
        "floor.simulate:simulate_attempts",
    ),
    "a read that pages are drawn from; the API has it under another use case or under /api/events": (
        "home.success:compute_success_over_time",
        "home.success:list_policies_shown",
        "home.pages:read_ledger_tail",
        "home.pages:read_success_rates",
        "home.pages:read_daily_rates",
        "home.pages:count_open_work",
        "home.pages:list_last_reports",
        "home.pages:list_newest_first",
    ),
    "a part of home, which has the command": (
        "home.changes:list_recent_changes",
        "home.next_steps:list_next_steps",
        "home.now:read_workspace_state",
        "home.stages:list_stages",
        "home.stages:describe_demands_on_plan",
    ),
    "how work is run, not what is done": (
        "work.run_on:count_cores",
        "work.run_on:run_apart",
        "work.run_on:run_each",
        "workspace:track_silently",
    ),
    "how doors come in": (
        "catalogue:find_use_case",
        "house.tokens:find_actor_by_secret",
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
