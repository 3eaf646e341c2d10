"""`kill -9` at any point of an ingest loses nothing that was acknowledged and leaves nothing half-written."""

import itertools
import json
import os
import random
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fieldloop.model.episode import Episode
from fieldloop.model.event import LogIngested
from fieldloop.model.finding import Status
from fieldloop.store import open_shelf, open_store
from fieldloop.store.shelf import FILES
from fieldloop.testing.store import read_store_contents

TARGET = Path(__file__).with_name("kill_target.py")
LONGEST_S = 60
LATEST_KILL_S = 0.08
LONGEST_FUSE = 60_000  # calls: a few logs' worth


class Line:
    """Lines from the program under fire, with a deadline instead of a hang."""

    def __init__(self, process):
        self.process, self.rest = process, b""

    def next(self, within_s=LONGEST_S):
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], within_s)[0]:
                return None
            piece = os.read(self.process.stdout.fileno(), 1 << 16)
            assert piece, "the program under fire ended by itself"
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode()


def kill_again_and_again(kills, seed, store_url, shelf_url, options):
    """Return what was acknowledged before each kill."""
    chance, safe = random.Random(seed), []
    command = [sys.executable, str(TARGET), store_url, shelf_url, json.dumps(options)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        lines = Line(process)
        assert lines.next() == "ready"
        for number in range(kills):
            fuse = chance.randrange(1, LONGEST_FUSE) if number % 3 else 0
            process.stdin.write(f"{number} {fuse}\n".encode())
            process.stdin.flush()
            worker = int(lines.next().removeprefix("pid "))
            line = None
            if not fuse:  # some of these die while they open the store, most in the middle of their work
                safe += [lines.next() for _ in range(chance.randrange(4) if number % 2 else 0)]
                line = lines.next(within_s=chance.uniform(0, LATEST_KILL_S))
                os.kill(worker, signal.SIGKILL)
            while line != "gone":
                safe += [line] if line else []
                line = lines.next()
        process.stdin.close()
    return [(int(seq), sha256) for _, seq, sha256 in map(str.split, safe)]


def nothing_is_lost(safe, store_url, shelf_url, options):
    store, shelf = open_store(store_url), open_shelf(shelf_url, **options)
    try:
        ledger = store.read_tail(limit=2**31)
        assert [r.seq for r in ledger] == list(range(1, len(ledger) + 1))
        kinds = [type(r.event).__name__ for r in ledger]
        assert kinds == ["LogIngested", "EpisodesMeasured", "EpisodeJudged"] * (len(kinds) // 3), "batches are whole"
        known = {r.seq + 2: r.event.log.blob.sha256 for r in store.events(LogIngested)}
        assert all(known[seq] == sha256 for seq, sha256 in safe)
        assert store.count(Episode) == store.count(Episode, {"status": Status.PASSED}) == len(known)
        assert not [x for x in shelf._list_blobs() if x.area == FILES and len(shelf.read(x.sha256)) != x.size]
        shelf.sweep(store.list_blobs(), min_age_s=-60)
        assert shelf.sweep(store.list_blobs(), min_age_s=-60).temporaries == 0
        assert all(shelf.has(blob) for blob in itertools.chain(known.values(), (sha for _, sha in safe)))
        before = read_store_contents(store)
        store.rebuild_tables()
        assert read_store_contents(store) == before
    finally:
        store.close()


@pytest.mark.parametrize("kills", [15, pytest.param(200, marks=pytest.mark.soak)])
def test_sqlite_and_a_folder(kills, tmp_path):
    place = (f"sqlite:///{tmp_path / 'ledger.db'}", str(tmp_path / "shelf"), {})
    safe = kill_again_and_again(kills, 1, *place)
    assert len(safe) >= kills // 2
    nothing_is_lost(safe, *place)


@pytest.mark.parametrize("kills", [5, pytest.param(60, marks=pytest.mark.soak)])
def test_postgres_and_s3(kills, postgres_url, s3_url, s3_options):
    place = (postgres_url, s3_url, s3_options)
    safe = kill_again_and_again(kills, 2, *place)
    nothing_is_lost(safe, *place)
