"""Checks of a dataset as a whole: defects, copies, indices and lengths."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from fieldloop.check.batch_case import Batch
from fieldloop.check.episode.integrity import measure_defects, measure_description_differences, measure_unclear_defects
from fieldloop.check.naming import MOST_NAMED, note_listed_names
from fieldloop.check.registry import check
from fieldloop.check.traits import measure_length_s
from fieldloop.model.episode import Episode, Harm
from fieldloop.model.finding import UNKNOWN, Measurement
from fieldloop.model.identity import compute_content_id
from fieldloop.model.note import NO_SUBJECT, Subject, note
from fieldloop.stats.quantile import SD_PER_MAD

EXPLAINS_GAPS = (
    "ingest.episodes_without_data",
    "ingest.episodes_in_other_format",
    "ingest.episodes_not_listed",
    "ingest.episode_numbers_skipped",
    "ingest.shards_missing",
)
"""Defects that name the missing episodes: their indices are not counted a second time."""

NO_CONTENT = compute_content_id(())
"""The id of an episode of which nothing could be read."""

BY_NAME = ("hdf5",)
"""Formats whose episodes are looked up by name."""


@check(
    "corpus.defects",
    unit="defects",
    place_says_it=True,
    revision=2,
)
def list_dataset_defects(batch: Batch) -> Iterator[Measurement]:
    """What is missing from the dataset's files or cannot be read?"""
    lost = tuple(defect for defect in batch.defects if defect.harm is Harm.LOST)
    unclear = [defect for defect in batch.defects if defect.harm is Harm.UNCLEAR]
    yield from measure_defects(lost)
    yield from measure_unclear_defects(unclear)
    if not (lost or unclear) and batch.episodes:
        yield Measurement(NO_SUBJECT, 0.0)


@check(
    "corpus.described",
    unit="differences",
    place_says_it=True,
)
def compare_metadata_with_files(batch: Batch) -> Iterator[Measurement]:
    """Where do the dataset's metadata differ from its files?

    A difference fails where a loader that trusts the metadata returns other data than were recorded.
    """
    if batch.episodes or any(defect.harm is not Harm.LOST for defect in batch.defects):
        yield from measure_description_differences(batch.defects)


@check(
    "corpus.duplicates",
    unit="episodes",
    needs=("episodes",),
    revision=2,
)
def count_exact_copies(batch: Batch) -> Iterator[Measurement]:
    """How many episodes are exact copies of another?

    Episodes of which nothing could be read are left out: `integrity.readable` reports them.
    """
    first: dict[str, str] = {}
    copies = []
    for episode in batch.episodes:
        if episode.id == NO_CONTENT or episode.end_ns <= episode.start_ns:  # also bags that list topics alone
            continue
        if episode.id in first:
            copies.append(f"{episode.name} = {first[episode.id]}")
        first.setdefault(episode.id, episode.name)
    yield Measurement(NO_SUBJECT, float(len(copies)), note_listed_names(copies, MOST_NAMED))


@check(
    "corpus.index_gaps",
    unit="missing indices",
    needs=("episodes",),
    revision=2,
)
def count_missing_episode_indices(batch: Batch) -> Iterator[Measurement]:
    """How many episode indices are missing between 0 and the last that the dataset lists?

    The check applies to formats that look up episodes by position. In formats that look them up by name, a gap does no
    harm.
    """
    held: dict[str, set[int]] = defaultdict(set)
    listed: Counter[str] = Counter()
    for episode in batch.episodes:
        dataset, index = episode.get_fact("dataset"), episode.get_fact("episode_index")
        if dataset is not None and index is not None and index.isdigit() and not episode.format.startswith(BY_NAME):
            held[dataset].add(int(index))
            total = episode.get_fact("dataset_episodes") or "0"
            listed[dataset] = max(listed[dataset], int(index) + 1, int(total) if total.isdigit() else 0)
    reported = any(defect.message.code in EXPLAINS_GAPS for defect in batch.defects)
    for dataset, indices in sorted(held.items()):
        missing = listed[dataset] - len(indices)
        if missing and reported:
            yield Measurement(Subject(aspect=dataset), UNKNOWN, cannot_tell=note("check.gaps_reported", gaps=missing))
            continue
        place = note("check.of_indices", indices=listed[dataset]) if missing else None
        yield Measurement(Subject(aspect=dataset), float(missing), place)


@check(
    "corpus.length_outliers",
    unit="episodes",
    needs=("episodes",),
    revision=3,
)
def count_length_outliers(batch: Batch) -> Iterator[Measurement]:
    """How many episodes are far longer or shorter than the others of their task?

    The logarithms of the lengths are compared, because twice as long is as unusual as half as long. Where no task is
    named, the episodes may be attempts at different tasks, so a difference is left open.
    """
    tasks: dict[tuple[str, str], list[Episode]] = defaultdict(list)
    for episode in batch.episodes:  # files of one folder may hold different experiments
        tasks[episode.task, episode.get_fact("dataset") or ""].append(episode)
    fewest, most_sd, least_spread = (
        batch.read_parameter("corpus.length_outliers", name) for name in ("min_episodes", "robust_sd", "least_spread")
    )
    for (task, _), episodes in sorted(tasks.items()):
        if len(episodes) >= fewest:
            yield _measure_length_outliers(task, episodes, most_sd, least_spread)


def _measure_length_outliers(task: str, episodes: list[Episode], max_sd: float, min_spread: float) -> Measurement:
    lengths = np.asarray([measure_length_s(e) for e in episodes])
    logs = np.log(lengths)
    middle = float(np.median(logs))
    spread = max(SD_PER_MAD * float(np.median(np.abs(logs - middle))), min_spread)
    far = np.flatnonzero(np.abs(logs - middle) > max_sd * spread)
    unusual = tuple(
        note("check.episode_length", name=episodes[i].name, length_s=float(lengths[i])) for i in far[:MOST_NAMED]
    )
    more = max(0, len(far) - MOST_NAMED) or None
    place = (
        note("check.unusual_lengths", unusual=unusual, more=more, typical_s=float(np.exp(middle))) if unusual else None
    )
    if task or any(episode.protocol for episode in episodes):
        return Measurement(Subject(aspect=task), float(len(far)), place)
    return Measurement(Subject(aspect=task), float(len(far)), place, low=0.0, high=float(len(far)))
