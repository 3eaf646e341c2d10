"""Read pose files: both sides in one, or the robot's poses in one and the target's in another."""

import io
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.ingest.poses.csv_poses import read_csv_poses
from fieldloop.ingest.poses.json_poses import read_json_picture_size, read_json_poses
from fieldloop.model.written_poses import Side, WrittenPoses

SEEN = re.compile(r"target|camera|marker|board|tag")
"""Words in the name of a file with target poses, used where its columns do not show it."""
BOTH = 2
LARGEST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True, eq=False)
class PoseFiles:
    """Both sides as they are written; `by_stamp` where rows are matched by their moments, else by their number.

    `image_size` is that of the pictures the target was seen in and `intrinsics_size` that of the intrinsics it was
    found with, where a JSON file says so.
    """

    robot: WrittenPoses
    target: WrittenPoses
    by_stamp: bool
    image_size: tuple[int, int] | None = None
    intrinsics_size: tuple[int, int] | None = None


def read_poses(paths: Sequence[Path]) -> PoseFiles:
    """Read one file with both sides, or two with one each; an archive counts as the files in it."""
    texts = [text for path in paths for text in _read_texts(path)]
    if len(texts) not in (1, BOTH):
        raise BadInput(f"Hand-eye takes one file with both poses, or two with one each; {len(texts)} were given.")
    parts = [(name, _read_sides(name, text)) for name, text in texts]
    made = _match_sides_in_one_file(*parts[0]) if len(parts) == 1 else _match_sides_in_two_files(parts)
    for name, text in texts:
        if text.lstrip()[:1] == "{":
            pictures, lens = (
                read_json_picture_size(name, text, key) for key in ("image_size", "intrinsics_image_size")
            )
            made = replace(made, image_size=pictures or made.image_size, intrinsics_size=lens or made.intrinsics_size)
    return made


def read_single_text(path: Path) -> tuple[str, str]:
    """Return the name and text of a file that must be a single one and not empty."""
    texts = _read_texts(path)
    if len(texts) != 1 or not texts[0][1].strip():
        wrong = "is empty" if len(texts) == 1 else f"holds {len(texts)} files; exactly one is needed"
        raise BadInput(f"{path.name} {wrong}.")
    return texts[0]


def _match_sides_in_one_file(file_name: str, sides: tuple[WrittenPoses, ...]) -> PoseFiles:
    by_side = {side.side: side for side in sides}
    if missing := [side for side in Side if side not in by_side]:
        raise BadInput(f"{file_name} has no {missing[0]} poses. Give a second file with them, or add them to each row.")
    return PoseFiles(by_side[Side.ROBOT], by_side[Side.TARGET], by_stamp=False)


def _match_sides_in_two_files(files: list[tuple[str, tuple[WrittenPoses, ...]]]) -> PoseFiles:
    for name, sides in files:
        if len(sides) != 1:
            raise BadInput(f"{name} already contains robot and target poses; give only this file.")
    seen = [bool(SEEN.search(Path(name).stem.lower())) for name, _ in files]
    first, second = (sides[0] for _, sides in files)
    if first.side != second.side:
        robot, target = (first, second) if first.side is Side.ROBOT else (second, first)
    elif seen[0] != seen[1]:  # neither file's columns say which side they are, or both say the same
        robot, target = (second, first) if seen[0] else (first, second)
    else:
        names = " and ".join(name for name, _ in files)
        raise BadInput(f"Which of {names} holds the target's poses? Put 'target' into that file's name alone.")
    robot, target = replace(robot, side=Side.ROBOT), replace(target, side=Side.TARGET)
    by_stamp = robot.stamps_s is not None and target.stamps_s is not None
    if not by_stamp and len(robot) != len(target):
        raise BadInput(
            f"The files have {len(robot)} robot poses and {len(target)} target poses. Give as many of each, so that "
            "rows can be matched in order, or add a column `stamp` in seconds to both files."
        )
    return PoseFiles(robot, target, by_stamp)


def _read_sides(file_name: str, text: str) -> tuple[WrittenPoses, ...]:
    if not text.strip():
        raise BadInput(f"{file_name} is empty.")
    return read_json_poses(file_name, text) if text.lstrip()[:1] in "{[" else read_csv_poses(file_name, text)


def _read_texts(path: Path) -> list[tuple[str, str]]:
    if not path.is_file():
        raise BadInput(f"{path} does not exist.")
    if path.stat().st_size > LARGEST_BYTES:
        raise BadInput(f"{path.name} is larger than {LARGEST_BYTES >> 20} MiB, too large for a list of poses.")
    raw = path.read_bytes()
    if not zipfile.is_zipfile(io.BytesIO(raw)):
        return [(path.name, _decode_text(path.name, raw))]
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            inside = [i for i in archive.infolist() if Path(i.filename).suffix.lower() in (".csv", ".json")]
            if sum(i.file_size for i in inside) > LARGEST_BYTES:
                raise BadInput(f"{path.name} unpacks to more than {LARGEST_BYTES >> 20} MiB.")
            return [(Path(i.filename).name, _decode_text(i.filename, archive.read(i))) for i in inside]
    except (zipfile.BadZipFile, OSError, EOFError) as wrong:
        raise BadInput(f"{path.name} is a damaged archive: {wrong}.") from wrong


def _decode_text(file_name: str, raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise BadInput(
            f"{file_name} is not a text file (byte {wrong.start}). Poses are read from JSON or CSV."
        ) from wrong
