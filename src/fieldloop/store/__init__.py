"""Storage: an append-only event ledger, tables projected from it, a shelf of blobs, and timed jobs.

Only `loop` uses it. `open_store(url)` opens a database, `open_shelf(url)` opens blob storage.
"""

from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.protocol import Section, default_operations
from fieldloop.store.contract import (
    Count,
    EpisodeCount,
    EpisodeFilter,
    EventSpan,
    Expected,
    FoundEpisodes,
    Job,
    Jobs,
    Lock,
    Shelf,
    Store,
    StratumCount,
    Swept,
    TrialCount,
    Unchanged,
)

__all__ = [
    "Count",
    "EpisodeCount",
    "EpisodeFilter",
    "EventSpan",
    "Expected",
    "FoundEpisodes",
    "Job",
    "Jobs",
    "Lock",
    "Shelf",
    "Store",
    "StratumCount",
    "Swept",
    "TrialCount",
    "Unchanged",
    "open_shelf",
    "open_store",
]


def open_store(url: str, settings: Section | None = None) -> Store:
    """Open a database, creating or migrating it first: `sqlite:///path`, `sqlite://` (in memory), `postgresql://…`.

    >>> store = open_store("sqlite://")
    >>> store.get_last_seq()
    0
    >>> store.close()
    """
    from fieldloop.store.database import Database
    from fieldloop.store.ledger import SqlStore
    from fieldloop.store.prepare import prepare_database

    section = settings or default_operations()["store"]
    database = Database(url, busy_timeout_s=section.number("busy_timeout_s"))
    try:
        prepare_database(database)
    except BaseException:
        database.close()
        raise
    return SqlStore(database)


def open_shelf(url: str | Path, **options: Any) -> Shelf:
    """Open blob storage: a folder, `memory://`, or `s3://bucket/prefix`.

    Options go to the file system behind it (`endpoint_url`, `key`, `secret` for S3); without them S3 uses the
    environment (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE …).

    >>> shelf = open_shelf("memory://")
    >>> shelf.read(shelf.put_bytes(b"lift").sha256)
    b'lift'
    """
    text = str(url)
    scheme, separator, rest = text.partition("://")
    if not separator or scheme == "file":
        from fieldloop.store.shelf_folder import FolderShelf

        return FolderShelf(Path(rest if separator else text))
    if scheme in ("memory", "s3"):
        from fieldloop.store.shelf_remote import open_remote_shelf

        return open_remote_shelf(scheme, rest, options)
    raise BadInput(f"A shelf is a folder, memory:// or s3://bucket/prefix; {text!r} is none of these.")
