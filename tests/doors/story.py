"""A small workspace with something in every stage, written as events: what the doors show is then known."""

import itertools
import random
from pathlib import Path

from tests.doors.story_before import prepare
from tests.doors.story_field import run
from tests.doors.story_setting import BINS, DAY, LIGHTS, NASTY, NOW, TIERS, S, written

from fieldloop.annotate import choose_labels
from fieldloop.loop.workspace import Workspace, create_workspace, open_workspace
from fieldloop.model import event as happened
from fieldloop.model.annotation import Annotation
from fieldloop.model.condition import Stratum
from fieldloop.model.decision import Decision, GateTest
from fieldloop.model.episode import Blob, Episode, Log
from fieldloop.model.finding import EpisodeReport, Finding, Status
from fieldloop.model.note import Subject, note
from fieldloop.model.policy import PolicyVersion
from fieldloop.model.release import Release, StratumShare
from fieldloop.model.taxonomy import PHASES
from fieldloop.release import compute_labels_id


def empty_workspace(root: Path) -> Workspace:
    create_workspace(root, name="leipzig")
    return open_workspace(root, clock=lambda: NOW, random_bits=random.Random(7).getrandbits)


def story_workspace(root: Path) -> Workspace:
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
    prepare(workspace, strata, shares)
    episodes = _collect(workspace, strata, rng)
    policy = _ship(workspace, episodes, strata, shares)
    run(workspace, policy, strata, shares, rng)


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
                Subject("camera/wrist"),
                Status.FAILED if bad else Status.PASSED,
                4.0 if bad else 0.2,
                None,
                1.0,
                "missing periods",
                note("check.at", at_s=3.2) if bad else None,
            ),
            Finding("timing.offset", Subject("camera/overhead"), Status.PASSED, 1.8, None, 5.0, "ms"),
            Finding(
                "force.window",
                Subject("gripper/effort"),
                Status.CANNOT_TELL if n % 10 == 0 else Status.PASSED,
                None if n % 10 == 0 else 14.2,
                5.0,
                25.0,
                "N",
                reason=note("check.nothing_gripped") if n % 10 == 0 else None,
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
        compute_labels_id(choose_labels(a for a in workspace.store.find(Annotation) if a.episode in chosen)),
        tuple((e.id, "4 frames are missing") for n, e in enumerate(episodes) if n % 9 == 4),
    )
    policy = PolicyVersion("c" * 64, "p1", release.id, "mlp", "b" * 64, len(chosen), 0, 0.0123, 10.0, "guard01")
    tests = (
        GateTest(
            "consecutive",
            written("≥ 85 % of 100"),
            Status.PASSED,
            93,
            100,
            0.871,
            0.965,
            0,
            written("93 of 100."),
        ),
        GateTest("lighting: dim", written("at least 70 %"), Status.PASSED, 52, 60, 0.77, 0.93, 0, written("52 of 60.")),
        GateTest("latency", written("p99 at most 80 ms"), Status.PASSED, 0, 0, 0.0, 0.0, 0, written("p99 12.4 ms.")),
    )
    workspace.write(happened.ReleaseFrozen(release), happened.PolicyTrained(policy))
    workspace.write(happened.PolicyGated(Decision("decision_1", policy.id, Status.PASSED, tests, "f1", NOW - 41 * DAY)))
    return policy
