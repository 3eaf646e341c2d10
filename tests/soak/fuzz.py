"""Hurts a good log in thousands of ways and watches what a reader makes of each, in processes that may die."""

import json
import os
import random
import select
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.soak.mutations import mutate_log

REPOSITORY = Path(__file__).parents[2]
CHILD = [sys.executable, "-m", "tests.soak.fuzz_worker"]
PATIENCE_S = 30.0
MOST_CPU_S = 5.0  # the good logs take a tenth of a second
START_S = 60.0


@dataclass
class Findings:
    """What broke the law, once for each kind of breakage."""

    cases: int = 0
    refused: int = 0
    complained: int = 0
    slowest_s: float = 0.0
    slowest: str = ""
    broken: dict[str, str] = field(default_factory=dict)

    def report(self):
        return "\n".join(f"{kind}\n    {message}" for kind, message in self.broken.items())


class Worker:
    """A child that reads logs until it dies or takes too long."""

    def __init__(self, good, scratch):
        paths = os.pathsep.join(str(REPOSITORY / part) for part in ("src", "robot/src", "."))
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the child
        self._process = subprocess.Popen(
            [*CHILD, str(good)],
            cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": paths, "TMPDIR": str(scratch)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._errors,
        )  # fmt: skip
        self._patience = START_S

    def ask(self, path):
        """Return the answer, or how the child ended."""
        try:
            self._process.stdin.write(f"{path}\n".encode())
            self._process.stdin.flush()
        except BrokenPipeError:
            return {"error": f"the process died: {self._last_words()}", "dead": True}
        ready, _, _ = select.select([self._process.stdout], [], [], self._patience)
        self._patience = PATIENCE_S
        if not ready:
            return {"error": f"no answer within {PATIENCE_S:.0f} s", "dead": True}
        if not (line := self._process.stdout.readline()):
            return {"error": f"the process died ({self._process.wait()}): {self._last_words()}", "dead": True}
        return json.loads(line)

    def close(self):
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
        self._errors.close()

    def _last_words(self):
        self._process.wait()
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-600:]


def fuzz(name, good_logs, *, seed, cases, seconds, keep, checksummed, workers=2):
    """Read so many hurt copies of good logs, or until the time is up."""
    findings, lock, numbers = Findings(), threading.Lock(), iter(range(cases))
    deadline = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{name}-") as scratch:

        def work(which):
            worker, expected = Worker(good_logs[0], scratch), {}
            try:
                while time.monotonic() < deadline:
                    with lock:
                        case = next(numbers, None)
                    if case is None:
                        return
                    good = good_logs[case % len(good_logs)]
                    if good not in expected:
                        expected[good] = worker.ask(good)
                    place = Path(scratch) / str(which) / good.name
                    done = hurt(good, place, f"{seed}/{name}/{case}")
                    said = worker.ask(place)
                    with lock:
                        count(findings, said, f"case {case} ({done})")
                        if (
                            kind := breakage(
                                said, expected[good], checksummed=checksummed is not None and checksummed in done
                            )
                        ) and kind not in findings.broken:
                            kept = save(place, keep / f"{name}-{seed}-{case}")
                            findings.broken[kind] = (
                                f"seed {seed} case {case} ({done}); saved as {kept}\n{said.get('trace', '')}"
                            )
                    if said.get("dead"):
                        worker.close()
                        worker = Worker(good, scratch)
                    shutil.rmtree(place.parent)
            finally:
                worker.close()

        threads = [threading.Thread(target=work, args=(which,)) for which in range(workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return findings


def hurt(good, place, seed):
    """Make the hurt copy of a case; the same seed makes the same."""
    place.parent.mkdir(parents=True)
    return mutate_log(good, place, random.Random(seed))


def count(findings, said, case):
    findings.cases += 1
    findings.refused += bool(said.get("refused"))
    findings.complained += bool(said.get("defects"))
    if said.get("seconds", 0.0) > findings.slowest_s:
        findings.slowest_s, findings.slowest = said["seconds"], case


def breakage(said, expected, *, checksummed):
    """Name the law that was broken, '' where none was."""
    if "error" in said:
        return f"{said['error'].split(': ')[0]} at {said['place']}" if "place" in said else said["error"][:200]
    if said["seconds"] > MOST_CPU_S:
        return f"more than {MOST_CPU_S:.0f} s of work"
    silent = not said["defects"] and not said["refused"]
    if checksummed and silent and said["content"] != expected["content"]:
        return "the content changed, and nothing was said"
    return ""


def save(place, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    if place.is_dir():
        shutil.copytree(place, target / place.name)
    else:
        target.mkdir()
        shutil.copy(place, target / place.name)
    return target
