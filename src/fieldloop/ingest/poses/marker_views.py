"""Looks at a marker from a file: where it is known to be, where the camera saw it, and where its mount was."""

from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest.poses.csv_poses import read_poses_by_prefix
from fieldloop.ingest.poses.files import read_single_text
from fieldloop.ingest.poses.json_poses import read_json_rows, read_poses_under_key
from fieldloop.model.written_poses import Side, WrittenPoses

KNOWN, SEEN, MOUNT = "base_from_marker", "camera_from_marker", "base_from_gripper"
SIDES = {KNOWN: Side.TARGET, SEEN: Side.TARGET, MOUNT: Side.ROBOT}
EXAMPLE = '{"views": [{"base_from_marker": [[…4×4…]], "camera_from_marker": [[…4×4…]]}]}'


def read_marker_views(path: Path) -> dict[str, WrittenPoses]:
    """Read views by what they are called; a camera on the wrist needs `base_from_gripper` with each."""
    name, text = read_single_text(path)
    if text.lstrip()[:1] in "{[":
        head, rows = read_json_rows(name, text, "views", EXAMPLE)
        views = {
            key: read_poses_under_key(name, key, rows, head, side) for key, side in SIDES.items() if key in rows[0]
        }
    else:
        views = read_poses_by_prefix(name, text, SIDES)
    if missing := [key for key in (KNOWN, SEEN) if key not in views]:
        raise BadInput(f"{name} has no {missing[0]}. Write {EXAMPLE}, or columns such as {missing[0]}_x … _qw.")
    return views
