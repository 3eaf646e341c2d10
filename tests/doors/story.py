"""A small workspace with something in every stage, written as events: what the doors show is then known."""

import itertools
import random
from pathlib import Path

from fieldloop.loop.workspace import Workspace, create_workspace, open_workspace
from fieldloop.model import event as happened
from fieldloop.model.alarm import Alarm, Rate
from fieldloop.model.annotation import PHASES, Annotation
from fieldloop.model.calibration import Calibration
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.decision import Decision, GateTest
from fieldloop.model.deployment import (
    Audit,
    AuditAnswer,
    BinConfiguration,
    Deployment,
    EdgeCase,
    Range,
    Site,
    Sku,
    Zone,
)
from fieldloop.model.diagnosis import Cause, Diagnosis, Gap
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.hardware import Robot
from fieldloop.model.incident import Incident, Step, StepDone
from fieldloop.model.person import Operator
from fieldloop.model.plan import Demand, Plan, Quota, WorkOrder
from fieldloop.model.policy import FailureClass, Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release, StratumShare
from fieldloop.model.rollout import Rollout, Rung

S, DAY = 1_000_000_000, 86_400_000_000_000
NOW = 1_741_000_000 * S  # 3 March 2025
TIERS, BINS, LIGHTS = ("high", "medium", "long_tail"), ("front", "back", "buried", "near_empty"), ("bright", "dim")
NASTY = '<img src=x onerror="document.title=1">'
"""A name that must stay text wherever it is shown."""


def empty_workspace(root: Path) -> Workspace:
    create_workspace(root, name="leipzig")
    return open_workspace(root, clock=lambda: NOW, random_bits=random.Random(7).getrandbits)


def told_workspace(root: Path) -> Workspace:
    """Make a workspace and write the whole story into it."""
    workspace = empty_workspace(root)
    write_story(workspace)
    return workspace


def write_story(workspace: Workspace) -> None:
    rng = random.Random(3)
    strata = [
        Stratum.of(tier=t, bin=b, lighting=li, site="leipzig-b") for t, b, li in itertools.product(TIERS, BINS, LIGHTS)
    ]
    weights = [rng.uniform(0.3, 2.0) / (1 + TIERS.index(s.levels["tier"])) for s in strata]
    shares = [w / sum(weights) for w in weights]
    workspace.write(happened.WorkspaceCreated("leipzig", "0.1.0"))
    _prepare(workspace, strata, shares)
    episodes = _collect(workspace, strata, rng)
    policy = _ship(workspace, episodes, strata, shares)
    _run(workspace, policy, strata, shares, rng)


def _prepare(workspace: Workspace, strata: list[Stratum], shares: list[float]) -> None:
    zone = Zone(
        "aisle 4",
        (("day", Range(420, 600, "lux")), ("night", Range(90, 160, "lux"))),
        "epoxy",
        Range(12, 27, "°C"),
        Range(30, 70, "%"),
    )
    bins = tuple(BinConfiguration(b, share) for b, share in zip(BINS, (0.5, 0.3, 0.12, 0.08), strict=True))
    site = Site(
        "leipzig-b",
        1.0,
        "Europe/Berlin",
        (zone,),
        (("bright", 0.7), ("dim", 0.3)),
        bins,
        (("hand", "small to large"),),
        ("overhead", "wrist"),
    )
    skus = tuple(Sku(f"sku-{n:03d}", 900 / (n + 1), TIERS[min(2, n // 8)]) for n in range(40))
    deployment = Deployment(
        "leipzig",
        "pick",
        (site,),
        skus,
        (EdgeCase("two items stuck together", 40, 0.31), EdgeCase("item on its side", 120)),
        8.0,
        "phases v1",
        "hardware trigger",
        tuple(Exposure(s, share) for s, share in zip(strata, shares, strict=True)),
    )
    answers = tuple(
        AuditAnswer(question, score, missing)
        for question, score, missing in (
            ("environment", 1.0, ()),
            ("synchronisation", 1.0, ()),
            ("edge cases", 0.7, ("failure rate of 'item on its side'",)),
            ("label standards", 1.0, ()),
            ("physical conditions", 0.9, ("vibration of aisle 4",)),
        )
    )
    workspace.write(
        happened.DeploymentMapped(deployment), happened.DeploymentAudited(Audit("leipzig", answers, 0.92, True))
    )
    workspace.write(
        happened.RobotRegistered(Robot("arm-1", "sim6", "leipzig-b")),
        *(happened.OperatorEnrolled(Operator(f"op-{n}", (("hand", "medium"),))) for n in range(1, 5)),
    )
    identity = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.4), (0.0, 0.0, 0.0, 1.0))
    workspace.write(
        happened.CalibrationAttached(
            Calibration(
                "calibration_1",
                "hand_eye",
                "arm-1",
                "cam-1",
                "base",
                "camera",
                identity,
                "park",
                0.8,
                0.11,
                18,
                Status.PASSED,
                NOW - 50 * DAY,
            )
        )
    )
    quotas = tuple(
        Quota(
            stratum,
            14 - 2 * n,
            0.016 - 0.003 * n,
            0.008 - 0.003 * n,
            0.024 - 0.003 * n,
            f"{n + 1} demonstrations, {12 - n} % of the floor, fails most",
        )
        for n, stratum in enumerate(strata[-5:])
    )
    orders = tuple(
        WorkOrder(
            f"order_{n}", "plan_1", "leipzig-b", "arm-1", f"op-{1 + n % 4}", q.stratum, q.demonstrations, "pick v1"
        )
        for n, q in enumerate(quotas)
    )
    workspace.write(
        happened.PlanDrawn(
            Plan(
                "plan_1",
                50,
                "marginal",
                quotas,
                orders,
                0.05,
                NOW - 45 * DAY,
                "f0",
                ("Only four operators are enrolled.",),
            )
        )
    )


def _collect(workspace: Workspace, strata: list[Stratum], rng: random.Random) -> list[Episode]:
    episodes = []
    for n in range(40):
        start = NOW - 44 * DAY + n * 3600 * S
        name = NASTY if n == 39 else f"pick-{n:04d}"
        episode = Episode(
            f"{n:02x}" * 32,
            name,
            "mcap",
            "pick",
            "arm-1",
            "leipzig-b",
            f"op-{1 + n % 4}",
            "session_1",
            "",
            "pick v1",
            rng.choice(strata),
            start,
            start + 9 * S,
            True,
            n % 7 != 3,
            "" if n % 7 != 3 else "grasp",
            (("lux", "430"), ("sku", f"sku-{n % 40:03d}")),
        )
        bad = n % 9 == 4
        findings = (
            Finding(
                "timing.longest_gap",
                "camera/wrist",
                Status.FAILED if bad else Status.PASSED,
                4.0 if bad else 0.2,
                None,
                1.0,
                "missing periods",
                "4 frames in a row are missing from camera/wrist at 3.2 s."
                if bad
                else "No stream misses more than a frame.",
            ),
            Finding(
                "timing.offset", "camera/overhead", Status.PASSED, 1.8, None, 5.0, "ms", "Streams pair within 1.8 ms."
            ),
            Finding(
                "force.window",
                "gripper/effort",
                Status.CANNOT_TELL if n % 10 == 0 else Status.PASSED,
                None if n % 10 == 0 else 14.2,
                5.0,
                25.0,
                "N",
                "Grip force 14.2 N.",
                required=False,
            ),
        )
        report = EpisodeReport(episode.id, name, Status.FAILED if bad else Status.PASSED, findings)
        blob = Blob(f"{n + 64:02x}" * 32, 1_000_000)
        workspace.write(
            happened.LogIngested(Log(blob, f"{name}.mcap", "mcap", (episode.id,)), (episode,)),
            happened.EpisodeJudged("0123", report),
        )
        episodes.append(episode)
        if not bad:
            for author, shift in (
                (("machine:signals", 0), ("ann-1", 40_000_000)) if n < 12 else (("machine:signals", 0),)
            ):
                spans = tuple(
                    Annotation(episode.id, "phase", p, start + k * S + shift, start + (k + 1) * S + shift, author)
                    for k, p in enumerate(PHASES)
                )
                workspace.write(happened.EpisodeAnnotated(episode.id, "phase", author, spans))
    return episodes


def _ship(workspace: Workspace, episodes: list[Episode], strata: list[Stratum], shares: list[float]) -> PolicyVersion:
    chosen = tuple(e.id for n, e in enumerate(episodes) if n % 9 != 4)
    release = Release(
        "e" * 64,
        "r1",
        chosen,
        chosen[:28],
        chosen[28:],
        "pick v1",
        "phases v1",
        tuple(
            StratumShare(s, share, 1 / len(strata), share * len(strata))
            for s, share in zip(strata, shares, strict=True)
        ),
        "a" * 64,
        tuple((e.id, "4 frames are missing") for n, e in enumerate(episodes) if n % 9 == 4),
    )
    policy = PolicyVersion("c" * 64, "p1", release.id, "mlp", "b" * 64, len(chosen), 0, 0.0123, 10.0, "guard01")
    tests = (
        GateTest(
            "consecutive", "at least 85 % of 100", Status.PASSED, 93, 100, 0.871, 0.965, 0, "93 of 100 succeeded."
        ),
        GateTest("lighting: dim", "at least 70 %", Status.PASSED, 52, 60, 0.77, 0.93, 0, "52 of 60 succeeded."),
        GateTest("latency", "p99 at most 80 ms", Status.PASSED, 0, 0, 0.0, 0.0, 0, "p99 12.4 ms."),
    )
    workspace.write(happened.ReleaseFrozen(release), happened.PolicyTrained(policy))
    workspace.write(happened.PolicyGated(Decision("decision_1", policy.id, Status.PASSED, tests, "f1", NOW - 41 * DAY)))
    return policy


def _run(
    workspace: Workspace, policy: PolicyVersion, strata: list[Stratum], shares: list[float], rng: random.Random
) -> None:
    workspace.write(
        happened.RolloutMoved(
            Rollout(
                "rollout_1",
                policy.id,
                None,
                Rung.QUARTER,
                0.25,
                NOW - 40 * DAY,
                Status.PASSED,
                "214 episodes, no loss.",
                "f2",
                214,
                186,
            )
        )
    )
    outcomes = [
        happened.OutcomeRecorded(
            Outcome(
                f"trial_{n:03d}",
                policy.id,
                strata[0],
                Stage.GATE,
                "leipzig-b",
                "arm-1",
                NOW - 41 * DAY + n,
                n % 10 != 0,
                "machine:scale",
                None if n % 10 else FailureClass.GRASP,
                "consecutive",
                cycle_s=7.0,
            )
        )
        for n in range(100)
    ]
    for n in range(40 * 24):
        at = NOW - 40 * DAY + n * 3600 * S
        stratum = rng.choices(strata, shares)[0]
        dark = stratum.level("lighting") == "dim"
        p = 0.55 if dark and at > NOW - 16 * DAY else 0.9
        won = rng.random() < p
        outcomes.append(
            happened.OutcomeRecorded(
                Outcome(
                    f"outcome_{n:05d}",
                    policy.id,
                    stratum,
                    Stage.PRODUCTION,
                    "leipzig-b",
                    "arm-1",
                    at,
                    won,
                    "machine:scale",
                    None if won else FailureClass.GRASP,
                    cycle_s=7.4,
                    confidence=0.88,
                    latency_ms=11.0,
                )
            )
        )
    workspace.write(*outcomes)
    rate = Rate(policy.id, "leipzig-b", 120, 168, 0.714, 0.64, 0.777, NOW - 17 * DAY, NOW - 10 * DAY)
    workspace.write(
        happened.AlarmRaised(
            Alarm(
                "alarm_1",
                policy.id,
                "leipzig-b",
                NOW - 10 * DAY,
                0.9,
                rate,
                12.0,
                8.0,
                "71.4 % over 7 days, 18.6 points under the baseline.",
                "f3",
            )
        )
    )
    cause = Cause(
        Gap.ENVIRONMENT,
        0.61,
        0.47,
        0.72,
        Stratum.of(lighting="dim"),
        True,
        "Dim light fails 45 %, bright 10 %.",
        "Collect 24 demonstrations in dim light.",
    )
    workspace.write(
        happened.DiagnosisMade(
            Diagnosis(
                "diagnosis_1",
                policy.id,
                "leipzig-b",
                Status.FAILED,
                0.9,
                0.714,
                0.186,
                0.05,
                0.34,
                0.61,
                (cause,),
                168,
                NOW - 9 * DAY,
                "f4",
            )
        )
    )
    incident = Incident(
        "incident_01",
        policy.id,
        "leipzig-b",
        Stratum.of(lighting="dim"),
        "Night shift drops items",
        NOW - 6 * 3600 * S,
        "alarm_1",
    )
    workspace.write(happened.IncidentOpened(incident))
    steps = tuple(
        StepDone(step, incident.alerted_ns + k * 600 * S, "local", "done")
        for k, step in enumerate((Step.DETECTED, Step.CONTAINED), 0)
    )
    moved = Incident(
        incident.id,
        incident.policy,
        incident.site,
        incident.stratum,
        incident.what,
        incident.alerted_ns,
        incident.alarm,
        steps,
    )
    workspace.write(happened.IncidentMoved(moved))
    workspace.write(
        happened.DemandPlaced(
            Demand(
                "demand_1",
                Stratum.of(lighting="dim"),
                24,
                "Dim light explains 61 % of the loss.",
                "incident_01",
                NOW - 3600 * S,
            )
        )
    )
