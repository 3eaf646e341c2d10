"""The fuzzing can be believed: cases come back by their seed, and each kind of breakage is seen."""

import sys

import pytest
from tests.soak import fuzz
from tests.soak.fuzz import Worker, breakage, hurt

GOOD = {"content": "a", "defects": 0, "refused": False, "seconds": 0.1}


@pytest.fixture
def log(tmp_path):
    folder = tmp_path / "log"
    (folder / "inner").mkdir(parents=True)
    (folder / "data").write_bytes(bytes(range(256)) * 8)
    (folder / "inner" / "info.json").write_text('{"count": 3, "name": "x", "on": true}')
    return folder


def contents(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_same_seed_hurts_alike_and_the_good_log_stays_good(log, tmp_path):
    before, seen = contents(log), set()
    for case in range(60):
        first, second = tmp_path / f"{case}a" / "log", tmp_path / f"{case}b" / "log"
        assert hurt(log, first, f"7/x/{case}") == hurt(log, second, f"7/x/{case}")
        assert contents(first) == contents(second)
        seen.add(str(contents(first)))
    assert contents(log) == before
    assert len(seen) > 50


@pytest.mark.parametrize(
    ("said", "law"),
    [
        ({"error": "TypeError: no", "place": "a.py:3"}, "TypeError at a.py:3"),
        ({"error": "no answer within 30 s", "dead": True}, "no answer"),
        (GOOD | {"seconds": 99.0}, "s of work"),
        (GOOD | {"content": "b"}, "nothing was said"),
        (GOOD | {"content": "b", "defects": 1}, ""),
        (GOOD | {"content": "b", "refused": True}, ""),
        (GOOD, ""),
    ],
)
def test_every_breakage_is_named(said, law):
    law_named = breakage(said, GOOD, checksummed=True)
    assert law in law_named
    assert bool(law_named) == bool(law)


def test_a_child_that_dies_is_noticed(log, monkeypatch):
    monkeypatch.setattr(fuzz, "CHILD", [sys.executable, "-c", "import os; input(); os.abort()"])
    worker = Worker(log, log.parent)
    try:
        assert "died (-6)" in worker.ask(log)["error"]
    finally:
        worker.close()


def test_a_child_that_hangs_is_noticed(log, monkeypatch):
    monkeypatch.setattr(fuzz, "CHILD", [sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(fuzz, "START_S", 0.2)
    worker = Worker(log, log.parent)
    try:
        assert "no answer" in worker.ask(log)["error"]
    finally:
        worker.close()
