"""A worker that a signal ended may not keep the command from ending, whatever happens to the other workers."""

import subprocess
import sys

import pytest

WORK = """
import os
import signal
import time
from pathlib import Path

PID = Path(__file__).with_name("idle.pid")


def do(part):
    if part == "waits for work":
        time.sleep(2)  # until every part has a worker of its own
        PID.write_text(str(os.getpid()))
        return
    while not PID.exists():
        time.sleep(0.05)
    time.sleep(0.5)  # by now the first worker waits for work, and holds the lock of the queue while it does
    if part == "is ended":
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    time.sleep(1)
    os.kill(int(PID.read_text()), signal.SIGKILL)
    time.sleep(1)
"""
SCRIPT = """
import work
from fieldloop.errors import FieldloopError
from fieldloop.loop.work.run_on import run_each

try:
    list(run_each(work.do, ["waits for work", "is ended", "kills the first"], workers=3))
except FieldloopError as refused:
    print(refused)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_command_ends_when_one_worker_was_ended_and_another_killed(tmp_path):
    (tmp_path / "work.py").write_text(WORK)
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0
    assert "A worker process died" in done.stdout
