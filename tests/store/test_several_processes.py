"""Several processes open, write and claim at once; nobody loses anything, and a follower skips nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from fieldloop.model.event import WorkspaceCreated
from fieldloop.model.policy import Outcome
from fieldloop.store import open_store

PROGRAM = Path(__file__).with_name("writer_program.py")
PROCESSES, TIMES, JOBS = 4, 25, 30


@pytest.fixture(params=["sqlite", "postgres"])
def shared_url(request, tmp_path):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'ledger.db'}"


def start(what, url):
    command = [sys.executable, str(PROGRAM), what, url, str(PROCESSES), str(TIMES)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def finish(processes):
    """Return what each process said, in its order."""
    lines = [tuple(map(int, line.split())) for line in processes.communicate(timeout=120)[0].splitlines()]
    assert processes.returncode == 0
    return [[number for who, number in lines if who == each] for each in range(PROCESSES)]


def test_all_open_the_same_new_database_and_append(shared_url):
    processes = start("append", shared_url)  # they race to make the tables, too
    store = open_store(shared_url)
    followed = []
    while processes.poll() is None or len(followed) < store.get_last_seq():
        followed += store.read_tail(followed[-1].seq if followed else 0, limit=50)
    acknowledged = finish(processes)

    assert [r.seq for r in followed] == list(range(1, store.get_last_seq() + 1))
    assert followed == store.read_tail(limit=2**31)
    by_seq = {r.seq: r.event for r in followed}
    for who, seqs in enumerate(acknowledged):
        assert [by_seq[seq] for seq in seqs] == [WorkspaceCreated(str(who), str(number)) for number in range(TIMES)]
    outcomes = PROCESSES * sum(number % 3 for number in range(TIMES))
    assert store.count(Outcome) == outcomes
    assert store.get_last_seq() == outcomes + PROCESSES * TIMES
    store.close()


def test_each_job_is_claimed_by_exactly_one(shared_url):
    store = open_store(shared_url)
    for due_ns in range(JOBS):
        store.jobs.schedule("work", due_ns)
    claimed = finish(start("claim", shared_url))
    assert sorted(number for each in claimed for number in each) == list(range(JOBS))
    assert store.jobs.open() == []
    store.close()
