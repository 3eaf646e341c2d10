"""Find shared real data beside the repository; it is never part of it."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]


def find_shared_data(name: str) -> Path | None:
    """Return a folder of shared real data, None where this machine has none.

    Looked for under $FIELDLOOP_SHARED, else in `../shared` beside the repository.
    """
    root = Path(os.environ.get("FIELDLOOP_SHARED") or REPOSITORY.parent / "shared")
    folder = root / "data" / name
    return folder if folder.is_dir() else None
