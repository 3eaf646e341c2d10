"""The layout of ALOHA and ACT: one file an episode, two arms of seven joints, one array a camera."""

from collections.abc import Iterator

from fieldloop.ingest.readers.hdf5.clocks import find_clocks
from fieldloop.ingest.readers.hdf5.draft import Draft, Part, describe_counted_rows
from fieldloop.ingest.readers.hdf5.facts import collect_group_facts
from fieldloop.ingest.readers.hdf5.names import infer_array_kind
from fieldloop.ingest.readers.hdf5.opened import Opened
from fieldloop.ingest.readers.hdf5.parts import make_part
from fieldloop.ingest.readers.hdf5.tree import Folder, Leaf
from fieldloop.ingest.stamps import find_stated_rate
from fieldloop.model.stream import StreamKind

HZ = 50.0  # DT = 0.02 s in both recorders
NOTE = "no timestamps are stored; row number over 50 Hz is used, the recorder's rate, which the file does not state"
ARM = ("waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate", "gripper")
JOINTS = tuple(f"{side}_{joint}" for side in ("left", "right") for joint in ARM)
BASE = ("linear", "angular")
LENGTHS = "compress_len"
GRIPPERS = "the two gripper columns are normalised, not radians"


class Aloha:
    """`observations/qpos`, `qvel`, `effort` and `images/<camera>` beside `action`; attributes `sim` and `compress`."""

    name = "aloha"

    def matches_file(self, root: Folder) -> bool:
        """Are there an action and joint positions or pictures to see it by?"""
        seen = (root.find_member("observations/qpos"), root.find_member("observations/images"))
        return isinstance(root.find_member("action"), Leaf) and any(thing is not None for thing in seen)

    def count_episodes(self, root: Folder) -> int:  # noqa: ARG002 - every layout answers this question
        """One file, one episode."""
        return 1

    def read_drafts(self, opened: Opened, root: Folder) -> Iterator[Draft]:
        """Yield the file's one episode."""
        opened.defects = []
        facts = collect_group_facts(root)
        parts = [_make_part(leaf) for leaf in root.list_all_leaves() if leaf.path != LENGTHS]
        _, file_clock = find_clocks(opened, root)
        stated = find_stated_rate(facts)
        parts = [part for part in parts if not file_clock or part.leaves[0].path != file_clock.path]
        draft = Draft(opened.path.stem, parts, hz=stated or HZ, facts=facts, defects=opened.defects)
        draft.clock_note = describe_counted_rows(stated) if stated else NOTE
        if file_clock:
            draft.hz, draft.clocks, draft.clock_note = file_clock.hz or stated, file_clock.clocks, file_clock.note
        yield draft

    def add_file_defects(self, opened: Opened, root: Folder) -> None:
        """Nothing to check beyond the one episode."""


def _make_part(leaf: Leaf) -> Part:
    images = "/images/" in f"/{leaf.path}"
    part = make_part(
        leaf, leaf.path.removeprefix("observations/"), StreamKind.RGB if images else infer_array_kind(leaf.name)
    )
    if images and "depth" in leaf.path:
        part.kind = StreamKind.DEPTH
    width = leaf.shape[1] if len(leaf.shape) == 2 else 0  # noqa: PLR2004 - rows × columns
    if width == len(JOINTS) and not images:
        part.columns = JOINTS
        part.unit_like = StreamKind.JOINT_POSITION if part.kind is StreamKind.ACTION else part.unit_like
        part.notes["gripper"] = GRIPPERS
    elif leaf.name == "base_action" and width == len(BASE):
        part.columns, part.unit = BASE, "m/s, rad/s"
    return part
