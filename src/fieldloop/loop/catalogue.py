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
        return _summaries(module)[name]


USE_CASES = (
    UseCase(
        "init",
        "house.setup:init",
        ADMIN,
        needs=Needs.NOTHING,
        no_route="the server needs a workspace first",
    ),
    UseCase("home", "home.home:home", ANYONE, reads=True),
    UseCase("audit", "audit.audit:audit", ENGINEER, writes=("html",)),
    UseCase("audit write", "audit.write:write_map", ENGINEER),
    UseCase("audit override", "audit.audit:override", ENGINEER),
    UseCase("audit show", "home.deployment:show_deployment", ANYONE, reads=True),
    UseCase("audit compare", "audit.audit:compare", ANYONE, reads=True),
    UseCase("audit velocity", "audit.velocity:velocity", ENGINEER, needs=Needs.MAYBE, writes=("out",)),
    UseCase("protocol", "protocol.numbers:protocol", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol operations", "protocol.numbers:operations", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol settings", "home.settings:show_settings", ANYONE, reads=True),
    UseCase("protocol new", "protocol.new:new", ENGINEER),
    UseCase("protocol lint", "protocol.lint:lint", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol show", "protocol.sheet:show", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol overview", "home.protocol:show_protocol", ANYONE, reads=True),
    UseCase("protocol sheet", "protocol.sheet:sheet", ANYONE, needs=Needs.MAYBE, writes=("html",)),
    UseCase("protocol diff", "protocol.diff:diff", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol versions", "protocol.versions:versions", ANYONE, reads=True),
    UseCase("protocol lock", "protocol.lock:lock", ENGINEER),
    UseCase("plan", "plan.plan:plan", ENGINEER, writes=("html",)),
    UseCase("plan show", "plan.plan:show", ANYONE, reads=True),
    UseCase("plan page", "plan.plan:page", ENGINEER, reads=True, writes=("file",)),
    UseCase("plan orders", "plan.plan:orders", FLOOR, reads=True, writes=("file",)),
    UseCase("plan sheet", "plan.plan:sheet", FLOOR, reads=True),
    UseCase("plan templates", "plan.work:from_templates", ENGINEER),
    UseCase("plan starts", "plan.work:starts", FLOOR, reads=True),
    UseCase("plan returned", "plan.plan:returned", ENGINEER, reads=True),
    UseCase("plan score", "plan.plan:score", ENGINEER),
    UseCase(
        "plan folder", "run.case_folder:plan_folder", ENGINEER, reads=True, needs=Needs.MAYBE, writes=("html", "orders")
    ),
    UseCase("collect", "collect.sessions:open_session", FLOOR),
    UseCase("collect close", "collect.sessions:close_session", FLOOR),
    UseCase("collect synchronise", "collect.synchronisation:synchronise", FLOOR),
    UseCase("collect enrol", "collect.sessions:enrol", ENGINEER),
    UseCase("collect robot", "collect.sessions:register_robot", ENGINEER),
    UseCase("ingest", "data.ingest:ingest", FLOOR, needs=Needs.MAYBE),
    UseCase("ingest mapping", "data.mapping:mapping", FLOOR, needs=Needs.NOTHING, writes=("out",), new=("out",)),
    UseCase("ingest watch", "data.watch:watch", FLOOR, no_route="it runs until the user ends it"),
    UseCase("ingest again", "data.read_again:again", FLOOR),
    UseCase("ingest relabel", "data.relabel:relabel", LABEL | FLOOR),
    UseCase("ingest set-aside", "data.relabel:set_aside", LABEL | FLOOR),
    UseCase("ingest restore", "data.relabel:restore", LABEL | FLOOR),
    UseCase("ingest list", "data.ingest:episodes", ANYONE, reads=True),
    UseCase("ingest find", "home.episodes:find_episodes", ANYONE, reads=True),
    UseCase("ingest show", "home.episode:show_episode", ANYONE, reads=True),
    UseCase("ingest history", "data.ingest:history", ANYONE, reads=True),
    UseCase("ingest streams", "data.streams:streams", ANYONE, reads=True),
    UseCase("check", "data.check:check", FLOOR, needs=Needs.MAYBE, writes=("html", "keep"), folders=("keep",)),
    UseCase("check show", "home.quality:show_quality", ANYONE, reads=True),
    UseCase("calibrate", "calibrate.extrinsics:calibrate", FLOOR),
    UseCase("calibrate list", "calibrate.extrinsics:calibrations", ANYONE, reads=True),
    UseCase(
        "calibrate intrinsics",
        "calibrate.intrinsics:intrinsics",
        FLOOR,
        needs=Needs.MAYBE,
        writes=("undistorted",),
        folders=("undistorted",),
    ),
    UseCase("calibrate cameras", "calibrate.camera_pair:camera_pair", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate hand-eye", "calibrate.hand_eye:hand_eye", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate verify", "calibrate.verification:verify", FLOOR),
    UseCase("calibrate touch", "calibrate.touch:touch", FLOOR, reads=True),
    UseCase("calibrate force-torque", "calibrate.force_torque:force_torque", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate schedule", "calibrate.schedule:schedule", ANYONE, reads=True),
    UseCase("annotate", "ship.annotate:annotate", LABEL),
    UseCase("annotate import", "ship.import_labels:import_labels", LABEL),
    UseCase("annotate paste", "ship.import_labels:paste_labels", LABEL),
    UseCase("annotate template", "ship.import_labels:template", ANYONE, reads=True, writes=("out",), new=("out",)),
    UseCase("annotate show", "home.annotations:show_annotations", ANYONE, reads=True),
    UseCase("agree", "ship.annotate:agree", ANYONE, reads=True),
    UseCase("release", "ship.release:release", ENGINEER),
    UseCase("release list", "ship.release:releases", ANYONE, reads=True),
    UseCase("release show", "home.releases:show_release", ANYONE, reads=True),
    UseCase("release diff", "ship.release:diff", ANYONE, reads=True),
    UseCase("release datasheet", "ship.release:datasheet", ANYONE, reads=True),
    UseCase("release export", "ship.export:export", ENGINEER, writes=("target",), new=("target",)),
    UseCase("convert", "ship.convert:convert", FLOOR, needs=Needs.NOTHING, writes=("target",), new=("target",)),
    UseCase("train", "ship.train:train", ENGINEER),
    UseCase("train list", "ship.train:policies", ANYONE, reads=True),
    UseCase("train show", "home.policies:show_policies", ANYONE, reads=True),
    UseCase("policy", "ship.train:policies", ANYONE, reads=True),
    UseCase("policy add", "ship.policy:add", ENGINEER),
    UseCase("policy register", "ship.policy:register", ENGINEER),
    UseCase("gate", "ship.gate:gate", ENGINEER),
    UseCase("gate trials", "ship.gate:trials", ANYONE, reads=True),
    UseCase("gate show", "home.policies:show_policy", ANYONE, reads=True),
    UseCase("gate decisions", "ship.gate:decisions", ANYONE, reads=True),
    UseCase("serve", "run.serve:serve", ENGINEER, no_route="it is a server of its own, on its own port"),
    UseCase("serve health", "run.serve:health", ANYONE, reads=True),
    UseCase("guard", "run.guard:guard", ANYONE, reads=True),
    UseCase("guard replay", "run.guard:replay", ROBOT, reads=True),
    UseCase("monitor", "run.monitor:monitor", ROBOT),
    UseCase("monitor add", "run.outcomes:add", ROBOT),
    UseCase("monitor record", "run.outcomes:record", ROBOT),
    UseCase("monitor paste", "run.outcomes:paste", ROBOT),
    UseCase("monitor template", "run.outcomes:template", ROBOT, reads=True, writes=("out",), new=("out",)),
    UseCase("monitor floor", "home.floor:floor", ANYONE, reads=True),
    UseCase("monitor outcomes", "run.outcomes:outcomes", ANYONE, reads=True),
    UseCase("rollout", "run.rollout:status", ANYONE, reads=True),
    UseCase("rollout start", "run.rollout:start", ENGINEER),
    UseCase("rollout advance", "run.rollout:advance", ENGINEER),
    UseCase("rollout back", "run.rollout:back", FLOOR),
    UseCase("diagnose", "run.diagnose:diagnose", ENGINEER, writes=("html",)),
    UseCase("diagnose show", "home.diagnoses:show_diagnosis", ANYONE, reads=True),
    UseCase(
        "diagnose folder", "run.case_folder:diagnose_folder", ENGINEER, reads=True, needs=Needs.MAYBE, writes=("html",)
    ),
    UseCase("incident", "run.incident:incidents", ANYONE, reads=True),
    UseCase("incident show", "home.incidents:show_incidents", ANYONE, reads=True),
    UseCase("incident open", "run.incident:open_incident", FLOOR),
    UseCase("incident move", "run.incident:move", FLOOR),
    UseCase("incident report", "run.incident:report", ANYONE, reads=True),
    UseCase("trace", "run.trust:trace", ANYONE, reads=True),
    UseCase("evidence", "run.trust:evidence", ENGINEER, writes=("file",)),
    UseCase("evidence verify", "run.trust:verify_evidence", ANYONE, reads=True, needs=Needs.NOTHING),
    UseCase("supply", "collect.supply:accept", ENGINEER),
    UseCase("supply provider", "collect.supply:contract", ENGINEER),
    UseCase("supply score", "collect.supply:score", ANYONE, reads=True),
    UseCase(
        "simulate", "floor.simulate:collect", ENGINEER, needs=Needs.NOTHING, writes=("folder",), folders=("folder",)
    ),
    UseCase("simulate planned", "floor.simulate:planned", ENGINEER, writes=("folder",), folders=("folder",)),
    UseCase("simulate production", "floor.simulate:production", ENGINEER),
    UseCase("simulate laboratory", "floor.simulate:laboratory", ENGINEER),
    UseCase(
        "simulate case", "floor.picking:case", ENGINEER, needs=Needs.NOTHING, writes=("folder",), folders=("folder",)
    ),
    UseCase(
        "simulate again", "floor.picking:again", ENGINEER, needs=Needs.NOTHING, writes=("folder",), folders=("folder",)
    ),
    UseCase(
        "simulate picks", "floor.picking:picks", ENGINEER, needs=Needs.NOTHING, writes=("folder",), folders=("folder",)
    ),
    UseCase("token", "house.tokens:issue", ADMIN),
    UseCase("token revoke", "house.tokens:revoke", ADMIN),
    UseCase("doctor", "house.doctor:doctor", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("doctor sweep", "house.doctor:sweep", ADMIN),
    UseCase(
        "demo", "floor.demo:demo", ADMIN, needs=Needs.NOTHING, no_route="it makes a workspace and a server of its own"
    ),
)

COMMANDS = {case.command: case for case in USE_CASES}


def use_case(command: str) -> UseCase:
    """Find a use case by its command; a misspelt one gets a suggestion."""
    if command not in COMMANDS:
        raise UnknownName("command", command, COMMANDS)
    return COMMANDS[command]


@cache
def source_tree(module: str) -> ast.Module:
    """Parse the source of one of our modules, given by its dotted name, without importing it."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(source.read_text(encoding="utf-8"))


@cache
def _summaries(module: str) -> dict[str, str]:
    functions = [node for node in source_tree(f"fieldloop.loop.{module}").body if isinstance(node, ast.FunctionDef)]
    return {node.name: (ast.get_docstring(node) or "").partition("\n")[0] for node in functions}
