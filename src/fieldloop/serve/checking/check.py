"""Check a policy folder, whatever wrote it: a LeRobot policy, or a bundle of ours."""

from collections.abc import Iterator
from pathlib import Path

from fieldloop.errors import BadInput, FieldloopError
from fieldloop.model.finding import Finding
from fieldloop.model.note import note
from fieldloop.serve.bundle import CARD, read_bundle
from fieldloop.serve.checking.answers import report_agreement, report_contradiction, report_unstated
from fieldloop.serve.checking.by_itself import check_by_itself
from fieldloop.serve.checking.dataset import DatasetFacts
from fieldloop.serve.checking.with_data import check_with_data
from fieldloop.serve.digests import find_pickles
from fieldloop.serve.lerobot_folder import is_lerobot_folder, read_lerobot_folder
from fieldloop.serve.open_engine import ENGINES

READABLE, DIGESTS, SAFE = "policy.readable", "policy.bytes", "policy.no_pickles"
LEROBOT, BUNDLE = "LeRobot policy", "bundle"


def is_policy_folder(path: Path) -> bool:
    """Is this a folder that holds a policy?"""
    return path.is_dir() and ((path / CARD).is_file() or is_lerobot_folder(path))


def check_policy_folder(
    folder: Path, data: DatasetFacts | None = None, control_hz: float | None = None
) -> tuple[str, tuple[Finding, ...]]:
    """Return what a folder is, and the answers about it; weights are not loaded."""
    if (folder / CARD).is_file():
        return BUNDLE, tuple(_check_bundle(folder))
    if not is_lerobot_folder(folder):
        raise BadInput(f"{folder} is neither a bundle ({CARD}) nor a LeRobot policy (config.json with a type).")
    stated = read_lerobot_folder(folder)
    findings = [_judge_pickles(folder), *check_by_itself(stated)]
    if data is not None:
        findings += check_with_data(stated, data, control_hz)
    return f"{LEROBOT} ({stated.kind})", tuple(findings)


def _judge_pickles(folder: Path) -> Finding:
    if found := find_pickles(folder):
        return report_contradiction(SAFE, "", note("policy.pickles", listed=", ".join(found)))
    return report_agreement(SAFE, "", note("policy.no_pickle"))


def _check_bundle(folder: Path) -> Iterator[Finding]:
    yield _judge_pickles(folder)
    try:
        bundle = read_bundle(folder, verify=False)
    except BadInput as wrong:
        yield report_contradiction(READABLE, CARD, note("policy.unreadable", why=str(wrong)))
        return
    if bundle.engine in ENGINES:
        yield report_agreement(READABLE, CARD, note("policy.card", engine=bundle.engine))
    else:
        fact = note("policy.unknown_engine", engine=bundle.engine, listed=", ".join(sorted(ENGINES)))
        yield report_contradiction(READABLE, CARD, fact)
    try:
        read_bundle(folder)
    except FieldloopError as wrong:
        yield report_contradiction(DIGESTS, "", note("policy.unreadable", why=str(wrong)))
        return
    stated = [digest for digest in bundle.files.values() if digest]
    if stated or not bundle.files:
        yield report_agreement(DIGESTS, "", note("policy.digests", files=len(stated)))
    else:
        yield report_unstated(DIGESTS, "", note("policy.no_digests"))
