"""What the story's floor knows before anything is collected: site, robot, people, calibration, plan."""

from tests.doors.story_setting import BINS, DAY, NOW, TIERS

from fieldloop.loop.workspace import Workspace
from fieldloop.model import event as happened
from fieldloop.model.calibration import Calibration
from fieldloop.model.condition import Exposure, Stratum
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
from fieldloop.model.finding import Status
from fieldloop.model.hardware import Robot
from fieldloop.model.note import note
from fieldloop.model.person import Operator
from fieldloop.model.person_event import OperatorEnrolled
from fieldloop.model.plan import Plan, Quota, WorkOrder


def prepare(workspace: Workspace, strata: list[Stratum], shares: list[float]) -> None:
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
        AuditAnswer(note(f"audit.asks_{question}"), score, missing)
        for question, score, missing in (
            ("environment", 1.0, ()),
            ("synchronisation", 1.0, ()),
            ("edge_cases", 0.7, ("failure rate of 'item on its side'",)),
            ("labels", 1.0, ()),
            ("conditions", 0.9, ("vibration of aisle 4",)),
        )
    )
    workspace.write(
        happened.DeploymentMapped(deployment), happened.DeploymentAudited(Audit("leipzig", answers, 0.92, True))
    )
    workspace.write(
        happened.RobotRegistered(Robot("arm-1", "sim6", "leipzig-b")),
        *(OperatorEnrolled(Operator(f"op-{n}", (("hand", "medium"),))) for n in range(1, 5)),
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
