"""The path a conversion writes to: given its ending, and checked before work begins."""

import os
from pathlib import Path

from fieldloop.errors import BadInput
from fieldloop.release.writers.written import refuse_taken_target

ENDINGS = {"hdf5": (".hdf5", ".h5", ".hdf"), "mcap": (".mcap",)}
"""Formats that are one file, and the endings people use for it; the first is ours."""


def prepare_target(target: Path, to: str, episodes: int) -> Path:
    """Return the path to write: a file gets its ending.

    BadInput where it cannot be written, before anything is read. Several MCAP logs are a folder.
    """
    endings = ENDINGS.get(to, ()) if to != "mcap" or episodes == 1 else ()
    refuse_taken_target(target)
    if endings and target.suffix.lower() not in endings:
        target = target.with_name(f"{target.name}{endings[0]}")
        refuse_taken_target(target)
    if not os.access(target.parent, os.W_OK):
        raise BadInput(f"{target.parent} does not allow writing. Choose another folder.")
    return target


def measure_size_mb(path: Path) -> float:
    """How large is what was written?"""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file()) / 1e6
