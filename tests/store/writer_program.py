"""One of several processes that write into the same store at once; prints each sequence number it was given."""

import sys
from dataclasses import replace

from fieldloop.model.event import OutcomeRecorded, WorkspaceCreated
from fieldloop.model.policy import Outcome
from fieldloop.store import open_store
from fieldloop.testing.samples import sample


def append(store, me, times):
    for number in range(times):
        outcomes = [OutcomeRecorded(replace(sample(Outcome), id=f"{me}-{number}-{i}")) for i in range(number % 3)]
        print(store.append([*outcomes, WorkspaceCreated(me, str(number))], actor=me, at_ns=1), flush=True)


def claim(store, me, _times):
    while job := store.jobs.claim(me, 1_000, 3600.0):
        assert store.jobs.done(job, 1_000)
        print(job.due_ns, flush=True)


if __name__ == "__main__":
    what, url, name, count = sys.argv[1:]
    opened = open_store(url)
    {"append": append, "claim": claim}[what](opened, name, int(count))
    opened.close()
