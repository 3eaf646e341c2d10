"""Several processes open, write and claim at once; nobody loses anything, and a follower skips nothing."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from fieldloop.model.event import WorkspaceCreated
from fieldloop.model.policy import Outcome
from fieldloop.store import open_store

WRITER = Path(__file__).with_name("writer_program.py")
PROCESSES, TIMES = 4, 40


@pytest.fixture(params=["sqlite", "postgres"])
def shared_url(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'ledger.db'}"


def start(what, url):
    command = [sys.executable, str(WRITER), what, url]
    return [
        subprocess.Popen([*command, f"writer-{n}", str(TIMES)], stdout=subprocess.PIPE, text=True)
        for n in range(PROCESSES)
    ]


def finish(processes):
    said = [[int(line) for line in process.communicate(timeout=120)[0].split()] for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes)
    return said


def test_all_open_the_same_new_database_and_append(shared_url):
    processes = start("append", shared_url)  # they race to make the tables, too
    store = open_store(shared_url)
    followed = []
    while len(followed) < store.last() or any(process.poll() is None for process in processes):
        followed += store.tail(followed[-1].seq if followed else 0, limit=50)
    acknowledged = finish(processes)
    followed += store.tail(followed[-1].seq if followed else 0)

    assert [r.seq for r in followed] == list(range(1, store.last() + 1))
    assert followed == store.tail(limit=2**31)
    by_seq = {r.seq: r for r in followed}
    for writer, seqs in enumerate(acknowledged):
        assert seqs == sorted(seqs)
        assert [by_seq[seq].event for seq in seqs] == [
            WorkspaceCreated(f"writer-{writer}", str(number)) for number in range(TIMES)
        ]
    outcomes = PROCESSES * sum(number % 3 for number in range(TIMES))
    assert store.count(Outcome) == outcomes
    assert store.last() == outcomes + PROCESSES * TIMES
    store.close()


def test_each_job_is_claimed_by_exactly_one(shared_url):
    store = open_store(shared_url)
    for due_ns in range(60):
        store.jobs.schedule("work", due_ns)
    claimed = finish(start("claim", shared_url))
    assert sorted(itertools.chain(*claimed)) == list(range(60))
    assert store.jobs.open() == []
    store.close()
