"""A full disk, a lock that is held too long, a server that went away: a clear word, and nothing half-written."""

import sqlite3
import subprocess
import sys
import threading

import pytest

from fieldloop.errors import StoreBusy, StoreError, StoreFull
from fieldloop.model.event import OutcomeRecorded, WorkspaceCreated
from fieldloop.model.policy import Outcome
from fieldloop.protocol import default_operations
from fieldloop.store import open_shelf, open_store
from fieldloop.testing.samples import make_sample_noun
from fieldloop.testing.store import make_event_of_each_kind, read_store_contents

IMPATIENT = default_operations()["store"].replace_values(busy_timeout_s=0.05)
EVENT = WorkspaceCreated("n", "1")


def test_waiting_too_long_for_a_file_is_reported(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'ledger.db'}", IMPATIENT)
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    for events in ([EVENT], [OutcomeRecorded(make_sample_noun(Outcome))]):
        with pytest.raises(StoreBusy, match="held the lock for too long; nothing was written"):
            store.append(events, actor="a", at_ns=1)
    assert store.read_tail() == [], "reading does not wait"
    other.execute("ROLLBACK")
    other.close()
    assert store.append([EVENT], actor="a", at_ns=1) == 1
    store.close()


def test_waiting_too_long_for_postgres_is_reported(postgres_url):
    import psycopg

    from fieldloop.store.database import LOCK

    store = open_store(postgres_url, IMPATIENT)
    with psycopg.connect(postgres_url) as other:
        other.execute(LOCK)
        for events in ([EVENT], [OutcomeRecorded(make_sample_noun(Outcome))]):
            with pytest.raises(StoreBusy, match="held the lock for too long"):
                store.append(events, actor="a", at_ns=1)
    assert store.append([EVENT], actor="a", at_ns=1) == 1
    store.close()


def test_a_postgres_that_restarted_is_reached_again(postgres_url):
    import psycopg

    store = open_store(postgres_url)
    store.append([EVENT], actor="a", at_ns=1)
    with psycopg.connect(postgres_url, autocommit=True) as other:
        others = "pid <> pg_backend_pid() AND backend_type = 'client backend'"
        other.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
    with pytest.raises(StoreError):
        store.append([EVENT], actor="a", at_ns=1)
    assert store.append([EVENT], actor="a", at_ns=1) == 2
    store.close()


def test_a_full_disk_leaves_the_store_as_it_was(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'ledger.db'}")
    store.append(make_event_of_each_kind(), actor="a", at_ns=1)
    before = read_store_contents(store)
    with store._database.open_for_reading() as connection:  # SQLite itself then says that the disk is full
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    large = WorkspaceCreated("n" * 100_000, "1")
    outcomes = [OutcomeRecorded(make_sample_noun(Outcome, n)) for n in range(5_000)]
    for events in ([EVENT, large], outcomes):
        with pytest.raises(StoreFull, match="no space left; nothing was written"):
            store.append(events, actor="a", at_ns=1)
        assert read_store_contents(store) == before
    with store._database.open_for_reading() as connection:
        connection.exec_driver_sql("PRAGMA max_page_count=1000000")
    assert store.append([large], actor="a", at_ns=1) == len(before["ledger"]) + 1
    store.close()


SMALL_FILES_ONLY = """
import resource, sys
from pathlib import Path
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
from fieldloop.errors import StoreFull
from fieldloop.store import open_shelf
shelf, large = open_shelf(sys.argv[1]), Path(sys.argv[2])
small = shelf.put_bytes(b"small")
for put in (lambda: shelf.put_file(large), lambda: shelf.put_bytes(large.read_bytes())):
    try:
        put()
    except StoreFull as full:
        print(full)
print(shelf.read(small.sha256).decode())
"""


def test_a_full_shelf_keeps_nothing_half(tmp_path):
    """The system itself refuses to write more, in a process that may only make small files."""
    (tmp_path / "large").write_bytes(b"x" * 500_000)
    command = [sys.executable, "-c", SMALL_FILES_ONLY, str(tmp_path / "shelf"), str(tmp_path / "large")]
    said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()
    assert said[2] == "small"
    assert all("no space left; nothing was stored" in line for line in said[:2])
    shelf = open_shelf(tmp_path / "shelf")
    assert [found.size for found in shelf._list_blobs()] == [5]
    assert shelf.sweep(set(), min_age_s=-60).temporaries == 0


def test_threads_of_one_process_take_turns(store):
    """Also in memory, where all threads share one connection."""

    def write(name):
        for number in range(20):
            store.append([WorkspaceCreated(name, str(number))], actor=name, at_ns=1)
            store.read_tail(limit=3)

    threads = [threading.Thread(target=write, args=(f"thread-{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.seq for r in store.read_tail()] == list(range(1, 81))
    for name in (f"thread-{n}" for n in range(4)):
        assert [r.event.fieldloop for r in store.read_tail() if r.actor == name] == [
            str(number) for number in range(20)
        ]
