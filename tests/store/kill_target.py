"""The program that the kill test kills: it takes logs in, one after the other, and says which are safe.

For every line on its input it forks a worker, says its process number, and says when it is gone. A worker puts a file
on the shelf, appends what happened, and only then acknowledges: one line with sequence number and hash. The line gives
a seed and a fuse: after so many calls of any function the worker kills itself, so that every step is as likely a place
as any other; with fuse 0 it waits for the kill from outside, which may also strike inside a call.
"""

import itertools
import json
import os
import random
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from fieldloop.model.episode import Episode, Log
from fieldloop.model.event import EpisodeJudged, EpisodesMeasured, LogIngested
from fieldloop.model.finding import EpisodeReport, Status
from fieldloop.store import open_shelf, open_store
from fieldloop.store.parquet import store_table
from fieldloop.testing.samples import make_sample_noun


def say(text):
    os.write(1, f"{text}\n".encode())  # one write: never half a line


def ingest(store, shelf, path, name):
    """One log as `loop` takes it in: bytes first, then the event that speaks of them."""
    blob = shelf.put_file(path)
    rows, count = store_table(shelf, {"episode": [name], "value": [0.5]})
    episode = replace(make_sample_noun(Episode), id=name)
    log = replace(make_sample_noun(Log), blob=blob, name=name, episodes=(name,))
    report = replace(make_sample_noun(EpisodeReport), episode=name, status=Status.PASSED)
    events = [LogIngested(log, (episode,)), EpisodesMeasured((name,), rows, count), EpisodeJudged("p", report)]
    return store.append(events, actor="station", at_ns=1), blob.sha256


def light(fuse):
    calls = itertools.count(1)

    def burn(_frame, _what, _argument):
        if next(calls) >= fuse:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(burn)


def work(seed, fuse, store_url, shelf_url, options):
    chance = random.Random(seed)
    store, shelf = open_store(store_url), open_shelf(shelf_url, **options)
    if fuse:
        light(fuse)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log")
        for number in range(10_000):
            path.write_bytes(chance.randbytes(chance.randrange(200_000)))
            seq, sha256 = ingest(store, shelf, path, f"{seed}-{number}")
            say(f"safe {seq} {sha256}")


def main():
    store_url, shelf_url, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    ingest(open_store("sqlite://"), open_shelf("memory://"), Path(__file__), "rehearsal")  # loads what is loaded once
    say("ready")
    for line in sys.stdin:
        worker = os.fork()
        if worker == 0:
            say(f"pid {os.getpid()}")
            work(*map(int, line.split()), store_url, shelf_url, options)
            os._exit(0)
        os.waitpid(worker, 0)
        say("gone")


if __name__ == "__main__":
    main()
