"""Tell from the files which version of LeRobot's layout a dataset has."""

import re
from pathlib import Path

EPISODE_FILE = re.compile(r"episode_(\d+)\.parquet")
"""A data file of v2.x: one an episode."""

OTHER_FILE = re.compile(r"episode_(\d+)\.(?!parquet$)\w+")
"""A file with an episode's number, in a format that LeRobot does not read."""


def detect_version(root: Path, stated_version: str) -> str:
    """Return the stated version, or v3.0 where v2 is stated and no data file has a name that v2 reads.

    Version 3 reads data files of any name, so only a v2 dataset can have none.
    """
    if not stated_version.startswith("v2"):
        return stated_version
    files = list((root / "data").rglob("*.parquet"))
    if not files or any(EPISODE_FILE.fullmatch(path.name) for path in files):
        return stated_version
    return "v3.0"
