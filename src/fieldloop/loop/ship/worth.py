"""Estimate what the episodes of a release are worth, gather the evidence, and leave the worst out where it helps."""

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from fieldloop.errors import Refused
from fieldloop.evaluate.looks import Looks
from fieldloop.loop.data.as_frozen import find_release_episodes
from fieldloop.loop.ship.release_reasons import OVERRIDE
from fieldloop.loop.ship.released_samples import find_release_labels, gather_release_samples
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.work.stated_reason import require_stated_reason
from fieldloop.loop.workspace import Workspace
from fieldloop.model.attempts import settle_attempts
from fieldloop.model.note import Note, note
from fieldloop.model.policy import Outcome, PolicyVersion, Stage
from fieldloop.model.release import Release
from fieldloop.model.worth import EpisodeWorth, Worth, WorthEvidence, WorthMethod
from fieldloop.release.smooth_motion import measure_motion_worth
from fieldloop.release.worth import (
    check_share,
    compare_paired_trials,
    find_evidence,
    order_by_worth,
    select_share,
    select_worst,
    summarise_evidence,
)
from fieldloop.say import write_sentence
from fieldloop.train.grasp_worth import GraspLearner
from fieldloop.train.worth import estimate_worth

HOW_TO_GATHER = (
    "To gather evidence, freeze both, train a policy on each, and run {planned} gate trials of either policy:\n"
    "  fieldloop release {name}-whole\n"
    "  fieldloop release {name} --without-worst {share:g}{by} --override 'to try it at the gate'\n"
    "  fieldloop train {name}-whole --name whole && fieldloop gate whole\n"
    "  fieldloop train {name} --name lean && fieldloop gate lean"
)
MORE_TRIALS = "Run more gate trials of the policies learnt from {whole} and from {without}: fieldloop gate POLICY"
KEEP = "Release without --without-worst, or try another share."


def estimate_release_worth(workspace: Workspace, release: Release, method: WorthMethod) -> Worth:
    """Estimate the worth of every episode of a release, frozen or about to be, with the evidence there is."""
    if method is WorthMethod.INFLUENCE:
        known, unknown = _estimate_influence(workspace, release)
    else:
        known, unknown = _measure_smoothness(workspace, release)
    evidence = tuple(_compare_trials(workspace, release, method))
    return Worth(method, order_by_worth(known), tuple(unknown), evidence, summarise_evidence(evidence))


def choose_least_valuable(
    workspace: Workspace, release: Release, share: float, method: WorthMethod, override: str
) -> tuple[tuple[tuple[str, Note], ...], tuple[Note, ...]]:
    """Return the least valuable episodes of a release that is about to be frozen with why, and reasons against it.

    Refused where no trial shows that leaving out this share helps, unless `override` states a reason.
    """
    check_share(share)
    evidence = tuple(_compare_trials(workspace, release, method))
    against: tuple[Note, ...] = ()
    if find_evidence(evidence, method, share) is None:
        of_share = select_share(evidence, share)
        against = (note("worth.no_evidence", why=summarise_evidence(of_share)),)
        if not require_stated_reason(workspace, override):
            step = _write_next_step(workspace, release.name, share, method, of_share)
            refusal = f"Release {release.name} refused: {write_sentence(against[0])}"
            raise Refused(f"{refusal}\n{step}\n{OVERRIDE}", against)
    worth = estimate_release_worth(workspace, release, method)
    if not worth.episodes:
        reasons = tuple(dict.fromkeys(why for _, why in worth.unknown))
        raise Refused(f"No episode's worth can be estimated ({method.value}): {write_sentence(reasons[0])}", reasons)
    return select_worst(worth, share, release.id), against


def _write_next_step(
    workspace: Workspace, name: str, share: float, method: WorthMethod, evidence: Sequence[WorthEvidence]
) -> str:
    """Write what to do where no trials show that leaving this share out helps."""
    if evidence:
        newest = evidence[0]
        return KEEP if newest.harms else MORE_TRIALS.format(whole=newest.whole, without=newest.without)
    planned = int(workspace.operations["worth"].number("planned_trials"))
    by = "" if method is WorthMethod.SMOOTH else f" --worst-by {method.value}"
    return HOW_TO_GATHER.format(name=name, share=share, planned=planned, by=by)


def _measure_smoothness(workspace: Workspace, release: Release) -> tuple[list[EpisodeWorth], list[tuple[str, Note]]]:
    known, unknown, settings = list[EpisodeWorth](), list[tuple[str, Note]](), workspace.operations["worth"]
    for recording in Reopened(workspace, find_release_episodes(workspace, release), release.name, release):
        worth = measure_motion_worth(recording, settings, settings.number("level"))
        if isinstance(worth, Note):
            unknown.append((recording.episode.id, worth))
        else:
            known.append(worth)
    return known, unknown


def _estimate_influence(workspace: Workspace, release: Release) -> tuple[list[EpisodeWorth], list[tuple[str, Note]]]:
    """Estimate by the reference learner; only what it can learn from has an influence."""
    episodes = {episode.id: episode for episode in find_release_episodes(workspace, release)}
    gathered = gather_release_samples(workspace, release, release.episodes, find_release_labels(workspace, release))
    samples = [sample for sample in gathered.samples if sample.weight > 0]
    unknown = [(episode, note("worth.not_learnt_from", reason=reason)) for episode, reason in gathered.skipped]
    least = int(workspace.operations["train"]["min_demonstrations"])
    settings = workspace.operations["worth"]
    folds = int(settings.number("folds"))
    if len(samples) * (folds - 1) // folds < max(least, 2 * folds):
        few = note("worth.too_few", demonstrations=len(samples), least=-(-max(least, 2 * folds) * folds // (folds - 1)))
        return [], [*unknown, *((sample.episode, few) for sample in samples)]
    learner = GraspLearner(samples, workspace.operations["train"], settings.number("error_knee"))
    chance = np.random.default_rng(zlib.crc32(release.id.encode()))
    found = estimate_worth(learner, np.arange(len(samples)), chance, None, folds, settings.number("level"))
    return [
        EpisodeWorth(sample.episode, episodes[sample.episode].name, *map(float, numbers))
        for sample, *numbers in zip(samples, found.value, found.low, found.high, strict=True)
    ], unknown


def _compare_trials(workspace: Workspace, release: Release, method: WorthMethod) -> Iterator[WorthEvidence]:
    """Yield what gate trials say of releases of nearly these episodes with and without their worst, newest first."""
    settings, here = workspace.operations["worth"], set(release.episodes)
    known = {one.id: one for one in workspace.store.find(Release)}
    for without in workspace.store.find(Release, newest=True):
        left = without.left_out
        if left is None or left.method != method or (whole := known.get(left.whole)) is None:
            continue
        if len(here & set(whole.episodes)) < settings.number("same_data_share") * len(here):
            continue
        if pairs := _pair_trials_of_same_trainer(workspace, whole, without):
            looks = Looks(1 - settings.number("level"), 0)
            yield compare_paired_trials(
                whole.name, without.name, method, left.share, pairs, int(settings.number("planned_trials")),
                looks.get_level,
            )  # fmt: skip


def _pair_trials_of_same_trainer(workspace: Workspace, whole: Release, without: Release) -> list[tuple[bool, bool]]:
    """Return trials of policies of one trainer learnt from either release, in pairs; none if one was not tried."""
    of_whole, of_rest = (
        workspace.store.find(PolicyVersion, {"release": release.id}, newest=True) for release in (whole, without)
    )
    for trainer in dict.fromkeys(policy.trainer for policy in of_rest):
        ids = [[policy.id for policy in policies if policy.trainer == trainer] for policies in (of_whole, of_rest)]
        if all(ids) and (pairs := _pair_trials(workspace, *ids)):
            return pairs
    return []


def _pair_trials(workspace: Workspace, of_whole: Sequence[str], of_rest: Sequence[str]) -> list[tuple[bool, bool]]:
    """Pair gate trials of the same scenario and site, each pair as soon as both trials were recorded.

    A gate may ask one policy for more trials of a scenario than the other; trials without a partner are not compared.
    An attempt counts once; a tie of its judges counts as a failure.
    """
    recorded = workspace.store.find(Outcome, {"policy": [*of_whole, *of_rest], "stage": Stage.GATE})
    place = {outcome.id: number for number, outcome in enumerate(recorded)}
    kept, contested = settle_attempts(recorded)
    settled = [*kept, *(replace(one, succeeded=False) for one in contested)]
    sides: dict[tuple[str, str], tuple[list[Outcome], list[Outcome]]] = {}
    for outcome in sorted(settled, key=lambda one: place[one.id]):
        side = sides.setdefault((outcome.scenario, outcome.site), ([], []))
        side[outcome.policy in of_rest].append(outcome)
    pairs = [pair for before, after in sides.values() for pair in zip(before, after, strict=False)]
    pairs.sort(key=lambda pair: max(place[one.id] for one in pair))
    return [(before.succeeded is True, after.succeeded is True) for before, after in pairs]
