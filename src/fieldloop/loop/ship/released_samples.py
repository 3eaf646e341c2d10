"""What can be learnt from a release: its labels as they were frozen, and a sample of each usable episode."""

from collections.abc import Sequence

from fieldloop.annotate import choose_labels
from fieldloop.loop.data.as_frozen import find_labels_as_frozen, find_release_episodes
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.release import Release
from fieldloop.train import Gathered, gather_samples


def find_release_labels(workspace: Workspace, frozen: Release) -> list[Annotation]:
    """Return the phases that a release was frozen with, of one author an episode."""
    return choose_labels(span for span in find_labels_as_frozen(workspace, frozen) if span.kind == PHASE)


def gather_release_samples(
    workspace: Workspace, frozen: Release, chosen: Sequence[str], spans: Sequence[Annotation]
) -> Gathered:
    """Read a sample from each of some episodes of a release."""
    episodes = find_release_episodes(workspace, frozen, chosen)
    recordings = Reopened(workspace, episodes, frozen.name, frozen)
    frames = int(workspace.operations["train"]["frames_per_demonstration"])
    return gather_samples(recordings, spans, frozen.shares, frames)
