"""Where facts and bytes rest: an append-only ledger, tables rebuilt from it, a shelf of blobs, timed jobs.

Only `loop` asks. `open_store(url)` picks the database, `open_shelf(url)` the place for bytes.
"""

from pathlib import Path
from typing import Any

from fieldloop.errors import BadInput
from fieldloop.protocol import Section, default_operations
from fieldloop.store.contract import Expected, Job, Jobs, Shelf, Store, Swept

__all__ = ["Expected", "Job", "Jobs", "Shelf", "Store", "Swept", "open_shelf", "open_store"]


def open_store(url: str, settings: Section | None = None) -> Store:
    """Open a database, making or migrating it first: `sqlite:///path`, `sqlite://` (in memory), `postgresql://…`.

    >>> store = open_store("sqlite://")
    >>> store.last()
    0
    >>> store.close()
    """
    from fieldloop.store.database import Database
    from fieldloop.store.ledger import SqlStore
    from fieldloop.store.prepare import prepare

    section = settings or default_operations()["store"]
    database = Database(url, busy_timeout_s=section.number("busy_timeout_s"))
    try:
        prepare(database)
    except BaseException:
        database.close()
        raise
    return SqlStore(database)


def open_shelf(url: str | Path, **options: Any) -> Shelf:
    """Open a place for bytes: a folder, `memory://`, or `s3://bucket/prefix`.

    Options go to the file system behind it (`endpoint_url`, `key`, `secret` for S3); without them S3 takes what the
    environment says (AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_PROFILE …).

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
        from fieldloop.store.shelf_remote import open_remote

        return open_remote(scheme, rest, options)
    raise BadInput(f"A shelf is a folder, memory:// or s3://bucket/prefix; {text!r} is none of them.")
