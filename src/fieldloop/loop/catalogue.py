"""Every use case with its command, in loop order. The doors are built from this list.

A use case is a function whose first parameter is the workspace. Its other parameters become options and JSON fields,
its first docstring line becomes the help line and the OpenAPI summary, what it returns is printed or serialised.
"""

import ast
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from fieldloop.errors import UnknownName
from fieldloop.model.person import Role

PACKAGE = Path(__file__).parents[1]


class Needs(StrEnum):
    """Whether a use case needs a workspace."""

    WORKSPACE = "workspace"
    MAYBE = "maybe"
    NOTHING = "nothing"


ADMIN = frozenset({Role.ADMIN})
ENGINEER = ADMIN | {Role.ENGINEER}
FLOOR = ENGINEER | {Role.OPERATOR}
ROBOT = FLOOR | {Role.ROBOT}
LABEL = ENGINEER | {Role.ANNOTATOR}
ANYONE = frozenset(Role) - {Role.PROVIDER}  # a provider may see only its own data, and no page shows only that yet


@dataclass(frozen=True, slots=True)
class UseCase:
    """One thing a user can do: its command, its function, the roles that may use it, and whether it only reads.

    `writes` names the parameters that are paths to write to. Over HTTP they stay in the workspace's outbox. Of these,
    `folders` are made where they do not exist, `new` ones must not exist; the others are files.
    """

    command: str
    target: str
    roles: frozenset[Role]
    reads: bool = False
    needs: Needs = Needs.WORKSPACE
    no_route: str = ""
    writes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """The route under /api."""
        return "/".join(self.command.split())

    def load(self) -> Callable[..., Any]:
        """Import the function; only now are its rooms loaded."""
        module, _, name = self.target.partition(":")
        function: Callable[..., Any] = getattr(importlib.import_module(f"fieldloop.loop.{module}"), name)
        return function

    @property
    def summary(self) -> str:
        """The first docstring line, read from the source so that help needs no import."""
        module, _, name = self.target.partition(":")
        return _read_summaries(module)[name]


USE_CASES = (
    UseCase(
        "init",
        "house.setup:init",
        ADMIN,
        needs=Needs.NOTHING,
        no_route="the server needs a workspace first",
    ),
    UseCase("home", "home.home:show_home", ANYONE, reads=True),
    UseCase("audit", "audit.audit:audit", ENGINEER, writes=("html",)),
    UseCase("audit write", "audit.write:write_map", ENGINEER),
    UseCase("audit override", "audit.audit:override_audit", ENGINEER),
    UseCase("audit show", "home.deployment:show_deployment", ANYONE, reads=True),
    UseCase("audit compare", "audit.audit:compare_map_with_logs", ANYONE, reads=True),
    UseCase("audit velocity", "audit.velocity:write_velocity_catalogue", ENGINEER, needs=Needs.MAYBE, writes=("out",)),
    UseCase("protocol", "protocol.numbers:show_protocol_numbers", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol operations", "protocol.numbers:show_operations_numbers", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol settings", "home.settings:show_settings", ANYONE, reads=True),
    UseCase("protocol new", "protocol.new:write_new_protocol", ENGINEER),
    UseCase("protocol lint", "protocol.lint:lint_protocol_files", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol show", "protocol.sheet:show_protocol_text", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol overview", "home.protocol:show_protocol", ANYONE, reads=True),
    UseCase("protocol sheet", "protocol.sheet:write_operator_sheet", ANYONE, needs=Needs.MAYBE, writes=("html",)),
    UseCase("protocol diff", "protocol.diff:compare_two_protocols", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol versions", "protocol.versions:list_locked_versions", ANYONE, reads=True),
    UseCase("protocol lock", "protocol.lock:lock_protocol", ENGINEER),
    UseCase("plan", "plan.plan:plan", ENGINEER, writes=("html",)),
    UseCase("plan show", "plan.plan:show_plan", ANYONE, reads=True),
    UseCase("plan page", "plan.plan:write_plan_page", ENGINEER, reads=True, writes=("file",)),
    UseCase("plan orders", "plan.plan:write_work_orders", FLOOR, reads=True, writes=("file",)),
    UseCase("plan sheet", "plan.plan:show_order_sheet", FLOOR, reads=True),
    UseCase("plan templates", "plan.work:make_plan_from_templates", ENGINEER),
    UseCase("plan starts", "plan.work:draw_start_conditions", FLOOR, reads=True),
    UseCase("plan returned", "plan.plan:compare_returned_sheet", ENGINEER, reads=True),
    UseCase("plan score", "plan.plan:score_earlier_plan", ENGINEER),
    UseCase(
        "plan folder", "run.case_folder:plan_folder", ENGINEER, reads=True, needs=Needs.MAYBE, writes=("html", "orders")
    ),
    UseCase("collect", "collect.sessions:open_session", FLOOR),
    UseCase("collect close", "collect.sessions:close_session", FLOOR),
    UseCase("collect synchronise", "collect.synchronisation:verify_device_clock", FLOOR),
    UseCase("collect enrol", "collect.sessions:enrol_demonstrator", ENGINEER),
    UseCase("collect robot", "collect.sessions:register_robot", ENGINEER),
    UseCase("ingest", "data.ingest:ingest_logs", FLOOR, needs=Needs.MAYBE),
    UseCase(
        "ingest mapping", "data.mapping:propose_mapping_file", FLOOR, needs=Needs.NOTHING, writes=("out",), new=("out",)
    ),
    UseCase("ingest watch", "data.watch:watch_folder", FLOOR, no_route="it runs until the user ends it"),
    UseCase("ingest again", "data.read_again:read_logs_again", FLOOR),
    UseCase("ingest relabel", "data.relabel:relabel_episodes", LABEL | FLOOR),
    UseCase("ingest set-aside", "data.relabel:set_episodes_aside", LABEL | FLOOR),
    UseCase("ingest restore", "data.relabel:restore_episodes", LABEL | FLOOR),
    UseCase("ingest list", "data.ingest:list_episodes", ANYONE, reads=True),
    UseCase("ingest find", "home.episodes:find_episodes", ANYONE, reads=True),
    UseCase("ingest show", "home.episode:show_episode", ANYONE, reads=True),
    UseCase("ingest history", "data.ingest:list_ingested_logs", ANYONE, reads=True),
    UseCase("ingest streams", "data.streams:list_streams", ANYONE, reads=True),
    UseCase("check", "data.check:check", FLOOR, needs=Needs.MAYBE, writes=("html", "keep"), folders=("keep",)),
    UseCase("check show", "home.quality:show_quality", ANYONE, reads=True),
    UseCase(
        "look",
        "look.of_path:look_at_log",
        ANYONE,
        reads=True,
        needs=Needs.NOTHING,
        no_route="it serves pages of its own",
    ),
    UseCase("look episode", "look.of_workspace:look_at_episode", ANYONE, reads=True),
    UseCase("calibrate", "calibrate.extrinsics:calibrate_camera_pose", FLOOR),
    UseCase("calibrate list", "calibrate.extrinsics:list_calibrations", ANYONE, reads=True),
    UseCase(
        "calibrate intrinsics",
        "calibrate.intrinsics:calibrate_camera_intrinsics",
        FLOOR,
        needs=Needs.MAYBE,
        writes=("undistorted",),
        folders=("undistorted",),
    ),
    UseCase("calibrate cameras", "calibrate.camera_pair:compare_two_cameras", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate hand-eye", "calibrate.hand_eye:calibrate_hand_eye", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate verify", "calibrate.verification:verify_camera_calibration", FLOOR),
    UseCase("calibrate touch", "calibrate.touch:compare_touched_points", FLOOR, reads=True),
    UseCase("calibrate force-torque", "calibrate.force_torque:calibrate_force_torque", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate schedule", "calibrate.schedule:list_due_calibrations", ANYONE, reads=True),
    UseCase("taxonomy", "annotate.taxonomy.taxonomies:show_taxonomy", ANYONE, reads=True),
    UseCase("taxonomy overview", "home.taxonomy:show_taxonomies", ANYONE, reads=True),
    UseCase("taxonomy write", "annotate.taxonomy.edited:write_taxonomy_file", LABEL),
    UseCase("taxonomy new", "annotate.taxonomy.taxonomies:write_new_taxonomy", LABEL),
    UseCase("taxonomy fork", "annotate.taxonomy.taxonomies:fork_taxonomy", LABEL),
    UseCase("taxonomy lint", "annotate.taxonomy.taxonomies:lint_taxonomy", ANYONE, reads=True),
    UseCase("taxonomy diff", "annotate.taxonomy.change:compare_two_taxonomies", ANYONE, reads=True),
    UseCase("taxonomy lock", "annotate.taxonomy.change:lock_new_taxonomy", LABEL),
    UseCase("taxonomy migrate", "annotate.taxonomy.change:migrate_taxonomy", LABEL),
    UseCase("annotate", "annotate.propose:propose_annotations", LABEL),
    UseCase("annotate changes", "annotate.propose:list_change_points", ANYONE, reads=True),
    UseCase("annotate import", "annotate.exchange.import_labels:import_labels", LABEL),
    UseCase("annotate export", "annotate.exchange.export_labels:export_labels", LABEL, reads=True, writes=("out",)),
    UseCase("annotate paste", "annotate.exchange.import_labels:paste_labels", LABEL),
    UseCase(
        "annotate template",
        "annotate.exchange.import_labels:write_label_template",
        ANYONE,
        reads=True,
        writes=("out",),
        new=("out",),
    ),
    UseCase("annotate show", "home.annotations:show_annotations", ANYONE, reads=True),
    UseCase("annotate labels", "annotate.labels:show_episode_labels", LABEL, reads=True),
    UseCase("annotate save", "annotate.save:save_labels", LABEL),
    UseCase("annotate undo", "annotate.save:undo_labels", LABEL),
    UseCase("annotate next", "annotate.tasks:take_next_task", LABEL),
    UseCase("annotate tasks", "annotate.tasks:list_annotation_tasks", LABEL, reads=True),
    UseCase("annotate deal", "annotate.deal:deal_tasks", LABEL),
    UseCase("annotate withdraw", "annotate.deal:withdraw_task", LABEL),
    UseCase("annotate calibration", "annotate.qualify:choose_calibration_set", LABEL),
    UseCase("annotate qualify", "annotate.qualify:qualify_annotator", LABEL),
    UseCase("annotate spot-check", "annotate.spot_check:spot_check_labels", LABEL),
    UseCase("annotate decision", "annotate.decision_draft:show_decision_draft", LABEL, reads=True),
    UseCase("annotate draft", "annotate.decision_draft:keep_decision_draft", LABEL),
    UseCase("annotate adjudicate", "annotate.adjudicate:adjudicate_labels", LABEL),
    UseCase("annotate revisions", "annotate.labels:list_label_revisions", LABEL, reads=True),
    UseCase("agree", "annotate.compare.annotators:compare_annotators", ANYONE, reads=True, writes=("html",)),
    UseCase(
        "agree files",
        "annotate.compare.label_files:compare_label_files",
        LABEL,
        reads=True,
        needs=Needs.MAYBE,
        writes=("html",),
    ),
    UseCase("release", "ship.release:freeze_release", ENGINEER),
    UseCase("release list", "ship.release:list_releases", ANYONE, reads=True),
    UseCase("release show", "home.releases:show_release", ANYONE, reads=True),
    UseCase(
        "release diff",
        "ship.release_diff:compare_two_releases",
        ANYONE,
        reads=True,
        needs=Needs.MAYBE,
        writes=("html",),
    ),
    UseCase("release verify", "ship.release_verify:verify_release", ANYONE, needs=Needs.MAYBE),
    UseCase("release verified", "ship.verified:show_last_verification", ANYONE, reads=True),
    UseCase("release worth", "ship.release_worth:list_release_worth", ANYONE, reads=True),
    UseCase("release datasheet", "ship.release:write_release_datasheet", ANYONE, reads=True),
    UseCase("release export", "ship.export:export_release", ENGINEER, writes=("target",), new=("target",)),
    UseCase("convert", "ship.convert:convert_log", FLOOR, needs=Needs.NOTHING, writes=("target",), new=("target",)),
    UseCase("train", "ship.train:train_policy_version", ENGINEER),
    UseCase("train list", "ship.train:list_policies", ANYONE, reads=True),
    UseCase("train show", "home.policies:show_policies", ANYONE, reads=True),
    UseCase("policy", "ship.train:list_policies", ANYONE, reads=True),
    UseCase("policy add", "ship.policy:add_policy", ENGINEER),
    UseCase("policy check", "ship.policy_check:check_policy", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase(
        "policy export",
        "ship.policy_export:export_policy",
        ENGINEER,
        reads=True,
        writes=("out",),
        folders=("out",),
        new=("out",),
    ),
    UseCase("policy register", "ship.policy:register_policy", ENGINEER),
    UseCase("gate", "ship.gate:decide_gate", ENGINEER, writes=("html",)),
    UseCase("gate report", "ship.gate_report:show_gate_report", ANYONE, reads=True, writes=("html",)),
    UseCase("gate plan", "ship.gate_plan:plan_gate", ENGINEER),
    UseCase("gate trials", "ship.gate_plan:show_trials", ANYONE, reads=True, writes=("html",)),
    UseCase("gate next", "ship.gate_trials:take_next_trial", ROBOT),
    UseCase("gate return", "ship.gate_trials:give_trial_back", ROBOT),
    UseCase("gate result", "ship.gate_trials:record_trial", ROBOT),
    UseCase("gate correct", "ship.gate_trials:correct_trial", FLOOR),
    UseCase("gate keep", "ship.gate_kept:keep_scenario", FLOOR),
    UseCase("gate scenarios", "ship.gate_kept:list_kept_scenarios", ANYONE, reads=True),
    UseCase("gate compare", "ship.compare:compare_policy_versions", ENGINEER),
    UseCase("gate show", "home.policies:show_policy", ANYONE, reads=True),
    UseCase("gate decisions", "ship.gate:list_gate_decisions", ANYONE, reads=True),
    UseCase("serve", "run.serve:serve_policies", ENGINEER, no_route="it is a server of its own, on its own port"),
    UseCase("serve list", "run.served:list_served_policies", ANYONE, reads=True),
    UseCase("serve load", "run.served:load_served_policy", ENGINEER),
    UseCase("serve activate", "run.served:put_policy_in_force", ENGINEER),
    UseCase("serve back", "run.served:roll_back_served_policy", FLOOR),
    UseCase("serve health", "run.serve:measure_policy_health", ANYONE, reads=True),
    UseCase("guard", "run.guard:show_guard_limits", ANYONE, reads=True),
    UseCase("guard replay", "run.guard:replay_guard", ROBOT, reads=True),
    UseCase("monitor", "run.monitor:monitor", ROBOT),
    UseCase("monitor add", "run.outcomes:record_one_outcome", ROBOT),
    UseCase("monitor record", "run.outcomes:record_outcome_table", ROBOT),
    UseCase("monitor paste", "run.outcomes:record_pasted_outcomes", ROBOT),
    UseCase(
        "monitor template", "run.outcomes:write_outcome_template", ROBOT, reads=True, writes=("out",), new=("out",)
    ),
    UseCase("monitor floor", "home.floor:show_floor", ANYONE, reads=True),
    UseCase("monitor outcomes", "run.outcomes:list_outcomes", ANYONE, reads=True),
    UseCase("rollout", "run.rollout:list_rollouts", ANYONE, reads=True),
    UseCase("rollout start", "run.rollout:start_policy_rollout", ENGINEER),
    UseCase("rollout advance", "run.rollout:advance_current_rollout", ENGINEER),
    UseCase("rollout back", "run.rollout:roll_back_candidate", FLOOR),
    UseCase("diagnose", "run.diagnose:diagnose", ENGINEER, writes=("html",)),
    UseCase("diagnose show", "home.diagnoses:show_diagnosis", ANYONE, reads=True),
    UseCase(
        "diagnose folder", "run.case_folder:diagnose_folder", ENGINEER, reads=True, needs=Needs.MAYBE, writes=("html",)
    ),
    UseCase("incident", "run.incident:list_incidents", ANYONE, reads=True),
    UseCase("incident show", "home.incidents:show_incidents", ANYONE, reads=True),
    UseCase("incident open", "run.incident:open_incident", FLOOR),
    UseCase("incident move", "run.incident:record_incident_step", FLOOR),
    UseCase("incident report", "run.incident:write_incident_report", ANYONE, reads=True),
    UseCase("trace", "run.trust:trace", ANYONE, reads=True),
    UseCase("evidence", "run.trust:write_evidence_record", ENGINEER, writes=("file",)),
    UseCase("evidence verify", "run.trust:verify_evidence", ANYONE, reads=True, needs=Needs.NOTHING),
    UseCase("supply", "collect.supply:accept_delivery", ENGINEER),
    UseCase("supply provider", "collect.supply:record_provider", ENGINEER),
    UseCase("supply score", "collect.supply:score_provider", ANYONE, reads=True),
    UseCase(
        "simulate",
        "floor.simulate:write_demonstration_logs",
        ENGINEER,
        needs=Needs.NOTHING,
        writes=("folder",),
        folders=("folder",),
    ),
    UseCase(
        "simulate planned",
        "floor.simulate:write_planned_demonstrations",
        ENGINEER,
        writes=("folder",),
        folders=("folder",),
    ),
    UseCase("simulate production", "floor.simulate:simulate_production", ENGINEER),
    UseCase("simulate laboratory", "floor.simulate:simulate_laboratory_trials", ENGINEER),
    UseCase(
        "simulate case",
        "floor.picking:simulate_case",
        ENGINEER,
        needs=Needs.NOTHING,
        writes=("folder",),
        folders=("folder",),
    ),
    UseCase(
        "simulate again",
        "floor.picking:simulate_next_case",
        ENGINEER,
        needs=Needs.NOTHING,
        writes=("folder",),
        folders=("folder",),
    ),
    UseCase(
        "simulate picks",
        "floor.picking:write_pick_logs",
        ENGINEER,
        needs=Needs.NOTHING,
        writes=("folder",),
        folders=("folder",),
    ),
    UseCase("token", "house.tokens:issue_token", ADMIN),
    UseCase("token revoke", "house.tokens:revoke_token", ADMIN),
    UseCase("doctor", "house.doctor:examine_installation", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("doctor sweep", "house.doctor:remove_leftovers", ADMIN),
    UseCase(
        "demo", "floor.demo:demo", ADMIN, needs=Needs.NOTHING, no_route="it makes a workspace and a server of its own"
    ),
)

COMMANDS = {case.command: case for case in USE_CASES}


def find_use_case(command: str) -> UseCase:
    """Find a use case by its command; a misspelt one gets a suggestion."""
    if command not in COMMANDS:
        raise UnknownName("command", command, COMMANDS)
    return COMMANDS[command]


@cache
def parse_module_source(module: str) -> ast.Module:
    """Parse the source of one of our modules, given by its dotted name, without importing it."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(source.read_text(encoding="utf-8"))


@cache
def _read_summaries(module: str) -> dict[str, str]:
    functions = [
        node for node in parse_module_source(f"fieldloop.loop.{module}").body if isinstance(node, ast.FunctionDef)
    ]
    return {node.name: (ast.get_docstring(node) or "").partition("\n")[0] for node in functions}
