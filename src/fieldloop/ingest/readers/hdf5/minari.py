"""Minari's layout: one group an episode, whose observations have one row more than its actions."""

from collections.abc import Iterator

from fieldloop.ingest.readers.hdf5.draft import Draft, counted_rows_note
from fieldloop.ingest.readers.hdf5.facts import facts_of, trailing_number
from fieldloop.ingest.readers.hdf5.names import kind_of_array
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.parts import part_of
from fieldloop.ingest.readers.hdf5.tree import Folder
from fieldloop.ingest.stamps import stated_rate
from fieldloop.model.episode import Defect
from fieldloop.model.note import note
from fieldloop.model.stream import StreamKind

PREFIX = "episode_"
STEPS = "total_steps"


class Minari:
    """`episode_<i>` with observations, actions, rewards, terminations, truncations and infos."""

    name = "minari"

    def matches(self, root: Folder) -> bool:
        """Is there a group of one episode with actions and marks of its end?"""
        first = next((f for name, f in root.folders.items() if name.startswith(PREFIX)), None)
        return first is not None and {"actions", "terminations"} <= first.members.keys()

    def count(self, root: Folder) -> int:
        """Every group is tried."""
        return len(_episodes(root))

    def drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes by number. The row after the last step is kept: it is what the last action led to."""
        shared, episodes = facts_of(root), _episodes(root)
        for number, folder in episodes:
            opened.defects = []
            facts = {**shared, **facts_of(folder), "dataset": opened.path.stem, "dataset_episodes": str(len(episodes))}
            facts |= {"episode_index": str(number)} if number is not None else {}
            hz = stated_rate(facts)
            parts = [
                part_of(leaf, path, StreamKind.OTHER if path == "observations" else kind_of_array(leaf.name))
                for leaf in folder.all_leaves()
                if leaf.shape and (path := leaf.path.removeprefix(f"{folder.path}/"))
            ]
            draft = Draft(
                folder.name, parts, hz=hz, clock_note=counted_rows_note(hz), facts=facts, defects=opened.defects
            )
            _check_steps(folder, facts, draft)
            yield draft
            folder.forget()

    def check(self, opened: Opened, root: Folder) -> None:
        """Compare the stated total with the episodes that are there."""
        stated = facts_of(root).get("total_episodes")
        count = self.count(root)
        if stated is not None and stated != str(count):
            message = note("ingest.count_mismatch", stated=stated, what="episodes", found=count)
            opened.defects.append(Defect("/", "total_episodes", message))


def _episodes(root: Folder) -> list[tuple[int | None, Folder]]:
    numbered = [(trailing_number(name), folder) for name, folder in root.folders.items() if name.startswith(PREFIX)]
    return sorted(numbered, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].name))


def _check_steps(folder: Folder, facts: dict[str, str], draft: Draft) -> None:
    actions = folder.leaves.get("actions")
    if actions is not None and actions.shape and facts.get(STEPS, str(actions.shape[0])) != str(actions.shape[0]):
        message = note("ingest.count_mismatch", stated=facts[STEPS], what="steps", found=actions.shape[0])
        draft.defects.append(Defect(folder.path, STEPS, message))
