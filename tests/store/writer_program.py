"""Several processes that write into the same store at once; each says the sequence numbers it was given.

Forked from one that has loaded everything, so that they really begin together.
"""

import os
import sys
from dataclasses import replace

from fieldloop.model.event import OutcomeRecorded, WorkspaceCreated
from fieldloop.model.policy import Outcome
from fieldloop.store import open_store
from fieldloop.testing.samples import make_sample_noun


def say(who, number):
    os.write(1, f"{who} {number}\n".encode())  # one write: never half a line


def append(store, who, times):
    for number in range(times):
        outcomes = [
            OutcomeRecorded(replace(make_sample_noun(Outcome), id=f"{who}-{number}-{i}")) for i in range(number % 3)
        ]
        say(who, store.append([*outcomes, WorkspaceCreated(str(who), str(number))], actor=str(who), at_ns=1))


def claim(store, who, _times):
    while job := store.jobs.claim(str(who), 1_000, 3600.0):
        assert store.jobs.mark_done(job, 1_000)
        say(who, job.due_ns)


def main():
    what, url, processes, times = sys.argv[1:]
    workers = []
    for who in range(int(processes)):
        worker = os.fork()
        if worker == 0:
            store = open_store(url)
            {"append": append, "claim": claim}[what](store, who, int(times))
            store.close()
            os._exit(0)
        workers.append(worker)
    sys.exit(max(os.waitpid(worker, 0)[1] for worker in workers))


if __name__ == "__main__":
    main()
