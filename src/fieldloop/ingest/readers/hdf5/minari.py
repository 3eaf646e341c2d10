"""Minari's layout: one group an episode, whose observations have one row more than its actions."""

from collections.abc import Iterator

from fieldloop.ingest.readers.hdf5.draft import Draft, describe_counted_rows
from fieldloop.ingest.readers.hdf5.facts import collect_group_facts, parse_trailing_number
from fieldloop.ingest.readers.hdf5.names import infer_array_kind
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.parts import make_part
from fieldloop.ingest.readers.hdf5.tree import Folder
from fieldloop.ingest.stamps import find_stated_rate
from fieldloop.model.episode import Defect
from fieldloop.model.note import note
from fieldloop.model.stream import StreamKind

PREFIX = "episode_"
STEPS = "total_steps"


class Minari:
    """`episode_<i>` with observations, actions, rewards, terminations, truncations and infos."""

    name = "minari"

    def matches_file(self, root: Folder) -> bool:
        """Is there a group of one episode with actions and marks of its end?"""
        first = next((f for name, f in root.folders.items() if name.startswith(PREFIX)), None)
        return first is not None and {"actions", "terminations"} <= first.members.keys()

    def count_episodes(self, root: Folder) -> int:
        """Every group is tried."""
        return len(_list_episode_groups(root))

    def read_drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the episodes by number. The row after the last step is kept: it is what the last action led to."""
        shared, episodes = collect_group_facts(root), _list_episode_groups(root)
        for number, folder in episodes:
            opened.defects = []
            facts = {
                **shared,
                **collect_group_facts(folder),
                "dataset": opened.path.stem,
                "dataset_episodes": str(len(episodes)),
            }
            facts |= {"episode_index": str(number)} if number is not None else {}
            hz = find_stated_rate(facts)
            parts = [
                make_part(leaf, path, StreamKind.OTHER if path == "observations" else infer_array_kind(leaf.name))
                for leaf in folder.list_all_leaves()
                if leaf.shape and (path := leaf.path.removeprefix(f"{folder.path}/"))
            ]
            draft = Draft(
                folder.name, parts, hz=hz, clock_note=describe_counted_rows(hz), facts=facts, defects=opened.defects
            )
            _check_step_count(folder, facts, draft)
            yield draft
            folder.clear_cache()

    def add_file_defects(self, opened: Opened, root: Folder) -> None:
        """Compare the stated total with the episodes that are there."""
        stated = collect_group_facts(root).get("total_episodes")
        count = self.count_episodes(root)
        if stated is not None and stated != str(count):
            message = note("ingest.count_mismatch", stated=stated, what="episodes", found=count)
            opened.defects.append(Defect("/", "total_episodes", message))


def _list_episode_groups(root: Folder) -> list[tuple[int | None, Folder]]:
    numbered = [
        (parse_trailing_number(name), folder) for name, folder in root.folders.items() if name.startswith(PREFIX)
    ]
    return sorted(numbered, key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].name))


def _check_step_count(folder: Folder, facts: dict[str, str], draft: Draft) -> None:
    actions = folder.leaves.get("actions")
    if actions is not None and actions.shape and facts.get(STEPS, str(actions.shape[0])) != str(actions.shape[0]):
        message = note("ingest.count_mismatch", stated=facts[STEPS], what="steps", found=actions.shape[0])
        draft.defects.append(Defect(folder.path, STEPS, message))
