"""Name the files of a report so that no two have the same name, and name the file of a defect."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from fieldloop.model.episode import Defect


def name_files_apart(paths: Iterable[Path]) -> dict[Path, str]:
    """Name each file by the shortest end of its path that no other file shares.

    >>> list(name_files_apart([Path("a/x/log"), Path("a/y/log"), Path("b.h5")]).values())
    ['x/log', 'y/log', 'b.h5']
    """
    names: dict[Path, str] = {}
    files = left = list(dict.fromkeys(paths))
    longest = max((len(path.parts) for path in left), default=0) or 1  # `.` has no parts
    for depth in range(1, longest + 1):
        ends = {path: "/".join(path.parts[-depth:]) for path in left}
        shared = Counter(ends.values())
        names |= {path: end for path, end in ends.items() if shared[end] == 1 or depth == longest}
        left = [path for path in left if path not in names]
    return {path: names[path] for path in files}


def name_defect_file(defect: Defect, file: str, path: Path) -> Defect:
    """Return a defect that names its file, too."""
    inside = "" if defect.subject == path.name else defect.subject
    return replace(defect, subject=f"{file}/{inside}" if inside else file)
