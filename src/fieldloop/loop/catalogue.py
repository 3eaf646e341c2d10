"""Every use case with its command, in loop order: the doors are built from this list, so none can lack one.

A use case is a function whose first parameter is the workspace. Its other parameters become options and JSON fields,
its first docstring line becomes the help line and the OpenAPI summary, what it returns is printed or serialised.
"""

import ast
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from fieldloop.errors import UnknownName
from fieldloop.model.person import Role


class Needs(StrEnum):
    """Whether a use case works on a workspace."""

    WORKSPACE = "workspace"
    MAYBE = "maybe"
    NOTHING = "nothing"


ADMIN = frozenset({Role.ADMIN})
ENGINEER = ADMIN | {Role.ENGINEER}
FLOOR = ENGINEER | {Role.OPERATOR}
ROBOT = FLOOR | {Role.ROBOT}
LABEL = ENGINEER | {Role.ANNOTATOR}
ANYONE = frozenset(Role) - {Role.PROVIDER}  # a provider sees only its own, and no page for that is built yet


@dataclass(frozen=True, slots=True)
class UseCase:
    """One thing a user can do: its command, where the function is, who may, and whether it only reads."""

    command: str
    target: str
    roles: frozenset[Role]
    reads: bool = False
    needs: Needs = Needs.WORKSPACE
    no_route: str = ""

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
        "init", "setup:init", ADMIN, needs=Needs.NOTHING, no_route="there is no server before there is a workspace"
    ),
    UseCase("home", "home:home", ANYONE, reads=True),
    UseCase("audit", "audit:audit", ENGINEER),
    UseCase("audit override", "audit:override", ENGINEER),
    UseCase("audit compare", "audit:compare", ANYONE, reads=True),
    UseCase("audit velocity", "velocity:velocity", ENGINEER, needs=Needs.MAYBE),
    UseCase("protocol", "numbers:protocol", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol operations", "numbers:operations", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol new", "protocol_new:new", ENGINEER),
    UseCase("protocol lint", "protocol_lint:lint", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol show", "protocol_sheet:show", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol sheet", "protocol_sheet:sheet", ANYONE, needs=Needs.MAYBE),
    UseCase("protocol diff", "protocol_diff:diff", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("protocol versions", "protocol_versions:versions", ANYONE, reads=True),
    UseCase("protocol lock", "numbers:lock", ENGINEER),
    UseCase("plan", "plan:plan", ENGINEER),
    UseCase("plan show", "plan:show", ANYONE, reads=True),
    UseCase("plan page", "plan:page", ENGINEER, reads=True),
    UseCase("plan orders", "plan:orders", FLOOR, reads=True),
    UseCase("plan templates", "plan_work:from_templates", ENGINEER),
    UseCase("plan starts", "plan_work:starts", FLOOR, reads=True),
    UseCase("plan returned", "plan:returned", ENGINEER, reads=True),
    UseCase("plan score", "plan:score", ENGINEER),
    UseCase("plan folder", "case_folder:plan_folder", ENGINEER, reads=True, needs=Needs.MAYBE),
    UseCase("collect", "collect:open_session", FLOOR),
    UseCase("collect close", "collect:close_session", FLOOR),
    UseCase("collect synchronise", "synchronisation:synchronise", FLOOR),
    UseCase("collect enrol", "collect:enrol", ENGINEER),
    UseCase("collect robot", "collect:register_robot", ENGINEER),
    UseCase("ingest", "ingest:ingest", FLOOR, needs=Needs.MAYBE),
    UseCase("ingest mapping", "mapping:mapping", FLOOR, needs=Needs.NOTHING),
    UseCase("ingest watch", "watch:watch", FLOOR, no_route="it runs until somebody ends it"),
    UseCase("ingest list", "ingest:episodes", ANYONE, reads=True),
    UseCase("ingest history", "ingest:history", ANYONE, reads=True),
    UseCase("ingest streams", "streams:streams", ANYONE, reads=True),
    UseCase("check", "check:check", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate", "calibrate:calibrate", FLOOR),
    UseCase("calibrate list", "calibrate:calibrations", ANYONE, reads=True),
    UseCase("calibrate intrinsics", "intrinsics:intrinsics", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate cameras", "camera_pair:camera_pair", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate hand-eye", "hand_eye:hand_eye", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate verify", "verification:verify", FLOOR),
    UseCase("calibrate touch", "commanded:touch", FLOOR, reads=True),
    UseCase("calibrate force-torque", "force_torque:force_torque", FLOOR, needs=Needs.MAYBE),
    UseCase("calibrate schedule", "schedule:schedule", ANYONE, reads=True),
    UseCase("annotate", "annotate:annotate", LABEL),
    UseCase("agree", "annotate:agree", ANYONE, reads=True),
    UseCase("release", "release:release", ENGINEER),
    UseCase("release list", "release:releases", ANYONE, reads=True),
    UseCase("release diff", "release:diff", ANYONE, reads=True),
    UseCase("release datasheet", "release:datasheet", ANYONE, reads=True),
    UseCase("release export", "export:export", ENGINEER),
    UseCase("convert", "convert:convert", FLOOR, needs=Needs.NOTHING),
    UseCase("train", "train:train", ENGINEER),
    UseCase("train list", "train:policies", ANYONE, reads=True),
    UseCase("gate", "gate:gate", ENGINEER),
    UseCase("gate trials", "gate:trials", ANYONE, reads=True),
    UseCase("gate decisions", "gate:decisions", ANYONE, reads=True),
    UseCase("serve", "serve:serve", ENGINEER, no_route="it is a server of its own, on its own port"),
    UseCase("serve health", "serve:health", ANYONE, reads=True),
    UseCase("guard", "guard:guard", ANYONE, reads=True),
    UseCase("guard replay", "guard:replay", ROBOT, reads=True),
    UseCase("monitor", "monitor:monitor", ROBOT),
    UseCase("monitor add", "monitor:add", ROBOT),
    UseCase("monitor record", "monitor:record", ROBOT),
    UseCase("monitor outcomes", "monitor:outcomes", ANYONE, reads=True),
    UseCase("rollout", "rollout:status", ANYONE, reads=True),
    UseCase("rollout start", "rollout:start", ENGINEER),
    UseCase("rollout advance", "rollout:advance", ENGINEER),
    UseCase("rollout back", "rollout:back", FLOOR),
    UseCase("diagnose", "diagnose:diagnose", ENGINEER),
    UseCase("diagnose folder", "case_folder:diagnose_folder", ENGINEER, reads=True, needs=Needs.MAYBE),
    UseCase("incident", "incident:incidents", ANYONE, reads=True),
    UseCase("incident open", "incident:open_incident", FLOOR),
    UseCase("incident move", "incident:move", FLOOR),
    UseCase("incident report", "incident:report", ANYONE, reads=True),
    UseCase("trace", "trust:trace", ANYONE, reads=True),
    UseCase("evidence", "trust:evidence", ENGINEER),
    UseCase("evidence verify", "trust:verify_evidence", ANYONE, reads=True, needs=Needs.NOTHING),
    UseCase("supply", "supply:accept", ENGINEER),
    UseCase("supply provider", "supply:contract", ENGINEER),
    UseCase("supply score", "supply:score", ANYONE, reads=True),
    UseCase("simulate", "simulate:collect", ENGINEER, needs=Needs.NOTHING),
    UseCase("simulate production", "simulate:production", ENGINEER),
    UseCase("simulate laboratory", "simulate:laboratory", ENGINEER),
    UseCase("simulate case", "picking:case", ENGINEER, needs=Needs.NOTHING),
    UseCase("simulate again", "picking:again", ENGINEER, needs=Needs.NOTHING),
    UseCase("simulate picks", "picking:picks", ENGINEER, needs=Needs.NOTHING),
    UseCase("token", "tokens:issue", ADMIN),
    UseCase("token revoke", "tokens:revoke", ADMIN),
    UseCase("doctor", "doctor:doctor", ANYONE, reads=True, needs=Needs.MAYBE),
    UseCase("doctor sweep", "doctor:sweep", ADMIN),
    UseCase("demo", "demo:demo", ADMIN, needs=Needs.NOTHING, no_route="it makes a workspace and a server of its own"),
)

COMMANDS = {case.command: case for case in USE_CASES}


def use_case(command: str) -> UseCase:
    """Find a use case by its command; a misspelt one gets a suggestion."""
    if command not in COMMANDS:
        raise UnknownName("command", command, COMMANDS)
    return COMMANDS[command]


@cache
def _summaries(module: str) -> dict[str, str]:
    tree = ast.parse(files("fieldloop.loop").joinpath(f"{module}.py").read_text(encoding="utf-8"))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: (ast.get_docstring(node) or "").partition("\n")[0] for node in functions}
