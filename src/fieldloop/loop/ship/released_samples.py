"""What can be learnt from a release: its labels as they were frozen, and a sample of each usable episode."""

from collections.abc import Sequence

from fieldloop.errors import Refused
from fieldloop.loop.data.as_frozen import find_release_episodes
from fieldloop.loop.ship.annotate import MACHINE
from fieldloop.loop.work.reopen import Reopened
from fieldloop.loop.workspace import Workspace
from fieldloop.model.annotation import PHASE, Annotation
from fieldloop.model.release import Release
from fieldloop.release import compute_labels_id
from fieldloop.train import Gathered, gather_samples


def find_release_labels(workspace: Workspace, frozen: Release) -> list[Annotation]:
    """Return the labels a release was frozen with, of one author an episode; refuses where they have changed since."""
    spans = [s for s in workspace.store.find(Annotation, {"kind": PHASE}) if s.episode in set(frozen.episodes)]
    if compute_labels_id(spans) != frozen.annotations_sha256:
        raise Refused(
            f"Labels of {frozen.name} were changed after it was frozen. Freeze a new release: fieldloop release"
        )
    chosen: dict[str, str] = {}
    for span in spans:  # a person's word counts before a machine's proposal
        if chosen.get(span.episode, MACHINE) == MACHINE:
            chosen[span.episode] = span.author
    return [span for span in spans if span.author == chosen[span.episode]]


def gather_release_samples(
    workspace: Workspace, frozen: Release, chosen: Sequence[str], spans: Sequence[Annotation]
) -> Gathered:
    """Read a sample from each of some episodes of a release."""
    episodes = find_release_episodes(workspace, frozen, chosen)
    recordings = Reopened(workspace, episodes, frozen.name, frozen)
    frames = int(workspace.operations["train"]["frames_per_demonstration"])
    return gather_samples(recordings, spans, frozen.shares, frames)
