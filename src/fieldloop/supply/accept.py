"""Accept a delivery, or return it with what failed and how often."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from fieldloop.model.delivery import Acceptance
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import Note, note
from fieldloop.model.person import Provider
from fieldloop.protocol import Section

UNDECIDED = (Status.CANNOT_TELL, Status.NOT_APPLICABLE, Status.ERRORED)


def judge_delivery(
    reports: Iterable[EpisodeReport], provider: Provider, settings: Section, at_ns: int = 0
) -> Acceptance:
    """Judge one delivery: enough passed, too many failed, or too many undecided.

    The contract's required share applies where it is higher than the workspace's.
    """
    judged = tuple({r.episode: r for r in reports}.values())
    required = max(provider.min_acceptance, settings.number("min_acceptance"))
    passed = [r for r in judged if r.status is Status.PASSED]
    undecided = [r for r in judged if r.status in UNDECIDED]
    return Acceptance(
        provider=provider.id,
        status=_decide_status(len(passed), len(undecided), len(judged), required),
        episodes=len(judged),
        accepted=len(passed),
        undecided=len(undecided),
        required_share=required,
        reasons=tuple(_list_blocking_checks(judged)),
        returned=tuple(sorted(r.episode for r in judged if r.status is not Status.PASSED)),
        operations=settings.fingerprint,
        at_ns=at_ns,
        delivery=compute_content_id(sorted(r.episode.encode() for r in judged)),
    )


def _decide_status(passed: int, undecided: int, total: int, required: float) -> Status:
    if total == 0:
        return Status.CANNOT_TELL
    if passed >= required * total:
        return Status.PASSED
    # an undecided episode does not count against the provider until it is judged
    return Status.CANNOT_TELL if passed + undecided >= required * total else Status.FAILED


def _list_blocking_checks(reports: Sequence[EpisodeReport]) -> Iterator[Note]:
    """Yield each check that blocked episodes, in how many, with an example; most frequent first."""
    if not reports:
        yield note("supply.nothing_delivered")
    counts: Counter[tuple[str, Status]] = Counter()
    examples: dict[tuple[str, Status], tuple[str, Note]] = {}
    for report in reports:
        if report.status is Status.PASSED:
            continue
        against = {(f.check, f.status): f.fact for f in report.findings if f.counts}
        for key, message in (against or {("no finding", report.status): note("supply.nothing_measured")}).items():
            counts[key] += 1
            examples.setdefault(key, (report.name, message))
    for (check, status), count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        episode, example = examples[check, status]
        yield note(
            "supply.check_against", check=check, status=status.value.replace("_", " "), count=count,
            episodes=len(reports), episode=episode, example=example,
        )  # fmt: skip
